"""Whether a user's quota allows a turn.

Usage is counted from the rows in the database, the ended turns that are not written yet, and the turns in progress in
this process.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import takewhile
from typing import Final, Protocol
from uuid import UUID

from django.db import transaction
from django.db.models import Count, F, Q, Sum
from django.db.models.signals import ModelSignal, post_delete, post_save

from accounts.database import in_database
from accounts.timezones import utc_now
from agents.allowances import Allowance, Quota, QuotaOverride, Usage, day_of
from agents.errors import QuotaExceeded
from agents.permissions.models import UserQuota
from agents.requests import RequestKind
from agents.telemetry.models import TurnRecord
from agents.telemetry.turns import ObservedTurn

logger = logging.getLogger(__name__)

NO_TURNS: Final = frozenset({RequestKind.JOB, RequestKind.MCP})
"""Kinds of requests that are no turns of a conversation. Only their tokens count."""
READ_EVERY_S: Final = 5.0
_LOOKUP_S: Final = 2.0
"""The time that a turn waits for its user's usage. If the database is unavailable, the turn begins anyway."""
_WARN_EVERY_S: Final = 60.0
_NO_OVERRIDE: Final = QuotaOverride()


@dataclass(frozen=True, kw_only=True, slots=True)
class CountedElsewhere:
    """Turns that ``usage_written`` leaves out because they are counted already.

    Ended turns have ``ids``. Turns in progress have none yet, only ``request_ids``. If one ends meanwhile, its row has
    one of these and began at ``since`` or later. An earlier row with the same request id is another turn.
    """

    ids: Collection[UUID] = ()
    request_ids: Collection[str] = ()
    since: datetime | None = None


def usage_written(user_id: UUID, *, since: datetime, elsewhere: CountedElsewhere) -> Usage:
    """The usage in the user's stored turns that began at ``since`` or later. One query."""
    turns = ~Q(kind__in=[kind.value for kind in NO_TURNS])
    if elsewhere.request_ids and elsewhere.since is not None:
        turns &= ~Q(request_id__in=elsewhere.request_ids, started_at__gte=elsewhere.since)
    rows = TurnRecord.objects.for_user(user_id).since(since)
    if elsewhere.ids:
        rows = rows.exclude(id__in=elsewhere.ids)
    counted = rows.aggregate(
        turns=Count("id", filter=turns), tokens=Sum(F("input_tokens") + F("output_tokens"), default=0)
    )
    return Usage(turns=counted["turns"], tokens=int(counted["tokens"]))


class UsageLookup(Protocol):
    """``usage_written`` as a coroutine."""

    def __call__(self, user_id: UUID, *, since: datetime, elsewhere: CountedElsewhere) -> Awaitable[Usage]: ...


async def _usage_written(user_id: UUID, *, since: datetime, elsewhere: CountedElsewhere) -> Usage:
    return await in_database(usage_written, user_id, since=since, elsewhere=elsewhere)


def all_overrides() -> Mapping[UUID, QuotaOverride]:
    """All overrides, by user."""
    return {row.user_id: _override_in(row) for row in UserQuota.objects.only("user_id", "turns", "tokens")}


def override_of(user_id: UUID) -> QuotaOverride:
    """The override of one user."""
    row = UserQuota.objects.for_user(user_id).first()
    return _NO_OVERRIDE if row is None else _override_in(row)


def _override_in(row: UserQuota) -> QuotaOverride:
    return QuotaOverride(turns=row.turns, tokens=row.tokens)


