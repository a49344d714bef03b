"""The queue in RabbitMQ, for servers of several processes.

Queues are durable quorum queues, messages are persistent and confirmed, and what no consumer can read goes to a
dead-letter queue. A queue keeps the arguments that it was declared with: to change them, delete it. The connection is
opened when it is needed, and every wait is bounded.
"""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from contextvars import Context
from dataclasses import dataclass
from functools import partial
from typing import Final, Generic

from aio_pika import Channel, DeliveryMode, RobustConnection
from aio_pika import Message as Envelope
from aio_pika.abc import AbstractIncomingMessage, AbstractQueue
from aio_pika.connection import make_url
from aio_pika.exceptions import CONNECTION_EXCEPTIONS

from agents.jobs.queue import (
    DELIVERY_LIMIT,
    Delivery,
    M,
    MalformedMessage,
    Message,
    QueueName,
    QueueUnavailable,
    decode,
    encode,
)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Waits:
    """The time limits and pauses of a client, in seconds."""

    connect_s: float = 1.0
    """How long a needed connection may take to come up, and a channel to close."""
    answer_s: float = 5.0
    """How long the broker may take to answer, including the time to connect."""
    reconnect_s: float = 2.0
    """The pause between attempts to connect, and before a consumer tries again."""
    check_s: float = 30.0
    """How long a consumer may get nothing before it is created again: the broker may have forgotten it."""
    heartbeat_s: int = 10
    """The interval of heartbeats. A connection is given up after about three without any."""


DEFAULT_WAITS: Final = Waits()


@asynccontextmanager
async def within(seconds: float) -> AsyncIterator[None]:
    """Raise ``QueueUnavailable`` if the broker does not answer in time, for whatever reason.

    Timeouts are set here rather than in the library, which implements them by ``asyncio.wait_for``: before Python 3.12
    that may swallow a cancellation.
    """
    task = asyncio.current_task()
    cancellations = task.cancelling() if task is not None else 0
    try:
        async with asyncio.timeout(seconds):
            yield
    except asyncio.CancelledError:
        if task is None or task.cancelling() > cancellations:
            raise
        # This task was not cancelled: the library cancels what waits for a connection that it gives up.
        raise QueueUnavailable("RabbitMQ: the connection was lost") from None
    except (TimeoutError, *CONNECTION_EXCEPTIONS) as error:
        raise QueueUnavailable(f"RabbitMQ: {error!r}") from error
    except Exception as error:
        # The library raises a plain ``Exception`` for what it cancels before it knows the reason.
        if type(error) is not Exception or not isinstance(error.__cause__, asyncio.CancelledError):
            raise
        raise QueueUnavailable("RabbitMQ: the connection was lost") from error


async def attempted(work: Awaitable[object], seconds: float) -> bool:
    """Do ``work``. Returns whether the broker answered in time."""
    try:
        async with within(seconds):
            await work
    except QueueUnavailable:
        return False
    return True


