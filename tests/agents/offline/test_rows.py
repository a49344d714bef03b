"""Records that are read from the rows of tools and from their texts."""

from datetime import date, datetime, time
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.calls import Row, Rows
from agents.offline.commands import Priority, RowKind, Status, Target
from agents.offline.rows import Moment, Record, best_match, read_listing, read_record, record_in, without_ids
from agents.tools.rows import item

ROME = ZoneInfo("Europe/Rome")
EVENING = round(datetime(2026, 11, 21, 18, tzinfo=ROME).timestamp() * 1000)


def test_task_is_read_with_its_columns() -> None:
    row: Row = {
        "id": "t1",
        "title": 'Buy "milk"',
        "status": "in_progress",
        "priority": "high",
        "dueDate": EVENING,
        "projectId": "p1",
        "assignee": '["Anna", "Bob & Co, (the firm)"]',
        "description": "Two litres.",
        "isAiSuggested": 1,
        "isApproved": 0,
    }
    assert read_record(RowKind.TASK, row, ROME) == Record(
        entity=RowKind.TASK,
        id="t1",
        title='Buy "milk"',
        status=Status.IN_PROGRESS,
        priority=Priority.HIGH,
        moment=Moment(day=date(2026, 11, 21), at=time(18)),
        project_id="p1",
        people=("Anna", "Bob & Co, (the firm)"),
        text="Two litres.",
    )


@pytest.mark.parametrize(
    "column",
    [
        {"dueDate": 10**18},
        {"dueDate": "tomorrow"},
        {"dueDate": True},
        {"dueDate": None},
        {"priority": "urgent"},
        {"status": "?"},
        {"assignee": "[]"},
        {"assignee": '["", 7]'},
        {"projectId": ""},
        {"title": "x", "description": 7},
    ],
)
def test_unreadable_value_is_ignored(column: Row) -> None:
    row: Row = {"id": "t1", "title": "x", **column}
    assert read_record(RowKind.TASK, row, ROME) == Record(entity=RowKind.TASK, id="t1", title="x")


def test_midnight_of_user_is_day_without_time() -> None:
    midnight = round(datetime(2026, 11, 21, tzinfo=ROME).timestamp() * 1000)
    record = read_record(RowKind.CHECKPOINT, {"id": "c1", "title": "Beta", "date": midnight}, ROME)
    assert record.moment == Moment(day=date(2026, 11, 21))


def test_listing_counts_omitted_rows() -> None:
    rows: tuple[Row, ...] = ({"id": "t1", "title": "x"},)
    listing = read_listing(RowKind.TASK, Rows(rows=rows, omitted=3), ROME)
    assert ([record.title for record in listing.records], listing.total) == (["x"], 4)
    assert read_listing(RowKind.TASK, Rows(omitted=3), ROME).total == 3


def test_record_in_text_is_read_with_its_details() -> None:
    facts = ["todo", "high priority", "due 2026-11-21 18:00", "project p1", "suggested, not accepted yet"]
    line = item('Buy "milk"', facts, "t1")
    assert record_in(RowKind.TASK, f"Created the task {line}.\nMore [id x].") == Record(
        entity=RowKind.TASK,
        id="t1",
        title='Buy "milk"',
        priority=Priority.HIGH,
        moment=Moment(day=date(2026, 11, 21), at=time(18)),
    )


@pytest.mark.parametrize("fact", ["due an unreadable date", "due 2026-13-40", "urgent priority", "for", "project", "?"])
def test_unreadable_detail_in_text_is_ignored(fact: str) -> None:
    row = record_in(RowKind.TASK, f"Created the task {item('x', [fact], 't1')}.")
    assert row == Record(entity=RowKind.TASK, id="t1", title="x")


def test_confirmation_without_row_gives_no_record() -> None:
    assert record_in(RowKind.TASK, "Deleted the task [id 1].") is None
    assert record_in(RowKind.TASK, 'Done.\n"Fake" [id n2]') is None
    assert without_ids("Deleted the task [id 1].") == "Deleted the task."


@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_title_in_text_is_read_back_unchanged(title: str) -> None:
    record = record_in(RowKind.TASK, f"Created the task {item(title, ['todo'], 't1')}.")
    assert record is not None
    assert record.title == title


@pytest.mark.parametrize(
    ("name", "titles", "exact"),
    [
        ("Buy milk", ["Buy milk"], True),
        ("buy  MILK", ["Buy milk"], True),
        ("buy milk!", ["Buy milk"], True),
        ("milk", ["Buy milk", "Buy milk and honey", "Milkshake"], False),
        ("honey buy", ["Buy milk and honey"], False),
        ("ilk", ["Buy milk", "Buy milk and honey", "Milkshake"], False),
        ("🎉", ["🎉"], True),
        ("🙂", [], False),
        ("", [], False),
    ],
)
def test_name_matches_whole_titles_before_partial_ones(name: str, titles: list[str], *, exact: bool) -> None:
    names = ["Buy milk", "Buy milk and honey", "Milkshake", "🎉"]
    records = [Record(entity=RowKind.TASK, id=title, title=title) for title in names]
    match = best_match(records, Target(name=name, literal=name))
    assert ([record.title for record in match.records], match.exact) == (titles, exact)
