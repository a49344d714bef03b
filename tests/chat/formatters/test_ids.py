"""Ids that models write into their text are not shown."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.formatters.blocks import BlockType, Entity
from chat.formatters.formatter import Formatter
from chat.formatters.ids import IdFilter
from tests.chat.formatters.writing import ROWS, parts_of, shown
from tests.effort import tries

UUID = "3f2c8a90-1b2c-4d5e-8f90-0123456789ab"
SHORT = {"t1": "t1-of-the-device", "p12": "p"}


def filtered(*tokens: str) -> str:
    ids = IdFilter(SHORT.__contains__)
    return "".join([*(ids.feed(token) for token in tokens), ids.flush()])


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("Buy milk [id t1] is due.", "Buy milk is due."),
        (f"Buy milk (id: {UUID}) is due.", "Buy milk is due."),
        (f"- Buy milk [id {UUID}]\n- Tea [ID: `p12`]\n", "- Buy milk\n- Tea\n"),
        ("I deleted the task [id t1].", "I deleted the task."),
        ("Tea (t1) [id p12] is here", "Tea is here"),
        ("“Buy milk” (t1) and Garden[p12] too", "“Buy milk” and Garden too"),
        (f"Tea `({UUID})`", "Tea ``"),
        ("[id t7] Tea", "Tea"),
    ],
)
def test_ids_in_brackets_are_left_out(written: str, left: str) -> None:
    assert filtered(written) == left


@pytest.mark.parametrize(
    "written",
    ["Page (p3) of it", "the T1 report", "[a link](https://example.org)", "(see t1", "[", "(id", "a (n) b", "[x] done"],
)
def test_what_is_no_id_stays(written: str) -> None:
    assert filtered(written) == written


def test_no_more_is_held_back_than_a_space_or_what_may_begin_an_id() -> None:
    ids = IdFilter(SHORT.__contains__)
    assert [ids.feed(token) for token in ["Two ", "(an", "d three", ") [i", "d t1", "]."]] == [
        "Two", " (an", "d three", ")", "", ".",
    ]  # fmt: skip


PIECES = st.lists(
    st.sampled_from(
        ["[id t1]", "(t1)", f"[id {UUID}]", "(p3)", "[", "(", "id", "t1", "]", ")", " ", "Tea", "`", UUID[:9]]
    ),
    max_size=12,
).map("".join)


@settings(max_examples=tries(100, long=2_000), deadline=None)
@given(written=PIECES, places=st.lists(st.integers(0, 200), max_size=6))
def test_text_cut_anywhere_is_left_the_same(written: str, places: list[int]) -> None:
    edges = [0, *sorted(place % (len(written) + 1) for place in places), len(written)]
    assert filtered(*(written[start:end] for start, end in pairwise(edges))) == filtered(written)
    assert filtered(*written) == filtered(written)


def test_short_ids_of_blocks_are_those_of_rows() -> None:
    formatter = Formatter(lambda _: None, rows=ROWS.__getitem__, row_id={"t9": "t1"}.get)
    written = 'Tea (t9) {"type":"entity_ref","entity":"task","id":"t9"} and (t1).'
    assert shown(parts_of(formatter, [written])) == [
        "Tea ",
        (BlockType.ENTITY_REF, {"entity": "task", "items": ROWS[Entity.TASK][:1]}),
        " and (t1).",
    ]
