"""What a tool has to work with beyond the caller's arguments: the ``CallContext``, and the ports in it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol
from uuid import UUID
from zoneinfo import ZoneInfo

from agents.adapters.base import Message, ToolSchema
from agents.scopes import AnyScope
from memory.index import Embedder


@dataclass(frozen=True, kw_only=True, slots=True)
class Preference:
    """A text that the user wants remembered, and the key that names it."""

    key: str
    value: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Fact:
    """A stored text that a search by meaning has found. ``score`` is 1 for the same text; how low it is for unrelated
    ones depends on the embedding model."""

    id: str
    content: str
    score: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Episode:
    """What happened in an earlier exchange; ``at`` is aware."""

    id: str
    summary: str
    at: datetime


class Recollection(Protocol):
    """The memory of one user. Every method raises ``ToolFailed`` while the user has memory turned off."""

    async def remember(self, key: str, value: str) -> None:
        """Store ``value`` under ``key``, replacing the value there. Raises ``ModelRetry`` when it is too long."""

    async def preferences(self) -> Sequence[Preference]:
        """Everything stored under a key."""

    async def facts(self, query: str, *, limit: int) -> Sequence[Fact]:
        """The facts nearest to ``query`` in meaning, nearest first. Raises ``ToolFailed`` if there is no search."""

    async def forget(self, key: str) -> bool:
        """Delete what is stored under ``key``, with everything else that says it, or the fact with that id.

        Returns whether there was anything.
        """

    async def forget_rows(self, entity_ids: Sequence[str]) -> None:
        """Delete the facts about rows that are gone from the device, also while the memory is turned off."""

    async def episodes(self, query: str, *, since: datetime | None, limit: int) -> Sequence[Episode]:
        """Earlier exchanges with the words of ``query``, newest first; all of them when it is blank."""


class Work(Protocol):
    """What a queued tool has for its job: a model, and reports of progress. A second run, after a crash, repeats the
    first, with the same answers."""

    async def ask(self, step: str, messages: Sequence[Message]) -> str:
        """The model's answer to ``messages``, without tools, with the user's language and time.

        ``step`` names the question within its job. Asking again under the same name returns the same words, also after
        a crash and with other ``messages``: the words are stored before they are returned. So a tool's changes must
        follow from these words and its arguments alone. Raises ``ModelError``.
        """

    async def once(self, step: str, words: Callable[[], Awaitable[str]]) -> str:
        """As ``ask``, for the words that ``words`` returns. Raises what it raises, and then stores nothing."""

    async def progress(self, fraction: float, label: str) -> None:
        """Report that ``fraction`` (0 to 1) is done. ``label`` says what comes next, and holds no user data."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """One message of a conversation with a model outside the assistant."""

    role: Literal["user", "assistant"]
    content: str


class Dialogues(Protocol):
    """The conversations of one user with models outside the assistant. Both methods raise ``ToolFailed`` if a
    conversation cannot be decrypted."""

    async def turns(self, dialogue_id: UUID, model: str) -> Sequence[Turn]:
        """The turns so far, oldest first. Raises ``ModelRetry`` if there is no such conversation with ``model``."""

    async def add(self, dialogue_id: UUID | None, model: str, turns: Sequence[Turn]) -> UUID:
        """Append ``turns`` to a conversation, or to a new one; return its id. Raises as ``turns``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CallContext:
    """Who asks, where they are and what they look at. ``now`` returns the aware present time in ``timezone``.

    ``memory`` is None where the server remembers nothing, ``work`` outside a job, ``dialogues`` where conversations
    with a model alone are not kept. ``find_tools`` offers the caller more tools and returns them; it is None where
    there are no more. ``program`` is the name of the one that calls over MCP. ``last_change`` gives the id of the
    latest request of this conversation that changed something. A ``Route.context()`` is filled from the field of its
    name.
    """

    user_id: UUID
    timezone: ZoneInfo
    language: str
    now: Callable[[], datetime]
    embedder: Embedder
    memory: Recollection | None = None
    session_id: str | None = None
    scope: AnyScope | None = None
    work: Work | None = None
    dialogues: Dialogues | None = None
    find_tools: Callable[[str], Sequence[ToolSchema]] | None = None
    program: str = ""
    last_change: Callable[[], str | None] | None = None
