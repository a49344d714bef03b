"""Where conversations are kept between two requests: in the memory of the process."""

import sys
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol, TypeAlias
from uuid import UUID

CONVERSATION_S: Final = 3600
"""How long a conversation that is not used is kept."""
MAX_OF_USER: Final = 16
"""How many conversations of a user are kept."""
MARKS_S: Final = 30 * 24 * 3600
"""How long the marks on its answers that may repeat text from outside are kept (``foreign_marks.py``)."""
MAX_MARKED_OF_USER: Final = 256
"""For how many conversations of a user marks are kept."""
_KEY_BYTES: Final = 450
"""What a conversation takes besides its dump. It counts, because most dumps of marks are shorter."""


class ConversationKey(NamedTuple):
    """A conversation of a user on one device, by the client's name for it."""

    user_id: UUID
    device_id: str
    session_id: str


Change: TypeAlias = Callable[[str | None], str]
"""The dump that follows the latest one, which is None if there is none any more. It may be called more than once."""


class ConversationStore(Protocol):
    """The dumps of conversations, kept for a while. What is lost is only missed: no method raises."""

    async def load(self, key: ConversationKey) -> str | None:
        """The latest dump; None if there is none any more."""

    async def save(self, key: ConversationKey, dump: str) -> None:
        """Replace the dump."""

    async def change(self, key: ConversationKey, change: Change) -> None:
        """Replace the dump by what ``change`` makes of it. None that is saved meanwhile, on any process, is lost."""


@dataclass(kw_only=True)
class MemoryConversations:
    """The ``ConversationStore`` in this process's memory. ``clock`` gives seconds.

    The least recently used conversations of a user, and of all, make room for others: all together take ``max_bytes``
    at most.
    """

    max_of_user: int = MAX_OF_USER
    max_bytes: int = 32 * 1024 * 1024
    max_idle_s: float = CONVERSATION_S
    clock: Callable[[], float] = time.monotonic
    _kept: OrderedDict[ConversationKey, tuple[float, str]] = field(default_factory=OrderedDict, init=False, repr=False)
    _size: int = field(default=0, init=False)

    async def load(self, key: ConversationKey) -> str | None:
        self._drop_idle()
        found = self._kept.get(key)
        return None if found is None else found[1]

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
        # Neither of them waits, so nothing is saved in between.
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


def memory_provenances() -> MemoryConversations:
    """The store of marks on answers that may repeat text from outside (``foreign_marks.py``)."""
    return MemoryConversations(max_of_user=MAX_MARKED_OF_USER, max_idle_s=MARKS_S)
