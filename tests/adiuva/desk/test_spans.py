from datetime import UTC, datetime, timedelta

import pytest

from adiuva.desk.spans import Stretch, span, stretch_named

NOW = datetime(2026, 3, 29, 10, 25, 7, tzinfo=UTC)


def test_a_day_is_cut_into_hours_the_last_of_them_unfinished() -> None:
    day = span(Stretch.DAY, NOW)

    assert (day.unit, len(day.steps), day.labels[-1]) == ("hour", 24, "10:00")
    assert day.start == datetime(2026, 3, 28, 11, tzinfo=UTC)


@pytest.mark.parametrize(("stretch", "days"), [(Stretch.WEEK, 7), (Stretch.MONTH, 30)])
def test_longer_stretches_are_cut_into_days(stretch: Stretch, days: int) -> None:
    shown = span(stretch, NOW)

    assert (shown.unit, len(shown.steps), shown.labels[-1]) == ("day", days, "29 Mar")
    assert shown.start == datetime(2026, 3, 30, tzinfo=UTC) - timedelta(days=days)


@pytest.mark.parametrize(("name", "stretch"), [("day", Stretch.DAY), ("", Stretch.WEEK), ("decade", Stretch.WEEK)])
def test_an_address_names_a_stretch(name: str, stretch: Stretch) -> None:
    assert stretch_named(name) is stretch
