"""Lines that break between words, however the text is cut into pieces."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from device.wrapping import WordWrap
from tests.effort import tries

_WIDTH = 40
_WORDS = st.lists(st.text(alphabet="abcè你", min_size=1, max_size=12), max_size=40)


def _wrapped(*pieces: str, width: int = _WIDTH) -> str:
    wrap = WordWrap()
    return "".join(wrap.wrapped(piece, width) for piece in pieces)


def test_word_without_room_begins_the_next_line() -> None:
    assert _wrapped("x" * 30 + " ", "anyth", "ing new", "\n") == "x" * 30 + " anything \nnew\n"


def test_text_is_given_back_at_once_unless_it_is_near_the_edge() -> None:
    wrap = WordWrap()
    assert [
        wrap.wrapped(piece, _WIDTH) for piece in ("Well", ", let me s", "ee", " what there is", " no", "w.", "\n")
    ] == [
        "Well",
        ", let me s",
        "ee",
        " what there ",
        "is ",
        "",
        "now.\n",
    ]


def test_space_at_the_edge_does_not_begin_the_next_line() -> None:
    assert _wrapped("x" * 39 + "  ", "y\n") == "x" * 39 + " \ny\n"
    assert _wrapped("x" * 40, "   ", "\n", "y\n") == "x" * 40 + "\ny\n"


def test_word_that_is_longer_than_a_line_is_left_to_the_terminal() -> None:
    address = "https://adiuva.example/" + "a" * 60
    assert _wrapped("See ", address[:10], address[10:], " now\n") == f"See {address} now\n"
    assert _wrapped("x" * 35 + " ", address[:10], address[10:], " now\n") == "x" * 35 + f" \n{address} now\n"


def test_tab_goes_to_the_next_stop() -> None:
    assert _wrapped("a\t" * 3, "x" * 17 + "\n") == "a\t" * 3 + "\n" + "x" * 17 + "\n"


@pytest.mark.parametrize("width", [1, 5, 19, 20, 21])
def test_narrow_terminals_cut_only_what_does_not_fit_a_line(width: int) -> None:
    assert _wrapped("a bb ccc", " dddd\n", width=width).split() == ["a", "bb", "ccc", "dddd"]


@settings(max_examples=tries(50, long=1_000), deadline=None)
@given(words=_WORDS, sizes=st.lists(st.integers(1, 9), min_size=1))
def test_words_stay_whole_and_lines_within_the_width_however_the_text_is_cut(
    words: list[str], sizes: list[int]
) -> None:
    text, pieces = f"{' '.join(words)}\n", list[str]()
    rest = text
    while rest:
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(rest[:size])
        rest = rest[size:]
    wrapped = _wrapped(*pieces)
    assert wrapped.split() == text.split()
    # A word that begins before the last 20 cells and is no longer than they has room.
    assert all(cell_len(line) <= _WIDTH for line in wrapped.split("\n") if all(cell_len(w) <= 20 for w in line.split()))