class RabbitConnection:
    """The connection to the broker, which the library restores when it is lost, and the channels that it opens."""

    def __init__(self, url: str, prefix: str, waits: Waits) -> None:
        self.waits = waits
        self.closed = False
        self.on_close: set[Callable[[], None]] = set()
        self._url = url
        self._prefix = prefix
        self._connection: RobustConnection | None = None
        self._connecting: asyncio.Task[None] | None = None

    def full_name(self, name: str) -> str:
        """The name of a queue on the broker."""
        return f"{self._prefix}{name}"

    async def open_channel(self) -> Channel:
        """Declare every queue, and open a channel with publisher confirms whose consumers get one message at a time."""
        # In a new context: the tasks of the channel and of the connection outlive the turn that needs them first. In
        # its context they would log its ids, and keep the rows that it has read.
        return await asyncio.create_task(self._open_channel(), context=Context())

    async def _open_channel(self) -> Channel:
        # Not a robust channel, because each user of a channel reopens it.
        channel = Channel(await self._connected(), publisher_confirms=True, on_return_raises=True)
        await channel.initialize()
        await channel.set_qos(prefetch_count=1)
        for name in QueueName:
            await self.declare_dead(channel, name)
            await self.declare(channel, name)
        return channel

    async def declare(self, channel: Channel, name: QueueName) -> AbstractQueue:
        """The queue ``name``, created if it is missing."""
        return await channel.declare_queue(
            self.full_name(name),
            durable=True,
            arguments={
                "x-queue-type": "quorum",
                "x-delivery-limit": DELIVERY_LIMIT,
                # The default exchange, which delivers messages to the queue they name.
                "x-dead-letter-exchange": "",
                "x-dead-letter-routing-key": self.full_name(name.dead),
            },
        )

    async def declare_dead(self, channel: Channel, name: QueueName) -> AbstractQueue:
        """The dead-letter queue of ``name``, created if it is missing."""
        return await channel.declare_queue(
            self.full_name(name.dead), durable=True, arguments={"x-queue-type": "quorum"}
        )

    async def aclose(self) -> None:
        """Close the connection, and wake what waits for it."""
        self.closed = True
        for tell in self.on_close:
            tell()
        if self._connecting is not None:
            self._connecting.cancel()
            await asyncio.gather(self._connecting, return_exceptions=True)
        if self._connection is not None:
            await attempted(self._connection.close(), self.waits.answer_s)

    async def _connected(self) -> RobustConnection:
        if self.closed:
            raise QueueUnavailable
        if self._connection is None:
            url = make_url(self._url)
            # A heartbeat in the address itself comes first.
            url = url.update_query({"heartbeat": str(self.waits.heartbeat_s), **url.query})
            self._connection = RobustConnection(url, reconnect_interval=self.waits.reconnect_s, fail_fast=False)
            # The library keeps trying in its own task; this one ends with the first success.
            self._connecting = asyncio.create_task(self._connection.connect(timeout=self.waits.answer_s))
        async with asyncio.timeout(self.waits.connect_s):
            await self._connection.ready()
        # The library notices a lost connection only a moment later: give it that moment, also when callers retry.
        await asyncio.sleep(0)
        return self._connection


class KeptChannel:
    """A channel that is opened when it is needed, and reopened after any error."""

    def __init__(self, connection: RabbitConnection) -> None:
        self._connection = connection
        self._channel: Channel | None = None
        self._opening = asyncio.Lock()

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Channel]:
        """The channel, for at most ``answer_s``. Raises ``QueueUnavailable``."""
        channel: Channel | None = None
        try:
            async with within(self._connection.waits.answer_s):
                async with self._opening:
                    if self._channel is None or self._channel.is_closed:
                        self._channel = await self._connection.open_channel()
                    channel = self._channel
                yield channel
        except QueueUnavailable:
            if channel is not None:
                await self.drop(channel)
            raise

    async def drop(self, channel: Channel) -> None:
        """Close ``channel``. The next use opens another one."""
        if self._channel is channel:
            self._channel = None
        if not channel.is_closed:
            await attempted(channel.close(), self._connection.waits.connect_s)

    async def close(self) -> None:
        """Close the channel if it is open."""
        if self._channel is not None:
            await self.drop(self._channel)


class RabbitQueue:
    """The ``QueueClient`` of one event loop, with the broker at ``url``. ``prefix`` begins the names of its queues.

    It connects when it is first used, and again whenever the connection is lost. It must be closed before its event
    loop ends: until then the library keeps trying, even though its task is cancelled.
    """

    is_durable = True

    def __init__(self, url: str, prefix: str = "", *, waits: Waits = DEFAULT_WAITS) -> None:
        self._connection = RabbitConnection(url, prefix, waits)
        self._publishing = KeptChannel(self._connection)
        # Separate from publishing, because a request that is cancelled ends its channel.
        self._asking = KeptChannel(self._connection)
        self.malformed = 0

    async def publish(self, message: Message) -> None:
        envelope = Envelope(encode(message), content_type="application/json", delivery_mode=DeliveryMode.PERSISTENT)
        async with self._publishing.opened() as channel:
            name = self._connection.full_name(message.queue)
            await channel.default_exchange.publish(envelope, routing_key=name, mandatory=True)

    @asynccontextmanager
    async def consume(self, kind: type[M], *, slots: int) -> AsyncIterator[AsyncIterator[Delivery[M]]]:
        consumer = _Consumer(self, self._connection, kind, slots=slots)
        self._connection.on_close.add(consumer.end)
        try:
            yield consumer
        finally:
            self._connection.on_close.discard(consumer.end)
            await consumer.leave()

    async def dead_letters(self) -> int:
        async with self._asking.opened() as channel:
            found = [await self._connection.declare_dead(channel, name) for name in QueueName]
            return sum(queue.declaration_result.message_count or 0 for queue in found)

    async def ready(self) -> bool:
        try:
            async with self._asking.opened() as channel:
                for name in QueueName:
                    await self._connection.declare(channel, name)
        except QueueUnavailable:
            return False
        return True

    async def aclose(self) -> None:
        await self._connection.aclose()


