from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.search.dates import Span, asked_spans, may_have_date, named_spans, names_past
from memory.search.words import words_of
from tests.costs import calls_of

WEDNESDAY = date(2026, 3, 18)


def days(first: str, last: str = "") -> Span:
    return Span(date.fromisoformat(first), date.fromisoformat(last or first))


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("What did I plan for the week before Easter?", days("2026-03-29", "2026-04-04")),
        ("Cosa avevo in programma la settimana prima di Pasqua?", days("2026-03-29", "2026-04-04")),
        ("the day after Christmas", days("2025-12-26")),
        ("il giorno prima di Ferragosto", days("2026-08-14")),
        ("dinner next Friday", days("2026-03-20")),
        ("venerdì prossimo", days("2026-03-20")),
        ("last Wednesday", days("2026-03-11")),
        ("Last week", days("2026-03-09", "2026-03-15")),
        ("la settimana scorsa", days("2026-03-09", "2026-03-15")),
        ("lo scorso fine settimana", days("2026-03-14", "2026-03-15")),
        ("two weeks ago", days("2026-03-02", "2026-03-08")),
        ("tre giorni fa", days("2026-03-15")),
        ("a month ago", days("2026-02-01", "2026-02-28")),
        ("tra due anni", days("2028-01-01", "2028-12-31")),
        ("on 7 May 2023", days("2023-05-07")),
        ("May 7th, 2023", days("2023-05-07")),
        ("il 7 maggio", days("2026-05-07")),
        ("in October", days("2025-10-01", "2025-10-31")),
        ("maggio 2023", days("2023-05-01", "2023-05-31")),
        ("2024-02-29", days("2024-02-29")),
        ("on 11 Feb", days("2026-02-11")),
        ("Aug 7th", days("2026-08-07")),
        ("dall'8 al 22 agosto", days("2026-08-08", "2026-08-22")),
        ("from 16 to 18 May", days("2026-05-16", "2026-05-18")),
        ("May 16-18, 2024", days("2024-05-16", "2024-05-18")),
        ("the week after Easter", days("2026-04-06", "2026-04-12")),
        ("il mese prima di agosto", days("2026-07-01", "2026-07-31")),
        ("15/03/2024", days("2024-03-15")),
        ("03/15/2024", days("2024-03-15")),
        ("l’altro ieri", days("2026-03-16")),
        ("ieri l’altro", days("2026-03-16")),
        ("avantieri", days("2026-03-16")),
        ("the night before last", days("2026-03-16")),
        ("on Dec. 24", days("2025-12-24")),
        ("24 Dec. 2023", days("2023-12-24")),
        ("Sept. 3, 2024", days("2024-09-03")),
        ("Dec. 28, 2023 – Jan. 3, 2024", days("2023-12-28", "2024-01-03")),
        ("il 24 dic. 2023", days("2023-12-24")),
        ("Jan. 2024", days("2024-01-01", "2024-01-31")),
        ("we move in May. 12 boxes are packed", days("2026-05-01", "2026-05-31")),
        ("in a day", days("2026-03-19")),
        ("in a month", days("2026-04-01", "2026-04-30")),
        ("a week from now", days("2026-03-23", "2026-03-29")),
        ("two days from today", days("2026-03-20")),
        ("this May we move", days("2026-05-01", "2026-05-31")),
        ("what's on this may?", days("2026-05-01", "2026-05-31")),
        ("the last week of August", days("2026-08-01", "2026-08-31")),
        ("last week for dinner", days("2026-03-09", "2026-03-15")),
        ("the next Friday in the office", days("2026-03-20")),
        ("from 28 July to 11 August", days("2026-07-28", "2026-08-11")),
        ("dal 28 luglio all’11 agosto", days("2026-07-28", "2026-08-11")),
        ("March 30 - April 2", days("2026-03-30", "2026-04-02")),
        ("from 28 December to 3 January", days("2025-12-28", "2026-01-03")),
        ("28 December 2023 to 3 January", days("2023-12-28", "2024-01-03")),
        ("Dec 28, 2024 – Jan 3, 2025", days("2024-12-28", "2025-01-03")),
        ("dal primo maggio al 10 giugno", days("2026-05-01", "2026-06-10")),
        ("dal primo al 10 maggio", days("2026-05-01", "2026-05-10")),
        ("1º maggio", days("2026-05-01")),
        ("in March 2025", days("2025-03-01", "2025-03-31")),
        ("dec 2025", days("2025-12-01", "2025-12-31")),
        ("this December", days("2026-12-01", "2026-12-31")),
        ("next November", days("2026-11-01", "2026-11-30")),
        ("next March", days("2027-03-01", "2027-03-31")),
        ("last March", days("2025-03-01", "2025-03-31")),
        ("last November", days("2025-11-01", "2025-11-30")),
        ("lo scorso marzo", days("2025-03-01", "2025-03-31")),
        ("a dicembre scorso", days("2025-12-01", "2025-12-31")),
        ("dicembre prossimo", days("2026-12-01", "2026-12-31")),
        ("Easter 2024", days("2024-03-31")),
        ("il giorno dopo Natale 2027", days("2027-12-26")),
        ("Easter in 2027", days("2027-03-28")),
        ("on 24/12", days("2025-12-24")),
        ("il 7/5", days("2026-05-07")),
        ("Fri 8/5", days("2026-05-08")),
        ("dinner 24/12 at Rosa's", days("2025-12-24")),
        ("on 12/24", days("2025-12-24")),
        ("dentist 9/6 at 8:45", days("2026-06-09")),
        ("7/4: trasloco", days("2026-04-07")),
        ("07/04", days("2026-04-07")),
        ("9/12/26", days("2026-12-09")),
        ("9.12.2026", days("2026-12-09")),
        ("9-12-2026", days("2026-12-09")),
        ("in 2024 I walked to Santiago", days("2024-01-01", "2024-12-31")),
        ("nel 2019", days("2019-01-01", "2019-12-31")),
        ("il sette aprile", days("2026-04-07")),
        ("dal ventidue al ventisei aprile", days("2026-04-22", "2026-04-26")),
        ("on the twenty-first of April", days("2026-04-21")),
        ("the skip is collected on the 3rd", days("2026-04-03")),
        ("by the 31st, please", days("2026-03-31")),
        ("il 3 ritirano il cassone", days("2026-04-03")),
        ("l'11 arriva il tecnico", days("2026-04-11")),
        ("a week from Friday", days("2026-03-27")),
        ("the sweep comes Friday week", days("2026-03-27")),
        ("two weeks on Monday", days("2026-04-06")),
        ("fra due venerdì", days("2026-03-27")),
        ("venerdì tra due settimane", days("2026-04-03")),
        ("in a fortnight", days("2026-03-30", "2026-04-05")),
        ("a fortnight ago", days("2026-03-02", "2026-03-08")),
        ("tra quindici giorni", days("2026-04-02")),
        ("mid-April", days("2026-04-11", "2026-04-20")),
        ("a metà aprile", days("2026-04-11", "2026-04-20")),
        ("ai primi di aprile", days("2026-04-01", "2026-04-10")),
        ("late May 2027", days("2027-05-22", "2027-05-31")),
        ("a fine mese", days("2026-03-22", "2026-03-31")),
        ("the end of next month", days("2026-04-21", "2026-04-30")),
        ("a fine anno", days("2026-11-02", "2026-12-31")),
        ("at the weekend", days("2026-03-21", "2026-03-22")),
        ("nel fine settimana", days("2026-03-21", "2026-03-22")),
        ("this summer", days("2026-06-01", "2026-08-31")),
        ("quest’estate", days("2026-06-01", "2026-08-31")),
        ("last summer", days("2025-06-01", "2025-08-31")),
        ("la prossima primavera", days("2027-03-01", "2027-05-31")),
        ("lo scorso inverno", days("2025-12-01", "2026-02-28")),
        ("the summer of 2024", days("2024-06-01", "2024-08-31")),
        ("l’estate scorsa", days("2025-06-01", "2025-08-31")),
        ("last quarter", days("2025-10-01", "2025-12-31")),
        ("lo scorso trimestre", days("2025-10-01", "2025-12-31")),
        ("in Q3 2025", days("2025-07-01", "2025-09-30")),
        ("on Boxing Day", days("2025-12-26")),
        ("a Santo Stefano", days("2025-12-26")),
        ("per l’Immacolata", days("2025-12-08")),
        ("Good Friday", days("2026-04-03")),
        ("delivery of the 21/9", days("2025-09-21")),
        ("il video è per 16/9", days("2026-09-16")),
        ("21/9 monitor delivery", days("2025-09-21")),
        ("screen repair 16/9", days("2026-09-16")),
        ("fino a 16/9", days("2026-09-16")),
        ("send version 2 by 3.12.2026", days("2026-12-03")),
        ("martedì grasso", days("2026-02-17")),
        ("Pancake Day", days("2026-02-17")),
        ("a Pentecoste", days("2026-05-24")),
        ("per la festa della mamma", days("2026-05-10")),
    ],
)
def test_a_date_in_words_is_found(text: str, span: Span) -> None:
    assert named_spans(text, WEDNESDAY) == [span]
    assert may_have_date(words_of(text))


