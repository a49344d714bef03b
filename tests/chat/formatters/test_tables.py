"""Columns of ids in markdown tables."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.formatters.tables import MAX_TABLE, TableFilter

UUID = "f4ef33bb-4add-58ef-8bfb-0e3731f9bb2f"
OTHER = "00000000-4add-58ef-8bfb-0e3731f9bb2f"
TITLES = {"t1": "Order compost", "t2": "Prune the roses", "p1": "Garden", "n1": "", UUID: ""}


def filtered(*texts: str) -> str:
    tables = TableFilter(TITLES.get)
    return "".join(map(tables.feed, texts)) + tables.flush()


def test_ids_go_where_the_title_is_there_and_become_titles_where_not() -> None:
    written = (
        "Here:\n\n"
        "| Task ID | Title | Due | Project ID |\n"
        "|---------|:-----:|-----|------------|\n"
        "| t1      | Order compost | Sat | p1 |\n"
        "| `t2`    | Prune the roses | N/A | [p1] |\n\n"
        "That is all."
    )
    assert filtered(written) == (
        "Here:\n\n"
        "| Title | Due | Project |\n"
        "| :-----: | ----- | ------------ |\n"
        "| Order compost | Sat | Garden |\n"
        "| Prune the roses | N/A | Garden |\n\n"
        "That is all."
    )


@pytest.mark.parametrize("cell", [UUID, f"[id {UUID}]", "n1"])
def test_ids_of_rows_without_a_title_go(cell: str) -> None:
    written = f"| id | Due |\n|---|---|\n| {cell} | Sat |\n"
    assert filtered(written) == "| Due |\n| --- |\n| Sat |\n"


@pytest.mark.parametrize(
    "text",
    [
        "| Task | Priority |\n|---|---|\n| Order compost | p1 |\n",
        "| Ticket ID | Problem |\n|---|---|\n| T1 | no light |\n",
        f"| Server ID | Name |\n|---|---|\n| {OTHER} | web |\n",
        f"|{' id |' * 60}\n|{'---|' * 60}\n|{' t1 |' * 60}\n",
        "      | Task ID |\n      |---|\n      | t1 |\n",
        "| Term ID | Weeks |\n|---|---|\n| t1 | 3 |\n| t9 | 4 |\n",
        "| Task ID | Due |\n| t1 | Sat |\n",
        "| Task ID | Due |\n|---|---|\n",
        "| Task ID | Due |\n|---|---|\n| t1 | Sat | more |\n",
        "```\n| Task ID | Due |\n|---|---|\n| t1 | Sat |\n```\n",
        "a | b\nt1 | c",
        "  \n\n|",
    ],
)
def test_what_has_no_column_of_ids_stays_as_it_is(text: str) -> None:
    assert filtered(text) == text


def test_a_table_of_nothing_but_ids_without_titles_stays() -> None:
    written = f"| id |\n|---|\n| {UUID} |\n"
    assert filtered(written) == written


def test_text_outside_of_tables_passes_as_it_comes() -> None:
    tables = TableFilter(TITLES.get)
    assert [tables.feed(text) for text in ("Two", " tasks", ":\n", "| Task ID", " |\nHe", "llo")] == [
        *("Two", " tasks", ":\n", "", "| Task ID |\nHe", "llo")
    ]


def test_no_more_spaces_are_held_back_than_a_row_may_begin_with() -> None:
    tables = TableFilter(TITLES.get)
    assert [tables.feed(" ") for _ in range(6)] == ["", "", "", "    ", " ", " "]


def test_a_table_that_is_too_long_is_not_held_back() -> None:
    row = "| t1 | Order compost |\n"
    written = "| Task ID | Title |\n|---|---|\n" + row * (MAX_TABLE // len(row) + 2)
    assert filtered(written) == written


@given(st.data())
def test_the_text_does_not_depend_on_how_it_is_cut(data: st.DataObject) -> None:
    lines = st.sampled_from(
        [
            "| Task ID | Title |\n",
            "|---|---|\n",
            "| t1 | Order compost |\n",
            "| t2 | x |\n",
            "```\n",
            "Text.\n",
            "\n",
            " ",
        ]
    )
    text = "".join(data.draw(st.lists(lines, max_size=12)))
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert filtered(*pieces) == filtered(text)
