"""The sidebar's sessions, in memory: the viewed page, and the latest messages.

A session belongs to a user: the same id of another user is another session. The sizes of a session, of a user's
sessions and of all sessions are limited. The oldest messages and the least recently used sessions are dropped.
"""

import time
from collections import deque
from collections.abc import Callable, Collection, Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate, takewhile
from typing import Final, NamedTuple
from uuid import UUID

from pydantic import JsonValue

from agents.calls import Table
from agents.engine.viewed_page import FILTER_CHARACTERS, NAME_CHARACTERS, page_words
from agents.scopes import ListScope, NoteScope, PageScope, ProjectScope, texts_in
from chat.protocol.frames.client import HistoryMessage
from chat.tasks import Signal

MAX_MESSAGES: Final = 40
"""The number that a model is sent."""
MAX_SESSION_BYTES: Final = 64 * 1024
MAX_MESSAGE_CHARACTERS: Final = 8000
_MAX_ID_CHARACTERS: Final = 200


class SessionKey(NamedTuple):
    """A user's session, by the client's name for it."""

    user_id: UUID
    session_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ViewedPage:
    """A page as it is kept in a session."""

    identity: str
    scope: PageScope
    """The client's scope, reduced to what identifies and describes the row."""
    filter_texts: frozenset[str] = frozenset()
    """The texts in a list's filters that its description may contain."""

    def is_of(self, scope: PageScope) -> bool:
        """Whether this is the page of ``scope``."""
        return viewed_page(scope).identity == self.identity

    def words(self, *, without: Container[Table] = (), named: bool = True) -> str:
        """A description of the page. The arguments are those of ``page_words``."""
        is_list = isinstance(self.scope, ListScope)
        return self.identity if is_list else page_words(self.scope, without=without, named=named)


def viewed_page(scope: PageScope) -> ViewedPage:
    """The page of ``scope``. Its identity does not depend on the content of a row."""
    match scope:
        case ProjectScope() | NoteScope():
            row_id = scope.entityId[:_MAX_ID_CHARACTERS]
            kept: PageScope = replace(scope, entityId=row_id, entityName=scope.entityName[:NAME_CHARACTERS])
            if isinstance(kept, NoteScope) and kept.projectId is not None:
                kept = replace(kept, projectId=kept.projectId[:_MAX_ID_CHARACTERS])
            return ViewedPage(identity=f"{scope.page} {row_id}", scope=kept)
        case ListScope(filters=filters):
            kept = replace(scope, filters=None)
            return ViewedPage(identity=page_words(scope), scope=kept, filter_texts=_described_texts(filters))


