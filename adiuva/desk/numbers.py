"""What the desk counts of turns, jobs and devices. Each function is one query, whatever there is to count."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.db import connection
from django.utils import timezone as clock

from accounts.models import Device
from adiuva.desk.spans import Span
from agents.observed_turns import TurnOutcome

SHOWN: Final = 10
"""How many users, tools, models and errors are listed, the most active first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Turns:
    """Turns and what they cost. Times to the first text are in ms, None where nothing was written."""

    turns: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    tool_calls: int = 0
    tool_failures: int = 0
    first_text_ms: int | None = None
    first_text_slow_ms: int | None = None
    """Nineteen of twenty were faster."""

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    @property
    def tool_success(self) -> float | None:
        """The share of tool calls that did what was asked, 0 to 1; None where there were none."""
        return None if not self.tool_calls else 1 - self.tool_failures / self.tool_calls


@dataclass(frozen=True, kw_only=True, slots=True)
class Activity:
    """The turns of a span: altogether, step by step and model by model."""

    total: Turns = field(default_factory=Turns)
    steps: Mapping[datetime, Turns] = field(default_factory=dict)
    models: Mapping[str, Turns] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolUse:
    tool: str
    calls: int
    failures: int


@dataclass(frozen=True, kw_only=True, slots=True)
class UserTurns:
    email: str
    turns: int
    tokens: int
    failed: int


_MEASURES: Final = """
    count(*), count(*) FILTER (WHERE outcome = %(error)s),
    coalesce(sum(input_tokens), 0)::bigint, coalesce(sum(output_tokens), 0)::bigint,
    coalesce(sum(tool_calls), 0)::bigint, coalesce(sum(tool_failures), 0)::bigint,
    (percentile_disc(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY first_text_ms))[1],
    (percentile_disc(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY first_text_ms))[2]
"""
# The zone is named, so that the session's own does not decide where a day begins.
_ACTIVITY: Final = f"""
    SELECT date_trunc(%(unit)s, started_at, 'UTC') AS step, model, {_MEASURES}
    FROM agents_turnrecord WHERE started_at >= %(start)s
    GROUP BY GROUPING SETS ((), (step), (model))
"""  # noqa: S608 - put together of constants
_TOOLS: Final = """
    SELECT tool, sum(calls)::bigint AS calls, sum(failures)::bigint FROM agents_turntool
    WHERE started_at >= %(start)s GROUP BY tool ORDER BY calls DESC, tool LIMIT %(shown)s
"""
_USERS: Final = """
    SELECT email, turns, tokens, failed FROM (
        SELECT user_id, count(*) AS turns, sum(input_tokens + output_tokens)::bigint AS tokens,
            count(*) FILTER (WHERE outcome = %(error)s) AS failed
        FROM agents_turnrecord WHERE started_at >= %(start)s
        GROUP BY user_id ORDER BY tokens DESC, turns DESC, user_id LIMIT %(shown)s
    ) AS most JOIN accounts_user ON accounts_user.id = most.user_id ORDER BY tokens DESC, turns DESC, email
"""
_ERRORS: Final = """
    SELECT error_code, count(*) AS number FROM agents_turnrecord
    WHERE started_at >= %(start)s AND outcome = %(error)s
    GROUP BY error_code ORDER BY number DESC, error_code LIMIT %(shown)s
"""
_JOBS: Final = """
    SELECT date_trunc(%(unit)s, created_at, 'UTC') AS step, state, count(*) FROM agents_tooljob
    WHERE created_at >= %(start)s GROUP BY step, state
"""
_DEVICES: Final = """
    SELECT date_trunc(%(unit)s, at, 'UTC') AS step, max(online) FROM accounts_devicesonline
    WHERE at >= %(start)s GROUP BY step
"""


def activity(span: Span) -> Activity:
    """The turns that began within ``span``."""
    total = Turns()
    steps: dict[datetime, Turns] = {}
    models: dict[str, Turns] = {}
    for step, model, *measures in _rows(_ACTIVITY, span):
        turns = Turns(**dict(zip(Turns.__dataclass_fields__, measures, strict=True)))
        if step is not None:
            steps[step] = turns
        elif model is not None:
            models[model] = turns
        else:
            total = turns
    most = sorted(models.items(), key=lambda entry: (-entry[1].tokens, -entry[1].turns, entry[0]))
    return Activity(total=total, steps=steps, models=dict(most[:SHOWN]))


def tools(span: Span) -> Sequence[ToolUse]:
    """How often each tool was called, the most often first."""
    return [ToolUse(tool=tool, calls=calls, failures=failures) for tool, calls, failures in _rows(_TOOLS, span)]


def users(span: Span) -> Sequence[UserTurns]:
    """Who used the most tokens."""
    return [
        UserTurns(email=email, turns=turns, tokens=tokens, failed=failed)
        for email, turns, tokens, failed in _rows(_USERS, span)
    ]


def errors(span: Span) -> Mapping[str, int]:
    """How often turns ended in which error, the most often first."""
    return dict(_rows(_ERRORS, span))


def jobs(span: Span) -> Mapping[str, Mapping[datetime, int]]:
    """How many jobs began in each step, by the state in which they are now."""
    found: dict[str, dict[datetime, int]] = {}
    for step, state, number in _rows(_JOBS, span):
        found.setdefault(state, {})[step] = number
    return found


def devices(span: Span) -> Mapping[datetime, int]:
    """How many devices were online at once in each step, at most."""
    return dict(_rows(_DEVICES, span))


def devices_now() -> int:
    """How many devices are online."""
    return Device.objects.online(clock.now()).count()


def _rows(query: str, span: Span) -> Sequence[Any]:
    values: dict[str, datetime | str | int] = {
        "start": span.start,
        "unit": span.unit,
        "error": TurnOutcome.ERROR.value,
        "shown": SHOWN,
    }
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        rows: Sequence[Any] = cursor.fetchall()
    return rows
