"""What a message is by its wording, in English and Italian: about its author's life, or in place of something said."""

from datetime import UTC, datetime
from itertools import product
from string import ascii_lowercase

import numpy as np
import pytest

from memory.search.ranking import Question
from memory.search.wording import ENTRY, OWN_LIFE, REPLACES, Wording, features_of


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
def test_messages_are_told_apart_by_their_wording(own: str, general: str) -> None:
    assert OWN_LIFE.log_odds(own) > 0 > OWN_LIFE.log_odds(general)


@pytest.mark.parametrize(
    ("replacing", "other"),
    [
        (
            "Derek took another job, so we're back to the pile of resumes",
            "Derek asked about parking, I sent him the map",
        ),
        ("sold the Skoda, we're on the bus now", "the Skoda passed its test again"),
        ("the practice closed, I'm registered with Dr Amin", "the practice was packed again today"),
        ("Pippo ha mollato la squadra, allena Rosa", "oggi la squadra di Pippo si è allenata sotto la pioggia"),
        ("Pippo non tiene più la cassa, adesso ci pensa Rosa", "oggi alla cassa c'era una fila infinita"),
    ],
)
def test_what_takes_the_place_of_something_said_before_is_told_by_its_wording(replacing: str, other: str) -> None:
    assert REPLACES.log_odds(replacing) > 0 > REPLACES.log_odds(other)


@pytest.mark.parametrize("wording", [OWN_LIFE, REPLACES])
@pytest.mark.parametrize("message", ["", "?!", "Щелкунчик?", "zzzyx"])
def test_what_no_one_writes_says_nothing(message: str, wording: Wording) -> None:
    assert wording.log_odds(message) == 0


@pytest.mark.parametrize(
    ("message", "language"), [("Wer hat unseren Ersatzschlüssel?", "de-DE"), ("qui a notre clé de rechange ?", "fr")]
)
def test_wording_in_other_languages_says_nothing(message: str, language: str) -> None:
    question = Question(text=message, now=datetime(2026, 5, 1, tzinfo=UTC), language=language)
    assert question.wording == 0
    assert question.seems_of_own_life


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
