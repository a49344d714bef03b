"""The admin's navigation, from the section, icon and purpose of each page, and its first page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from typing import Any, Final

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone as clock

from adiuva.dashboard import numbers
from adiuva.dashboard.charts import Chart, ChartKind, Colour, Series
from adiuva.dashboard.numbers import Activity, Period, Span, Turns, period_named, span
from agents.jobs.models import JobState

SEE_TURNS: Final = "agents.view_turnrecord"
SEE_JOBS: Final = "agents.view_tooljob"
SEE_USERS: Final = "accounts.view_user"
SEE_DEVICES: Final = "accounts.view_device"
_SECTIONS: Final = ("People", "Memory", "Assistant", "Oversight")
_OTHER: Final = "More"
Section = Mapping[str, Any]
"""As django-unfold takes it: a title and items with title, link and icon."""
_NOTHING: Final = "–"


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """One number, large."""

    title: str
    value: str
    note: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """Rows of words and numbers below a title; ``none`` is shown if there are no rows."""

    title: str
    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    none: str


@dataclass(kw_only=True, slots=True)
class Dashboard:
    """The parts that a member of staff may see."""

    figures: list[Figure] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)


def navigation(request: HttpRequest) -> list[Section]:
    """The pages that this member of staff may see, by section."""
    sections: dict[str, list[Section]] = {name: [] for name in (*_SECTIONS, _OTHER)}
    for app in admin.AdminSite.get_app_list(admin.site, request):
        for model in app["models"]:
            page = admin.site.get_model_admin(model["model"])
            section = getattr(page, "section", "")
            sections[section if section in sections else _OTHER].append(
                {
                    "title": model["name"],
                    "first": getattr(page, "listed_first", False),
                    "link": model["admin_url"],
                    "icon": getattr(page, "icon", "table_rows"),
                    "purpose": getattr(page, "purpose", ""),
                }
            )
    for items in sections.values():
        items.sort(key=lambda item: (not item["first"], item["title"]))
    first: Section = {"items": [{"title": "Overview", "link": reverse("admin:index"), "icon": "home"}]}
    return [first, *({"title": name, "separator": True, "items": items} for name, items in sections.items() if items)]


def overview(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """The context of the first page."""
    period = period_named(request.GET.get("stretch", ""))
    dashboard = dashboard_for(request, span(period, clock.now().astimezone(UTC)))
    return {
        **context,
        "title": "Overview",
        "sections": navigation(request)[1:],
        "dashboard": dashboard if dashboard.charts else None,
        "periods": [{"name": each, "title": each.words, "chosen": each is period} for each in Period],
    }


def dashboard_for(request: HttpRequest, shown: Span) -> Dashboard:
    """The dashboard of the user of this request, over ``shown``."""
    dashboard, may = Dashboard(), request.user.has_perm
    if may(SEE_TURNS):
        _show_turns(dashboard, shown)
        if may(SEE_USERS):
            dashboard.tables.append(_users(shown))
    if may(SEE_JOBS):
        dashboard.charts.append(_jobs(shown))
    if may(SEE_DEVICES):
        _show_devices(dashboard, shown)
    return dashboard


def _show_turns(dashboard: Dashboard, shown: Span) -> None:
    activity = numbers.activity(shown)
    total = activity.total
    dashboard.figures += [
        Figure(title="Turns", value=f"{total.turns:,}", note=f"{total.failed:,} failed"),
        Figure(
            title="Tokens", value=f"{total.tokens:,}", note=f"{total.input_tokens:,} in, {total.output_tokens:,} out"
        ),
        Figure(
            title="First text",
            value=_ms(total.first_text_ms()),
            note=f"95 of 100 within {_ms(total.first_text_ms(0.95))}" if total.waits else "",
        ),
        Figure(title="Tools", value=_percent(total.tool_success), note=f"of {total.tool_calls:,} calls succeeded"),
    ]
    dashboard.charts += _turn_charts(activity, shown)
    dashboard.tables += [_models(activity), _tools(shown), _errors(activity)]


def _turn_charts(activity: Activity, shown: Span) -> Sequence[Chart]:
    steps = [activity.steps.get(step, Turns()) for step in shown.steps]
    success = [None if step.tool_success is None else round(step.tool_success * 100, 1) for step in steps]
    return [
        _chart(
            "Turns",
            shown,
            # The first is drawn in front: failed turns are among all turns.
            Series("failed", Colour.VERMILION, [step.failed for step in steps]),
            Series("turns", Colour.BLUE, [step.turns for step in steps]),
            kind=ChartKind.BAR,
        ),
        _chart(
            "Tokens",
            shown,
            Series("in", Colour.BLUE, [step.input_tokens for step in steps]),
            Series("out", Colour.ORANGE, [step.output_tokens for step in steps]),
        ),
        _chart(
            "Time to the first text",
            shown,
            Series("median", Colour.BLUE, [step.first_text_ms() for step in steps]),
            Series("95 of 100", Colour.ORANGE, [step.first_text_ms(0.95) for step in steps]),
            unit="ms",
        ),
        _chart("Successful tool calls", shown, Series("success", Colour.GREEN, success), unit="%", highest=100),
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
    return _chart(
        "Jobs",
        shown,
        *(
            Series(
                name,
                colour,
                [sum(found[state].get(step, 0) for state in states & found.keys()) for step in shown.steps],
            )
            for name, (colour, states) in groups.items()
        ),
    )


def _show_devices(dashboard: Dashboard, shown: Span) -> None:
    now, latest = numbers.devices_now(), shown.steps[-1]
    dashboard.figures.append(Figure(title="Devices online", value=f"{now:,}", note="now"))
    # Servers count them once a minute; those that have connected since belong to the last step, too.
    counted = numbers.devices(shown)
    online = {**counted, latest: max(counted.get(latest, 0), now)}
    series = Series("devices", Colour.BLUE, [online.get(step) for step in shown.steps])
    dashboard.charts.append(_chart("Devices online at once, at most", shown, series, kind=ChartKind.BAR))


def _chart(
    title: str,
    shown: Span,
    *series: Series,
    kind: ChartKind = ChartKind.LINE,
    unit: str = "",
    highest: float | None = None,
) -> Chart:
    return Chart(title=title, kind=kind, labels=shown.labels, series=series, unit=unit, highest=highest)


def _models(activity: Activity) -> Table:
    return Table(
        title="Models",
        headers=("model", "turns", "tokens", "first text", "failed"),
        rows=[
            (model or "none", f"{turns.turns:,}", f"{turns.tokens:,}", _ms(turns.first_text_ms()), f"{turns.failed:,}")
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
        rows=[(user.user, f"{user.turns:,}", f"{user.tokens:,}", f"{user.failed:,}") for user in numbers.users(shown)],
        none="There were no requests.",
    )


def _ms(value: int | None) -> str:
    return _NOTHING if value is None else f"{value:,} ms"


def _percent(share: float | None) -> str:
    return _NOTHING if share is None else f"{share:.1%}"
