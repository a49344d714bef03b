from datetime import UTC, datetime, timedelta

import pytest

from adiuva.dashboard.numbers import Period, period_named, span

NOW = datetime(2026, 3, 29, 10, 25, 7, tzinfo=UTC)


def test_a_day_is_cut_into_hours_the_last_of_them_unfinished() -> None:
    day = span(Period.DAY, NOW)

    assert (day.step, len(day.steps), day.labels[-1]) == (timedelta(hours=1), 24, "10:00")
    assert day.start == datetime(2026, 3, 28, 11, tzinfo=UTC)


@pytest.mark.parametrize(("stretch", "days"), [(Period.WEEK, 7), (Period.MONTH, 30)])
def test_longer_stretches_are_cut_into_days(stretch: Period, days: int) -> None:
    shown = span(stretch, NOW)

    assert (shown.step, len(shown.steps), shown.labels[-1]) == (timedelta(days=1), days, "29 Mar")
    assert shown.start == datetime(2026, 3, 30, tzinfo=UTC) - timedelta(days=days)


@pytest.mark.parametrize(("name", "stretch"), [("day", Period.DAY), ("", Period.WEEK), ("decade", Period.WEEK)])
def test_an_address_names_a_stretch(name: str, stretch: Period) -> None:
    assert period_named(name) is stretch
