"""The port to a user's conversations with a model outside the assistant. Pure, as tools are, which import it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol
from uuid import UUID


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """One message of a conversation."""

    role: Literal["user", "assistant"]
    content: str


class Dialogues(Protocol):
    """The conversations of one user. Both methods raise ``ToolFailed`` if they cannot be decrypted."""

    async def turns(self, dialogue_id: UUID, model: str) -> Sequence[Turn]:
        """The turns so far, oldest first. Raises ``ModelRetry`` if there is no such conversation with ``model``."""

    async def add(self, dialogue_id: UUID | None, model: str, turns: Sequence[Turn]) -> UUID:
        """Append ``turns`` to a conversation, or to a new one; return its id. Raises as ``turns``."""
