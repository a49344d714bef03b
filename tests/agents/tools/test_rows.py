import string
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.calls import ClientAnswer, Row, Rows, Table
from agents.errors import ModelRetry
from agents.tools.rows import (
    MAX_LISTING_BYTES,
    LineContext,
    ToolResult,
    assignees,
    day_range,
    in_sections,
    item,
    list_rows,
    tell_row,
    to_iso,
    to_ms,
    write_sections,
)
from tests.agents.tools.items import Item, listing, read_items, read_sections

ids = st.text(st.characters(codec="utf-8", exclude_characters="] \t\n\r", exclude_categories=["Z", "C"]), min_size=1)
facts = st.text(st.characters(codec="utf-8", exclude_characters="(),\n"), min_size=1)


@given(st.lists(st.tuples(st.text(), st.lists(facts, max_size=3), ids), max_size=5))
def test_items_can_be_parsed_from_listing(rows: list[tuple[str, list[str], str]]) -> None:
    told = listing([item(title, said, row_id) for title, said, row_id in rows], one="row", many="rows")

    assert read_items(told) == [Item(title=title, facts=tuple(said), id=row_id) for title, said, row_id in rows]


def test_item_has_title_facts_and_id() -> None:
    assert item("Buy milk", ["todo", "", "high priority"], "7") == '"Buy milk" (todo, high priority) [id 7]'
    assert item('Say "no"\nnow', [], "8") == '"Say \\"no\\"\\nnow" [id 8]'


def test_fact_cannot_close_parentheses() -> None:
    assert read_items(item("A", ["for Jo (the boss), CEO"], "1")) == [
        Item(title="A", facts=("for Jo [the boss]; CEO",), id="1")
    ]


def test_unparsable_assignee_is_one_name() -> None:
    for stored in ("Ann", "[Ann", "[" * 100_000):
        assert assignees({"assignee": stored}) == [stored]


def test_listing_counts_shown_and_omitted_rows() -> None:
    assert listing([], one="task", many="tasks") == "Found no tasks."
    assert listing(["a"], one="task", many="tasks") == "Found 1 task:\n- a"
    assert listing(["a", "b"], one="task", many="tasks", omitted=3) == (
        "Found 5 tasks:\n- a\n- b\n3 more are not shown: narrow the search."
    )


def test_listing_of_uncounted_rows_states_minimum() -> None:
    assert listing([], one="task", many="tasks", uncounted=True) == "Found no tasks."
    assert listing(["a", "b"], one="task", many="tasks", uncounted=True) == (
        "Found at least 2 tasks:\n- a\n- b\nThere may be more: narrow the search."
    )
    assert listing(["a"], one="task", many="tasks", omitted=2, uncounted=True) == (
        "Found at least 3 tasks:\n- a\nAt least 2 more are not shown: narrow the search."
    )


def test_long_listing_is_truncated_between_rows() -> None:
    rows = ["é" * 20_000] * 4

    told = listing(rows, one="task", many="tasks")

    assert told == f"Found 4 tasks:\n- {rows[0]}\n3 more are not shown: narrow the search."
    assert len(told.encode()) < MAX_LISTING_BYTES


ROME = ZoneInfo("Europe/Rome")
FIRST, LAST = datetime(1971, 1, 1), datetime(2100, 1, 1)  # noqa: DTZ001 - local times, which have no zone


