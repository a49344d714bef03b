"""Strings that arrive in pieces."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.formatters.strings import Mender, StringDecoder, mended


def decoded(pieces: list[str]) -> tuple[str, str]:
    """What a decoder makes of ``pieces``, and what of the last one stands behind the string."""
    decoder = StringDecoder()
    out, rest = [], ""
    for piece in pieces:
        text, position = decoder.read(piece, 0)
        out.append(text)
        rest = piece[position:]
    assert decoder.closed
    return "".join(out), rest


@given(text=st.text(), ensure_ascii=st.booleans())
def test_string_decoder_reads_what_json_writes(*, text: str, ensure_ascii: bool) -> None:
    written = json.dumps(text, ensure_ascii=ensure_ascii)[1:]
    assert decoded([written]) == (text, "")
    assert decoded(list(written)) == (text, "")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"\ud83d\ude00", "😀"),
        (r"\ud83d", "\ufffd"),
        (r"\ude00", "\ufffd"),
        (r"\ud83dx", "\ufffdx"),
        (r"\ud83d\n", "\ufffd\n"),
        (r"\ud83d\ud83d\ude00", "\ufffd😀"),
        (r"50\%", r"50\%"),
        (r"C:\data\u12", r"C:\data\u12"),
        (r"\u00zz\\", r"\u00zz" + "\\"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
    ],
)
def test_string_decoder_with_an_odd_escape(source: str, text: str) -> None:
    assert decoded([source + '" rest']) == (text, " rest")
    assert decoded([*source, '" rest']) == (text, " rest")


def test_string_decoder_holds_back_only_an_incomplete_escape() -> None:
    decoder = StringDecoder()
    read = [decoder.read(character, 0)[0] for character in r"a\u00e9b\ud83d\ude00c"]
    assert read == ["a", *[""] * 5, "é", "b", *[""] * 11, "😀", "c"]


@pytest.mark.parametrize(("source", "rest"), [(r"a\u00", ""), (r"a\ud83d", "\ufffd"), ("a", "")])
def test_string_decoder_cut_off(source: str, rest: str) -> None:
    decoder = StringDecoder()
    assert decoder.read(source, 0) == ("a", len(source))
    assert decoder.flush() == rest


@given(halves=st.lists(st.sampled_from(["a", "\ud83d", "\ude00", "😀", "é"])), places=st.lists(st.integers(0, 20)))
def test_mender_cut_anywhere_is_the_same(halves: list[str], places: list[int]) -> None:
    text = "".join(halves)
    edges = sorted({0, len(text), *(place for place in places if place < len(text))})
    mender = Mender()
    out = [mender.feed(text[start:end]) for start, end in pairwise(edges)]
    assert "".join([*out, mender.flush()]) == mended(text)
    assert mender.is_empty


def test_mended_joins_halves_and_replaces_lone_ones() -> None:
    assert mended("a\ud83d\ude00b\ude00\ud83d") == "a😀b\ufffd\ufffd"
