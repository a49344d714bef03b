"""The queue of a server with a single process: it is in memory, and is lost with the process."""

import asyncio
import logging
from collections import defaultdict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Generic

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


@dataclass(kw_only=True, slots=True, eq=False)
class _Held:
    name: QueueName
    body: bytes
    returns: int = 0


class MemoryQueue:
    """The ``QueueClient`` of one event loop. It does not add a message that is already waiting."""

    is_durable = False

    def __init__(self) -> None:
        self.malformed = 0
        self.closed = False
        self._waiting: defaultdict[QueueName, deque[_Held]] = defaultdict(deque)
        self._bodies: set[tuple[QueueName, bytes]] = set()
        """The bodies of the waiting messages."""
        self._dead: list[_Held] = []
        self._bells: set[asyncio.Event] = set()
        """Each wakes one consumer, which then looks for what has changed."""

    async def publish(self, message: Message) -> None:
        self.put(message.queue, encode(message))

    @asynccontextmanager
    async def consume(self, kind: type[M], *, slots: int) -> AsyncIterator[AsyncIterator[Delivery[M]]]:
        consumer = _Consumer(self, kind, slots=slots)
        self._bells.add(consumer.bell)
        try:
            yield consumer
        finally:
            self._bells.discard(consumer.bell)
            consumer.leave()

    async def dead_letters(self) -> int:
        if self.closed:
            raise QueueUnavailable
        return len(self._dead)

    async def ready(self) -> bool:
        return not self.closed

    async def aclose(self) -> None:
        self.closed = True
        self._ring()

    def put(self, name: QueueName, body: bytes) -> None:
        """Add a message to the end of a queue. Raises ``QueueUnavailable``."""
        if self.closed:
            raise QueueUnavailable
        if (name, body) not in self._bodies:
            self._bodies.add((name, body))
            self._waiting[name].append(_Held(name=name, body=body))
            self._ring()

    def take(self, kind: type[M]) -> tuple[M, _Held] | None:
        """Remove and return the next message of ``kind`` that can be read; None if there is none."""
        while self._waiting[kind.queue]:
            held = self._waiting[kind.queue].popleft()
            self._bodies.discard((held.name, held.body))
            try:
                return decode(kind, held.body), held
            except MalformedMessage:
                self.malformed += 1
                self._dead.append(held)
                logger.warning("%s: a message that cannot be read is now a dead letter", kind.queue)
        return None

    def put_back(self, held: _Held) -> None:
        """Put a message back at the front. One that was put back too often becomes a dead letter."""
        held.returns += 1
        if held.returns > DELIVERY_LIMIT:
            self._dead.append(held)
        else:
            self._bodies.add((held.name, held.body))
            self._waiting[held.name].appendleft(held)
            self._ring()

    def _ring(self) -> None:
        for bell in self._bells:
            bell.set()


class _Consumer(Generic[M]):
    def __init__(self, queue: MemoryQueue, kind: type[M], *, slots: int) -> None:
        self.bell = asyncio.Event()
        self._queue = queue
        self._kind = kind
        self._slots = slots
        self._given: list[_Held] = []
        self._left = False

    def __aiter__(self) -> "_Consumer[M]":
        return self

    async def __anext__(self) -> Delivery[M]:
        while not (self._left or self._queue.closed):
            self.bell.clear()
            if len(self._given) < self._slots and (taken := self._queue.take(self._kind)) is not None:
                message, held = taken
                self._given.append(held)
                return Delivery(message=message, settle=partial(self._settle, held))
            await self.bell.wait()
        raise StopAsyncIteration

    def leave(self) -> None:
        """End the iterator, and put the unsettled messages back."""
        self._left = True
        self.bell.set()
        for held in self._given:
            self._queue.put_back(held)

    async def _settle(self, held: _Held, *, requeue: bool) -> None:
        if self._left or self._queue.closed:
            raise QueueUnavailable
        self.bell.set()
        self._given.remove(held)
        if requeue:
            self._queue.put_back(held)
