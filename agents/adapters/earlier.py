"""The conversation before, as a model reads it."""

from collections.abc import Sequence
from typing import Final, Literal, Protocol, TypeVar, assert_never

from agents.adapters.base import AssistantMessage, Message, SystemMessage, UserMessage

MAX_EARLIER: Final = 40
"""How many earlier messages a model gets."""


class Spoken(Protocol):
    """A message of the conversation before, from wherever it is kept."""

    @property
    def role(self) -> Literal["user", "assistant", "system"]:
        """Whose it is."""

    @property
    def content(self) -> str:
        """Its words."""


S = TypeVar("S", bound=Spoken)


def latest(history: Sequence[S]) -> Sequence[S]:
    """What a model gets of ``history``: the end of it."""
    return history[-MAX_EARLIER:]


def earlier(history: Sequence[Spoken]) -> list[Message]:
    """The latest of ``history`` for a model to read."""
    return [_message(spoken) for spoken in latest(history)]


def _message(spoken: Spoken) -> Message:
    match spoken.role:
        case "user":
            return UserMessage(text=spoken.content)
        case "assistant":
            return AssistantMessage(text=spoken.content)
        case "system":
            return SystemMessage(text=spoken.content)
        case _:
            assert_never(spoken.role)
