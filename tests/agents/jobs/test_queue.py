"""Behaviour of every queue: in memory and in RabbitMQ."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable
from typing import TypeVar

import pytest

from agents.jobs.queue import (
    DELIVERY_LIMIT,
    AlreadySettled,
    Delivery,
    M,
    QueueClient,
    QueueName,
    QueueUnavailable,
    ToolExecution,
    ToolResult,
)
from tests.agents.jobs.queue_backends import QueueBackend
from tests.chat.cluster.waiting import until

T = TypeVar("T")

LONG_ENOUGH_S = 0.15
"""Enough time for an available message to arrive."""


def execution() -> ToolExecution:
    return ToolExecution(job_id=uuid.uuid4())


async def soon(awaitable: Awaitable[T]) -> T:
    """The result; fails after enough time for a message sent within seconds."""
    return await asyncio.wait_for(awaitable, 30)


async def next_of(deliveries: AsyncIterator[Delivery[M]]) -> Delivery[M]:
    return await soon(anext(deliveries))


async def take(deliveries: AsyncIterator[Delivery[M]], count: int) -> list[M]:
    """The next ``count`` messages, each acknowledged."""
    taken = []
    for _ in range(count):
        delivery = await next_of(deliveries)
        await delivery.ack()
        taken.append(delivery.message)
    return taken


async def comes(asking: "asyncio.Task[Delivery[M]]") -> bool:
    """Whether a delivery comes within ``LONG_ENOUGH_S``."""
    done, _ = await asyncio.wait({asking}, timeout=LONG_ENOUGH_S)
    return bool(done)


def ask(deliveries: AsyncIterator[Delivery[M]]) -> "asyncio.Task[Delivery[M]]":
    async def asking() -> Delivery[M]:
        return await anext(deliveries)

    return asyncio.create_task(asking())


class TestQueue:
    async def test_acknowledged_message_is_not_delivered_again(self, backend: QueueBackend) -> None:
        client, first, second = backend.client(), execution(), execution()
        await client.publish(first)
        async with client.consume(ToolExecution, slots=1) as deliveries:
            assert await take(deliveries, 1) == [first]

        await client.publish(second)
        async with client.consume(ToolExecution, slots=1) as deliveries:
            assert await take(deliveries, 1) == [second]
        assert await client.dead_letters() == 0

    async def test_each_kind_of_message_has_its_own_queue(self, backend: QueueBackend) -> None:
        client, job, result = backend.client(), execution(), ToolResult(job_id=uuid.uuid4())
        await client.publish(result)
        await client.publish(job)

        async with (
            client.consume(ToolExecution, slots=1) as jobs,
            client.consume(ToolResult, slots=1) as results,
        ):
            assert (await take(jobs, 1), await take(results, 1)) == ([job], [result])

    async def test_consumer_waits_for_message_published_later(self, backend: QueueBackend) -> None:
        client, message = backend.client(), execution()
        async with client.consume(ToolExecution, slots=1) as deliveries:
            asking = ask(deliveries)
            assert await comes(asking) is False

            await client.publish(message)
            assert (await soon(asking)).message == message

    async def test_consumers_share_messages(self, backend: QueueBackend) -> None:
        publisher, workers = backend.client(), [backend.client() for _ in range(2)]
        messages = [execution() for _ in range(12)]

        async def work(position: int) -> list[ToolExecution]:
            async with workers[position].consume(ToolExecution, slots=1) as deliveries:
                return await take(deliveries, 6)

        _, *taken = await soon(asyncio.gather(asyncio.gather(*map(publisher.publish, messages)), work(0), work(1)))
        ids = [message.job_id for part in taken for message in part]
        assert sorted(ids) == sorted(message.job_id for message in messages)

    async def test_requeued_message_is_delivered_again(self, backend: QueueBackend) -> None:
        client, message = backend.client(), execution()
        await client.publish(message)
        async with client.consume(ToolExecution, slots=1) as deliveries:
            await (await next_of(deliveries)).requeue()

            assert await take(deliveries, 1) == [message]
        assert await client.dead_letters() == 0

    async def test_requeued_message_is_delivered_to_another_consumer(self, backend: QueueBackend) -> None:
        client, other, message = backend.client(), backend.client(), execution()
        await client.publish(message)
        async with (
            client.consume(ToolExecution, slots=1) as deliveries,
            other.consume(ToolExecution, slots=1) as others,
        ):
            delivery = await next_of(deliveries)
            asking = ask(others)
            assert await comes(asking) is False
            await delivery.requeue()

            assert (await soon(asking)).message == message

    async def test_repeatedly_requeued_message_becomes_dead_letter(self, backend: QueueBackend) -> None:
        client, message, other = backend.client(), execution(), execution()
        await client.publish(message)
        async with client.consume(ToolExecution, slots=1) as deliveries:
            for _ in range(DELIVERY_LIMIT + 1):
                delivery = await next_of(deliveries)
                assert delivery.message == message
                await delivery.requeue()
            await client.publish(other)

            assert await take(deliveries, 1) == [other]
        await until(lambda: letters(client, 1))

    async def test_malformed_message_becomes_dead_letter_without_delivery(self, backend: QueueBackend) -> None:
        client, message = backend.client(), execution()
        assert await client.ready() is True
        for body in (b"roses", b"{}", b'{"job_id": "x", "text": "roses"}'):
            await backend.put(QueueName.TOOL_EXECUTION, body)
        await client.publish(message)

        async with client.consume(ToolExecution, slots=1) as deliveries:
            assert await take(deliveries, 1) == [message]
        assert client.malformed == 3
        await until(lambda: letters(client, 3))

    async def test_unsettled_deliveries_are_limited_to_slots(self, backend: QueueBackend) -> None:
        client = backend.client()
        for _ in range(4):
            await client.publish(execution())

        async with client.consume(ToolExecution, slots=2) as deliveries:
            given = [await next_of(deliveries) for _ in range(2)]
            asking = ask(deliveries)
            assert await comes(asking) is False
            await given[1].ack()
            third = await soon(asking)

            asking = ask(deliveries)
            assert await comes(asking) is False
            await third.requeue()
            await (await soon(asking)).ack()
            await given[0].ack()
            await (await next_of(deliveries)).ack()

    async def test_busy_consumer_that_acknowledged_holds_no_further_message(self, backend: QueueBackend) -> None:
        busy, free = backend.client(), backend.client()
        before, after = [execution() for _ in range(3)], [execution() for _ in range(3)]
        async with (
            busy.consume(ToolExecution, slots=1) as deliveries,
            free.consume(ToolExecution, slots=1) as others,
        ):
            for job in before:
                await busy.publish(job)
            taken = await take(deliveries, 1)
            for job in after:
                await busy.publish(job)

            # The first consumer is busy with a job and does not ask.
            taken += await take(others, 5)
            assert sorted(job.job_id for job in taken) == sorted(job.job_id for job in before + after)

    async def test_cancelled_wait_takes_no_message(self, backend: QueueBackend) -> None:
        gone, there, message = backend.client(), backend.client(), execution()
        async with (
            gone.consume(ToolExecution, slots=1) as deliveries,
            there.consume(ToolExecution, slots=1) as others,
        ):
            asking = ask(deliveries)
            assert await comes(asking) is False
            asking.cancel()
            await asyncio.wait({asking})
            await gone.publish(message)

            assert await take(others, 1) == [message]

    async def test_no_message_is_lost_when_wait_is_cancelled(self, backend: QueueBackend) -> None:
        client = backend.client()
        messages = [execution() for _ in range(DELIVERY_LIMIT)]
        async with client.consume(ToolExecution, slots=1) as deliveries:
            taken = []
            for turns, message in enumerate(messages):
                asking = ask(deliveries)
                publishing = asyncio.create_task(client.publish(message))
                for _ in range(turns * 3):
                    await asyncio.sleep(0)
                asking.cancel()
                [outcome] = await asyncio.gather(asking, return_exceptions=True)
                await publishing
                if not isinstance(outcome, BaseException):
                    await outcome.ack()
                    taken.append(outcome.message)
            taken += await take(deliveries, len(messages) - len(taken))

        assert sorted(message.job_id for message in taken) == sorted(message.job_id for message in messages)
        assert await client.dead_letters() == 0

    async def test_slots_may_wait_concurrently(self, backend: QueueBackend) -> None:
        client, messages = backend.client(), [execution() for _ in range(3)]
        async with client.consume(ToolExecution, slots=3) as deliveries:
            asking = [ask(deliveries) for _ in messages]
            for message in messages:
                await client.publish(message)

            given = await soon(asyncio.gather(*asking))
            for delivery in given:
                await delivery.ack()
        assert sorted(each.message.job_id for each in given) == sorted(message.job_id for message in messages)

    async def test_message_unsettled_at_end_of_consumer_is_delivered_again(self, backend: QueueBackend) -> None:
        client, message = backend.client(), execution()
        await client.publish(message)
        async with client.consume(ToolExecution, slots=1) as deliveries:
            left = await next_of(deliveries)

        with pytest.raises(QueueUnavailable):
            await left.ack()
        async with client.consume(ToolExecution, slots=1) as deliveries:
            assert await take(deliveries, 1) == [message]

    async def test_delivery_is_settled_once(self, backend: QueueBackend) -> None:
        client = backend.client()
        await client.publish(execution())
        async with client.consume(ToolExecution, slots=1) as deliveries:
            delivery = await next_of(deliveries)
            await delivery.ack()

            for settle in (delivery.ack, delivery.requeue):
                with pytest.raises(AlreadySettled):
                    await settle()

    async def test_closing_queue_ends_consumers_waiting_for_messages_or_slots(self, backend: QueueBackend) -> None:
        client = backend.client()
        await client.publish(ToolResult(job_id=uuid.uuid4()))
        async with (
            client.consume(ToolExecution, slots=1) as jobs,
            client.consume(ToolResult, slots=1) as results,
        ):
            await next_of(results)
            asking = [asyncio.create_task(all_of(jobs)), asyncio.create_task(all_of(results))]
            done, _ = await asyncio.wait(asking, timeout=LONG_ENOUGH_S)
            assert done == set()
            await client.aclose()

            assert await soon(asyncio.gather(*asking)) == [0, 0]

    async def test_leaving_consumer_ends_its_iterator(self, backend: QueueBackend) -> None:
        client = backend.client()
        async with client.consume(ToolExecution, slots=1) as deliveries:
            asking = asyncio.create_task(all_of(deliveries))
            done, _ = await asyncio.wait({asking}, timeout=LONG_ENOUGH_S)
            assert done == set()

        assert await soon(asking) == 0
        assert await client.ready() is True

    async def test_closed_queue_is_unavailable(self, backend: QueueBackend) -> None:
        client = backend.client()
        assert await client.ready() is True
        await client.aclose()
        await client.aclose()

        assert await client.ready() is False
        with pytest.raises(QueueUnavailable):
            await client.publish(execution())
        with pytest.raises(QueueUnavailable):
            await client.dead_letters()
        async with client.consume(ToolExecution, slots=1) as deliveries:
            assert await all_of(deliveries) == 0


async def letters(client: QueueClient, count: int) -> bool:
    """Whether there are ``count`` dead letters; a broker's count lags a moment behind."""
    return await client.dead_letters() == count


async def all_of(deliveries: AsyncIterator[Delivery[M]]) -> int:
    """The number of messages until the iterator ends."""
    return len([delivery async for delivery in deliveries])
