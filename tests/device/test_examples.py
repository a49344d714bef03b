"""The examples are dated around today in any time zone, and are inserted all or not at all."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from device.examples import fill_with_examples
from device.store import Store
from device.tables import Row, TableName

_TODAY = date(2026, 3, 29)  # summer time begins in Rome


@pytest.mark.parametrize("zone", [ZoneInfo("Europe/Rome"), ZoneInfo("Pacific/Kiritimati"), ZoneInfo("America/Adak")])
def test_examples_lie_around_today(store: Store, zone: ZoneInfo) -> None:
    fill_with_examples(store, today=_TODAY, zone=zone)
    tasks = store.select(TableName.TASKS, {})
    open_tasks = [task for task in tasks if task["status"] != "done"]
    due = [_day(task["dueDate"], zone) for task in open_tasks if task["dueDate"] is not None]
    assert due.count(_TODAY) == 3
    assert sum(day < _TODAY for day in due) == 2
    assert sum(_TODAY < day <= _TODAY + timedelta(days=10) for day in due) == 4
    assert [len(tasks) - len(open_tasks), len(open_tasks) - len(due)] == [3, 1]


def _day(moment_ms: object, zone: ZoneInfo) -> date:
    assert isinstance(moment_ms, int)
    return datetime.fromtimestamp(moment_ms / 1000, zone).date()


def test_examples_fill_every_table_and_refer_to_each_other(store: Store) -> None:
    fill_with_examples(store, today=_TODAY, zone=ZoneInfo("Europe/Rome"))
    assert store.counts() == {"tasks": 13, "projects": 3, "checkpoints": 5, "notes": 4, "taskComments": 3, "clients": 2}
    projects, clients, tasks = (_ids(store, table) for table in ("projects", "clients", "tasks"))
    assert _used(store, TableName.PROJECTS, "clientId") == clients
    assert _used(store, TableName.CHECKPOINTS, "projectId") == projects
    assert _used(store, TableName.TASKS, "projectId") - {None} == projects
    assert _used(store, TableName.NOTES, "projectId") - {None} == projects
    assert _used(store, TableName.TASK_COMMENTS, "taskId") < tasks


def _ids(store: Store, table: str) -> set[object]:
    return _used(store, TableName(table), "id")


def _used(store: Store, table: TableName, column: str) -> set[object]:
    rows: list[Row] = store.select(table, {})
    return {row[column] for row in rows}


def test_examples_come_all_or_not_at_all(store: Store) -> None:
    store.run("CREATE TRIGGER full BEFORE INSERT ON notes BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
    with pytest.raises(Exception, match="the disk is full"):
        fill_with_examples(store, today=_TODAY, zone=ZoneInfo("Europe/Rome"))
    assert set(store.counts().values()) == {0}
