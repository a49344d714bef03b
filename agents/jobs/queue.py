"""The port of the queue between the processes that take requests and those that run slow tools.

Messages are delivered at least once, and in no guaranteed order. The database is the truth: a message that comes twice
finds its job claimed, and a lost one is published again.
"""

from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Final, Generic, Protocol, TypeVar
from uuid import UUID

from pydantic import ConfigDict, TypeAdapter

from agents.errors import AgentError

MAX_BODY_BYTES: Final = 2_048
"""The size limit of an encoded message, in bytes."""
DELIVERY_LIMIT: Final = 10
"""How often a message may be requeued before it becomes a dead letter."""


class MalformedMessage(AgentError):
    """The body is not a message of this queue."""


class QueueUnavailable(AgentError):
    """The queue cannot be reached, or did not accept the message."""


class AlreadySettled(AgentError):
    """This delivery has already been acknowledged or requeued."""


class QueueName(StrEnum):
    """The queues. Each has a dead-letter queue, which staff must check."""

    TOOL_EXECUTION = "tool_execution_queue"
    TOOL_RESULTS = "tool_results_queue"

    @property
    def dead(self) -> str:
        """The name of its dead-letter queue."""
        return f"{self}.dead"


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """A message, which names a job; everything else is in the job's row. Each kind has its own ``queue``."""

    # Processes of two releases may share a queue, so unknown fields are ignored.
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="ignore", strict=True)
    queue: ClassVar[QueueName]

    job_id: UUID


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolExecution(Message):
    """A job that waits for a worker."""

    queue = QueueName.TOOL_EXECUTION


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolResult(Message):
    """A job whose state has changed, which its device has not been told yet."""

    queue = QueueName.TOOL_RESULTS


M = TypeVar("M", bound=Message)

_ADAPTERS: Final[Mapping[type[Message], TypeAdapter[Any]]] = {
    kind: TypeAdapter(kind) for kind in (ToolExecution, ToolResult)
}


def encode(message: Message) -> bytes:
    """Encode ``message`` as JSON in UTF-8."""
    body: bytes = _ADAPTERS[type(message)].dump_json(message)
    return body


def decode(kind: type[M], body: bytes) -> M:
    """Decode ``body`` as a message of this ``kind``.

    Raises ``MalformedMessage``, which quotes nothing of the body, if it is too long, not JSON, or has no job id.
    """
    if len(body) > MAX_BODY_BYTES:
        raise MalformedMessage
    try:
        message: M = _ADAPTERS[kind].validate_json(body)
    except ValueError:
        raise MalformedMessage from None
    return message


class Settle(Protocol):
    """Tells the queue whether a message is done or must be delivered again."""

    async def __call__(self, *, requeue: bool) -> None:
        """Raises ``QueueUnavailable``."""


@dataclass(kw_only=True, slots=True, eq=False)
class Delivery(Generic[M]):
    """A message that was delivered to one consumer, which settles it once, with ``ack`` or ``requeue``.

    Both raise ``AlreadySettled`` the second time, and ``QueueUnavailable`` if the connection that brought the message
    is gone: then the message is delivered again, to any consumer.
    """

    message: M
    settle: Settle
    _settled: bool = field(default=False, init=False)

    async def ack(self) -> None:
        """Tell the queue that the message is done, so that it forgets it."""
        await self._settle(requeue=False)

    async def requeue(self) -> None:
        """Have the message delivered again at once, to any consumer. After ``DELIVERY_LIMIT`` times it is dead."""
        await self._settle(requeue=True)

    async def _settle(self, *, requeue: bool) -> None:
        if self._settled:
            raise AlreadySettled
        self._settled = True
        await self.settle(requeue=requeue)


async def settled(settling: Awaitable[None]) -> None:
    """Settle a delivery. If that does not reach the queue, the message is delivered again, and its job is then done."""
    with suppress(QueueUnavailable, AlreadySettled):
        await settling


class QueueClient(Protocol):
    """One process's access to the queue."""

    async def publish(self, message: Message) -> None:
        """Return once the queue holds ``message`` durably. Raises ``QueueUnavailable`` if not, within seconds.

        After an error the message may be in the queue nevertheless.
        """

    def consume(self, kind: type[M], *, slots: int) -> AbstractAsyncContextManager[AsyncIterator[Delivery[M]]]:
        """An iterator over the messages of this ``kind``. It fetches one each time that it is asked for the next.

        Ask for the next only when a slot for a job is free, so that no message waits behind a busy slot while another
        process has a free one. At most ``slots`` deliveries are unsettled at a time: then the iterator waits until one
        is settled.

        It also waits while there are no messages or the queue is unreachable, and ends when the client is closed.
        Cancelling a wait loses no message. Messages that cannot be read become dead letters. Deliveries that are
        unsettled when the block ends are delivered again.
        """

    @property
    def is_durable(self) -> bool:
        """Whether messages outlive this process."""

    @property
    def malformed(self) -> int:
        """How many messages this client could not read, and turned into dead letters."""

    async def dead_letters(self) -> int:
        """How many dead letters there are. Raises ``QueueUnavailable``."""

    async def ready(self) -> bool:
        """Whether the queue can be reached, as checked in the last few seconds."""

    async def aclose(self) -> None:
        """Close the client: consumers end, and later calls raise ``QueueUnavailable``."""
