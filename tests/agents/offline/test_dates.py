"""Dates in words."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.offline.dates import When
from agents.offline.grammar import grammars
from tests.agents.offline.expected import NEXT_WEEK, THIS_WEEK, TODAY, between, on

EN, IT = "en", "it"
DATES = {grammar.language: grammar.dates for grammar in grammars()}
ENGLISH, ITALIAN = DATES[EN], DATES[IT]
WEEKEND = between("2026-11-21", "2026-11-22", "2026-11-22")
THIS_MONTH = between("2026-11-01", "2026-11-30", "2026-11-30")
NEXT_MONTH = between("2026-12-01", "2026-12-31", "2026-12-01")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
GIORNI = ("lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato", "domenica")


@pytest.mark.parametrize(
    ("language", "words", "expected"),
    [
        (EN, "today", on("2026-11-18")),
        (IT, "oggi", on("2026-11-18")),
        (EN, "tonight", on("2026-11-18")),
        (IT, "stasera", on("2026-11-18")),
        (EN, "tomorrow", on("2026-11-19")),
        (IT, "domani", on("2026-11-19")),
        (EN, "tomorrow morning", on("2026-11-19")),
        (IT, "domani mattina", on("2026-11-19")),
        (EN, "the day after tomorrow", on("2026-11-20")),
        (IT, "dopodomani", on("2026-11-20")),
        (EN, "yesterday", on("2026-11-17")),
        (IT, "ieri", on("2026-11-17")),
        (EN, "Friday", on("2026-11-20")),
        (IT, "venerdì", on("2026-11-20")),
        (IT, "venerdi", on("2026-11-20")),
        (IT, "venerdi'", on("2026-11-20")),
        (EN, "this friday", on("2026-11-20")),
        (IT, "questa domenica", on("2026-11-22")),
        (EN, "Wednesday", on("2026-11-18")),
        (IT, "mercoledì", on("2026-11-18")),
        (EN, "next Wednesday", on("2026-11-25")),
        (IT, "mercoledì prossimo", on("2026-11-25")),
        (EN, "Friday next week", on("2026-11-27")),
        (EN, "Monday of next week", on("2026-11-23")),
        (EN, "next week on Tuesday", on("2026-11-24")),
        (IT, "venerdì prossima settimana", on("2026-11-27")),
        (IT, "lunedì della settimana prossima", on("2026-11-23")),
        (EN, "fri", on("2026-11-20")),
        (EN, "this week", THIS_WEEK),
        (IT, "questa settimana", THIS_WEEK),
        (EN, "the end of the week", THIS_WEEK),
        (IT, "la fine della settimana", THIS_WEEK),
        (EN, "next week", NEXT_WEEK),
        (IT, "la prossima settimana", NEXT_WEEK),
        (IT, "settimana prossima", NEXT_WEEK),
        (EN, "the weekend", WEEKEND),
        (IT, "fine settimana", WEEKEND),
        (EN, "this month", THIS_MONTH),
        (IT, "questo mese", THIS_MONTH),
        (EN, "end of month", THIS_MONTH),
        (IT, "fine mese", THIS_MONTH),
        (EN, "the end of the month", THIS_MONTH),
        (EN, "next month", NEXT_MONTH),
        (IT, "il mese prossimo", NEXT_MONTH),
        (EN, "in 3 days", on("2026-11-21")),
        (IT, "tra 3 giorni", on("2026-11-21")),
        (EN, "in a week", on("2026-11-25")),
        (IT, "fra una settimana", on("2026-11-25")),
        (EN, "in two weeks", on("2026-12-02")),
        (EN, "two months from now", on("2027-01-17")),
        (IT, "tra due mesi", on("2027-01-17")),
        (EN, "within 2 days", between("2026-11-18", "2026-11-20", "2026-11-20")),
        (IT, "entro 2 giorni", between("2026-11-18", "2026-11-20", "2026-11-20")),
        (EN, "the next three days", between("2026-11-18", "2026-11-21", "2026-11-21")),
        (IT, "nei prossimi tre giorni", between("2026-11-18", "2026-11-21", "2026-11-21")),
        (EN, "24 December", on("2026-12-24")),
        (IT, "24 dicembre", on("2026-12-24")),
        (EN, "24th of December", on("2026-12-24")),
        (EN, "the 24th of December 2027", on("2027-12-24")),
        (IT, "il 24 dicembre 2027", on("2027-12-24")),
        (EN, "December 24", on("2026-12-24")),
        (EN, "Dec 24th, 2027", on("2027-12-24")),
        (EN, "1 January", on("2027-01-01")),
        (IT, "il 1° gennaio", on("2027-01-01")),
        (IT, "l'8 dicembre", on("2026-12-08")),
        (EN, "18 November", on("2026-11-18")),
        (EN, "29 February", on("2028-02-29")),
        (EN, "31 February", None),
        (IT, "31 febbraio", None),
        (EN, "the 20th", on("2026-11-20")),
        (IT, "il 20", on("2026-11-20")),
        (EN, "the 3rd", on("2026-12-03")),
        (IT, "il 3", on("2026-12-03")),
        (EN, "2026-12-01", on("2026-12-01")),
        (EN, "2026-12-01T18:00", on("2026-12-01", "18:00")),
        (EN, "2026-12-01 18:30", on("2026-12-01", "18:30")),
        (EN, "2026-13-01", None),
        (EN, "24/12", on("2026-12-24")),
        (IT, "il 24/12", on("2026-12-24")),
        (EN, "12/24/2026", on("2026-12-24")),
        (EN, "24/12/27", on("2027-12-24")),
        (EN, "24.12.2026", on("2026-12-24")),
        (EN, "tomorrow at 18:00", on("2026-11-19", "18:00")),
        (EN, "tomorrow at 6pm", on("2026-11-19", "18:00")),
        (IT, "domani alle 18", on("2026-11-19", "18:00")),
        (IT, "domani alle ore 18:30", on("2026-11-19", "18:30")),
        (EN, "tomorrow 6 p.m.", on("2026-11-19", "18:00")),
        (EN, "tomorrow at 12am", on("2026-11-19", "00:00")),
        (EN, "Friday at noon", on("2026-11-20", "12:00")),
        (IT, "venerdì a mezzogiorno", on("2026-11-20", "12:00")),
        (EN, "Friday, at 9", on("2026-11-20", "09:00")),
        (EN, "tomorrow at 13pm", on("2026-11-19")),
        (EN, "tomorrow at 25:00", on("2026-11-19")),
        (EN, "in a couple\nof days", on("2026-11-20")),
        (EN, "in fİve days", None),
        (EN, "frİday", None),
        (EN, "someday", None),
        (IT, "prima o poi", None),
        (EN, "the milk", None),
        (EN, "", None),
    ],
)
def test_date_is_read(language: str, words: str, expected: When | None) -> None:
    assert DATES[language].read(words, TODAY) == expected


@pytest.mark.parametrize("words", ["after 9999-12-31", "before 0001-01-01", "from 9999-12-31 to 9999-12-28"])
def test_span_beyond_calendar_is_not_date(words: str) -> None:
    assert ENGLISH.read_span(words, TODAY) is None


@pytest.mark.parametrize(
    ("when", "iso"),
    [(on("2026-12-24"), "2026-12-24"), (on("2026-12-24", "18:00"), "2026-12-24T18:00"), (NEXT_WEEK, "2026-11-23")],
)
def test_date_is_passed_to_tools_as_iso(when: When, iso: str) -> None:
    assert when.iso == iso


@given(today=st.dates(date(2000, 1, 1), date(2100, 1, 1)), number=st.integers(0, 6))
def test_weekday_is_within_next_seven_days_in_both_languages(today: date, number: int) -> None:
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
