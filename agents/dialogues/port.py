"""The port to conversations with a model alone, kept so that a caller may go on with one."""

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
    """The conversations of one user. Everything here raises ``ToolFailed`` when they cannot be opened."""

    async def turns(self, dialogue_id: UUID, model: str) -> Sequence[Turn]:
        """What was said so far, oldest first. Raises ``ModelRetry`` when there is none of this id with ``model``."""

    async def add(self, dialogue_id: UUID | None, model: str, turns: Sequence[Turn]) -> UUID:
        """Keep ``turns`` at the end of a conversation, or as a new one; its id. Raises as ``turns``."""
