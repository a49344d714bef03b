"""What the sidebar's sessions have said lately, kept in memory: where the user is, and the latest turns.

A session belongs to a user and a channel; the same id of another user is another session. All of it is bounded: of a
session the oldest messages go first, of a user and of all users the sessions that were used longest ago.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import takewhile
from operator import attrgetter
from typing import Final, NamedTuple
from uuid import UUID

from agents.engine.scope_block import page_words
from agents.scopes import ListScope, NoteScope, PageScope, ProjectScope
from chat.protocol.frames.client import HistoryMessage
from chat.protocol.frames.vocabulary import TurnKind

MAX_MESSAGES: Final = 40
"""As many as the model gets."""
MAX_SESSION_BYTES: Final = 64 * 1024
MAX_USER_SESSIONS: Final = 16
MAX_USER_BYTES: Final = 256 * 1024
MAX_SESSIONS: Final = 2000
MAX_BYTES: Final = 32 * 1024 * 1024
MAX_IDLE_S: Final = 3600.0
_MAX_MESSAGE_CHARACTERS: Final = 8000
_MAX_ID_CHARACTERS: Final = 200


class SessionKey(NamedTuple):
    """Whose session, in which part of the application, by the name that the client gave it."""

    user_id: UUID
    channel: TurnKind
    session_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A page as a session remembers it: what tells it from others, and what the client said of it."""

    identity: str
    words: str
    scope: PageScope
    """Of what the client said, as much as tells which row it is."""


def place(scope: PageScope) -> Place:
    """The same page has the same identity, whatever it holds by now."""
    words = page_words(scope)
    match scope:
        case ProjectScope() | NoteScope():
            row_id = scope.entityId[:_MAX_ID_CHARACTERS]
            kept: PageScope = replace(scope, entityId=row_id, entityName="")
            if isinstance(kept, NoteScope) and kept.projectId is not None:
                kept = replace(kept, projectId=kept.projectId[:_MAX_ID_CHARACTERS])
            return Place(identity=f"{scope.page} {row_id}", words=words, scope=kept)
        case ListScope():
            return Place(identity=words, words=words, scope=replace(scope, filters=None))


@dataclass(kw_only=True, eq=False)
class SessionBuffer:
    """One session. Its turns take place one after the other, in the order in which they arrive.

    ``on_growth`` is told by how many bytes what is kept has grown.
    """

    on_growth: Callable[[int], None]
    max_messages: int = MAX_MESSAGES
    max_bytes: int = MAX_SESSION_BYTES
    used_at: float = 0.0
    _messages: deque[HistoryMessage] = field(default_factory=deque, init=False)
    _bytes: int = field(default=0, init=False)
    _arrivals: int = field(default=0, init=False)
    _place: Place | None = field(default=None, init=False)
    _unsent: deque[tuple[int, Place]] = field(default_factory=lambda: deque(maxlen=MAX_MESSAGES), init=False)
    _turns: int = field(default=0, init=False)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)

    @property
    def size(self) -> int:
        """The bytes of the messages kept."""
        return self._bytes

    @property
    def messages(self) -> list[HistoryMessage]:
        """The latest messages, oldest first."""
        return list(self._messages)

    @property
    def busy(self) -> bool:
        """Whether a turn takes place or waits."""
        return self._turns > 0

    def arrive(self) -> int:
        """The number of a request that has arrived: what navigation came before it is known by it."""
        self._arrivals += 1
        return self._arrivals

    def navigate(self, scope: PageScope) -> None:
        """The user has gone to another page; the next request that arrives is told of the last one."""
        if self._unsent and self._unsent[-1][0] == self._arrivals:
            self._unsent.pop()
        self._unsent.append((self._arrivals, place(scope)))

    def moved(
        self, scope: PageScope, arrival: int, *, words: Callable[[Place], str] = attrgetter("words")
    ) -> list[HistoryMessage]:
        """Where the user went since the last turn, for the request of that number, which is asked on ``scope``.

        ``words`` says how a page is called. Only the last page before the request counts, and the request's own when
        that is another one.
        """
        went = [self._unsent.popleft()[1] for _ in range(sum(number < arrival for number, _ in self._unsent))][-1:]
        here = place(scope)
        before = went[-1] if went else self._place
        if before is not None and before.identity != here.identity:
            went.append(here)
        self._place = here
        return [HistoryMessage(role="system", content=f"User navigated to {words(page)}.") for page in went]

    def keep(self, *messages: HistoryMessage) -> None:
        """Remember what was said; the oldest messages make room."""
        before = self._bytes
        for message in messages:
            kept = HistoryMessage(role=message.role, content=message.content[:_MAX_MESSAGE_CHARACTERS])
            self._messages.append(kept)
            self._bytes += _size(kept)
        while self._messages and (len(self._messages) > self.max_messages or self._bytes > self.max_bytes):
            self._bytes -= _size(self._messages.popleft())
        self.on_growth(self._bytes - before)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """The time of one turn: waits for the turns that arrived before."""
        self._turns += 1
        try:
            async with self._turn:
                yield
        finally:
            self._turns -= 1


