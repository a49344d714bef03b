"""The queue in RabbitMQ, for servers of several processes.

Queues are durable quorum queues, messages are persistent and confirmed, and what no consumer can use ends in a queue
of dead letters. A queue keeps the arguments that it was declared with: to change them, delete it. The connection is
opened when it is needed, with every wait bounded.
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
    """How long what takes, in seconds."""

    connect_s: float = 1.0
    """For the connection to come up when it is needed, and for a channel to close."""
    answer_s: float = 5.0
    """For the broker to answer, the connection included."""
    reconnect_s: float = 2.0
    """Between attempts to connect, and of a consumer before it tries again."""
    check_s: float = 30.0
    """After which a consumer that got nothing is made again: it may be one that the broker has forgotten."""
    heartbeat_s: int = 10
    """Between signs of life; a connection without any is given up after about three."""


DEFAULT_WAITS: Final = Waits()


@asynccontextmanager
async def within(seconds: float) -> AsyncIterator[None]:
    """Raises ``QueueUnavailable`` for anything that keeps the broker from answering in time.

    Time-outs are set here and not handed to the library: before Python 3.12 ``asyncio.wait_for``, by which it keeps
    them, may swallow a cancellation.
    """
    task = asyncio.current_task()
    cancellations = task.cancelling() if task is not None else 0
    try:
        async with asyncio.timeout(seconds):
            yield
    except asyncio.CancelledError:
        if task is None or task.cancelling() > cancellations:
            raise
        # This task was not cancelled: the library ends what waits for a connection that it gives up in this way.
        raise QueueUnavailable("RabbitMQ: the connection was lost") from None
    except (TimeoutError, *CONNECTION_EXCEPTIONS) as error:
        raise QueueUnavailable(f"RabbitMQ: {error!r}") from error
    except Exception as error:
        # What the library cancels before it knows why has no type of its own.
        if type(error) is not Exception or not isinstance(error.__cause__, asyncio.CancelledError):
            raise
        raise QueueUnavailable("RabbitMQ: the connection was lost") from error


async def attempted(work: Awaitable[object], seconds: float) -> bool:
    """Whether the broker did ``work`` in time."""
    try:
        async with within(seconds):
            await work
    except QueueUnavailable:
        return False
    return True


class RabbitConnection:
    """The connection to the broker, which the library makes again when it is lost, and what is opened by it."""

    def __init__(self, url: str, prefix: str, waits: Waits) -> None:
        self.waits = waits
        self.closed = False
        self.on_close: set[Callable[[], None]] = set()
        self._url = url
        self._prefix = prefix
        self._connection: RobustConnection | None = None
        self._connecting: asyncio.Task[None] | None = None

    def full_name(self, name: str) -> str:
        """The name of a queue at the broker."""
        return f"{self._prefix}{name}"

    async def open_channel(self) -> Channel:
        """A channel with publisher confirms, when every queue is there; each of its consumers gets one message."""
        # Its tasks, and the connection's, live as long as these do. In the context of the turn that is the first to
        # need them they would log under its ids, and keep the rows that it has read.
        return await asyncio.create_task(self._open_channel(), context=Context())

    async def _open_channel(self) -> Channel:
        # Not a robust one: each user of a channel opens it again.
        channel = Channel(await self._connected(), publisher_confirms=True, on_return_raises=True)
        await channel.initialize()
        await channel.set_qos(prefetch_count=1)
        for name in QueueName:
            await self.declare_dead(channel, name)
            await self.declare(channel, name)
        return channel

    async def declare(self, channel: Channel, name: QueueName) -> AbstractQueue:
        """The queue ``name``, made if it is missing."""
        return await channel.declare_queue(
            self.full_name(name),
            durable=True,
            arguments={
                "x-queue-type": "quorum",
                "x-delivery-limit": DELIVERY_LIMIT,
                # The default exchange, by which messages reach a queue by its name.
                "x-dead-letter-exchange": "",
                "x-dead-letter-routing-key": self.full_name(name.dead),
            },
        )

    async def declare_dead(self, channel: Channel, name: QueueName) -> AbstractQueue:
        """The queue of the dead letters of ``name``, made if it is missing."""
        return await channel.declare_queue(
            self.full_name(name.dead), durable=True, arguments={"x-queue-type": "quorum"}
        )

    async def aclose(self) -> None:
        """Hang up, and wake who waits."""
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
            # What the address itself says of it goes before.
            url = url.update_query({"heartbeat": str(self.waits.heartbeat_s), **url.query})
            self._connection = RobustConnection(url, reconnect_interval=self.waits.reconnect_s, fail_fast=False)
            # The library goes on trying in a task of its own; this one ends with the first success.
            self._connecting = asyncio.create_task(self._connection.connect(timeout=self.waits.answer_s))
        async with asyncio.timeout(self.waits.connect_s):
            await self._connection.ready()
        # The library says that the connection is there until a moment after it was lost: give it that moment,
        # also when callers retry.
        await asyncio.sleep(0)
        return self._connection


class KeptChannel:
    """A channel that is opened when it is needed, and again after anything went wrong with it."""

    def __init__(self, connection: RabbitConnection) -> None:
        self._connection = connection
        self._channel: Channel | None = None
        self._opening = asyncio.Lock()

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Channel]:
        """The channel, for as long as the broker has to answer. Raises ``QueueUnavailable``."""
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
        """Close ``channel``; the next use opens another."""
        if self._channel is channel:
            self._channel = None
        if not channel.is_closed:
            await attempted(channel.close(), self._connection.waits.connect_s)

    async def close(self) -> None:
        """Close what is open."""
        if self._channel is not None:
            await self.drop(self._channel)


class RabbitQueue:
    """The ``QueueClient`` of one event loop, by a broker at ``url``. The names of its queues begin with ``prefix``.

    It connects by itself when it is first used, and again whenever the connection is lost. It has to be closed before
    its event loop ends: until then the library goes on trying, though its task is cancelled.
    """

    is_durable = True

    def __init__(self, url: str, prefix: str = "", *, waits: Waits = DEFAULT_WAITS) -> None:
        self._connection = RabbitConnection(url, prefix, waits)
        self._publishing = KeptChannel(self._connection)
        # Apart from publishing: a question that is cancelled ends its channel.
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
    """Asks the broker for one message at a time.

    The broker sends a consumer the next message as soon as it has acknowledged one, wanted or not. So each time that
    a caller asks there is a new consumer, which gets one message and is gone before that is handed out.
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
        """Something came, a slot is free, the channel or the consumer is gone, or it ends."""
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
        """End the iterator; the broker gives again what is unsettled."""
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
        """One message, unless none comes until the consumer is to be made again."""
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
        """Whether the broker says that the consumer ``tag`` gets nothing more."""
        stopped = False
        try:
            stopped = await attempted(queue.cancel(tag), self._connection.waits.answer_s)
        finally:
            if not stopped:
                # The broker gives again what came by this channel.
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
    """Return when ``event`` is set or the time is over."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
