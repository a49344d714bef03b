"""What a tool may know about the call it serves, beyond the caller's arguments."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from agents.dialogues.port import Dialogues
from agents.scopes import AnyScope
from agents.tools.memory import Recollection
from agents.tools.work import Work
from memory.embedders.base import Embedder


@dataclass(frozen=True, kw_only=True, slots=True)
class CallContext:
    """Who asks, where they are and what they look at. ``now`` gives the aware present time in ``timezone``.

    ``memory`` is None where nothing is remembered at all, ``work`` where no job is being done, ``dialogues`` where no
    conversation with a model alone is kept. A ``Route.context()`` is filled by the field of its name.
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
