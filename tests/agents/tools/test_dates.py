from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.errors import ModelRetry
from agents.tools.dates import day_range, to_iso, to_ms

ROME = ZoneInfo("Europe/Rome")
FIRST, LAST = datetime(1971, 1, 1), datetime(2100, 1, 1)  # noqa: DTZ001 - local times, which have no zone


def test_a_date_is_midnight_in_the_users_time_zone() -> None:
    assert to_ms("2026-01-10", ROME) == round(datetime(2026, 1, 9, 23, tzinfo=UTC).timestamp() * 1000)
    assert to_ms("2026-07-10T18:30", ROME) == round(datetime(2026, 7, 10, 16, 30, tzinfo=UTC).timestamp() * 1000)
    assert to_ms("2026-07-10T18:30+00:00", ROME) == round(datetime(2026, 7, 10, 18, 30, tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize("text", ["", "tomorrow", "2026-02-30", "24/11/2026", "1764547200000"])
def test_what_is_no_date_is_told(text: str) -> None:
    with pytest.raises(ModelRetry, match="is not a date: write it as"):
        to_ms(text, ROME)


@given(st.datetimes(FIRST, LAST))
def test_a_local_time_comes_back_as_it_was_written(moment: datetime) -> None:
    moment = moment.replace(second=0, microsecond=0)

    told = to_iso(to_ms(moment.isoformat(), ROME), ROME)

    exists = moment.replace(tzinfo=ROME).astimezone(UTC).astimezone(ROME).replace(tzinfo=None) == moment
    assert not exists or datetime.fromisoformat(told) == moment


def test_an_unreadable_number_is_said_to_be_one() -> None:
    assert to_iso(10**20, ROME) == "an unreadable date"


@pytest.mark.parametrize(("day", "hours"), [(date(2026, 3, 29), 23), (date(2026, 10, 25), 25), (date(2026, 6, 1), 24)])
def test_a_day_is_as_long_as_the_clocks_make_it(day: date, hours: int) -> None:
    start, end = day_range(day, ROME)

    assert end - start + 1 == timedelta(hours=hours) // timedelta(milliseconds=1)
    assert datetime.fromtimestamp(start / 1000, ROME) == datetime(day.year, day.month, day.day, tzinfo=ROME)