@pytest.mark.parametrize(
    "text",
    [
        *("It may rain.", "una volta", "2024-02-31", "seven cats", "march on", "99 people", ""),
        *("This may be silly", "the next may surprise you", "next day delivery", "il primo set"),
        *("twice in a week", "How many hours are there in a week?", "tre volte in una settimana"),
        *("add 1/2 cup of sugar", "3/4 of it", "open 24/7", "il voto è 27/30", "10/10", "from 5/6 to 7/6"),
        *("on the 4th floor", "on the third try", "il 3 per cento", "il 20%", "porta il 30 di scarpe", "il 118"),
        *("real estate 2025", "in the fall", "in a quarter of an hour", "quarter to nine", "due set", "2000 words"),
        *("in 2000 words", "the first may be wrong", "metà pizza", "early in the morning", "Stefano arriva"),
        *("the last day to file taxes", "the last week of school", "the last Monday before term"),
        *("a 16/9 screen", "lo schermo è un 16/9", "filmed in 16/10", "a 21/9 monitor", "16/9 tv for the den"),
        *("we won 21/12 in the second set", "abbiamo perso 25/12", "la pressione è 13/8", "odds are 25/1"),
        *("simplify 21/6", "15/3 = 5", "2 + 15/3", "17/3 as a decimal", "a ratio of 16/3", "on 5/6 of the days"),
        *("version 3.12.2026", "v 3.12.2026", "Python 3.12", "capitolo 3.1.2024", "ip 10.1.12.2026", "1.2.2026.5"),
        *("call 02-12-3456", "02-12-2026-99", "3.12/2026"),
    ],
)
def test_what_is_no_date_is_none(text: str) -> None:
    assert named_spans(text, WEDNESDAY) == []


