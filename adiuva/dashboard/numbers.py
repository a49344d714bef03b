"""The dashboard's statistics of turns, jobs and devices in equal steps of time (UTC).

Each function is one query; that of users is two.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from math import ceil
from typing import Any, Final, NamedTuple

from django.db import connection
from django.utils import timezone as clock

from accounts.models import User
from accounts.session_models import Device
from agents.permissions.quotas import NO_TURNS
from agents.telemetry.turns import TurnOutcome

SHOWN: Final = 10
"""How many users, tools, models and errors are listed, most active first."""

_HOUR: Final = timedelta(hours=1)
_DAY: Final = timedelta(days=1)


class Period(StrEnum):
    """How far back, as named in the address."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"

    @property
    def words(self) -> str:
        return {Period.DAY: "24 hours", Period.WEEK: "7 days", Period.MONTH: "30 days"}[self]


@dataclass(frozen=True, kw_only=True, slots=True)
class Span:
    """From ``start`` (aware, UTC) until now: ``count`` steps of an hour or a day, the last of them unfinished."""

    start: datetime
    step: timedelta
    count: int

    @property
    def steps(self) -> Sequence[datetime]:
        """When each step begins."""
        return [self.start + number * self.step for number in range(self.count)]

    @property
    def labels(self) -> Sequence[str]:
        """The text below each step."""
        return [f"{moment:%H:%M}" if self.step == _HOUR else f"{moment:%d %b}" for moment in self.steps]


def span(period: Period, now: datetime) -> Span:
    """The ``period`` that ends with ``now`` (aware, UTC) and starts where a step starts."""
    step, count = {Period.DAY: (_HOUR, 24), Period.WEEK: (_DAY, 7), Period.MONTH: (_DAY, 30)}[period]
    latest = now.replace(minute=0, second=0, microsecond=0)
    if step == _DAY:
        latest = latest.replace(hour=0)
    return Span(start=latest - (count - 1) * step, step=step, count=count)


def period_named(name: str) -> Period:
    """The period with this name; a week for any other name."""
    return next((period for period in Period if period == name), Period.WEEK)


@dataclass(kw_only=True, slots=True)
class Turns:
    """Turns and their cost. ``waits`` are the times to the first text (ms, ascending) of those that had one.

    ``turns``, and ``failed`` among them, are what quotas count: neither runs of jobs nor calls over MCP, which count
    only in tokens and tools.
    """

    turns: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    tool_calls: int = 0
    tool_failures: int = 0
    waits: list[int] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    @property
    def tool_success(self) -> float | None:
        """The share of successful tool calls, 0 to 1; None if there were none."""
        return None if not self.tool_calls else 1 - self.tool_failures / self.tool_calls

    def first_text_ms(self, share: float = 0.5) -> int | None:
        """The shortest time to the first text that ``share`` of them do not exceed; None if there was no text."""
        return self.waits[max(0, ceil(share * len(self.waits)) - 1)] if self.waits else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Activity:
    """The turns of a span: in total, by step, and by model, most expensive first."""

    total: Turns = field(default_factory=Turns)
    steps: Mapping[datetime, Turns] = field(default_factory=dict)
    models: Mapping[str, Turns] = field(default_factory=dict)
    errors: Mapping[str, int] = field(default_factory=dict)
    """How many turns, runs of jobs and calls over MCP ended with each error, most frequent first."""


class ToolUse(NamedTuple):
    tool: str
    calls: int
    failures: int


class UserTurns(NamedTuple):
    user: str
    turns: int
    tokens: int
    failed: int


