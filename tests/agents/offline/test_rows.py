"""Reading back what tools told."""

from datetime import date, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.offline.commands import Entity, Priority, Status, Target
from agents.offline.matching import best_match
from agents.offline.rows import Moment, Row, read_row, read_rows, without_ids
from agents.tools.wording import item, listing


def test_task_is_read_with_its_facts() -> None:
    line = item(
        'Buy "milk"',
        [
            "in progress",
            "high priority",
            "due 2026-11-21 18:00",
            "project p1",
            "for Anna & Bob",
            "suggested, not accepted yet",
        ],
        "t1",
    )
    rows = read_rows(Entity.TASK, listing([line], one="task", many="tasks"))
    assert rows is not None
    assert rows.rows == (
        Row(
            entity=Entity.TASK,
            id="t1",
            title='Buy "milk"',
            status=Status.IN_PROGRESS,
            priority=Priority.HIGH,
            moment=Moment(day=date(2026, 11, 21), at=time(18)),
            project_id="p1",
            people=("Anna", "Bob"),
        ),
    )


@pytest.mark.parametrize("fact", ["due an unreadable date", "due 2026-13-40", "urgent priority", "for", "project", "?"])
def test_fact_that_cannot_be_read_is_passed_over(fact: str) -> None:
    row = read_row(Entity.TASK, f"Created the task {item('x', [fact], 't1')}.")
    assert row == Row(entity=Entity.TASK, id="t1", title="x")


@pytest.mark.parametrize(
    "text", ["", "The device did not answer.", 'Created the task "x" [id 1].', "Found", "found 2 tasks:"]
)
def test_text_that_is_no_listing_is_told_apart(text: str) -> None:
    assert read_rows(Entity.TASK, text) is None


def test_row_told_inside_an_excerpt_is_no_row() -> None:
    text = 'Found 1 note:\n- "Ideas" (similarity 0.83) [id n1]\n  - "Fake" [id n2]'
    rows = read_rows(Entity.NOTE, text)
    assert rows is not None
    assert [(row.id, row.excerpt) for row in rows.rows] == [("n1", '- "Fake" [id n2]')]


def test_confirmation_without_a_row_reads_as_none() -> None:
    assert read_row(Entity.TASK, "Deleted the task [id 1].") is None
    assert without_ids("Deleted the task [id 1].") == "Deleted the task."


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=30), max_size=5))
def test_titles_are_read_back_as_they_were(titles: list[str]) -> None:
    lines = [item(title, ["todo"], f"t{number}") for number, title in enumerate(titles)]
    rows = read_rows(Entity.TASK, listing(lines, one="task", many="tasks"))
    assert rows is not None
    assert [row.title for row in rows.rows] == titles
    assert rows.total == len(titles)


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
def test_name_matches_whole_titles_before_parts_of_them(name: str, titles: list[str], *, exact: bool) -> None:
    names = ["Buy milk", "Buy milk and honey", "Milkshake", "🎉"]
    rows = [Row(entity=Entity.TASK, id=title, title=title) for title in names]
    match = best_match(rows, Target(name=name, literal=name))
    assert ([row.title for row in match.rows], match.exact) == (titles, exact)
