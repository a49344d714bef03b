"""Quoted names, and the normalization of a message before it is parsed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.offline.reading import MAX_PLAIN, read_utterance

EDGES = " \t\r\n,;.!?…\u00a0"


def quotes(message: str) -> list[str]:
    utterance = read_utterance(message)
    assert utterance is not None
    return [quote.content for quote in utterance.quotes]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ('add "Buy milk"', ["Buy milk"]),
        ("add “Buy milk”.", ["Buy milk"]),
        ("add «Buy milk», «Bread»", ["Buy milk", "Bread"]),
        ("add 'Buy milk'!", ["Buy milk"]),
        ("add „Buy milk“", ["Buy milk"]),
        ('l\'attività "Latte"', ["Latte"]),
        ("l’“attività”", ["attività"]),
        ('"Say "hi" to Bob"', ['Say "hi" to Bob']),
        ('"5\\" pipe"', ['5" pipe']),
        ("“a “b” c”", ["a “b” c"]),
        ("don't and won't", []),
        ("the boys' room", []),
        ('a 5" pipe', []),
        ('"" and ""', []),
        ('"never closed', []),
        ("«never closed", []),
        ('x"y"', []),
    ],
)
def test_quoted_name_is_extracted(message: str, expected: list[str]) -> None:
    assert quotes(message) == expected


@given(st.text(max_size=300).filter(lambda message: not any("\ue000" <= mark <= "\uf8ff" for mark in message)))
def test_text_is_restored_except_for_spaces_and_edge_punctuation(message: str) -> None:
    utterance = read_utterance(message)
    assert utterance is not None
    restored = utterance.restored(f"{utterance.text} |")
    assert squeezed(restored) == f"{squeezed(message).strip(EDGES)}|"


def squeezed(text: str) -> str:
    return "".join(text.replace("’", "'").split())


def test_private_use_characters_in_message_are_not_placeholders() -> None:
    utterance = read_utterance("add \ue000 “Milk”")
    assert utterance is not None
    assert utterance.restored(utterance.text) == "add “Milk”"


def test_long_text_after_colon_counts_as_quoted_name() -> None:
    text = "word " * 10_000
    utterance = read_utterance(f"note: {text}“quoted” end")
    assert utterance is not None
    assert len(utterance.text) < MAX_PLAIN
    assert [quote.content for quote in utterance.quotes][-1].endswith("word “quoted” end")


@pytest.mark.parametrize("message", ["x" * (MAX_PLAIN + 1), "“a” " * 200 + ": x"])
def test_text_too_long_for_command_is_not_read(message: str) -> None:
    assert read_utterance(message) is None


def test_many_opening_quotes_are_read_quickly() -> None:
    utterance = read_utterance("“" * 200_000 + ": note")
    assert utterance is None
