"""Misspelled words are found in questions and in exchanges, and words that exist are no misspellings."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.search.exchanges import IndexedExchange
from memory.search.index import ExchangeIndex
from memory.search.lexicon import UNKNOWN, information, is_known
from memory.search.matching import query_terms
from memory.search.question import Question
from memory.search.ranking import recalled
from memory.search.spellings import Spellings

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


def spellings(*stems: str) -> Spellings:
    found = Spellings()
    for stem in stems:
        found.add(stem)
    return found


def ask(question: str, *said: str) -> str:
    index = ExchangeIndex()
    others = ("I water the plants on Fridays.", "The rent is due on the third.", "Il corso di ceramica è martedì.")
    for number, message in enumerate((*others, *said)):
        at = START + timedelta(days=number)
        index.add(
            IndexedExchange(id=UUID(int=number), at=at, session_id=str(number), message=message, response="Noted.")
        )
    return "\n".join(each.text for each in recalled(index, Question(text=question, now=START + timedelta(days=60))))


@pytest.mark.parametrize(
    ("stem", "other"),
    [
        ("dentsit", "dentist"),
        ("dentist", "dentsit"),
        ("metacalm", "metacam"),
        ("labratorio", "laboratorio"),
        ("preventvi", "preventivo"),
        ("bleu", "blue"),
    ],
)
def test_one_letter_or_two_of_a_long_word_may_be_wrong(stem: str, other: str) -> None:
    assert spellings("boiler", other, "garden").like(stem) == [other]


@pytest.mark.parametrize(
    ("stem", "other"),
    [
        ("charg", "chang"),  # both are stems of words that exist
        ("dentsit", "dentsit"),
        ("xentist", "dentist"),
        ("metam", "metacam"),
        ("bleu", "blus"),
        ("teh", "the"),
        ("34715", "34716"),
        ("a" * 300, "a" * 301),
    ],
)
def test_other_words_are_no_misspellings(stem: str, other: str) -> None:
    assert spellings("boiler", other).like(stem) == []


def test_no_word_is_similar_in_an_empty_index() -> None:
    assert Spellings().like("dentist") == []


@given(st.lists(st.text(min_size=1, max_size=300), max_size=5, unique=True), st.text(min_size=1, max_size=300))
def test_any_texts_are_taken(stems: list[str], stem: str) -> None:
    kept = [each for each in stems if each.isprintable()]
    assert set(spellings(*kept).like(stem)) <= set(kept)


def test_a_misspelled_question_finds_what_was_said_and_a_question_what_was_misspelled() -> None:
    assert "Whitworth" in ask("waht does the witworth pay", "The Whitworth pays 300 a day.")
    assert "dentsit" in ask("What time is the dentist?", "dentsit appt apr 22 2.15pm")
    assert "Whitworth pays" in ask("and the witworth?", "The Whitworth pays 300 a day.", "waht does the witworth pay")
    assert "chimley" in ask("How much is the chimney?", "the chimley is four hundred")
    assert ask("how do you get to glasgow", "The glas of the lamp is broken.") == ""


@pytest.mark.parametrize(("others", "is_found"), [(0, True), (29, True), (30, False)])
def test_words_of_a_long_text_are_not_looked_through(others: int, is_found: bool) -> None:
    index = ExchangeIndex()
    index.add(
        IndexedExchange(id=UUID(int=1), at=START, session_id="s", message="The Whitworth pays.", response="Noted.")
    )
    text = " ".join(["witworth", *(f"zzyzx{number}" for number in range(others))])

    assert any("whitworth" in term.stems for term in query_terms(index, text, "en")) is is_found


def test_information_is_less_of_what_is_written_more() -> None:
    assert information("the") < information("hous") < information("boiler") < UNKNOWN == information("xqzzt")
    assert (is_known("boiler"), is_known("caldai"), is_known("dentsit"), is_known("")) == (True, True, False, False)