class OverrideCache:
    """All overrides in memory, read again every ``every_s`` seconds by a background task after ``begin``.

    Changes saved by this process apply as soon as they are committed. If the database is unavailable, the last known
    overrides stay in force.
    """

    def __init__(
        self, *, read: Callable[[], Mapping[UUID, QuotaOverride]] = all_overrides, every_s: float = READ_EVERY_S
    ) -> None:
        self._read = read
        self._every_s = every_s
        self._known: Mapping[UUID, QuotaOverride] | None = None
        self._changes = 0
        # Changes are noted in the thread that saved them.
        self._lock = threading.Lock()
        self._task: asyncio.Task[None] | None = None
        self._failing = False
        # Signals hold their receivers weakly, so there is nothing to disconnect.
        post_save.connect(self._changed, sender=UserQuota)
        post_delete.connect(self._changed, sender=UserQuota)

    def find(self, user_id: UUID) -> QuotaOverride | None:
        """The override of the user; None before the first read."""
        return None if self._known is None else self._known.get(user_id, _NO_OVERRIDE)

    async def of(self, user_id: UUID) -> QuotaOverride:
        """As ``find``; queries the database before the first read."""
        override = self.find(user_id)
        return await in_database(override_of, user_id) if override is None else override

    def begin(self) -> None:
        """Start reading; idempotent."""
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._keep_reading(), name="reading quotas")

    async def aclose(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def read(self) -> None:
        """Read all overrides once. Raises database errors."""
        while True:
            before = self._changes
            known = await in_database(self._read)
            with self._lock:
                # A change saved during the read may be missing from it.
                if before == self._changes:
                    self._known = known
                    return

    async def _keep_reading(self) -> None:
        while True:
            try:
                await self.read()
                self._failing = False
            except Exception as error:  # noqa: BLE001 - the boundary of a task that outlives database failures
                if not self._failing:
                    logger.warning("quotas could not be read; the last known ones stay in force: %s", error)
                self._failing = True
            await asyncio.sleep(self._every_s)

    def _changed(self, instance: UserQuota, *, signal: ModelSignal, **_: object) -> None:
        user_id = instance.user_id
        override = _NO_OVERRIDE if signal is post_delete else _override_in(instance)

        def note() -> None:
            with self._lock:
                self._changes += 1
                if self._known is not None:
                    self._known = {**self._known, user_id: override}

        transaction.on_commit(note, robust=True)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class StartedTurn:
    """A turn in progress in this process, or one whose quota is being checked."""

    request_id: str
    at: datetime


@dataclass(kw_only=True, eq=False)
class QuotaService:
    """Checks the usage of users against their quotas.

    ``installation`` is the quota of users without overrides. ``unwritten`` returns a user's ended turns that are not
    in the database yet. Turns in progress in other processes count only when they have ended.
    """

    installation: Quota = field(default_factory=Quota)
    overrides: OverrideCache | None = None
    unwritten: Callable[[UUID], Sequence[ObservedTurn]] = lambda _: ()
    written: UsageLookup = _usage_written
    now: Callable[[], datetime] = utc_now
    _under_way: dict[UUID, list[StartedTurn]] = field(default_factory=dict, init=False)
    _warned_at: float = field(default=-_WARN_EVERY_S, init=False)

    def begin(self) -> None:
        """Start reading overrides; idempotent."""
        if self.overrides is not None:
            self.overrides.begin()

    async def aclose(self) -> None:
        if self.overrides is not None:
            await self.overrides.aclose()

    def may_limit(self, user_id: UUID) -> bool:
        """Whether the user has a limit, or their limits are not known yet. Never waits."""
        override = None if self.overrides is None else self.overrides.find(user_id)
        if override is None:
            return self.overrides is not None or self.installation.limits
        return self.installation.changed_by(override).limits

    @contextmanager
    def under_way(self, user_id: UUID, request_id: str) -> Iterator[StartedTurn]:
        """A block in which a turn of the user waits to begin, and runs."""
        started = StartedTurn(request_id=request_id, at=self.now())
        turns = self._under_way.setdefault(user_id, [])
        turns.append(started)
        try:
            yield started
        finally:
            turns.remove(started)
            if not turns:
                del self._under_way[user_id]

    async def refusal(self, user_id: UUID, started: StartedTurn) -> Allowance | None:
        """The exhausted allowance because of which the turn ``started`` must not begin; None if it can begin.

        All turns of the user that started before it in this process count, even if they are refused later.
        """
        if not self.may_limit(user_id):
            return None
        earlier = tuple(takewhile(lambda other: other is not started, self._under_way.get(user_id, ())))
        try:
            async with asyncio.timeout(_LOOKUP_S):
                allowance = await self._allowance(user_id, earlier)
        except Exception as error:  # noqa: BLE001 - database failures of any kind must not refuse a turn
            if time.monotonic() - self._warned_at >= _WARN_EVERY_S:
                self._warned_at = time.monotonic()
                logger.warning("usage cannot be read, so no turn is refused: %s", error)
            return None
        return allowance if allowance.used_up else None

    async def allowance(self, user_id: UUID) -> Allowance:
        """The user's quota and usage, including turns in progress. Raises database errors."""
        return await self._allowance(user_id, tuple(self._under_way.get(user_id, ())))

    async def check_tokens(self, user_id: UUID) -> None:
        """Raise ``QuotaExceeded`` if the user has no tokens left today.

        For model requests outside conversations, such as those of a program that calls a model as a tool.
        """
        if not self.may_limit(user_id):
            return
        allowance = await self.allowance(user_id)
        if any(meter.name == "tokens" for meter in allowance.used_up):
            raise QuotaExceeded(allowance)

    async def _allowance(self, user_id: UUID, under_way: Collection[StartedTurn]) -> Allowance:
        # Turns that are not stored are looked up before the query, so that a turn stored in between counts once.
        now = self.now()
        since = day_of(now)
        ended = [turn for turn in self.unwritten(user_id) if turn.started_at >= since]
        today = [started for started in under_way if started.at >= since]
        elsewhere = CountedElsewhere(
            ids=[turn.id for turn in ended],
            request_ids=[started.request_id for started in today],
            since=min((started.at for started in today), default=None),
        )
        quota = self.installation
        if self.overrides is not None:
            quota = quota.changed_by(await self.overrides.of(user_id))
        written = await self.written(user_id, since=since, elsewhere=elsewhere)
        usage = sum((_usage(turn) for turn in ended), written + Usage(turns=len(today)))
        return Allowance(quota=quota, usage=usage, now=now)


def _usage(turn: ObservedTurn) -> Usage:
    turns = 0 if turn.origin.kind in NO_TURNS else 1
    return Usage(turns=turns, tokens=turn.usage.input_tokens + turn.usage.output_tokens)
