"""Watching turns: each has a ``TurnWatch`` that is told what is done in it, and whose listeners hear when it has ended.

The watch of the turn under way lies in a context variable, so that whoever asks a model or runs a tool can tell it
without being handed it. Where there is none, nothing is noted. What goes on after a turn's end, such as summaries for
the memory, belongs to no turn.
"""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, TypeAlias
from uuid import uuid4

from structlog.contextvars import bound_contextvars

from agents.telemetry.turns import Generation, ObservedTurn, Spoken, ToolUse, TurnOrigin, TurnOutcome

logger = logging.getLogger(__name__)

TurnListener: TypeAlias = Callable[[ObservedTurn], None]
"""Hears of a turn that has ended. Called on the event loop, so it returns at once."""

_UNDER_WAY: Final[ContextVar["TurnWatch | None"]] = ContextVar("turn_watch", default=None)


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(kw_only=True, slots=True, eq=False)
class TurnWatch:
    """Notes what is done in one turn. ``keeps_content`` says whether words are noted, too."""

    origin: TurnOrigin
    keeps_content: bool = False
    wall: Callable[[], datetime] = _utc_now
    clock: Callable[[], float] = time.perf_counter
    agent: str = ""
    _began: float = field(init=False)
    _started_at: datetime = field(init=False)
    _first_text_s: float | None = field(default=None, init=False)
    _outcome: TurnOutcome | None = field(default=None, init=False)
    _error_code: str = field(default="", init=False)
    _generations: list[Generation] = field(default_factory=list, init=False)
    _tools: list[ToolUse] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self._began, self._started_at = self.clock(), self.wall()

    def now(self) -> float:
        """Seconds since the turn began."""
        return self.clock() - self._began

    def first_text(self) -> None:
        """The user gets to read something; only the first time counts."""
        if self._first_text_s is None:
            self._first_text_s = self.now()

    def generated(self, generation: Generation) -> None:
        self._generations.append(generation)

    def used(self, tool: ToolUse) -> None:
        self._tools.append(tool)

    def ended(self, outcome: TurnOutcome, error_code: str = "") -> None:
        """How the turn ends, as its user is told."""
        self._outcome, self._error_code = outcome, error_code

    def result(self) -> ObservedTurn:
        """What was noted until now. A turn that nobody said an end of was cut off."""
        return ObservedTurn(
            id=uuid4(),
            origin=self.origin,
            started_at=self._started_at,
            duration_s=self.now(),
            outcome=self._outcome or TurnOutcome.CANCELLED,
            error_code=self._error_code,
            agent=self.agent,
            first_text_s=self._first_text_s,
            generations=tuple(self._generations),
            tools=tuple(self._tools),
        )


def turn_under_way() -> TurnWatch | None:
    """The watch of the turn in which this is called."""
    return _UNDER_WAY.get()


@dataclass(frozen=True, kw_only=True, slots=True)
class Observers:
    """Who is told of turns. Without listeners nothing is watched."""

    listeners: Sequence[TurnListener] = ()
    keep_content: bool = False

    @contextmanager
    def watching(self, origin: TurnOrigin) -> Iterator[None]:
        """What is done inside belongs to the turn, lines of the log too; at the end of the block everybody is told."""
        with bound_contextvars(request_id=origin.request_id, user_id=str(origin.user_id)):
            if self.listeners:
                with self._watched(origin):
                    yield
            else:
                yield

    @contextmanager
    def _watched(self, origin: TurnOrigin) -> Iterator[None]:
        watch = TurnWatch(origin=origin, keeps_content=self.keep_content)
        token = _UNDER_WAY.set(watch)
        try:
            yield
        finally:
            _UNDER_WAY.reset(token)
            self._tell(watch.result())

    def _tell(self, turn: ObservedTurn) -> None:
        for listener in self.listeners:
            try:
                listener(turn)
            except Exception:  # whoever counts must not end what they count
                logger.exception("a turn could not be told of")


def note_tool(tool: str, *, ok: bool, took_s: float, arguments: str, result: str) -> None:
    """A tool of the turn under way has just ended, after ``took_s`` seconds."""
    watch = turn_under_way()
    if watch is None:
        return
    ended_s = watch.now()
    spoken = Spoken(arguments=arguments, result=result) if watch.keeps_content else None
    watch.used(ToolUse(tool=tool, ok=ok, began_s=max(0.0, ended_s - took_s), ended_s=ended_s, spoken=spoken))


def note_agent(agent: str) -> None:
    """``agent`` answers in the turn under way."""
    watch = turn_under_way()
    if watch is not None:
        watch.agent = agent


def note_first_text() -> None:
    """The user gets to read something of the turn under way."""
    watch = turn_under_way()
    if watch is not None:
        watch.first_text()


def note_end(outcome: TurnOutcome, error_code: str = "") -> None:
    """The turn under way ends like this, as its user is told."""
    watch = turn_under_way()
    if watch is not None:
        watch.ended(outcome, error_code)
