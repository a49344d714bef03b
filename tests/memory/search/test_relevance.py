"""The features that decide whether a question is relevant to the memory."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from memory.search.exchanges import IndexedExchange
from memory.search.index import ExchangeIndex
from memory.search.persons import names_in
from memory.search.question import Question
from memory.search.ranking import relevance_features
from memory.search.relevance import RelevanceFeatures

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
SAID = ("My sister Priya keeps bees near Whitby.", "The dentist is Dr Amin.", "The rent is due on the first.")


def index_of(*messages: str) -> ExchangeIndex:
    index = ExchangeIndex()
    for number, message in enumerate(messages):
        at = START + timedelta(days=number)
        index.add(
            IndexedExchange(id=UUID(int=number), at=at, session_id=f"s{number}", message=message, response="Noted.")
        )
    return index


def features(question: str, *messages: str, language: str = "en") -> RelevanceFeatures:
    return relevance_features(index_of(*SAID, *messages), Question(text=question, now=START, language=language))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("when does Priya come, and Omar?", ["priya", "omar"]),
        ("Who is Ruth Bader Ginsburg", ["ruth", "bader", "ginsburg"]),
        ("where was Priya? Priya was away. Omar, too", ["priya"]),
        ("quando parte l'Andrea Doria", ["andrea", "doria"]),
        ("is it open on Monday in April", []),
        ("WHEN DOES PRIYA COME", []),
        ("buy:\n- Eggs\n- Flour\nThanks\nOmar", []),
        ("где мой ключ", []),
        ("", []),
    ],
)
def test_names_are_capitalized_words_that_do_not_begin_a_sentence(text: str, names: list[str]) -> None:
    assert names_in(text) == names


@pytest.mark.parametrize(
    ("question", "unknown"),
    [
        ("when does Priya come to Whitby?", 0),
        ("when does Pryia come?", 0),
        ("who was Mercator, and was Greta Garbo Swedish?", 4),
        ("WHO WAS MERCATOR", 0),
        ("what is the Dentist called", 0),
        ("how do you say “ask Mercator” in French", 1),
    ],
)
def test_names_that_do_not_occur_are_unknown(question: str, unknown: int) -> None:
    assert features(question).unknown_names == unknown


@pytest.mark.parametrize(
    "question", ["Welche Marke von Futter bekommt Bello?", "Wo ist der Schlüssel vom Keller?", "какой пароль у Ивана?"]
)
@pytest.mark.parametrize("language", ["en", "de"])
def test_capital_letters_mean_nothing_in_other_languages(question: str, language: str) -> None:
    assert features(question, language=language).unknown_names == 0


def test_an_unknown_name_and_many_exchanges_lower_the_log_odds() -> None:
    known = features("when does Priya come?")

    assert replace(known, unknown_names=1).log_odds < known.log_odds - 1
    assert replace(known, exchanges=500).log_odds < known.log_odds
    assert replace(known, wording=known.wording - 1).log_odds < known.log_odds


def test_features_are_bounded_by_what_the_model_was_fitted_to() -> None:
    found = features("when does Priya come?")

    assert replace(found, unknown_names=30).log_odds == replace(found, unknown_names=3).log_odds
    assert replace(found, exchanges=200_000).log_odds == replace(found, exchanges=1_000).log_odds
    assert replace(found, exchanges=1).log_odds == replace(found, exchanges=5).log_odds
    assert replace(found, best=50.0).log_odds == replace(found, best=5.0).log_odds
    assert replace(found, wording=-9.0).log_odds == replace(found, wording=-5.0).log_odds


def test_a_question_without_words_and_an_empty_index_have_features() -> None:
    assert features("?!").best == 0
    assert relevance_features(ExchangeIndex(), Question(text="when does Priya come?", now=START)).exchanges == 0


def test_the_best_passage_is_compared_with_one_that_has_a_word_of_its_own() -> None:
    assert features("bees").best > features("the rent and the bees").best / 3 > 0
    assert features("what is a quark").best == 0
