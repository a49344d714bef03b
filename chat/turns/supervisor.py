"""Owns every turn of this process: starts them, cancels them, and awaits them when the process stops."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextvars import Context
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Final, TypeAlias
from uuid import UUID

from chat.devices.links import DeviceKey
from chat.protocol.frames.errors import FrameRejected, reused
from chat.protocol.frames.vocabulary import ErrorCode
from chat.tasks import OwnedTasks, cancel_at_next_wait
from chat.turns.frame_log import FrameLog

logger = logging.getLogger(__name__)

KEEP_S: Final = 600.0

TurnKey: TypeAlias = tuple[UUID, str]
"""A user and a request id: ids are unique per user only."""
Work: TypeAlias = Callable[[FrameLog], Awaitable[None]]
"""Writes a turn's frames into its log. If it is cancelled, it also writes the last one."""


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Turn:
    """An answer that is being written, or that ended recently. ``fingerprint`` identifies the request's content."""

    key: TurnKey
    device: DeviceKey
    fingerprint: str
    log: FrameLog = field(default_factory=FrameLog)

    @property
    def request_id(self) -> str:
        return self.key[1]


@dataclass(kw_only=True, slots=True)
class _Running:
    """A running turn. A task that is cancelled before its first step never runs, so cancellations wait until then."""

    task: asyncio.Task[None] | None = None
    begun: bool = False
    cancelled: bool = False


class TurnSupervisor:
    """The turns of this process by user and request id. They outlive the sockets that asked for them.

    A turn's frames are kept for ``KEEP_S`` seconds after its end. One user runs at most ``max_running`` at once.
    """

    def __init__(self, *, max_running: int = 8) -> None:
        self._max_running = max_running
        self._turns: dict[TurnKey, Turn] = {}
        self._running: dict[TurnKey, _Running] = {}
        self._ended: dict[TurnKey, float] = {}
        """When each kept turn ended, by the clock of the event loop, the earliest first."""
        self._expiry: asyncio.TimerHandle | None = None
        self._tasks = OwnedTasks()
        self._stopping = False
        self.on_forgotten: Callable[[TurnKey, FrameLog], None] = lambda _key, _log: None
        """Called with each turn that is dropped, and its log."""

    def start(self, turn: Turn, work: Work) -> Turn:
        """Run ``work`` as ``turn``, or return the turn that the same request began before.

        Claiming the id is atomic. Raises ``FrameRejected``: ``request_id_reused`` if the id belongs to another request,
        ``busy`` if the user has as many running turns as allowed, or ``shutting_down``.
        """
        earlier = self._turns.get(turn.key)
        if earlier is not None:
            if earlier.fingerprint != turn.fingerprint:
                raise reused(turn.request_id)
            return earlier
        self._admit(turn)
        self._turns[turn.key] = turn
        running = self._running[turn.key] = _Running()
        running.task = self._tasks.start(self._conduct(turn, work, running), name=f"turn {turn.request_id}")
        return turn

    def find(self, key: TurnKey) -> Turn | None:
        """The turn, while it runs and for ``KEEP_S`` seconds afterwards."""
        return self._turns.get(key)

    def running(self, device: DeviceKey | None = None) -> list[Turn]:
        """The running turns that ``device`` started, or all of this process."""
        turns = [self._turns[key] for key in self._running]
        return turns if device is None else [turn for turn in turns if turn.device == device]

    def cancel(self, key: TurnKey) -> bool:
        """Stop a running turn, whose log still ends with ``stream_end``. Returns whether there was one."""
        running = self._running.get(key)
        if running is None or running.cancelled:
            return False
        running.cancelled = True
        if running.begun and running.task is not None:
            running.task.cancel()
        return True

    async def drain(self, timeout_s: float) -> None:
        """Accept no new turns, wait ``timeout_s`` seconds for the running ones to end, then cancel them."""
        self._stopping = True
        if not await self._tasks.wait(timeout_s):
            logger.warning("stopping: %d turns are cut off", len(self._running))
        await self._tasks.aclose()
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None

    def _admit(self, turn: Turn) -> None:
        if self._stopping:
            raise FrameRejected(
                ErrorCode.SHUTTING_DOWN, "The server is restarting.", request_id=turn.request_id, retryable=True
            )
        if sum(key[0] == turn.key[0] for key in self._running) >= self._max_running:
            raise FrameRejected(
                ErrorCode.BUSY,
                f"At most {self._max_running} of your requests may run at the same time. Wait until one has ended.",
                request_id=turn.request_id,
                retryable=True,
            )

    async def _conduct(self, turn: Turn, work: Work, running: "_Running") -> None:
        running.begun = True
        try:
            if running.cancelled:
                cancel_at_next_wait()
            await work(turn.log)
        finally:
            turn.log.close()
            del self._running[turn.key]
            if turn.log.failed:
                self._forget(turn.key)
            else:
                self._ended[turn.key] = asyncio.get_running_loop().time()
                self._expect_expiry()

    def _expect_expiry(self) -> None:
        """Set one timer for all turns. One for each would keep the turn's context alive, with all that it refers to."""
        if self._expiry is None and self._ended and not self._stopping:
            due = next(iter(self._ended.values())) + KEEP_S
            self._expiry = asyncio.get_running_loop().call_at(due, self._forget_old, context=Context())

    def _forget_old(self) -> None:
        self._expiry = None
        oldest = asyncio.get_running_loop().time() - KEEP_S
        for key, _ in list(takewhile(lambda ended: ended[1] <= oldest, self._ended.items())):
            self._forget(key)
        self._expect_expiry()

    def _forget(self, key: TurnKey) -> None:
        turn = self._turns.pop(key, None)
        self._ended.pop(key, None)
        if turn is not None:
            self.on_forgotten(turn.key, turn.log)