class _Consumer(Generic[M]):
    """Fetches one message at a time from the broker.

    The broker sends a consumer the next message as soon as it has acknowledged one, wanted or not. So each fetch
    starts a new consumer at the broker, which gets one message and is cancelled before the message is delivered.
    """

    def __init__(self, client: RabbitQueue, connection: RabbitConnection, kind: type[M], *, slots: int) -> None:
        self._client = client
        self._connection = connection
        self._kind = kind
        self._slots = slots
        self._unsettled = 0
        self._channel = KeptChannel(connection)
        self._asking = asyncio.Lock()
        self._arrived: deque[AbstractIncomingMessage] = deque()
        self._news = asyncio.Event()
        """Set when a message came, a slot is free, the channel or the consumer is gone, or the iterator ends."""
        self._ended = asyncio.Event()
        self._hears = True

    def __aiter__(self) -> "_Consumer[M]":
        return self

    async def __anext__(self) -> Delivery[M]:
        async with self._asking:
            while not self._ended.is_set() and not self._connection.closed:
                self._news.clear()
                if self._unsettled >= self._slots:
                    await self._news.wait()
                elif (delivery := await self._ask()) is not None:
                    return delivery
        raise StopAsyncIteration

    def end(self) -> None:
        """End the iterator."""
        self._ended.set()
        self._news.set()

    async def leave(self) -> None:
        """End the iterator. The broker delivers the unsettled messages again."""
        self.end()
        async with self._asking:
            await self._channel.close()

    async def _ask(self) -> Delivery[M] | None:
        try:
            incoming = await self._receive()
        except QueueUnavailable as error:
            if self._hears and not self._ended.is_set():
                logger.warning("%s: nothing can be received: %s", self._kind.queue, error)
            self._hears = False
            await _event_within(self._ended, self._connection.waits.reconnect_s)
            return None
        if not self._hears:
            logger.info("%s: messages can be received again", self._kind.queue)
        self._hears = True
        return None if incoming is None else await self._read(incoming)

    async def _receive(self) -> AbstractIncomingMessage | None:
        """One message; None if none comes within ``check_s``."""
        async with self._channel.opened() as channel:
            channel.close_callbacks.add(self._on_news)
            (await channel.get_underlay_channel()).on_consumer_cancel_callbacks.add(self._on_news)
            queue = await channel.get_queue(self._connection.full_name(self._kind.queue), ensure=False)
            tag = await queue.consume(self._on_message)
        try:
            await _event_within(self._news, self._connection.waits.check_s)
        except asyncio.CancelledError:
            await self._stop(channel, queue, tag)
            while self._arrived:
                await attempted(self._arrived.popleft().reject(requeue=True), self._connection.waits.answer_s)
            raise
        if not await self._stop(channel, queue, tag):
            raise QueueUnavailable("RabbitMQ: the consumer was lost")
        return self._arrived.popleft() if self._arrived else None

    async def _stop(self, channel: Channel, queue: AbstractQueue, tag: str) -> bool:
        """Cancel the consumer ``tag``. Returns whether the broker confirms that it gets nothing more."""
        stopped = False
        try:
            stopped = await attempted(queue.cancel(tag), self._connection.waits.answer_s)
        finally:
            if not stopped:
                # The broker delivers what came by this channel again.
                self._arrived.clear()
                await self._channel.drop(channel)
        return stopped

    async def _read(self, incoming: AbstractIncomingMessage) -> Delivery[M] | None:
        try:
            message = decode(self._kind, incoming.body)
        except MalformedMessage:
            self._client.malformed += 1
            logger.warning("%s: a message that cannot be read is now a dead letter", self._kind.queue)
            await attempted(incoming.reject(requeue=False), self._connection.waits.answer_s)
            return None
        self._unsettled += 1
        return Delivery(message=message, settle=partial(self._settle, incoming))

    async def _settle(self, incoming: AbstractIncomingMessage, *, requeue: bool) -> None:
        try:
            async with within(self._connection.waits.answer_s):
                await (incoming.reject(requeue=True) if requeue else incoming.ack())
        finally:
            self._unsettled -= 1
            self._news.set()

    async def _on_message(self, incoming: AbstractIncomingMessage) -> None:
        self._arrived.append(incoming)
        self._news.set()

    def _on_news(self, *_: object) -> None:
        self._news.set()


async def _event_within(event: asyncio.Event, seconds: float) -> None:
    """Wait until ``event`` is set, for at most ``seconds``."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
