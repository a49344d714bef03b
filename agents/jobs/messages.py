"""What travels over the queue: which job. An id of our own making, never a word of a user's or their client's."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, TypeVar
from uuid import UUID

from pydantic import ConfigDict, TypeAdapter

from agents.errors import AgentError

LONGEST_BODY: Final = 2_048
"""Bytes of an encoded message."""


class MalformedMessage(AgentError):
    """This is no message of the queue."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """What every message says: which job it is about. All else stands in the job's row."""

    # Processes of two releases may share a queue: what one of them does not know it passes over.
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="ignore", strict=True)

    job_id: UUID


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolExecution(Message):
    """A job that waits for a worker."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolResult(Message):
    """A job that has moved on, of which its device is to be told."""


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