@dataclass(kw_only=True, slots=True)
class _Shelf:
    """One user's sessions, the one used last at the end, and the bytes of their messages."""

    keys: dict[SessionKey, None] = field(default_factory=dict)
    bytes: int = 0


@dataclass(kw_only=True)
class SessionBuffers:
    """The sessions of a process. ``clock`` gives seconds."""

    max_user_sessions: int = MAX_USER_SESSIONS
    max_user_bytes: int = MAX_USER_BYTES
    max_sessions: int = MAX_SESSIONS
    max_bytes: int = MAX_BYTES
    max_idle_s: float = MAX_IDLE_S
    clock: Callable[[], float] = time.monotonic
    _sessions: dict[SessionKey, SessionBuffer] = field(default_factory=dict, init=False)
    _users: dict[UUID, _Shelf] = field(default_factory=dict, init=False)
    _bytes: int = field(default=0, init=False)

    def __len__(self) -> int:
        return len(self._sessions)

    @property
    def size(self) -> int:
        """The bytes of all messages kept."""
        return self._bytes

    def open(self, key: SessionKey) -> SessionBuffer:
        """The session, made when there is none; of all sessions it is the one used last."""
        session = self._sessions.pop(key, None) or SessionBuffer(on_growth=partial(self._grew, key))
        session.used_at = self.clock()
        self._sessions[key] = session
        shelf = self._users.setdefault(key.user_id, _Shelf())
        shelf.keys.pop(key, None)
        shelf.keys[key] = None
        self._make_room(key.user_id)
        return session

    def _grew(self, key: SessionKey, by: int) -> None:
        if key not in self._sessions:
            return  # forgotten while its last turn took place
        self._bytes += by
        self._users[key.user_id].bytes += by
        self._make_room(key.user_id)

    def _make_room(self, user_id: UUID) -> None:
        """Forget what nobody used for long, and what was used longest ago of what is over the bounds."""
        shelf = self._users[user_id]
        self._shrink(shelf.keys, lambda: len(shelf.keys) > self.max_user_sessions or shelf.bytes > self.max_user_bytes)
        self._shrink(self._sessions, lambda: len(self) > self.max_sessions or self._bytes > self.max_bytes)
        self._forget_idle()

    def _shrink(self, keys: Collection[SessionKey], is_too_much: Callable[[], bool]) -> None:
        """Forget sessions, those first that were used longest ago, while it is too much; one that is in use stays."""
        if not is_too_much():
            return
        for key in list(keys)[:-1]:
            if not self._sessions[key].busy:
                self._forget(key)
                if not is_too_much():
                    return

    def _forget_idle(self) -> None:
        """They stand in the order in which they were used: the first that is fresh, or in use, ends the search."""
        oldest_s = self.clock() - self.max_idle_s
        idle = takewhile(lambda entry: entry[1].used_at < oldest_s and not entry[1].busy, self._sessions.items())
        for key, _ in list(idle):
            self._forget(key)

    def _forget(self, key: SessionKey) -> None:
        session = self._sessions.pop(key)
        shelf = self._users[key.user_id]
        del shelf.keys[key]
        shelf.bytes -= session.size
        self._bytes -= session.size
        if not shelf.keys:
            del self._users[key.user_id]


def _size(message: HistoryMessage) -> int:
    return len(message.content.encode("utf-8", "replace"))