def test_a_weekday_in_a_question_is_the_next_or_the_last_one() -> None:
    assert asked_spans("What is on Monday?", WEDNESDAY) == [days("2026-03-23"), days("2026-03-16")]


def test_a_weekend_and_the_day_of_a_month_are_the_next_or_the_last_one_too() -> None:
    weekends = [days("2026-03-21", "2026-03-22"), days("2026-03-14", "2026-03-15")]
    assert asked_spans("What did I do at the weekend?", WEDNESDAY) == weekends
    assert asked_spans("Chi viene il 3?", WEDNESDAY) == [days("2026-04-03"), days("2026-03-03")]
    assert asked_spans("Who comes on the 31st?", date(2026, 5, 1)) == [days("2026-05-31"), days("2026-03-31")]


def test_days_that_are_named_with_their_year_are_over_or_not() -> None:
    past = ["last March", "Christmas 2024", "in May 2024", "marzo scorso"]
    assert all(names_past(text, WEDNESDAY) for text in past)
    to_come = ["this December", "next March", "Pasqua 2027", "the last day of term"]
    assert not any(names_past(text, WEDNESDAY) for text in to_come)


def test_a_question_looks_for_dates_without_a_year_in_earlier_years_too() -> None:
    asked = asked_spans("What did we do in July?", WEDNESDAY)
    assert [span.first.year for span in asked] == [2026, 2025, 2024, 2023]


def test_the_29_of_february_is_looked_for_in_the_years_that_have_it() -> None:
    assert named_spans("born on 29 february", date(2024, 2, 20)) == [days("2024-02-29")]
    assert asked_spans("who was born on 29 february?", date(2026, 6, 1)) == [days("2028-02-29"), days("2024-02-29")]
    assert not names_past("what is planned for 29 February?", date(2026, 6, 1))


def test_easter_is_where_it_was() -> None:
    """As the churches publish it."""
    known = {2008: "2008-03-23", 2011: "2011-04-24", 2019: "2019-04-21", 2024: "2024-03-31", 2038: "2038-04-25"}
    assert {year: named_spans("Easter", date(year, 4, 5)) for year in known} == {
        year: [days(easter)] for year, easter in known.items()
    }


def test_spans_overlap_by_their_common_days_and_lengths() -> None:
    week = days("2026-03-23", "2026-03-29")

    def overlaps(span: Span, *others: Span) -> list[float]:
        firsts, lasts = (
            [day.toordinal() for day in ends]
            for ends in zip(*((each.first, each.last) for each in others), strict=True)
        )
        found: list[float] = span.overlaps(np.array(firsts), np.array(lasts)).tolist()
        return found

    one_day = days("2026-03-24")
    assert overlaps(week, one_day) > overlaps(days("2026-03-01", "2026-03-31"), one_day)
    others = [days("2026-03-28", "2026-04-03"), week, days("2026-03-30")]
    assert overlaps(week, *others) == pytest.approx([2 / 7, 1, 0])


@pytest.mark.parametrize(
    "text", ["the day after 9999-12-31", "the week before 0001-01-01", "il giorno dopo 9999-12-31"]
)
def test_day_beyond_the_calendar_is_none(text: str) -> None:
    assert named_spans(text, WEDNESDAY) == []
    assert not names_past(f"What is on {text}?", WEDNESDAY)


def test_of_a_long_text_the_first_dates_are_read() -> None:
    def work(dates: int) -> int:
        return calls_of(lambda: asked_spans("May 1, " * dates, WEDNESDAY))

    assert work(200) == work(2_000)


@given(st.text(max_size=300), st.dates(min_value=date(1, 1, 1)))
def test_any_text_on_any_day_is_read(text: str, day: date) -> None:
    assert all(span.last - span.first >= timedelta(0) for span in named_spans(text, day))
    asked_spans(f"in May, two weeks ago, next year {text}", day)