def test_date_is_midnight_in_users_time_zone() -> None:
    assert to_ms("2026-01-10", ROME) == round(datetime(2026, 1, 9, 23, tzinfo=UTC).timestamp() * 1000)
    assert to_ms("2026-07-10T18:30", ROME) == round(datetime(2026, 7, 10, 16, 30, tzinfo=UTC).timestamp() * 1000)
    assert to_ms("2026-07-10T18:30+00:00", ROME) == round(datetime(2026, 7, 10, 18, 30, tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize("text", ["", "tomorrow", "2026-02-30", "24/11/2026", "1764547200000"])
def test_invalid_date_is_reported(text: str) -> None:
    with pytest.raises(ModelRetry, match="is not a date: write it as"):
        to_ms(text, ROME)


@pytest.mark.parametrize("text", ["0001-01-01", "0001-01-01T00:00+14:00", "9999-12-31", "9999-12-31T23:59-12:00"])
@pytest.mark.parametrize("zone", [ROME, ZoneInfo("Pacific/Kiritimati"), ZoneInfo("Pacific/Pago_Pago")], ids=str)
def test_day_at_end_of_calendar_is_too_far_away(text: str, zone: ZoneInfo) -> None:
    with pytest.raises(ModelRetry, match="is too far away: leave it out"):
        to_ms(text, zone)


@given(st.datetimes(FIRST, LAST))
def test_local_time_survives_conversion(moment: datetime) -> None:
    moment = moment.replace(second=0, microsecond=0)

    told = to_iso(to_ms(moment.isoformat(), ROME), ROME)

    exists = moment.replace(tzinfo=ROME).astimezone(UTC).astimezone(ROME).replace(tzinfo=None) == moment
    assert not exists or datetime.fromisoformat(told) == moment


def test_number_out_of_range_is_an_unreadable_date() -> None:
    assert to_iso(10**20, ROME) == "an unreadable date"


@pytest.mark.parametrize(("day", "hours"), [(date(2026, 3, 29), 23), (date(2026, 10, 25), 25), (date(2026, 6, 1), 24)])
def test_length_of_day_follows_clock_changes(day: date, hours: int) -> None:
    start, end = day_range(day, ROME)

    assert end - start + 1 == timedelta(hours=hours) // timedelta(milliseconds=1)
    assert datetime.fromtimestamp(start / 1000, ROME) == datetime(day.year, day.month, day.day, tzinfo=ROME)


TITLES = st.text(string.ascii_letters + " ", min_size=1).map(lambda text: " ".join(text.split())).filter(bool)
LINES = st.one_of(st.text(st.characters(exclude_characters="\r"), max_size=20), st.just("== Tasks =="), st.just("=="))
BODIES = st.lists(LINES, min_size=1).map("\n".join).filter(lambda text: bool(text.strip()))


def indented(body: str) -> str:
    return "\n".join(f" {line}" if line.startswith("==") else line for line in body.strip().split("\n")).strip()


@given(st.dictionaries(TITLES, BODIES))
def test_text_of_rows_cannot_break_sections(sections: dict[str, str]) -> None:
    read = read_sections(write_sections(sections))

    assert read == {title: indented(body) for title, body in sections.items()}


def test_empty_sections_are_left_out() -> None:
    assert write_sections({"Tasks": "Found no tasks.", "Notes": " "}) == "== Tasks ==\nFound no tasks."


def test_text_before_first_title_is_in_no_section() -> None:
    assert read_sections("Write it.\n\n== Tasks ==\none\n") == {"Tasks": "one"}


@given(st.lists(st.integers(0, 3 * MAX_LISTING_BYTES // 4), max_size=4), st.integers(0, 3))
def test_result_contains_listed_rows_and_counts_others(sizes: list[int], omitted: int) -> None:
    rows: tuple[Row, ...] = tuple(
        {"id": f"t{number}", "title": "x" * size, "status": "todo"} for number, size in enumerate(sizes)
    )
    result = list_rows(Table.TASKS, ClientAnswer(rows=rows, omitted=omitted if rows else 0), LineContext(timezone=ROME))

    told = result.rows[Table.TASKS]
    assert [row["id"] for row in told.rows] == [item.id for item in read_items(result.text)]
    assert len(told.rows) + told.omitted == len(rows) + (omitted if rows else 0)


def test_sections_keep_the_rows_of_all_results() -> None:
    row: Row = {"id": "p1", "name": "Website"}
    project = tell_row("Created", Table.PROJECTS, row, LineContext(timezone=ROME))

    assert in_sections({"Made": project, "Empty": ToolResult(text="")}) == ToolResult(
        text='== Made ==\nCreated the project "Website" [id p1].', rows={Table.PROJECTS: Rows(rows=(row,))}
    )


def test_listing_of_many_tasks_has_counts() -> None:
    states = ["todo"] * 5 + ["in_progress"] * 2 + ["done"]
    rows: list[Row] = [
        {"id": str(number), "title": "A", "status": state, "priority": "low", "projectId": "p1" if number else None}
        for number, state in enumerate(states)
    ]
    context = LineContext(timezone=ROME, projects={"p1": "The (old) garden"})
    counts = 'By status: todo 5, in progress 2, done 1. By project: "The (old) garden" 7, none 1.'

    assert list_rows(Table.TASKS, ClientAnswer(rows=tuple(rows)), context).text.splitlines()[1] == counts
    assert counts not in list_rows(Table.TASKS, ClientAnswer(rows=tuple(rows[1:])), context).text
    assert "By status" not in list_rows(Table.TASKS, ClientAnswer(rows=tuple(rows), omitted=1), context).text
