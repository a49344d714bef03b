"""The queue between the processes that take requests and those that run slow tools: the port.

Delivery is at least once and in no guaranteed order. The database is the truth: a message that comes twice finds its
job claimed, and one that was lost is published again.
"""

from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Final, Generic, Protocol, TypeVar
from uuid import UUID

from pydantic import ConfigDict, TypeAdapter

from agents.errors import AgentError

LONGEST_BODY: Final = 2_048
"""Bytes of an encoded message."""
DELIVERY_LIMIT: Final = 10
"""A message that comes back more often than this goes to the dead letters."""


class MalformedMessage(AgentError):
    """This is no message of the queue."""


class QueueUnavailable(AgentError):
    """The queue cannot be reached, or did not take the message."""


class AlreadySettled(AgentError):
    """This delivery was acknowledged or put back before."""


class QueueName(StrEnum):
    """The queues. Each has a dead-letter queue, which staff must look at."""

    TOOL_EXECUTION = "tool_execution_queue"
    TOOL_RESULTS = "tool_results_queue"

    @property
    def dead(self) -> str:
        """The queue of its dead letters."""
        return f"{self}.dead"


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """A message names a job. Everything else is in the job's row. Each kind goes over a ``queue`` of its own."""

    # Processes of two releases may share a queue: what one of them does not know it passes over.
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="ignore", strict=True)
    queue: ClassVar[QueueName]

    job_id: UUID


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolExecution(Message):
    """A job that waits for a worker."""

    queue = QueueName.TOOL_EXECUTION


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolResult(Message):
    """A job that has moved on; its device has not heard yet."""

    queue = QueueName.TOOL_RESULTS


M = TypeVar("M", bound=Message)

_ADAPTERS: Final[Mapping[type[Message], TypeAdapter[Any]]] = {
    kind: TypeAdapter(kind) for kind in (ToolExecution, ToolResult)
}


def encode(message: Message) -> bytes:
    """The body of ``message``: JSON, in UTF-8."""
    body: bytes = _ADAPTERS[type(message)].dump_json(message)
    return body


def decode(kind: type[M], body: bytes) -> M:
    """The message of this ``kind`` that ``body`` holds.

    Raises ``MalformedMessage``, which repeats nothing of the body: too long, no JSON, no id of a job.
    """
    if len(body) > LONGEST_BODY:
        raise MalformedMessage
    try:
        message: M = _ADAPTERS[kind].validate_json(body)
    except ValueError:
        raise MalformedMessage from None
    return message


class Settle(Protocol):
    """Tells a queue what becomes of a message."""

    async def __call__(self, *, requeue: bool) -> None:
        """Raises ``QueueUnavailable``."""


@dataclass(kw_only=True, slots=True, eq=False)
class Delivery(Generic[M]):
    """A message that was given to one consumer, who settles it once, by one of two.

    Each raises ``AlreadySettled`` the second time, and ``QueueUnavailable`` when the queue did not hear of it, for the
    connection that brought the message is gone: then any consumer gets it again.
    """

    message: M
    settle: Settle
    _settled: bool = field(default=False, init=False)

    async def ack(self) -> None:
        """It is taken care of: forget it."""
        await self._settle(requeue=False)

    async def requeue(self) -> None:
        """Put it back for any consumer, at once; after ``DELIVERY_LIMIT`` times it goes to the dead letters."""
        await self._settle(requeue=True)

    async def _settle(self, *, requeue: bool) -> None:
        if self._settled:
            raise AlreadySettled
        self._settled = True
        await self.settle(requeue=requeue)


async def settled(settling: Awaitable[None]) -> None:
    """Settle a delivery. If the queue misses it, the message comes again, and its job shows that it is done."""
    with suppress(QueueUnavailable, AlreadySettled):
        await settling


class QueueClient(Protocol):
    """One process's access to the queue."""

    async def publish(self, message: Message) -> None:
        """Return once the queue holds ``message`` durably. Raises ``QueueUnavailable`` if not, within seconds.

        After an error the message may be in the queue all the same.
        """

    def consume(self, kind: type[M], *, slots: int) -> AbstractAsyncContextManager[AsyncIterator[Delivery[M]]]:
        """Messages of this ``kind``, one each time that the iterator is asked for the next.

        Nothing leaves the queue before it is asked for: ask when a slot, a place to run a job, is free, so that no
        message waits behind a busy slot while another process has a free one. Of what was given no more than ``slots``
        are ever unsettled: until one is settled, asking waits.

        The iterator waits as long as there is nothing, also while the queue is away, and ends once the client is
        closed. Cancelling a wait loses nothing. What cannot be read goes to the dead letters. What is unsettled at the
        end of the block is given again.
        """

    @property
    def is_durable(self) -> bool:
        """Whether messages outlive this process."""

    @property
    def malformed(self) -> int:
        """How many messages this client could not read, and put to the dead letters."""

    async def dead_letters(self) -> int:
        """How many dead letters there are. Raises ``QueueUnavailable``."""

    async def ready(self) -> bool:
        """Whether the queue can be reached, checked within the last seconds."""

    async def aclose(self) -> None:
        """Close: consumers end, and later calls raise ``QueueUnavailable``."""
