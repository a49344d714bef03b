"""The grammar against Python's own reader of JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.formatters.grammar import NUMBER_OR_WORD, Grammar, Token

_SPELLED = {**{token: token.value for token in Token}, Token.STRING: '"a"'}


def is_json(tokens: list[Token]) -> bool:
    try:
        json.loads(" ".join(_SPELLED[token] for token in tokens))
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
