"""The admin's first page: what there is to be seen and done, and how the assistant fares."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from typing import Any, Final

from django.http import HttpRequest
from django.utils import timezone as clock

from adiuva.admin_navigation import navigation
from adiuva.desk import numbers
from adiuva.desk.charts import Chart, ChartKind, Colour, Series
from adiuva.desk.numbers import Activity, Turns
from adiuva.desk.spans import Span, Stretch, span, stretch_named
from agents.jobs.models import JobState

SEE_TURNS: Final = "agents.view_turnrecord"
SEE_JOBS: Final = "agents.view_tooljob"
SEE_USERS: Final = "accounts.view_user"
SEE_DEVICES: Final = "accounts.view_device"
_NOTHING: Final = "–"


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """One number, large."""

    title: str
    value: str
    note: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """Rows of words and numbers below a title; ``none`` is said where there are no rows."""

    title: str
    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    none: str


@dataclass(kw_only=True, slots=True)
class Desk:
    """What a member of staff may see."""

    figures: list[Figure] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)


def overview(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """What the first page shows beside what every page has."""
    stretch = stretch_named(request.GET.get("stretch", ""))
    desk = desk_of(request, span(stretch, clock.now().astimezone(UTC)))
    return {
        **context,
        "title": "Overview",
        "sections": navigation(request)[1:],
        "desk": desk if desk.charts else None,
        "stretches": [{"name": each, "title": each.words, "chosen": each is stretch} for each in Stretch],
    }


def desk_of(request: HttpRequest, shown: Span) -> Desk:
    """The desk of whoever asks, over ``shown``."""
    desk, may = Desk(), request.user.has_perm
    if may(SEE_TURNS):
        _show_turns(desk, shown)
        if may(SEE_USERS):
            desk.tables.append(_users(shown))
    if may(SEE_JOBS):
        desk.charts.append(_jobs(shown))
    if may(SEE_DEVICES):
        _show_devices(desk, shown)
    return desk


def _show_turns(desk: Desk, shown: Span) -> None:
    activity = numbers.activity(shown)
    total = activity.total
    desk.figures += [
        Figure(title="Turns", value=f"{total.turns:,}", note=f"{total.failed:,} failed"),
        Figure(
            title="Tokens", value=f"{total.tokens:,}", note=f"{total.input_tokens:,} in, {total.output_tokens:,} out"
        ),
        Figure(
            title="First text",
            value=_ms(total.first_text_ms),
            note=f"95 of 100 within {_ms(total.first_text_slow_ms)}" if total.first_text_slow_ms is not None else "",
        ),
        Figure(title="Tools", value=_percent(total.tool_success), note=f"of {total.tool_calls:,} calls went well"),
    ]
    desk.charts += _turn_charts(activity, shown)
    desk.tables += [_models(activity), _tools(shown), _errors(activity)]


def _turn_charts(activity: Activity, shown: Span) -> Sequence[Chart]:
    steps = [activity.steps.get(step, Turns()) for step in shown.steps]
    return [
        Chart(
            title="Turns",
            kind=ChartKind.BAR,
            labels=shown.labels,
            # The first is drawn in front: those that failed are among all of them.
            series=[
                Series(name="failed", colour=Colour.VERMILION, values=[step.failed for step in steps]),
                Series(name="turns", colour=Colour.BLUE, values=[step.turns for step in steps]),
            ],
        ),
        Chart(
            title="Tokens",
            kind=ChartKind.LINE,
            labels=shown.labels,
            series=[
                Series(name="in", colour=Colour.BLUE, values=[step.input_tokens for step in steps]),
                Series(name="out", colour=Colour.ORANGE, values=[step.output_tokens for step in steps]),
            ],
        ),
        Chart(
            title="Time to the first text",
            kind=ChartKind.LINE,
            labels=shown.labels,
            unit="ms",
            series=[
                Series(name="median", colour=Colour.BLUE, values=[step.first_text_ms for step in steps]),
                Series(name="95 of 100", colour=Colour.ORANGE, values=[step.first_text_slow_ms for step in steps]),
            ],
        ),
        Chart(
            title="Tools that did what was asked",
            kind=ChartKind.LINE,
            labels=shown.labels,
            unit="%",
            series=[
                Series(
                    name="success",
                    colour=Colour.GREEN,
                    values=[None if step.tool_success is None else round(step.tool_success * 100, 1) for step in steps],
                )
            ],
        ),
    ]


def _jobs(shown: Span) -> Chart:
    found = numbers.jobs(shown)
    groups: Mapping[str, tuple[Colour, frozenset[str]]] = {
        "done": (Colour.GREEN, frozenset({JobState.DONE, JobState.DELIVERED})),
        "failed": (Colour.VERMILION, frozenset({JobState.FAILED})),
        "cancelled": (Colour.GREY, frozenset({JobState.CANCELLED})),
    }
    over = frozenset[str]().union(*(states for _, states in groups.values()))
    groups = {**groups, "under way": (Colour.BLUE, frozenset(found) - over)}
    return Chart(
        title="Jobs",
        kind=ChartKind.LINE,
        labels=shown.labels,
        series=[
            Series(
                name=name,
                colour=colour,
                values=[sum(found[state].get(step, 0) for state in states if state in found) for step in shown.steps],
            )
            for name, (colour, states) in groups.items()
        ],
    )


def _show_devices(desk: Desk, shown: Span) -> None:
    online = numbers.devices(shown)
    desk.figures.append(Figure(title="Devices online", value=f"{numbers.devices_now():,}", note="now"))
    desk.charts.append(
        Chart(
            title="Devices online at once, at most",
            kind=ChartKind.BAR,
            labels=shown.labels,
            series=[Series(name="devices", colour=Colour.BLUE, values=[online.get(step) for step in shown.steps])],
        )
    )


def _models(activity: Activity) -> Table:
    return Table(
        title="Models",
        headers=("model", "turns", "tokens", "first text", "failed"),
        rows=[
            (
                model or "none asked",
                f"{turns.turns:,}",
                f"{turns.tokens:,}",
                _ms(turns.first_text_ms),
                f"{turns.failed:,}",
            )
            for model, turns in activity.models.items()
        ],
        none="No model was asked.",
    )


def _tools(shown: Span) -> Table:
    return Table(
        title="Tools",
        headers=("tool", "calls", "success"),
        rows=[(use.tool, f"{use.calls:,}", _percent(1 - use.failures / use.calls)) for use in numbers.tools(shown)],
        none="No tool was called.",
    )


def _errors(activity: Activity) -> Table:
    return Table(
        title="Errors",
        headers=("error", "turns"),
        rows=[(code or "unknown", f"{number:,}") for code, number in activity.errors.items()],
        none="No turn failed.",
    )


def _users(shown: Span) -> Table:
    return Table(
        title="Users",
        headers=("user", "turns", "tokens", "failed"),
        rows=[(user.email, f"{user.turns:,}", f"{user.tokens:,}", f"{user.failed:,}") for user in numbers.users(shown)],
        none="Nobody asked anything.",
    )


def _ms(value: int | None) -> str:
    return _NOTHING if value is None else f"{value:,} ms"


def _percent(share: float | None) -> str:
    return _NOTHING if share is None else f"{share:.1%}"
