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
TITLES = {"t1": "Buy milk", "p12": "Garden", "tc1": ""}


def filtered(*tokens: str) -> str:
    ids = IdFilter(TITLES.get)
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
        ("<p12>", ""),
        ("Garden <p12>, <p13>", "Garden, <p13>"),
    ],
)
def test_ids_in_brackets_are_left_out(written: str, left: str) -> None:
    assert filtered(written) == left


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("You can use it with the task id `t1`.", "You can use it with the task “Buy milk”."),
        ("Task t1 and project: p12 are late", "Task “Buy milk” and project: “Garden” are late"),
        ("The ID: t1", "The “Buy milk”"),
        ("Look at `t1`, it is in `p12`", "Look at “Buy milk”, it is in “Garden”"),
        ("L'attività t1", "L'attività “Buy milk”"),
        ('I need to update the task with id "t1".', "I need to update the task “Buy milk”."),
        ("The task ID is t1.", "The task “Buy milk”."),
        ("It is done. The task's id is `t1`.", "It is done. The task “Buy milk”."),
        ("The user's id is short, the users' tools", "The user's id is short, the users' tools"),
        ('Nessuna attività con l\'id o titolo "t1".', 'Nessuna attività con l\'id o titolo "Buy milk".'),
        ('The user gave the task id as "t1".', 'The user gave the task id as "Buy milk".'),
        ("The task “t1”, “t9”, “t1”, “t1 and more”", "The task “Buy milk”, “t9”, “t1”, “t1 and more”"),
        ('<p id="t1">The note "tc1"', '<p id="t1">The note "tc1"'),
        ("the comment `tc1` is new", "the comment is new"),
    ],
)
def test_ids_in_a_sentence_become_the_titles_of_their_rows(written: str, left: str) -> None:
    assert filtered(written) == left
    assert filtered(*written) == left


def test_little_is_held_back_of_words_that_go_on_before_an_id() -> None:
    ids, written = IdFilter(TITLES.get), " with" + " the its a new" * 100
    told = ids.feed(written)
    assert len(written) - len(told) < 40
    assert told + ids.flush() == written


@pytest.mark.parametrize(
    "written",
    [
        "Page (p3) of it",
        "the T1 report",
        "[a link](https://example.org)",
        "(see t1",
        "[",
        "(id",
        "a (n) b",
        "[x] done",
        "t1 alone",
        "the task t2",
        "`t12`",
        "a task t1x",
        "multitask t1",
        "``t1``",
    ],
)
def test_what_is_no_id_stays(written: str) -> None:
    assert filtered(written) == written


def test_no_more_is_held_back_than_a_space_or_what_may_begin_an_id() -> None:
    ids = IdFilter(TITLES.get)
    assert [ids.feed(token) for token in ["Two ", "(an", "d three", ") [i", "d t1", "]. Task", " `t1", "`."]] == [
        "Two", " (an", "d three", ")", "", ". Task", " ", "“Buy milk”.",
    ]  # fmt: skip


PIECES = st.lists(
    st.sampled_from(
        [
            "[id t1]",
            "(t1)",
            f"[id {UUID}]",
            "(p3)",
            "[",
            "(",
            "id",
            "id ",
            "t1",
            "`t1`",
            "task ",
            "]",
            ")",
            " ",
            "Tea",
            "`",
            UUID[:9],
        ]
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


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("“Buy seeds” has been created with the id t1.", "“Buy seeds” has been created."),
        ("It was added under its new id: `t1`, today.", "It was added, today."),
        ("L'ho creata con l'id t1.", "L'ho creata."),
        ("It goes with the idea t1 of yours.", "It goes with the idea t1 of yours."),
        ("The task with the id t1 is overdue.", "The task “Buy seeds” is overdue."),
        ("Quella con id t1 è fatta.", "Quella “Buy seeds” è fatta."),
        ("with the id t7", "with the id t7"),
        ("I agree with", "I agree with"),
        ("Come with the task", "Come with the task"),
    ],
)
def test_that_a_row_has_an_id_is_not_told(written: str, shown: str) -> None:
    for size in (1, 2, 5, len(written)):
        ids = IdFilter({"t1": "Buy seeds"}.get)
        parts = [ids.feed(written[at : at + size]) for at in range(0, len(written), size)]
        assert "".join([*parts, ids.flush()]) == shown


@pytest.mark.parametrize("shows_blocks", [True, False])
def test_short_ids_in_a_sentence_are_titles_of_the_rows_that_were_read(*, shows_blocks: bool) -> None:
    ids = {"t9": "t1", "p9": "gone"}
    formatter = Formatter(lambda _: None, rows=ROWS.__getitem__, shows_blocks=shows_blocks, row_id=ids.get)
    assert shown(parts_of(formatter, ["Use `t9`; the project p9 is gone."])) == ["Use “Buy milk”; the project is gone."]
