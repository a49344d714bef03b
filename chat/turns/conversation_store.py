"""The store of conversations between two requests: the port, and its implementation in this process's memory."""

import sys
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol, TypeAlias
from uuid import UUID

CONVERSATION_S: Final = 3600
"""How long an unused conversation is kept, in seconds."""
MAX_OF_USER: Final = 16
"""How many conversations of a user are kept."""
MARKS_S: Final = 30 * 24 * 3600
"""How long the marks on answers that may repeat foreign text are kept, in seconds (``foreign_marks.py``)."""
MAX_MARKED_OF_USER: Final = 256
"""The number of a user's conversations whose marks are kept."""
_KEY_BYTES: Final = 450
"""The size of a conversation without its dump. Most dumps of marks are shorter, so it must be counted."""


class ConversationKey(NamedTuple):
    """A conversation of a user on one device, by the client's name for it."""

    user_id: UUID
    device_id: str
    session_id: str


Change: TypeAlias = Callable[[str | None], str]
"""Returns the new dump for the latest one, or for None if there is none. It may be called more than once."""


class ConversationStore(Protocol):
    """The dumps of conversations, kept for a while. No method raises: a lost dump makes answers worse, not wrong."""

    async def load(self, key: ConversationKey) -> str | None:
        """The latest dump; None if there is none."""

    async def save(self, key: ConversationKey, dump: str) -> None:
        """Replace the dump."""

    async def change(self, key: ConversationKey, change: Change) -> None:
        """Replace the dump by what ``change`` returns for it. No dump that any process saves meanwhile is lost."""


@dataclass(kw_only=True)
class MemoryConversations:
    """The ``ConversationStore`` in this process's memory. ``clock`` returns seconds.

    If a user has more than ``max_of_user`` conversations, or all of them take more than ``max_bytes``, the least
    recently used ones are dropped.
    """

    max_of_user: int = MAX_OF_USER
    max_bytes: int = 32 * 1024 * 1024
    max_idle_s: float = CONVERSATION_S
    clock: Callable[[], float] = time.monotonic
    _kept: OrderedDict[ConversationKey, tuple[float, str]] = field(default_factory=OrderedDict, init=False, repr=False)
    _size: int = field(default=0, init=False)

    async def load(self, key: ConversationKey) -> str | None:
        self._drop_idle()
        kept = self._kept.get(key)
        return None if kept is None else kept[1]

    async def save(self, key: ConversationKey, dump: str) -> None:
        self._drop(key)
        self._kept[key] = self.clock(), dump
        self._size += _bytes_of(dump)
        own = [kept for kept in self._kept if kept.user_id == key.user_id]
        for kept in own[: -self.max_of_user]:
            self._drop(kept)
        while self._size > self.max_bytes:
            self._drop(next(iter(self._kept)))
        self._drop_idle()

    async def change(self, key: ConversationKey, change: Change) -> None:
        # Neither call yields to the event loop, so nothing is saved in between.
        await self.save(key, change(await self.load(key)))

    def _drop_idle(self) -> None:
        oldest = self.clock() - self.max_idle_s
        while self._kept and next(iter(self._kept.values()))[0] < oldest:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: ConversationKey) -> None:
        if (kept := self._kept.pop(key, None)) is not None:
            self._size -= _bytes_of(kept[1])


def _bytes_of(dump: str) -> int:
    return _KEY_BYTES + sys.getsizeof(dump)


def memory_foreign_marks() -> MemoryConversations:
    """The store of marks on answers that may repeat foreign text (``foreign_marks.py``), in this process's memory."""
    return MemoryConversations(max_of_user=MAX_MARKED_OF_USER, max_idle_s=MARKS_S)
