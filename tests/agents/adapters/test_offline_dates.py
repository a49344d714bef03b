"""Dates in words."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.adapters.offline.dates import When
from agents.adapters.offline.english.dates import DATES as ENGLISH
from agents.adapters.offline.italian.dates import DATES as ITALIAN
from tests.agents.adapters.offline_expected import NEXT_WEEK, THIS_WEEK, TODAY, between, on

WEEKEND = between("2026-11-21", "2026-11-22", "2026-11-22")
THIS_MONTH = between("2026-11-01", "2026-11-30", "2026-11-30")
NEXT_MONTH = between("2026-12-01", "2026-12-31", "2026-12-01")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
GIORNI = ("lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("today", on("2026-11-18")),
        ("tonight", on("2026-11-18")),
        ("tomorrow", on("2026-11-19")),
        ("tomorrow morning", on("2026-11-19")),
        ("the day after tomorrow", on("2026-11-20")),
        ("yesterday", on("2026-11-17")),
        ("Friday", on("2026-11-20")),
        ("this friday", on("2026-11-20")),
        ("Wednesday", on("2026-11-18")),
        ("next Wednesday", on("2026-11-25")),
        ("fri", on("2026-11-20")),
        ("this week", THIS_WEEK),
        ("the end of the week", THIS_WEEK),
        ("next week", NEXT_WEEK),
        ("the weekend", WEEKEND),
        ("this month", THIS_MONTH),
        ("end of month", THIS_MONTH),
        ("the end of the month", THIS_MONTH),
        ("next month", NEXT_MONTH),
        ("in 3 days", on("2026-11-21")),
        ("in a week", on("2026-11-25")),
        ("in two weeks", on("2026-12-02")),
        ("two months from now", on("2027-01-17")),
        ("within 2 days", between("2026-11-18", "2026-11-20", "2026-11-20")),
        ("the next three days", between("2026-11-18", "2026-11-21", "2026-11-21")),
        ("24 December", on("2026-12-24")),
        ("24th of December", on("2026-12-24")),
        ("the 24th of December 2027", on("2027-12-24")),
        ("December 24", on("2026-12-24")),
        ("Dec 24th, 2027", on("2027-12-24")),
        ("1 January", on("2027-01-01")),
        ("18 November", on("2026-11-18")),
        ("29 February", on("2028-02-29")),
        ("31 February", None),
        ("the 20th", on("2026-11-20")),
        ("the 3rd", on("2026-12-03")),
        ("2026-12-01", on("2026-12-01")),
        ("2026-12-01T18:00", on("2026-12-01", "18:00")),
        ("2026-12-01 18:30", on("2026-12-01", "18:30")),
        ("2026-13-01", None),
        ("24/12", on("2026-12-24")),
        ("12/24/2026", on("2026-12-24")),
        ("24/12/27", on("2027-12-24")),
        ("24.12.2026", on("2026-12-24")),
        ("tomorrow at 18:00", on("2026-11-19", "18:00")),
        ("tomorrow at 6pm", on("2026-11-19", "18:00")),
        ("tomorrow 6 p.m.", on("2026-11-19", "18:00")),
        ("tomorrow at 12am", on("2026-11-19", "00:00")),
        ("Friday at noon", on("2026-11-20", "12:00")),
        ("Friday, at 9", on("2026-11-20", "09:00")),
        ("tomorrow at 13pm", on("2026-11-19")),
        ("tomorrow at 25:00", on("2026-11-19")),
        ("in a couple\nof days", on("2026-11-20")),
        ("in fİve days", None),
        ("frİday", None),
        ("someday", None),
        ("the milk", None),
        ("", None),
    ],
)
def test_english_date_is_read(words: str, expected: When | None) -> None:
    assert ENGLISH.read(words, TODAY) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("oggi", on("2026-11-18")),
        ("stasera", on("2026-11-18")),
        ("domani", on("2026-11-19")),
        ("domani mattina", on("2026-11-19")),
        ("dopodomani", on("2026-11-20")),
        ("ieri", on("2026-11-17")),
        ("venerdì", on("2026-11-20")),
        ("venerdi", on("2026-11-20")),
        ("venerdi'", on("2026-11-20")),
        ("mercoledì", on("2026-11-18")),
        ("mercoledì prossimo", on("2026-11-25")),
        ("questa domenica", on("2026-11-22")),
        ("questa settimana", THIS_WEEK),
        ("fine settimana", WEEKEND),
        ("la fine della settimana", THIS_WEEK),
        ("la prossima settimana", NEXT_WEEK),
        ("settimana prossima", NEXT_WEEK),
        ("questo mese", THIS_MONTH),
        ("fine mese", THIS_MONTH),
        ("il mese prossimo", NEXT_MONTH),
        ("tra 3 giorni", on("2026-11-21")),
        ("fra una settimana", on("2026-11-25")),
        ("tra due mesi", on("2027-01-17")),
        ("entro 2 giorni", between("2026-11-18", "2026-11-20", "2026-11-20")),
        ("nei prossimi tre giorni", between("2026-11-18", "2026-11-21", "2026-11-21")),
        ("24 dicembre", on("2026-12-24")),
        ("il 24 dicembre 2027", on("2027-12-24")),
        ("il 1° gennaio", on("2027-01-01")),
        ("l'8 dicembre", on("2026-12-08")),
        ("il 20", on("2026-11-20")),
        ("il 3", on("2026-12-03")),
        ("il 24/12", on("2026-12-24")),
        ("31 febbraio", None),
        ("domani alle 18", on("2026-11-19", "18:00")),
        ("domani alle ore 18:30", on("2026-11-19", "18:30")),
        ("venerdì a mezzogiorno", on("2026-11-20", "12:00")),
        ("prima o poi", None),
    ],
)
def test_italian_date_is_read(words: str, expected: When | None) -> None:
    assert ITALIAN.read(words, TODAY) == expected


@pytest.mark.parametrize(
    ("when", "iso"),
    [(on("2026-12-24"), "2026-12-24"), (on("2026-12-24", "18:00"), "2026-12-24T18:00"), (NEXT_WEEK, "2026-11-23")],
)
def test_date_is_told_to_tools_as_iso(when: When, iso: str) -> None:
    assert when.iso == iso


@given(today=st.dates(date(2000, 1, 1), date(2100, 1, 1)), number=st.integers(0, 6))
def test_weekday_is_within_the_week_in_both_languages(today: date, number: int) -> None:
    when = ENGLISH.read(DAYS[number], today)
    assert when is not None
    assert when == ITALIAN.read(GIORNI[number], today)
    assert when.first.weekday() == number
    assert timedelta(0) <= when.first - today < timedelta(days=7)


@given(today=st.dates(date(2000, 1, 1), date(2100, 1, 1)), day=st.dates(date(2000, 1, 1), date(2100, 1, 1)))
def test_day_and_month_are_never_past(today: date, day: date) -> None:
    when = ENGLISH.read(f"{day.day} {day:%B}", today)
    assert when is not None
    assert when.first >= today
    assert (when.first.day, when.first.month) == (day.day, day.month)
    assert ENGLISH.read(day.isoformat(), today) == ENGLISH.read(f"{day.day} {day:%B} {day.year}", today)


@given(today=st.dates(date(2000, 1, 1), date(2100, 1, 1)))
def test_spans_begin_and_end_in_order(today: date) -> None:
    for words in ("this week", "next week", "the weekend", "this month", "next month", "within 2 weeks"):
        when = ENGLISH.read(words, today)
        assert when is not None
        assert when.first <= when.deadline <= when.last
