"""Messages about jobs through the queue port, and through bare aio-pika."""

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable
from contextlib import aclosing

import aio_pika
from aio_pika import DeliveryMode
from aio_pika.abc import AbstractIncomingMessage
from pydantic import JsonValue

from agents.jobs.queue import DELIVERY_LIMIT, ToolExecution, encode
from agents.jobs.rabbitmq import RabbitQueue


async def queue_port(*, url: str, prefix: str, messages: int, at_once: int) -> JsonValue:
    """The seconds that it takes to publish this many ``messages``, and to get and acknowledge each."""
    async with aclosing(RabbitQueue(url, prefix)) as client:
        assert await client.ready()
        publish_s = await _published(lambda: client.publish(_message()), messages, at_once)
        left = iter(range(messages))

        async def slot() -> None:
            async with client.consume(ToolExecution, slots=1) as deliveries:
                for _ in left:
                    await (await anext(deliveries)).ack()

        started = time.monotonic()
        async with asyncio.TaskGroup() as slots:
            for _ in range(at_once):
                slots.create_task(slot())
        return {"publish": publish_s, "consume": time.monotonic() - started}


async def bare_queue(*, url: str, prefix: str, messages: int, at_once: int) -> JsonValue:
    """As ``queue_port``, with a queue of the same kind and one consumer that is there all the time."""
    async with await aio_pika.connect(url) as connection, connection.channel(publisher_confirms=True) as channel:
        await channel.set_qos(prefetch_count=at_once)
        queue = await channel.declare_queue(
            f"{prefix}bare", durable=True, arguments={"x-queue-type": "quorum", "x-delivery-limit": DELIVERY_LIMIT}
        )
        try:
            publish_s = await _published(lambda: _publish(channel, queue.name), messages, at_once)
            return {"publish": publish_s, "consume": await _consumed(queue, messages)}
        finally:
            await queue.delete(if_unused=False, if_empty=False)


def _message() -> ToolExecution:
    return ToolExecution(job_id=uuid.uuid4())


async def _publish(channel: aio_pika.abc.AbstractChannel, name: str) -> None:
    envelope = aio_pika.Message(encode(_message()), delivery_mode=DeliveryMode.PERSISTENT)
    await channel.default_exchange.publish(envelope, routing_key=name, mandatory=True)


async def _published(publish: Callable[[], Awaitable[object]], messages: int, at_once: int) -> float:
    left = iter(range(messages))

    async def work() -> None:
        for _ in left:
            await publish()

    await publish()  # the channel is open from then on
    next(left)
    started = time.monotonic()
    async with asyncio.TaskGroup() as publishers:
        for _ in range(at_once):
            publishers.create_task(work())
    return time.monotonic() - started


async def _consumed(queue: aio_pika.abc.AbstractQueue, messages: int) -> float:
    left, over = iter(range(messages - 1)), asyncio.Event()

    async def take(incoming: AbstractIncomingMessage) -> None:
        await incoming.ack()
        if next(left, None) is None:
            over.set()

    started = time.monotonic()
    tag = await queue.consume(take)
    await over.wait()
    await queue.cancel(tag)
    return time.monotonic() - started