def _described_texts(filters: JsonValue) -> frozenset[str]:
    """The texts in ``filters`` that fit into the description of a page, at least in part."""
    texts = list(texts_in(filters))
    sizes = accumulate(map(len, texts), initial=0)
    return frozenset(
        text[:FILTER_CHARACTERS] for text, before in zip(texts, sizes, strict=False) if before < FILTER_CHARACTERS
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Navigation:
    """A message of a session: the user has moved to ``page``. It is worded again for each request to a model.

    ``named`` is an argument of ``page_words``.
    """

    page: ViewedPage
    named: bool = True

    @property
    def content(self) -> str:
        """The text of the message, if nothing of the page is withheld."""
        return self.message(self.page.words(named=self.named)).content

    def message(self, words: str) -> HistoryMessage:
        """The message for a model, with this description of the page."""
        return HistoryMessage(role="system", content=f"User navigated to {words}.")


@dataclass(kw_only=True, eq=False)
class SessionBuffer:
    """One session. Its turns run one after the other, in the order of arrival.

    ``on_growth`` is called with the session and by how many bytes it has grown.
    """

    on_growth: Callable[["SessionBuffer", int], None]
    max_messages: int = MAX_MESSAGES
    max_bytes: int = MAX_SESSION_BYTES
    used_at: float = 0.0
    size: int = field(default=0, init=False)
    """The size of the messages, in bytes."""
    _messages: deque[HistoryMessage | Navigation] = field(default_factory=deque, init=False)
    _arrivals: int = field(default=0, init=False)
    _page: ViewedPage | None = field(default=None, init=False)
    _unsent: deque[tuple[int, ViewedPage]] = field(default_factory=lambda: deque(maxlen=MAX_MESSAGES), init=False)
    _queue: set[int] = field(default_factory=set, init=False)
    """The numbers of the requests that have not ended."""
    _moved_up: Signal = field(default_factory=Signal, init=False)

    @property
    def messages(self) -> list[HistoryMessage | Navigation]:
        """The latest messages, oldest first."""
        return list(self._messages)

    @property
    def busy(self) -> bool:
        """Whether a turn runs or waits."""
        return bool(self._queue)

    def arrive(self) -> int:
        """A number for a request that has just arrived. It separates earlier navigation from later navigation."""
        self._arrivals += 1
        return self._arrivals

    def navigate(self, scope: PageScope) -> None:
        """Note that the user has moved to another page. The next request includes the latest one."""
        if self._unsent and self._unsent[-1][0] == self._arrivals:
            self._unsent.pop()
        self._unsent.append((self._arrivals, viewed_page(scope)))

    def moved(self, scope: PageScope, arrival: int) -> list[ViewedPage]:
        """The pages that the user moved to since the last turn, for the request number ``arrival`` on ``scope``.

        These are the last page before the request, and the page of the request if that differs.
        """
        earlier = [self._unsent.popleft()[1] for _ in range(sum(number < arrival for number, _ in self._unsent))]
        pages, here = earlier[-1:], viewed_page(scope)
        before = pages[-1] if pages else self._page
        if before is not None and before.identity != here.identity:
            pages.append(here)
        self._page = here
        return pages

    def keep(self, *messages: HistoryMessage | Navigation) -> None:
        """Add messages. If there are too many, the oldest quarter is dropped.

        It is dropped at once, so that the requests to the model begin with the same bytes most of the time.
        """
        before = self.size
        for message in messages:
            shortened = message
            if isinstance(message, HistoryMessage):
                shortened = HistoryMessage(role=message.role, content=message.content[:MAX_MESSAGE_CHARACTERS])
            self._messages.append(shortened)
            self.size += _size(shortened)
        if len(self._messages) > self.max_messages or self.size > self.max_bytes:
            most, most_bytes = self.max_messages * 3 // 4, self.max_bytes * 3 // 4
            while self._messages and (len(self._messages) > most or self.size > most_bytes):
                self.size -= _size(self._messages.popleft())
        self.on_growth(self, self.size - before)

    @contextmanager
    def queued(self, arrival: int) -> Iterator[None]:
        """Hold the place of the request number ``arrival``. Later requests wait for the end of the block."""
        self._queue.add(arrival)
        try:
            yield
        finally:
            self._queue.discard(arrival)
            self._moved_up.notify()

    def is_next(self, arrival: int) -> bool:
        """Whether the queued request number ``arrival`` is the first in the queue."""
        return min(self._queue) == arrival

    async def turn(self, arrival: int) -> None:
        """Return once the queued request number ``arrival`` is the first in the queue."""
        while not self.is_next(arrival):
            await self._moved_up.wait()


@dataclass(kw_only=True, slots=True)
class _UserSessions:
    """One user's sessions, least recently used first, and the bytes of their messages."""

    keys: dict[SessionKey, None] = field(default_factory=dict)
    bytes: int = 0


@dataclass(kw_only=True)
class SessionBuffers:
    """The sessions of a process. ``clock`` returns seconds."""

    max_user_sessions: int = 16
    max_user_bytes: int = 256 * 1024
    max_sessions: int = 2000
    max_bytes: int = 32 * 1024 * 1024
    max_idle_s: float = 3600.0
    clock: Callable[[], float] = time.monotonic
    size: int = field(default=0, init=False)
    """The size of all messages, in bytes."""
    _sessions: dict[SessionKey, SessionBuffer] = field(default_factory=dict, init=False)
    _users: dict[UUID, _UserSessions] = field(default_factory=dict, init=False)

    def __len__(self) -> int:
        return len(self._sessions)

    def open(self, key: SessionKey) -> SessionBuffer:
        """The session, created if necessary, and marked as the most recently used one."""
        session = self._sessions.pop(key, None) or SessionBuffer(on_growth=partial(self._grew, key))
        session.used_at = self.clock()
        self._sessions[key] = session
        owned = self._users.setdefault(key.user_id, _UserSessions())
        owned.keys.pop(key, None)
        owned.keys[key] = None
        self._make_room(key.user_id)
        return session

    def _grew(self, key: SessionKey, session: SessionBuffer, by: int) -> None:
        if self._sessions.get(key) is not session:
            return  # it was dropped before its last turn ended; there may be another one with its key
        self.size += by
        self._users[key.user_id].bytes += by
        self._make_room(key.user_id)

    def _make_room(self, user_id: UUID) -> None:
        """Drop idle sessions, and the least recently used ones while a limit is exceeded."""
        owned = self._users[user_id]
        self._shrink(owned.keys, lambda: len(owned.keys) > self.max_user_sessions or owned.bytes > self.max_user_bytes)
        self._shrink(self._sessions, lambda: len(self) > self.max_sessions or self.size > self.max_bytes)
        # Sessions are in the order of their last use, so the search ends at the first one that is busy or not idle.
        oldest_s = self.clock() - self.max_idle_s
        idle = takewhile(lambda entry: entry[1].used_at < oldest_s and not entry[1].busy, self._sessions.items())
        for key, _ in list(idle):
            self._drop(key)

    def _shrink(self, keys: Collection[SessionKey], is_too_much: Callable[[], bool]) -> None:
        """Drop the least recently used sessions that are not busy, until ``is_too_much`` is false."""
        if not is_too_much():
            return
        for key in list(keys)[:-1]:
            if not self._sessions[key].busy:
                self._drop(key)
                if not is_too_much():
                    return

    def _drop(self, key: SessionKey) -> None:
        session = self._sessions.pop(key)
        owned = self._users[key.user_id]
        del owned.keys[key]
        owned.bytes -= session.size
        self.size -= session.size
        if not owned.keys:
            del self._users[key.user_id]


def _size(message: HistoryMessage | Navigation) -> int:
    return len(message.content.encode("utf-8", "replace"))
