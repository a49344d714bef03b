"""Strings that arrive in pieces, and the grammar against Python's own reader of JSON."""

import json
import re
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from chat.formatters.json_stream import (
    NUMBER_OR_WORD,
    Grammar,
    StringDecoder,
    SurrogateJoiner,
    Token,
    joined_surrogates,
)


def decoded(pieces: list[str]) -> tuple[str, str]:
    """What a decoder makes of ``pieces``, and what of the last one follows the string."""
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
def test_surrogate_joiner_cut_anywhere_is_the_same(halves: list[str], places: list[int]) -> None:
    text = "".join(halves)
    edges = sorted({0, len(text), *(place for place in places if place < len(text))})
    joiner = SurrogateJoiner()
    out = [joiner.feed(text[start:end]) for start, end in pairwise(edges)]
    assert "".join([*out, joiner.flush()]) == joined_surrogates(text)
    assert joiner.is_empty


def test_joined_surrogates_joins_pairs_and_replaces_lone_ones() -> None:
    assert joined_surrogates("a\ud83d\ude00b\ude00\ud83d") == "a😀b\ufffd\ufffd"


_SPELLED = {**{token: token.value for token in Token}, Token.STRING: '"a"'}


def is_json(tokens: list[Token]) -> bool:
    """Whether ``tokens`` are JSON, but for a comma after a value and before a closing bracket."""
    written = " ".join(_SPELLED[token] for token in tokens)
    try:
        json.loads(re.sub(r"(?<=[\]}0\"]) ,(?= [\]}])", "", written))
    except ValueError:
        return False
    return True


def follows(tokens: list[Token]) -> bool:
    """Whether ``tokens`` are one whole object or array."""
    grammar = Grammar()
    for number, token in enumerate(tokens):
        if (number and not grammar.depth) or not grammar.accept(token):
            return False
    return grammar.depth == 0


@given(inside=st.lists(st.sampled_from(Token), max_size=8), array=st.booleans())
@example(inside=[Token.SCALAR, Token.COMMA], array=True)
@example(inside=[Token.STRING, Token.COLON, Token.SCALAR, Token.COMMA], array=False)
@example(inside=[Token.COMMA], array=True)
def test_grammar_takes_what_json_takes(*, inside: list[Token], array: bool) -> None:
    begin, end = (Token.OPEN_ARRAY, Token.CLOSE_ARRAY) if array else (Token.OPEN_OBJECT, Token.CLOSE_OBJECT)
    tokens = [begin, *inside, end]
    assert follows(tokens) is is_json(tokens)


@given(
    value=st.recursive(st.just(0), lambda inner: st.lists(inner) | st.dictionaries(st.just("a"), inner), max_leaves=9)
)
def test_grammar_follows_any_value(value: object) -> None:
    named = {spelled: token for token, spelled in _SPELLED.items()}
    written = json.dumps([value]).replace('"a"', "S").replace(" ", "")
    assert follows([named['"a"' if character == "S" else character] for character in written])


@pytest.mark.parametrize("mark", [Token.COMMA, Token.COLON, Token.CLOSE_ARRAY, Token.CLOSE_OBJECT])
def test_grammar_outside_of_everything_takes_no_mark(mark: Token) -> None:
    assert not Grammar().accept(mark)


def test_grammar_goes_to_any_depth() -> None:
    grammar = Grammar()
    assert all(grammar.accept(Token.OPEN_ARRAY) for _ in range(100_000))
    assert grammar.depth == 100_000


@pytest.mark.parametrize("scalar", ["0", "-1", "10.50", "1e9", "-0.1E-7", "true", "false", "null", "NaN", "-Infinity"])
def test_scalar_as_json_writes_it_is_whole(scalar: str) -> None:
    assert NUMBER_OR_WORD.fullmatch(scalar)


@pytest.mark.parametrize("scalar", ["01", "1.", ".5", "+1", "-", "1e", "nul", "True", "1a", "0x1"])
def test_scalar_as_json_does_not_write_it_is_not(scalar: str) -> None:
    assert not NUMBER_OR_WORD.fullmatch(scalar)
