"""The queue in RabbitMQ, for servers of several processes.

Queues are durable quorum queues, messages are persistent and confirmed, and what no consumer can use ends in a queue
of dead letters. A queue keeps the arguments that it was declared with: to change them, delete it.
"""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import Generic

from aio_pika import Channel, DeliveryMode
from aio_pika import Message as Envelope
from aio_pika.abc import AbstractIncomingMessage, AbstractQueue

from agents.jobs.queue import (
    AlreadySettled,
    Delivery,
    M,
    MalformedMessage,
    Message,
    QueueName,
    QueueUnavailable,
    decode,
    encode,
    queue_of,
)
from agents.jobs.rabbitmq_connection import DEFAULT_WAITS, KeptChannel, RabbitConnection, Waits, within

logger = logging.getLogger(__name__)


class RabbitQueue:
    """The ``QueueClient`` of one event loop, by a broker at ``url``. The names of its queues begin with ``prefix``.

    It connects by itself when it is first used, and again whenever the connection is lost. It has to be closed before
    its event loop ends: until then the library goes on trying, though its task is cancelled.
    """

    def __init__(self, url: str, prefix: str = "", *, waits: Waits = DEFAULT_WAITS) -> None:
        self._connection = RabbitConnection(url, prefix, waits)
        self._publishing = KeptChannel(self._connection)
        # Apart from publishing: a question that is cancelled ends its channel.
        self._asking = KeptChannel(self._connection)
        self._tally = _Tally()

    async def publish(self, message: Message) -> None:
        envelope = Envelope(encode(message), content_type="application/json", delivery_mode=DeliveryMode.PERSISTENT)
        async with self._publishing.opened() as channel:
            name = self._connection.full_name(queue_of(type(message)))
            await channel.default_exchange.publish(envelope, routing_key=name, mandatory=True)

    @asynccontextmanager
    async def consume(self, kind: type[M], *, slots: int) -> AsyncIterator[AsyncIterator[Delivery[M]]]:
        consumer = _Consumer(self._connection, kind, slots=slots, tally=self._tally)
        self._connection.on_close.add(consumer.end)
        try:
            yield consumer
        finally:
            self._connection.on_close.discard(consumer.end)
            await consumer.leave()

    @property
    def malformed(self) -> int:
        return self._tally.malformed

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


@dataclass(kw_only=True, slots=True)
class _Tally:
    malformed: int = 0


class _Consumer(Generic[M]):
    """Asks the broker for one message at a time.

    The broker sends a consumer the next message as soon as it has acknowledged one, wanted or not. So each time that
    a caller asks there is a new consumer, which gets one message and is gone before that is handed out.
    """

    def __init__(self, connection: RabbitConnection, kind: type[M], *, slots: int, tally: _Tally) -> None:
        self._connection = connection
        self._kind = kind
        self._name = queue_of(kind)
        self._slots = slots
        self._tally = tally
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
                logger.warning("%s: nothing can be received: %s", self._name, error)
            self._hears = False
            await _event_within(self._ended, self._connection.waits.reconnect_s)
            return None
        if not self._hears:
            logger.info("%s: messages can be received again", self._name)
        self._hears = True
        return None if incoming is None else await self._read(incoming)

    async def _receive(self) -> AbstractIncomingMessage | None:
        """One message, unless none comes until the consumer is to be made again."""
        async with self._channel.opened() as channel:
            channel.close_callbacks.add(self._on_news)
            (await channel.get_underlay_channel()).on_consumer_cancel_callbacks.add(self._on_news)
            queue = await channel.get_queue(self._connection.full_name(self._name), ensure=False)
            tag = await queue.consume(self._on_message)
        try:
            await _event_within(self._news, self._connection.waits.check_s)
        except asyncio.CancelledError:
            await self._stop(channel, queue, tag)
            await self._give_back()
            raise
        if not await self._stop(channel, queue, tag):
            raise QueueUnavailable("RabbitMQ: the consumer was lost")
        return self._arrived.popleft() if self._arrived else None

    async def _stop(self, channel: Channel, queue: AbstractQueue, tag: str) -> bool:
        """Whether the broker says that the consumer ``tag`` gets nothing more."""
        stopped = False
        try:
            with suppress(QueueUnavailable):
                async with within(self._connection.waits.answer_s):
                    await queue.cancel(tag)
                    stopped = True
        finally:
            if not stopped:
                # The broker gives again what came by this channel.
                self._arrived.clear()
                await self._channel.drop(channel)
        return stopped

    async def _give_back(self) -> None:
        while self._arrived:
            with suppress(QueueUnavailable):
                async with within(self._connection.waits.answer_s):
                    await self._arrived.popleft().reject(requeue=True)

    async def _read(self, incoming: AbstractIncomingMessage) -> Delivery[M] | None:
        try:
            message = decode(self._kind, incoming.body)
        except MalformedMessage:
            self._tally.malformed += 1
            logger.warning("%s: a message that cannot be read is now a dead letter", self._name)
            with suppress(QueueUnavailable):
                async with within(self._connection.waits.answer_s):
                    await incoming.reject(requeue=False)
            return None
        self._unsettled += 1
        return _RabbitDelivery(message, incoming, answer_s=self._connection.waits.answer_s, on_settled=self._on_settled)

    async def _on_message(self, incoming: AbstractIncomingMessage) -> None:
        self._arrived.append(incoming)
        self._news.set()

    def _on_news(self, *_: object) -> None:
        self._news.set()

    def _on_settled(self) -> None:
        self._unsettled -= 1
        self._news.set()


async def _event_within(event: asyncio.Event, seconds: float) -> None:
    """Return when ``event`` is set or the time is over."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


class _RabbitDelivery(Generic[M]):
    def __init__(
        self, message: M, incoming: AbstractIncomingMessage, *, answer_s: float, on_settled: Callable[[], None]
    ) -> None:
        self.message = message
        self._incoming = incoming
        self._answer_s = answer_s
        self._on_settled = on_settled
        self._settled = False

    async def ack(self) -> None:
        await self._settle(self._incoming.ack)

    async def requeue(self) -> None:
        await self._settle(partial(self._incoming.reject, requeue=True))

    async def reject(self) -> None:
        await self._settle(partial(self._incoming.reject, requeue=False))

    async def _settle(self, tell: Callable[[], Awaitable[None]]) -> None:
        if self._settled:
            raise AlreadySettled
        self._settled = True
        try:
            async with within(self._answer_s):
                await tell()
        finally:
            self._on_settled()
