"""The queue of a server that is one process: in its memory, and gone with it."""

import asyncio
import logging
from collections import defaultdict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Generic

from agents.jobs.queue import (
    DELIVERY_LIMIT,
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

logger = logging.getLogger(__name__)


class MemoryQueue:
    """The ``QueueClient`` of one event loop."""

    def __init__(self) -> None:
        self._shelves = _Shelves()

    async def publish(self, message: Message) -> None:
        self._shelves.put(queue_of(type(message)), encode(message))

    @asynccontextmanager
    async def consume(self, kind: type[M], *, slots: int) -> AsyncIterator[AsyncIterator[Delivery[M]]]:
        consumer = _Consumer(self._shelves, kind, slots=slots)
        self._shelves.bells.add(consumer.bell)
        try:
            yield consumer
        finally:
            self._shelves.bells.discard(consumer.bell)
            consumer.leave()

    @property
    def malformed(self) -> int:
        return self._shelves.malformed

    async def dead_letters(self) -> int:
        if self._shelves.closed:
            raise QueueUnavailable
        return len(self._shelves.dead)

    async def ready(self) -> bool:
        return not self._shelves.closed

    async def aclose(self) -> None:
        self._shelves.close()


@dataclass(kw_only=True, slots=True, eq=False)
class _Held:
    name: QueueName
    body: bytes
    returns: int = 0


@dataclass(kw_only=True, slots=True, eq=False)
class _Shelves:
    """Where messages lie until they are taken, and where they come back to."""

    waiting: defaultdict[QueueName, deque[_Held]] = field(default_factory=lambda: defaultdict(deque))
    dead: list[_Held] = field(default_factory=list)
    bells: set[asyncio.Event] = field(default_factory=set)
    """Each wakes one consumer, to see what has changed."""
    malformed: int = 0
    closed: bool = False

    def put(self, name: QueueName, body: bytes) -> None:
        if self.closed:
            raise QueueUnavailable
        self.waiting[name].append(_Held(name=name, body=body))
        self._ring()

    def take(self, kind: type[M]) -> tuple[M, _Held] | None:
        """The next message of ``kind`` that can be read."""
        name = queue_of(kind)
        while self.waiting[name]:
            held = self.waiting[name].popleft()
            try:
                return decode(kind, held.body), held
            except MalformedMessage:
                self.malformed += 1
                self.dead.append(held)
                logger.warning("%s: a message that cannot be read is now a dead letter", name)
        return None

    def put_back(self, held: _Held) -> None:
        held.returns += 1
        if held.returns > DELIVERY_LIMIT:
            self.dead.append(held)
        else:
            self.waiting[held.name].appendleft(held)
            self._ring()

    def close(self) -> None:
        self.closed = True
        self._ring()

    def _ring(self) -> None:
        for bell in self.bells:
            bell.set()


class _Consumer(Generic[M]):
    def __init__(self, shelves: _Shelves, kind: type[M], *, slots: int) -> None:
        self.bell = asyncio.Event()
        self.shelves = shelves
        self._kind = kind
        self._slots = slots
        self._given: dict[_MemoryDelivery[M], _Held] = {}
        self._left = False

    def __aiter__(self) -> "_Consumer[M]":
        return self

    async def __anext__(self) -> Delivery[M]:
        while not (self._left or self.shelves.closed):
            self.bell.clear()
            if len(self._given) < self._slots and (taken := self.shelves.take(self._kind)) is not None:
                message, held = taken
                delivery = _MemoryDelivery(message, self)
                self._given[delivery] = held
                return delivery
            await self.bell.wait()
        raise StopAsyncIteration

    def settle(self, delivery: "_MemoryDelivery[M]") -> _Held:
        """What ``delivery`` holds, given away now. Raises what settling raises."""
        if delivery.settled:
            raise AlreadySettled
        delivery.settled = True
        if self._left or self.shelves.closed:
            raise QueueUnavailable
        self.bell.set()
        return self._given.pop(delivery)

    def leave(self) -> None:
        """End the iterator, and give back what is unsettled."""
        self._left = True
        self.bell.set()
        for held in self._given.values():
            self.shelves.put_back(held)


class _MemoryDelivery(Generic[M]):
    def __init__(self, message: M, consumer: _Consumer[M]) -> None:
        self.message = message
        self.settled = False
        self._consumer = consumer

    async def ack(self) -> None:
        self._consumer.settle(self)

    async def requeue(self) -> None:
        self._consumer.shelves.put_back(self._consumer.settle(self))

    async def reject(self) -> None:
        self._consumer.shelves.dead.append(self._consumer.settle(self))
