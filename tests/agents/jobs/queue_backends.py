"""The queue in memory and in RabbitMQ, for any number of processes."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Protocol

import aio_pika
from aio_pika.abc import AbstractChannel, AbstractConnection
from aio_pika.exceptions import ChannelNotFoundEntity

from agents.jobs.memory import MemoryQueue
from agents.jobs.queue import QueueClient, QueueName
from agents.jobs.rabbitmq import RabbitQueue, Waits

RABBITMQ_PORT = 5672
PATIENT = Waits(connect_s=20.0, answer_s=30.0, reconnect_s=0.1, check_s=0.5)
HASTY = replace(PATIENT, connect_s=0.3)
"""For tests that expect the broker to be unreachable."""


def url_at(port: int) -> str:
    return f"amqp://guest:guest@127.0.0.1:{port}/"


class QueueBackend(Protocol):
    """One queue, for several processes."""

    def client(self) -> QueueClient:
        """The client of one more process."""

    async def put(self, name: QueueName, body: bytes) -> None:
        """Publish a raw body, as another program may."""


@dataclass
class MemoryQueueBackend:
    """All clients share one queue in this process."""

    queue: MemoryQueue = field(default_factory=MemoryQueue)

    def client(self) -> MemoryQueue:
        return self.queue

    async def put(self, name: QueueName, body: bytes) -> None:
        self.queue.put(name, body)


@dataclass
class RabbitQueueBackend:
    """Clients of one broker, each with its own connection, and another connection to inspect the broker."""

    connection: AbstractConnection
    channel: AbstractChannel
    prefix: str = field(default_factory=lambda: f"test.{uuid.uuid4().hex}.")
    clients: list[RabbitQueue] = field(default_factory=list)

    def client(self, *, port: int = RABBITMQ_PORT, waits: Waits = PATIENT) -> RabbitQueue:
        self.clients.append(RabbitQueue(url_at(port), self.prefix, waits=waits))
        return self.clients[-1]

    async def put(self, name: QueueName, body: bytes) -> None:
        await self.channel.default_exchange.publish(aio_pika.Message(body), routing_key=f"{self.prefix}{name}")

    async def take(self, name: str) -> aio_pika.abc.AbstractIncomingMessage:
        """The next message, as stored by the broker."""
        queue = await self.channel.get_queue(f"{self.prefix}{name}")
        message = await queue.get(no_ack=True)
        assert message is not None
        return message

    async def is_consumed(self) -> bool:
        """Whether the job queue has exactly one consumer."""
        # A channel of its own: asking for a queue that is missing ends the channel.
        async with self.connection.channel() as channel:
            try:
                queue = await channel.declare_queue(f"{self.prefix}{QueueName.TOOL_EXECUTION}", passive=True)
            except ChannelNotFoundEntity:
                return False
            return queue.declaration_result.consumer_count == 1

    async def delete(self, name: str) -> None:
        await self.channel.queue_delete(f"{self.prefix}{name}")

    async def aclose(self) -> None:
        await asyncio.gather(*(client.aclose() for client in self.clients))
        for name in QueueName:
            await self.delete(name)
            await self.delete(name.dead)


@asynccontextmanager
async def in_memory() -> AsyncIterator[MemoryQueueBackend]:
    backend = MemoryQueueBackend()
    yield backend
    await backend.queue.aclose()


@asynccontextmanager
async def in_rabbitmq() -> AsyncIterator[RabbitQueueBackend]:
    async with await aio_pika.connect(url_at(RABBITMQ_PORT)) as connection, connection.channel() as channel:
        backend = RabbitQueueBackend(connection, channel)
        try:
            yield backend
        finally:
            await backend.aclose()


BACKENDS: dict[str, Callable[[], AbstractAsyncContextManager[QueueBackend]]] = {
    "memory": in_memory,
    "rabbitmq": in_rabbitmq,
}
