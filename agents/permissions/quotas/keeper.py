"""Says what may begin: what the rows say is used, what is not written yet, and what is under way on this process."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import takewhile
from typing import Final, Protocol
from uuid import UUID

from channels.db import database_sync_to_async

from agents.allowances import Allowance, Quota, Usage, day_of
from agents.errors import QuotaExceeded
from agents.permissions.quotas.overrides import OverrideBook
from agents.permissions.quotas.rows import NO_TURNS, CountedElsewhere, usage_written
from agents.telemetry.turns import ObservedTurn

logger = logging.getLogger(__name__)

_LOOK_S: Final = 2.0
"""How long a turn waits for what is used: with a database that is away it begins all the same."""
_WARN_EVERY_S: Final = 60.0


class Written(Protocol):
    """As ``usage_written``, on the event loop."""

    def __call__(self, user_id: UUID, *, since: datetime, elsewhere: CountedElsewhere) -> Awaitable[Usage]: ...


_written: Final[Written] = database_sync_to_async(usage_written, thread_sensitive=False)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Begun:
    """A turn under way on this process, or one that waits to hear whether it may begin."""

    request_id: str
    at: datetime


def _nothing(_: UUID) -> Sequence[ObservedTurn]:
    return ()


def _utc_now() -> datetime:
    return datetime.now(UTC)


class QuotaKeeper:
    """What users may use, and whether they have.

    ``installation`` holds for whom ``overrides`` say nothing of. ``unwritten`` gives the ended turns of a user that
    are on their way to the rows. Turns that run on other processes are not known here until they have ended.
    """

    def __init__(
        self,
        *,
        installation: Quota = Quota(),  # noqa: B008 - it is frozen
        overrides: OverrideBook | None = None,
        unwritten: Callable[[UUID], Sequence[ObservedTurn]] = _nothing,
        written: Written = _written,
        now: Callable[[], datetime] = _utc_now,
    ) -> None:
        self._installation = installation
        self._overrides = overrides
        self._unwritten = unwritten
        self._written = written
        self._now = now
        self._under_way: dict[UUID, list[Begun]] = {}
        self._warned_at = -_WARN_EVERY_S

    def begin(self) -> None:
        """Keep up with what is decided of single users from now on; saying so again changes nothing."""
        if self._overrides is not None:
            self._overrides.begin()

    async def aclose(self) -> None:
        if self._overrides is not None:
            await self._overrides.aclose()

    def may_limit(self, user_id: UUID) -> bool:
        """Whether anything limits the user, or nobody knows yet. Never waits."""
        override = None if self._overrides is None else self._overrides.find(user_id)
        if override is None:
            return self._overrides is not None or self._installation.limits
        return self._installation.changed_by(override).limits

    @contextmanager
    def under_way(self, user_id: UUID, request_id: str) -> Iterator[Begun]:
        """A turn of the user's begins here, or would, and ends with the block."""
        begun = Begun(request_id=request_id, at=self._now())
        others = self._under_way.setdefault(user_id, [])
        others.append(begun)
        try:
            yield begun
        finally:
            others.remove(begun)
            if not others:
                # Nobody else has put a new list there: it is taken out only once it is empty.
                del self._under_way[user_id]

    async def refusal(self, user_id: UUID, begun: Begun) -> Allowance | None:
        """The allowance that leaves nothing for the turn ``begun``; None when it may begin.

        Those of the user's turns that began before it on this process count, whether they may begin or not.
        """
        if not self.may_limit(user_id):
            return None
        try:
            async with asyncio.timeout(_LOOK_S):
                allowance = await self._allowance(user_id, self._before(user_id, begun))
        except Exception as error:  # noqa: BLE001 - whatever keeps the database away keeps nobody from asking
            self._warn(error)
            return None
        return allowance if allowance.used_up else None

    async def allowance(self, user_id: UUID) -> Allowance:
        """What the user may and has used, with what is under way. Raises what keeps the database away."""
        return await self._allowance(user_id, tuple(self._under_way.get(user_id, ())))

    async def check_tokens(self, user_id: UUID) -> None:
        """Raises ``QuotaExceeded`` when the user has no tokens left today.

        For what asks a model and is no turn of a conversation, such as a model that a program calls as a tool.
        """
        if not self.may_limit(user_id):
            return
        allowance = await self.allowance(user_id)
        if any(meter.name == "tokens" for meter in allowance.used_up):
            raise QuotaExceeded(allowance)

    def _before(self, user_id: UUID, begun: Begun) -> Collection[Begun]:
        return tuple(takewhile(lambda other: other is not begun, self._under_way.get(user_id, ())))

    async def _allowance(self, user_id: UUID, under_way: Collection[Begun]) -> Allowance:
        """What is not in the rows is looked at now, before they are: whatever they hold of it then counts once."""
        now = self._now()
        since = day_of(now)
        ended = [turn for turn in self._unwritten(user_id) if turn.started_at >= since]
        today = [begun for begun in under_way if begun.at >= since]
        elsewhere = CountedElsewhere(
            ids=[turn.id for turn in ended],
            request_ids=[begun.request_id for begun in today],
            since=min((begun.at for begun in today), default=None),
        )
        quota = await self._quota(user_id)
        written = await self._written(user_id, since=since, elsewhere=elsewhere)
        usage = sum((_usage(turn) for turn in ended), written + Usage(turns=len(today)))
        return Allowance(quota=quota, usage=usage, now=now)

    async def _quota(self, user_id: UUID) -> Quota:
        if self._overrides is None:
            return self._installation
        return self._installation.changed_by(await self._overrides.of(user_id))

    def _warn(self, error: Exception) -> None:
        now = time.monotonic()
        if now - self._warned_at >= _WARN_EVERY_S:
            self._warned_at = now
            logger.warning("what users have used cannot be read, so nobody is refused: %s", error)


def _usage(turn: ObservedTurn) -> Usage:
    counted = turn.usage
    turns = 0 if turn.origin.kind in NO_TURNS else 1
    return Usage(turns=turns, tokens=counted.input_tokens + counted.output_tokens)
