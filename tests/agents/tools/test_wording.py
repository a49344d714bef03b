from hypothesis import given
from hypothesis import strategies as st

from agents.tools.wording import MAX_LISTING_BYTES, Item, item, listing, read_items

ids = st.text(st.characters(codec="utf-8", exclude_characters="] \t\n\r", exclude_categories=["Z", "C"]), min_size=1)
facts = st.text(st.characters(codec="utf-8", exclude_characters="(),\n"), min_size=1)


@given(st.lists(st.tuples(st.text(), st.lists(facts, max_size=3), ids), max_size=5))
def test_items_read_back_as_they_were_told(rows: list[tuple[str, list[str], str]]) -> None:
    told = listing([item(title, said, row_id) for title, said, row_id in rows], one="row", many="rows")

    assert read_items(told) == [Item(title=title, facts=tuple(said), id=row_id) for title, said, row_id in rows]


def test_one_row_reads_as_a_person_would_say_it() -> None:
    assert item("Buy milk", ["todo", "", "high priority"], "7") == '"Buy milk" (todo, high priority) [id 7]'
    assert item('Say "no"\nnow', [], "8") == '"Say \\"no\\"\\nnow" [id 8]'


def test_a_fact_cannot_end_the_brackets() -> None:
    assert read_items(item("A", ["for Jo (the boss), CEO"], "1")) == [
        Item(title="A", facts=("for Jo [the boss]; CEO",), id="1")
    ]


def test_a_listing_counts_what_it_shows_and_what_it_does_not() -> None:
    assert listing([], one="task", many="tasks") == "Found no tasks."
    assert listing(["a"], one="task", many="tasks") == "Found 1 task:\n- a"
    assert listing(["a", "b"], one="task", many="tasks", omitted=3) == (
        "Found 5 tasks:\n- a\n- b\n3 more are not shown: narrow the search."
    )


def test_a_long_listing_stops_between_rows() -> None:
    rows = ["é" * 20_000] * 4

    told = listing(rows, one="task", many="tasks")

    assert told == f"Found 4 tasks:\n- {rows[0]}\n3 more are not shown: narrow the search."
    assert len(told.encode()) < MAX_LISTING_BYTES
