"""What travels over the queue: which job, and whom its result is for. Ids only, never a word of a user's."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, TypeVar
from uuid import UUID

from pydantic import ConfigDict, Field, TypeAdapter

from agents.errors import AgentError

LONGEST_BODY: Final = 2_048
"""Bytes of an encoded message."""
_LONGEST_NAME: Final = 200
"""Characters of a session's id, which the client gives: as many as the protocol allows."""


class MalformedMessage(AgentError):
    """This is no message of the queue."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Message:
    """What every message says: which job it is about."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)

    job_id: UUID


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolExecution(Message):
    """A job that waits for a worker."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolResult(Message):
    """A job that is done, and the session to tell; empty when it came from none."""

    session_id: Annotated[str, Field(max_length=_LONGEST_NAME)]


M = TypeVar("M", bound=Message)

_ADAPTERS: Final[Mapping[type[Message], TypeAdapter[Any]]] = {
    kind: TypeAdapter(kind) for kind in (ToolExecution, ToolResult)
}


def encode(message: Message) -> bytes:
    """The body of ``message``: JSON, in UTF-8. Raises ``MalformedMessage`` for one that could not be read again."""
    try:
        body: bytes = _ADAPTERS[type(message)].dump_json(message)
    except ValueError:
        raise MalformedMessage from None
    decode(type(message), body)
    return body


def decode(kind: type[M], body: bytes) -> M:
    """The message of this ``kind`` that ``body`` holds.

    Raises ``MalformedMessage``, which repeats nothing of the body: too long, no JSON, a field that is missing, unknown
    or of the wrong type.
    """
    if len(body) > LONGEST_BODY:
        raise MalformedMessage
    try:
        message: M = _ADAPTERS[kind].validate_json(body)
    except ValueError:
        raise MalformedMessage from None
    return message
