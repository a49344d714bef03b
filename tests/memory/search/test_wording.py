"""The wording of a message says whether it is about its author's life, in both languages, whatever is known of that."""

import numpy as np
import pytest

from memory.search.wording import ENTRY, PATH, features_of, own_life_log_odds


@pytest.mark.parametrize(
    ("own", "general"),
    [
        ("When is the plumber coming?", "When was the telescope invented?"),
        ("what did the landlord say about the mould", "what causes mould on walls"),
        ("remind me which hotel we booked", "which is bigger, a hectare or an acre"),
        ("put the rent increase on my list", "write a limerick about a snail"),
        ("a che ora parte il nostro treno", "a che temperatura bolle l'acqua"),
        ("cosa aveva detto l'idraulico della perdita?", "cosa vuol dire perdita di carico?"),
        ("dove ho messo la ricevuta del trasloco", "dove nascono i koala"),
    ],
)
def test_messages_are_told_apart_by_their_wording(own: str, general: str) -> None:
    assert own_life_log_odds(own) > 0 > own_life_log_odds(general)


@pytest.mark.parametrize("message", ["", "?!", "Щелкунчик", "zzzyx"])
def test_what_no_one_writes_says_nothing(message: str) -> None:
    assert abs(own_life_log_odds(message)) < 1


def test_features_are_words_pairs_of_them_and_how_they_begin_and_end() -> None:
    assert features_of("Perché fiorisce?") == {
        *("perche", "fiorisce", "| perche", "perche fiorisce", "fiorisce |"),
        *("perc-", "-che", "fior-", "-sce", "?"),
    }
    assert features_of("at 9") == features_of("AT 17")


def test_a_long_message_takes_no_longer() -> None:
    assert features_of("word " * 10_000) == features_of("word " * 100)


def test_the_file_is_sorted_by_hashes_which_are_found_by_halves() -> None:
    entries = np.load(PATH)
    assert entries.dtype == ENTRY
    assert (np.diff(entries["hash"].astype(np.int64)) > 0).all()
