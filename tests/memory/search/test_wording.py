"""Messages by their wording, in English and Italian: about their author's life, or replacing a statement."""

from datetime import UTC, datetime
from itertools import product
from string import ascii_lowercase

import numpy as np
import pytest

from memory.search.question import Question
from memory.search.wording import (
    ENTRY,
    OWN_LIFE,
    REPLACES,
    Wording,
    compared_words,
    features_of,
    features_of_change,
)


@pytest.mark.parametrize(
    ("own", "general"),
    [
        ("When is the plumber coming?", "When was the telescope invented?"),
        ("what did the landlord say about the mould", "what causes mould on walls"),
        ("remind me which hotel we booked", "which is bigger, a hectare or an acre"),
        ("put the rent increase on my list", "write a limerick about a snail"),
        ("a che ora parte il nostro treno", "a che temperatura bolle l'acqua"),
        ("cosa aveva detto l'idraulico della perdita?", "cosa vuol dire perdita di carico?"),
        ("dove ho messo la ricevuta del trasloco", "quanto vive un koala"),
    ],
)
def test_messages_are_classified_by_their_wording(own: str, general: str) -> None:
    assert OWN_LIFE.log_odds(features_of(own)) > 0 > OWN_LIFE.log_odds(features_of(general))


@pytest.mark.parametrize(
    ("said", "replacing", "other", "asked"),
    [
        (
            "Derek starts with us in May",
            "Derek took another job, so we're back to the pile of resumes",
            "Derek asked about parking, I sent him the map",
            "When does Derek start?",
        ),
        (
            "we drive the old Skoda to work",
            "sold the Skoda, we're on the bus now",
            "the Skoda passed its test again",
            "how do we get to work?",
        ),
        (
            "my doctor is Dr Hall at the Eastgate practice",
            "the practice closed, I'm registered with Dr Amin",
            "the practice was packed again today",
            "who is my doctor?",
        ),
        (
            "la squadra la allena Pippo",
            "Pippo ha mollato la squadra, allena Rosa",
            "oggi la squadra di Pippo si è allenata sotto la pioggia",
            "chi allena la squadra?",
        ),
        (
            "la cassa della festa la tiene Pippo",
            "Pippo non tiene più la cassa, adesso ci pensa Rosa",
            "oggi alla cassa della festa c'era una fila infinita",
            "chi tiene la cassa?",
        ),
    ],
)
def test_statements_that_replace_another_are_classified_by_their_wording(
    said: str, replacing: str, other: str, asked: str
) -> None:
    assert _log_odds(said, replacing, asked) > _log_odds(said, other, asked)
    assert _log_odds(said, replacing, asked) > 0


def _log_odds(*texts: str) -> float:
    return REPLACES.log_odds(features_of_change(*map(compared_words, texts)))


def test_a_change_is_worded_by_what_is_new_what_both_have_and_what_is_asked() -> None:
    earlier, later, asked = map(
        compared_words, ("the piano tuner comes at 9", "piano tuners moved to 10", "tuning when?")
    )
    found = features_of_change(earlier, later, asked)
    assert {"| =", "= =", "= moved", "moved to 0", "to 0 |", "0 |"} <= found
    assert {"new: moved", "same: piano", "same: tuner", "lost: comes", "0+", "0-"} <= found
    assert not {"0=", "new: to", "asked: when"} & found


def test_the_same_number_is_marked_as_such() -> None:
    found = features_of_change(compared_words("row 7"), compared_words("still in row 7"), compared_words("which row?"))
    assert {"= =0", "0="} <= found
    assert "0+" not in found


@pytest.mark.parametrize("message", ["", "?!", "Щелкунчик?", "zzzyx"])
def test_unknown_words_have_no_log_odds(message: str) -> None:
    assert OWN_LIFE.log_odds(features_of(message)) == 0
    assert _log_odds(message, f"{message} {message}", message) == 0


@pytest.mark.parametrize(
    ("message", "language"), [("Wer hat unseren Ersatzschlüssel?", "de-DE"), ("qui a notre clé de rechange ?", "fr")]
)
def test_wording_in_other_languages_has_no_log_odds(message: str, language: str) -> None:
    question = Question(text=message, now=datetime(2026, 5, 1, tzinfo=UTC), language=language)
    assert question.wording == 0
    assert question.seems_of_own_life


@pytest.mark.parametrize(
    ("message", "only_tells"),
    [
        ("My tasks are about the garden.", True),
        ("I'm seeing Anna tomorrow", True),
        ("Domani vedo Anna con mia sorella.", True),
        ("I'm bored, tell me a joke", False),
        ("my screen is frozen, what now", False),
        ("Why do snails have no ears", False),
    ],
)
def test_a_message_that_only_states_something_is_not_classified_as_general(message: str, only_tells: bool) -> None:
    question = Question(text=message, now=datetime(2026, 5, 1, tzinfo=UTC))
    assert (question.wording >= 0) is only_tells


def test_features_are_words_pairs_of_them_and_how_they_begin_and_end() -> None:
    assert features_of("Perché fiorisce?") == {
        *("perche", "fiorisce", "| perche", "perche fiorisce", "fiorisce |"),
        *("perc-", "-che", "fior-", "-sce", "?"),
    }
    assert features_of("at 9") == features_of("AT 17")


def test_of_a_long_message_the_first_and_last_words_count() -> None:
    words = ["".join(letters) for letters in product(ascii_lowercase, repeat=2)]
    assert features_of(" ".join(words)) == features_of(" ".join([*words[:50], *words[-50:]]))
    assert {words[0], words[-1]} <= features_of(" ".join(words))


@pytest.mark.parametrize("wording", [OWN_LIFE, REPLACES])
def test_the_file_is_sorted_by_hashes_which_are_found_by_halves(wording: Wording) -> None:
    entries = np.load(wording.path)
    assert entries.dtype == ENTRY
    assert (np.diff(entries["hash"].astype(np.int64)) > 0).all()
