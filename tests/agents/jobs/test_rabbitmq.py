"""Faults that only a broker has: it is unreachable, or loses connections, queues or consumers."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, suppress
from dataclasses import replace

import pytest
from aio_pika import DeliveryMode

from agents.jobs.queue import QueueName, QueueUnavailable, ToolExecution, ToolResult
from agents.jobs.rabbitmq import RabbitQueue, within
from tests.adiuva.servers import reserved_port
from tests.agents.jobs.queue_backends import HASTY, PATIENT, RABBITMQ_PORT, RabbitQueueBackend, in_rabbitmq, url_at
from tests.agents.jobs.test_queue import all_of, ask, comes, execution, next_of, soon, take
from tests.chat.cluster.waiting import until
from tests.contexts import is_kept
from tests.faults.proxy import FaultProxy, fault_proxy

pytestmark = pytest.mark.rabbitmq


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port without a listener until the end of the test."""
    with reserved_port() as port:
        yield port


@pytest.fixture
async def proxy() -> AsyncIterator[FaultProxy]:
    async with fault_proxy(RABBITMQ_PORT) as proxy:
        yield proxy


def go_away(proxy: FaultProxy, closed_port: int) -> None:
    """Cut every connection and refuse new ones."""
    proxy.behind = closed_port
    proxy.cut()


async def sent(client: RabbitQueue, message: ToolExecution | ToolResult) -> bool:
    """Whether the message was sent. An earlier attempt may have sent it as well."""
    with suppress(QueueUnavailable):
        await client.publish(message)
        return True
    return False


async def test_unreachable_broker_is_reported_at_once(closed_port: int) -> None:
    waits = replace(HASTY, answer_s=60, reconnect_s=60)
    async with aclosing(RabbitQueue(url_at(closed_port), "test.", waits=waits)) as client:
        async with asyncio.timeout(20):
            with pytest.raises(QueueUnavailable):
                await client.publish(execution())
            assert await client.ready() is False
        with pytest.raises(QueueUnavailable):
            await client.dead_letters()


async def test_consumer_ends_even_if_broker_is_unreachable(closed_port: int) -> None:
    waits = replace(HASTY, reconnect_s=60)
    async with (
        aclosing(RabbitQueue(url_at(closed_port), "test.", waits=waits)) as client,
        client.consume(ToolExecution, slots=1) as deliveries,
    ):
        asking = asyncio.create_task(all_of(deliveries))
        done, _ = await asyncio.wait({asking}, timeout=HASTY.connect_s + 0.1)
        assert done == set()
        await client.aclose()

        assert await soon(asking) == 0


async def test_client_connects_once_broker_is_reachable(
    broker: RabbitQueueBackend, proxy: FaultProxy, closed_port: int
) -> None:
    go_away(proxy, closed_port)
    client, message = broker.client(port=proxy.port, waits=HASTY), execution()
    with pytest.raises(QueueUnavailable):
        await client.publish(message)
    async with client.consume(ToolExecution, slots=1) as deliveries:
        asking = ask(deliveries)
        assert await comes(asking) is False
        proxy.behind = RABBITMQ_PORT
        await until(client.ready)
        await client.publish(message)

        assert (await soon(asking)).message == message


async def test_channel_does_not_keep_context_of_first_use(broker: RabbitQueueBackend) -> None:
    client = broker.client()
    assert not await is_kept(lambda: client.publish(execution()))
    assert await client.ready()


async def test_consumers_and_publishers_recover_from_lost_connection(
    broker: RabbitQueueBackend, proxy: FaultProxy, closed_port: int
) -> None:
    client, messages = broker.client(port=proxy.port, waits=HASTY), [execution() for _ in range(4)]
    await until(client.ready)
    await client.publish(messages[0])
    async with client.consume(ToolExecution, slots=2) as deliveries:
        held = await next_of(deliveries)
        asking = ask(deliveries)
        await until(broker.is_consumed)
        go_away(proxy, closed_port)
        with pytest.raises(QueueUnavailable):
            await client.publish(execution())
        with pytest.raises(QueueUnavailable):
            await held.ack()
        assert await client.ready() is False

        proxy.behind = RABBITMQ_PORT
        await until(client.ready)
        for message in messages[1:]:
            await client.publish(message)
        first = await soon(asking)
        await first.ack()
        taken = [first.message, *await take(deliveries, 3)]
    assert sorted(each.job_id for each in taken) == sorted(each.job_id for each in messages)


async def test_published_messages_survive_repeated_connection_loss(
    broker: RabbitQueueBackend, proxy: FaultProxy
) -> None:
    client, published, taken = broker.client(port=proxy.port, waits=HASTY), set[uuid.UUID](), set[uuid.UUID]()

    async def publish() -> None:
        # Limited: an immediate retry must not keep the library from noticing the loss.
        for _ in range(20_000):
            if proxy.cuts == 3:
                return
            message = execution()
            with suppress(QueueUnavailable):
                await client.publish(message)
                published.add(message.job_id)

    async def work() -> None:
        async with client.consume(ToolExecution, slots=1) as deliveries:
            async for delivery in deliveries:
                taken.add(delivery.message.job_id)
                with suppress(QueueUnavailable):
                    await delivery.ack()

    async def all_taken() -> bool:
        return published <= taken

    for count in (4_000, 7_000, 5_500):
        proxy.cut_after(count)
    working = asyncio.create_task(work())
    await soon(publish())
    await until(all_taken)
    await client.aclose()
    await soon(working)
    assert (proxy.cuts, len(published) > 3) == (3, True)


