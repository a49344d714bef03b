"""Timelines in text, exactly."""

import json
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from device.timelines import timeline_of
from tests.device.drawing import drawn

_DAY_MS = 24 * 3600 * 1000
_START = 1_795_302_000_000  # 22 Nov 2026 in Rome


def _lines(*checkpoints: Any, width: int = 11) -> list[str]:
    return drawn(timeline_of({"checkpoints": list(checkpoints)}, ZoneInfo("Europe/Rome")), width=width)


def test_timeline_is_a_strip_and_the_dates_in_order() -> None:
    later = {"id": "c", "title": "Launch", "date": _START + 10 * _DAY_MS}
    first = {"id": "a", "title": "Start", "date": _START}
    middle = {"id": "b", "title": "Beta", "date": _START + 2 * _DAY_MS}
    assert _lines(later, first, middle, width=30) == [
        "●─────●──────────────────────●",
        "22 Nov 2026  Start",
        "24 Nov 2026  Beta",
        "2 Dec 2026   Launch",
    ]


def test_timeline_of_one_has_no_strip() -> None:
    assert _lines({"title": "", "date": _START}, width=40) == ["22 Nov 2026  Untitled"]


def test_timeline_of_one_moment_twice_is_one_point() -> None:
    once = {"title": "A", "date": _START}
    assert _lines(once, once, width=20) == ["●───────────────────", "22 Nov 2026  A", "22 Nov 2026  A"]


def test_timeline_leaves_out_what_has_no_date() -> None:
    assert _lines({"title": "A"}, "B", {"title": "C", "date": "soon"}, width=40) == ["(nothing on the timeline)"]
    assert drawn(timeline_of({}, ZoneInfo("UTC"))) == ["(nothing on the timeline)"]


@pytest.mark.parametrize("date", ["1e999", "-1e999", "NaN", "9" * 400, "1e300"])
def test_timeline_leaves_out_dates_that_are_none(date: str) -> None:
    odd = {"title": "Never", "date": json.loads(date)}
    assert _lines({"title": "Start", "date": _START}, odd, width=40) == ["22 Nov 2026  Start"]
