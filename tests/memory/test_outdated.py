"""What is no longer true in a passage: left out, or marked where the past is asked about."""

from datetime import UTC, datetime

import pytest

from memory.outdated import Outdated, marked, marked_since, without_outdated
from memory.search.question import Question

SINCE = datetime(2026, 3, 2, tzinfo=UTC)
ROME = [Outdated(evidence="I live in Rome", since=SINCE)]
NOW = datetime(2026, 11, 24, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("2026-01-01: I live in Rome.", ""),
        ("2026-01-01: I live in Rome. → Rome is lovely!", ""),
        ("2026-01-01: I live in Rome, my cat is called Minou. → Lovely!", "2026-01-01: my cat is called Minou"),
        ("2026-01-01: My cat is called Minou. … I live in Rome", "2026-01-01: My cat is called Minou."),
        ("2026-01-01: In Rome I live, as you know.", ""),
        (
            "2026-01-01: The dentist is at nine. → At nine, then.",
            "2026-01-01: The dentist is at nine. → At nine, then.",
        ),
    ],
)
def test_what_is_no_longer_true_is_cut_out_and_so_is_its_answer(text: str, left: str) -> None:
    assert without_outdated(text, ROME) == left


def test_where_the_words_are_not_kept_nothing_is_left() -> None:
    assert without_outdated("2026-01-01: The user lives in Rome.", [Outdated(evidence="", since=SINCE)]) == ""


def test_only_what_says_it_is_marked() -> None:
    note = " (“I live in Rome” is no longer true since 2026-03-02)"
    assert marked("2026-01-01: I live in Rome.", ROME) == f"2026-01-01: I live in Rome.{note}"
    assert marked("2026-01-01: The dentist is at nine.", ROME) == "2026-01-01: The dentist is at nine."
    assert marked_since("Talked.", SINCE) == "Talked. (some of it is no longer true since 2026-03-02)"
    assert marked_since("Talked.", None) == "Talked."


@pytest.mark.parametrize(
    "question",
    [
        "Where did I use to live before?",
        "What was the budget originally?",
        "Dove abitavo prima?",
        "Qual era il budget all'inizio?",
        "Where was I living in June 2025?",
    ],
)
def test_the_past_is_asked_about(question: str) -> None:
    assert Question(text=question, now=NOW).past


@pytest.mark.parametrize(
    "question", ["Where do I live?", "What is the budget of Apollo?", "Dove abito?", "What is due tomorrow?"]
)
def test_the_present_is_asked_about(question: str) -> None:
    assert not Question(text=question, now=NOW).past
