"""The device's tables as a readable overview."""

from zoneinfo import ZoneInfo

import pytest
from rich.text import Text

from device.errors import UsageError
from device.overview import table_counts, table_rows
from device.store import Store
from device.tables import Row, TableName
from tests.device.drawing import console, drawn, written

_ROME = ZoneInfo("Europe/Rome")


def test_counts_name_every_table(store: Store) -> None:
    store.insert(TableName.TASKS, {"title": "Buy milk"})
    assert drawn(table_counts(store)) == [
        "table          rows",
        "───────────────────",
        "tasks             1",
        "projects          0",
        "checkpoints       0",
        "notes             0",
        "taskComments      0",
        "clients           0",
    ]


def test_rows_show_names_instead_of_ids_and_only_columns_that_say_something(store: Store) -> None:
    project = store.insert(TableName.PROJECTS, {"name": "House", "status": "archived"})
    due: Row = {"dueDate": 1_795_341_600_000, "assignee": '["Anna"]'}
    store.insert(TableName.TASKS, {"title": "Roof", "projectId": project["id"], **due})
    store.insert(TableName.TASKS, {"title": "A title of more than sixty characters, which nobody would read here"})
    assert drawn(table_rows(store, "TASKS", zone=_ROME), width=140) == [
        f"project   title{' ' * 59}status   priority   assignee   dueDate",
        "─" * 122,
        f"House     Roof{' ' * 60}todo     medium     Anna       22 Nov 2026 11:00",
        "          A title of more than sixty characters, which nobody would re…   todo     medium",
    ]
    assert drawn(table_rows(store, "projects", zone=_ROME)) == [
        "name    status",
        "────────────────",
        "House   archived",
    ]


def test_rows_that_a_terminal_is_too_narrow_for_have_lines_of_their_own(store: Store) -> None:
    project = store.insert(TableName.PROJECTS, {"name": "House"})
    given: Row = {"projectId": project["id"], "assignee": '["Anna"]', "dueDate": 1_795_341_600_000}
    store.insert(TableName.TASKS, {"title": "Tell the neighbours about the new roof of the house", **given})
    store.insert(TableName.TASKS, {"title": "屋根", "status": "done"})
    rows = table_rows(store, "tasks", zone=_ROME)
    target = console(width=40, terminal=True)
    target.print(rows, crop=False)
    assert [Text.from_ansi(line).plain.rstrip() for line in written(target).splitlines()] == [
        "Tell the neighbours about the new roof",
        "of the house",
        "  project House · status todo · priority",
        "  medium · assignee Anna · dueDate 22",
        "  Nov 2026 11:00",
        "屋根",
        "  status done · priority medium",
    ]
    # Into a pipe goes a table, however long its lines are.
    assert len(drawn(rows, width=40)) == 4


def test_an_empty_table_is_reported_as_empty(store: Store) -> None:
    assert drawn(table_rows(store, "clients", zone=_ROME)) == ["There are no clients."]


def test_rows_of_an_unknown_table_are_refused(store: Store) -> None:
    with pytest.raises(UsageError) as refused:
        table_rows(store, "songs", zone=_ROME)
    assert str(refused.value) == (
        "There is no table songs: there are tasks, projects, checkpoints, notes, taskComments, clients."
    )