# Steps are equally long and numbered: date_trunc would compute a timestamp for every row.
_STEP: Final = "floor(date_part('epoch', {} - %(start)s) / %(step)s)::int"
# OFFSET 0 keeps PostgreSQL from expecting as many groups as rows: it would sort all rows instead of hashing.
_ACTIVITY: Final = f"""
    SELECT step, model, error_code, failed, count(*), count(*) FILTER (WHERE is_turn),
        sum(input_tokens)::bigint, sum(output_tokens)::bigint, sum(tool_calls)::bigint, sum(tool_failures)::bigint,
        array_agg(first_text_ms) FILTER (WHERE first_text_ms IS NOT NULL)
    FROM (
        SELECT {_STEP.format("started_at")} AS step, outcome = %(error)s AS failed, model, error_code,
            kind <> ALL(%(no_turns)s) AS is_turn, input_tokens, output_tokens, tool_calls, tool_failures, first_text_ms
        FROM agents_turnrecord WHERE started_at >= %(start)s OFFSET 0
    ) AS turns
    GROUP BY step, model, error_code, failed
"""  # noqa: S608 - put together of constants
_TOOLS: Final = """
    SELECT tool, sum(calls)::bigint AS calls, sum(failures)::bigint FROM agents_turntool
    WHERE started_at >= %(start)s GROUP BY tool ORDER BY calls DESC, tool LIMIT %(shown)s
"""
_USERS: Final = """
    SELECT user_id, turns, tokens, failed FROM (
        SELECT user_id, count(*) FILTER (WHERE kind <> ALL(%(no_turns)s)) AS turns,
            sum(input_tokens + output_tokens)::bigint AS tokens,
            count(*) FILTER (WHERE outcome = %(error)s AND kind <> ALL(%(no_turns)s)) AS failed
        FROM agents_turnrecord WHERE started_at >= %(start)s
        GROUP BY user_id ORDER BY tokens DESC, turns DESC, user_id LIMIT %(shown)s
    ) AS most JOIN accounts_user ON accounts_user.id = most.user_id ORDER BY tokens DESC, turns DESC, user_id
"""
_JOBS: Final = f"""
    SELECT {_STEP.format("created_at")}, state, count(*) FROM agents_tooljob
    WHERE created_at >= %(start)s GROUP BY 1, 2
"""  # noqa: S608 - put together of constants
_DEVICES: Final = f"""
    SELECT {_STEP.format("at")}, max(online) FROM accounts_devicesonline WHERE at >= %(start)s GROUP BY 1
"""  # noqa: S608 - put together of constants


def activity(span: Span) -> Activity:
    """The turns that started within ``span``."""
    total, steps, models = Turns(), defaultdict[datetime, Turns](Turns), defaultdict[str, Turns](Turns)
    errors = Counter[str]()
    for number, model, code, failed, records, turns, sent, received, calls, failures, waits in _rows(_ACTIVITY, span):
        for tally in (total, steps[_begun(span, number)], models[model]):
            tally.turns += turns
            tally.failed += turns if failed else 0
            tally.input_tokens += sent
            tally.output_tokens += received
            tally.tool_calls += calls
            tally.tool_failures += failures
            tally.waits += waits or ()
        if failed:
            errors[code] += records
    for tally in (total, *steps.values(), *models.values()):
        tally.waits.sort()
    most = sorted(models.items(), key=lambda item: (-item[1].tokens, -item[1].turns, item[0]))
    return Activity(total=total, steps=steps, models=dict(most[:SHOWN]), errors=dict(errors.most_common(SHOWN)))


def tools(span: Span) -> Sequence[ToolUse]:
    """How often each tool was called, most frequent first."""
    return [ToolUse(*row) for row in _rows(_TOOLS, span)]


def users(span: Span) -> Sequence[UserTurns]:
    """The users with the most tokens."""
    rows = _rows(_USERS, span)
    names = {user.id: str(user) for user in User.objects.filter(id__in=[row[0] for row in rows])}
    return [UserTurns(names[user_id], *counts) for user_id, *counts in rows if user_id in names]


def jobs(span: Span) -> Mapping[str, Mapping[datetime, int]]:
    """How many jobs started in each step, by their present state."""
    found: dict[str, dict[datetime, int]] = {}
    for number, state, jobs_begun in _rows(_JOBS, span):
        found.setdefault(state, {})[_begun(span, number)] = jobs_begun
    return found


def devices(span: Span) -> Mapping[datetime, int]:
    """The maximum number of devices online at once in each step."""
    return {_begun(span, number): online for number, online in _rows(_DEVICES, span)}


def devices_now() -> int:
    """The number of devices online now."""
    return Device.objects.online(clock.now()).count()


def _begun(span: Span, number: int) -> datetime:
    return span.start + number * span.step


def _rows(query: str, span: Span) -> Sequence[Any]:
    values: dict[str, datetime | str | float | list[str]] = {
        "start": span.start,
        "step": span.step.total_seconds(),
        "error": TurnOutcome.ERROR.value,
        "no_turns": [kind.value for kind in NO_TURNS],
        "shown": SHOWN,
    }
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        rows: Sequence[Any] = cursor.fetchall()
    return rows
