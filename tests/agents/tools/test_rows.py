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


def test_an_assignee_that_no_parser_can_read_is_one_name() -> None:
    for stored in ("Ann", "[Ann", "[" * 100_000):
        assert assignees({"assignee": stored}) == [stored]


def test_a_listing_counts_what_it_shows_and_what_it_does_not() -> None:
    assert listing([], one="task", many="tasks") == "Found no tasks."
    assert listing(["a"], one="task", many="tasks") == "Found 1 task:\n- a"
    assert listing(["a", "b"], one="task", many="tasks", omitted=3) == (
        "Found 5 tasks:\n- a\n- b\n3 more are not shown: narrow the search."
    )


def test_a_listing_of_rows_that_were_not_counted_says_so() -> None:
    assert listing([], one="task", many="tasks", uncounted=True) == "Found no tasks."
    assert listing(["a", "b"], one="task", many="tasks", uncounted=True) == (
        "Found at least 2 tasks:\n- a\n- b\nThere may be more: narrow the search."
    )
    assert listing(["a"], one="task", many="tasks", omitted=2, uncounted=True) == (
        "Found at least 3 tasks:\n- a\nAt least 2 more are not shown: narrow the search."
    )


def test_a_long_listing_stops_between_rows() -> None:
    rows = ["é" * 20_000] * 4

    told = listing(rows, one="task", many="tasks")

    assert told == f"Found 4 tasks:\n- {rows[0]}\n3 more are not shown: narrow the search."
    assert len(told.encode()) < MAX_LISTING_BYTES


ROME = ZoneInfo("Europe/Rome")
FIRST, LAST = datetime(1971, 1, 1), datetime(2100, 1, 1)  # noqa: DTZ001 - local times, which have no zone


def test_a_date_is_midnight_in_the_users_time_zone() -> None:
    assert to_ms("2026-01-10", ROME) == round(datetime(2026, 1, 9, 23, tzinfo=UTC).timestamp() * 1000)
    assert to_ms("2026-07-10T18:30", ROME) == round(datetime(2026, 7, 10, 16, 30, tzinfo=UTC).timestamp() * 1000)
    assert to_ms("2026-07-10T18:30+00:00", ROME) == round(datetime(2026, 7, 10, 18, 30, tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize("text", ["", "tomorrow", "2026-02-30", "24/11/2026", "1764547200000"])
def test_what_is_no_date_is_told(text: str) -> None:
    with pytest.raises(ModelRetry, match="is not a date: write it as"):
        to_ms(text, ROME)


@pytest.mark.parametrize("text", ["0001-01-01", "0001-01-01T00:00+14:00", "9999-12-31", "9999-12-31T23:59-12:00"])
@pytest.mark.parametrize("zone", [ROME, ZoneInfo("Pacific/Kiritimati"), ZoneInfo("Pacific/Pago_Pago")], ids=str)
def test_a_day_at_an_end_of_the_calendar_is_too_far_away(text: str, zone: ZoneInfo) -> None:
    with pytest.raises(ModelRetry, match="is too far away: leave it out"):
        to_ms(text, zone)


@given(st.datetimes(FIRST, LAST))
def test_a_local_time_comes_back_as_it_was_written(moment: datetime) -> None:
    moment = moment.replace(second=0, microsecond=0)

    told = to_iso(to_ms(moment.isoformat(), ROME), ROME)

    exists = moment.replace(tzinfo=ROME).astimezone(UTC).astimezone(ROME).replace(tzinfo=None) == moment
    assert not exists or datetime.fromisoformat(told) == moment


def test_an_unreadable_number_is_said_to_be_one() -> None:
    assert to_iso(10**20, ROME) == "an unreadable date"


@pytest.mark.parametrize(("day", "hours"), [(date(2026, 3, 29), 23), (date(2026, 10, 25), 25), (date(2026, 6, 1), 24)])
def test_a_day_is_as_long_as_the_clocks_make_it(day: date, hours: int) -> None:
    start, end = day_range(day, ROME)

    assert end - start + 1 == timedelta(hours=hours) // timedelta(milliseconds=1)
    assert datetime.fromtimestamp(start / 1000, ROME) == datetime(day.year, day.month, day.day, tzinfo=ROME)


TITLES = st.text(string.ascii_letters + " ", min_size=1).map(lambda text: " ".join(text.split())).filter(bool)
LINES = st.one_of(st.text(st.characters(exclude_characters="\r"), max_size=20), st.just("== Tasks =="), st.just("=="))
BODIES = st.lists(LINES, min_size=1).map("\n".join).filter(lambda text: bool(text.strip()))


def moved_in(body: str) -> str:
    return "\n".join(f" {line}" if line.startswith("==") else line for line in body.strip().split("\n")).strip()


@given(st.dictionaries(TITLES, BODIES))
def test_whatever_rows_say_the_sections_stay_apart(sections: dict[str, str]) -> None:
    read = read_sections(write_sections(sections))

    assert read == {title: moved_in(body) for title, body in sections.items()}


def test_empty_sections_are_left_out() -> None:
    assert write_sections({"Tasks": "Found no tasks.", "Notes": " "}) == "== Tasks ==\nFound no tasks."


def test_what_stands_before_the_first_title_is_in_no_section() -> None:
    assert read_sections("Write it.\n\n== Tasks ==\none\n") == {"Tasks": "one"}


@given(st.lists(st.integers(0, 3 * MAX_LISTING_BYTES // 4), max_size=4), st.integers(0, 3))
def test_a_result_holds_the_rows_that_its_text_tells_and_counts_the_others(sizes: list[int], omitted: int) -> None:
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


def test_many_tasks_are_counted_for_the_model() -> None:
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
