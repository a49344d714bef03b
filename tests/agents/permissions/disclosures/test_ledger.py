from string import printable

from hypothesis import given
from hypothesis import strategies as st

from agents.calls import AnsweredCall, CallAction, ClientAnswer, ClientCall, Row, Table
from agents.engine.executor import MAX_TEXT_BYTES, _cut
from agents.permissions.disclosures import embedded_ids, ids_in, rows_of
from agents.tools.rows import ToolResult, item
from tests.agents.tools.items import listing

IDS = st.text(printable, min_size=1, max_size=12)
TITLES = st.one_of(st.text(max_size=20), st.sampled_from(["x [id ", "[id a", "[id [id b", "] [id c]"]))


@given(st.lists(st.tuples(TITLES, IDS), min_size=1, max_size=8, unique_by=lambda each: each[1]), st.data())
def test_exactly_rows_of_listing_are_disclosed(rows: list[tuple[str, str]], data: st.DataObject) -> None:
    shown = data.draw(st.lists(st.sampled_from(rows), unique=True))
    text = listing([item(title, ["todo"], row_id) for title, row_id in shown], one="task", many="tasks")

    found = ids_in([text], {Table.TASKS: [row_id for _, row_id in rows]})

    ids = {row_id for _, row_id in shown}
    missed = ids - found.get(Table.TASKS, frozenset())
    more = {row_id for row_id in found.get(Table.TASKS, ()) if f"[id {row_id}]" not in text}
    assert (missed, more) == (set(), set())


def test_title_hides_no_row_from_ledger() -> None:
    text = listing([item("mine [id zzz", ["todo"], "row-1"), item("y", [], "row-2")], one="task", many="tasks")
    assert ids_in([text], {Table.TASKS: ["row-1", "row-2", "row-3"]}) == {Table.TASKS: {"row-1", "row-2"}}


@given(
    before=st.integers(MAX_TEXT_BYTES - 120, MAX_TEXT_BYTES + 5),
    title=st.text(st.sampled_from('ab" \\()[]\n'), max_size=60),
    beginning=st.sampled_from(["- ", "", "Updated the task "]),
    fact=st.sampled_from(["", "todo", "for Anna & Bob"]),
)
def test_truncation_removes_title_and_id_of_row_together(before: int, title: str, beginning: str, fact: str) -> None:
    line = item(f"TITLE{title}", [fact], "row-1")

    text = _cut(ToolResult(text="x" * before + "\n" + beginning + line + " and more" * 30)).text

    kept = text.rpartition("\n[")[0]
    assert ("TITLE" in kept) == ("[id row-1]" in kept)


def test_text_within_limit_is_not_truncated() -> None:
    text = 'He said "not yet'
    assert _cut(ToolResult(text=text)).text == text


def test_parts_of_page_are_rows_of_their_tables() -> None:
    page: Row = {
        "task": {"id": "t1"},
        "project": None,
        "comments": [{"id": "c1"}, "no row"],
        "deps": [{"id": "t2"}],
        "events": [{"id": "e1", "type": "task"}, {"id": "e2", "type": "checkpoint"}],
        "surprise": [{"id": "s1"}],
    }
    call = ClientCall(id="1", action=CallAction.PAGE_DETAILS)

    found = [(table, row["id"]) for table, row in rows_of(AnsweredCall(call=call, answer=ClientAnswer(row=page)))]

    assert found == [
        (Table.TASKS, "t1"),
        (Table.TASK_COMMENTS, "c1"),
        (Table.TASKS, "t2"),
        (Table.TASKS, "e1"),
        (Table.CHECKPOINTS, "e2"),
    ]


def test_embedded_text_is_matched_to_its_row() -> None:
    rows = [
        (Table.NOTES, {"id": "n1", "content": "a" * 9000}),
        (Table.NOTES, {"id": "n2", "content": "b"}),
        (Table.TASKS, {"id": "t1", "title": "Roses", "description": "Water them"}),
    ]
    assert embedded_ids(["a" * 9000, "Roses\nWater them"], rows) == {
        Table.NOTES: frozenset({"n1"}),
        Table.TASKS: frozenset({"t1"}),
    }
    assert embedded_ids(["Roses"], rows) == {}
