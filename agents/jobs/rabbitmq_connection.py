"""The connection to RabbitMQ: opened when it is needed, with every wait bounded."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final

from aio_pika import Channel, RobustConnection
from aio_pika.abc import AbstractQueue
from aio_pika.connection import make_url
from aio_pika.exceptions import CONNECTION_EXCEPTIONS

from agents.jobs.queue import DELIVERY_LIMIT, QueueName, QueueUnavailable

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
            with suppress(QueueUnavailable):
                async with within(self.waits.answer_s):
                    await self._connection.close()

    async def _connected(self) -> RobustConnection:
        if self.closed:
            raise QueueUnavailable
        if self._connection is None:
            self._connection = self._new_connection()
            # The library goes on trying in a task of its own; this one ends with the first success.
            self._connecting = asyncio.create_task(self._connection.connect(timeout=self.waits.answer_s))
        async with asyncio.timeout(self.waits.connect_s):
            await self._connection.ready()
        # The library says that the connection is there until a moment after it was lost: give it that moment,
        # also when callers retry.
        await asyncio.sleep(0)
        return self._connection

    def _new_connection(self) -> RobustConnection:
        url = make_url(self._url)
        # What the address itself says of it goes before.
        url = url.update_query({"heartbeat": str(self.waits.heartbeat_s), **url.query})
        return RobustConnection(url, reconnect_interval=self.waits.reconnect_s, fail_fast=False)


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
                channel = await self._open()
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
            with suppress(QueueUnavailable):
                async with within(self._connection.waits.connect_s):
                    await channel.close()

    async def close(self) -> None:
        """Close what is open."""
        if self._channel is not None:
            await self.drop(self._channel)

    async def _open(self) -> Channel:
        async with self._opening:
            if self._channel is None or self._channel.is_closed:
                self._channel = await self._connection.open_channel()
            return self._channel