async def test_message_that_arrives_during_cancellation_goes_to_another_consumer(
    broker: RabbitQueueBackend, proxy: FaultProxy
) -> None:
    # While the proxy stalls, only the cancellation may be on its way to the broker.
    waits = replace(PATIENT, check_s=60)
    gone, there, message = broker.client(port=proxy.port, waits=waits), broker.client(), execution()
    async with (
        gone.consume(ToolExecution, slots=1) as deliveries,
        there.consume(ToolExecution, slots=1) as others,
    ):
        asking = ask(deliveries)
        await until(broker.is_consumed)
        proxy.stall()
        await there.publish(message)
        asking.cancel()
        await soon(proxy.held.wait())
        proxy.flow()
        await asyncio.wait({asking})

        assert asking.cancelled() is True
        assert await take(others, 1) == [message]


async def test_publishing_over_silent_connection_times_out(broker: RabbitQueueBackend, proxy: FaultProxy) -> None:
    waits = replace(HASTY, answer_s=1.0, heartbeat_s=60)
    client = broker.client(port=proxy.port, waits=waits)
    await until(lambda: sent(client, execution()), within_s=30)
    proxy.forget()
    async with asyncio.timeout(20):
        with pytest.raises(QueueUnavailable):
            await client.publish(execution())


async def test_silent_connection_is_replaced(broker: RabbitQueueBackend, proxy: FaultProxy) -> None:
    waits = replace(HASTY, answer_s=1.0, heartbeat_s=1)
    client, message = broker.client(port=proxy.port, waits=waits), execution()
    async with client.consume(ToolExecution, slots=1) as deliveries:
        asking = ask(deliveries)
        await until(broker.is_consumed)
        proxy.forget()

        await until(lambda: sent(client, message), within_s=30)
        assert (await soon(asking)).message == message


async def test_publishing_to_deleted_queue_fails_and_recreates_it(broker: RabbitQueueBackend) -> None:
    client, message = broker.client(), execution()
    await client.publish(execution())
    await broker.delete(QueueName.TOOL_EXECUTION)

    with pytest.raises(QueueUnavailable):
        await client.publish(execution())
    await client.publish(message)
    async with client.consume(ToolExecution, slots=1) as deliveries:
        assert await take(deliveries, 1) == [message]


async def test_consumer_continues_after_its_queue_is_deleted(broker: RabbitQueueBackend) -> None:
    client, message = broker.client(waits=replace(PATIENT, check_s=60)), execution()
    async with client.consume(ToolExecution, slots=1) as deliveries:
        asking = ask(deliveries)
        await until(broker.is_consumed)
        await broker.delete(QueueName.TOOL_EXECUTION)
        await until(broker.is_consumed)
        await client.publish(message)

        assert (await soon(asking)).message == message


async def test_consumer_dropped_by_broker_is_recreated(broker: RabbitQueueBackend) -> None:
    client, message = broker.client(waits=replace(PATIENT, check_s=1)), execution()
    async with client.consume(ToolExecution, slots=1) as deliveries:
        asking = ask(deliveries)
        await until(broker.is_consumed)

        async def forgotten() -> bool:
            """Whether there was a consumer to remove: each is soon replaced."""
            channel = await deliveries._channel._channel.get_underlay_channel()  # type: ignore[attr-defined]
            tags = list(channel.consumers)
            for tag in tags:
                await channel.basic_cancel(tag, nowait=True)
            return bool(tags)

        await until(forgotten)
        await client.publish(message)

        assert (await soon(asking)).message == message


async def test_message_is_persistent_and_contains_only_ids(broker: RabbitQueueBackend) -> None:
    client, job = broker.client(), uuid.uuid4()
    await client.publish(ToolExecution(job_id=job))
    await client.publish(ToolResult(job_id=job))
    execution, result = await broker.take(QueueName.TOOL_EXECUTION), await broker.take(QueueName.TOOL_RESULTS)

    assert json.loads(execution.body) == {"job_id": str(job)}
    assert json.loads(result.body) == {"job_id": str(job)}
    for message in (execution, result):
        assert message.delivery_mode == DeliveryMode.PERSISTENT
        assert {name[:2] for name in message.headers} <= {"x-"}, "the broker's own, and no other"


async def test_servers_with_different_prefixes_are_separate(broker: RabbitQueueBackend) -> None:
    async with in_rabbitmq() as other:
        mine, theirs = execution(), execution()
        await broker.client().publish(mine)
        await other.client().publish(theirs)
        async with other.clients[0].consume(ToolExecution, slots=1) as deliveries:
            assert await take(deliveries, 1) == [theirs]


async def test_queue_with_other_arguments_is_unavailable(broker: RabbitQueueBackend) -> None:
    await broker.channel.declare_queue(f"{broker.prefix}{QueueName.TOOL_RESULTS}", durable=True)
    client = broker.client()

    assert await client.ready() is False
    with pytest.raises(QueueUnavailable, match="inequivalent arg"):
        await client.publish(execution())


async def test_heartbeat_in_url_is_used() -> None:
    url = f"{url_at(RABBITMQ_PORT)}?heartbeat=7"
    async with aclosing(RabbitQueue(url, "test.", waits=PATIENT)) as client:
        connection = await client._connection._connected()

        assert connection.transport is not None
        assert connection.transport.connection.connection_tune.heartbeat == 7


def test_client_can_be_created_without_event_loop(closed_port: int) -> None:
    client = RabbitQueue(url_at(closed_port), "test.", waits=HASTY)

    async def use() -> bool:
        async with aclosing(client):
            return await client.ready()

    assert asyncio.run(use()) is False


async def test_cancellation_inside_library_counts_as_lost_connection() -> None:
    def untyped() -> Exception:
        error = Exception()
        error.__cause__ = asyncio.CancelledError()
        return error

    with pytest.raises(QueueUnavailable):
        async with within(30):
            raise untyped()
    with pytest.raises(LookupError):
        async with within(30):
            raise LookupError
