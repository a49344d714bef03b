"""Filters of select, compared with a plain model of the protocol's rules."""

import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from device.errors import CallRefused
from device.store import Store
from device.tables import Row, TableName
from tests.device.clocks import ManualClock
from tests.effort import tries

_TEXTS = st.text(alphabet="aAbB éÉßİσς%_'\\", max_size=4)
_IDS = st.sampled_from(["p1", "p2"])
_MOMENTS = st.integers(-3, 3)
_TASKS = st.fixed_dictionaries(
    {"title": _TEXTS.map(lambda text: f"x{text}")},
    optional={
        "description": st.none() | _TEXTS,
        "projectId": st.none() | _IDS,
        "status": st.sampled_from(["todo", "in_progress", "done"]),
        "priority": st.sampled_from(["high", "medium", "low"]),
        "dueDate": st.none() | _MOMENTS,
    },
)
_FILTERS = st.fixed_dictionaries(
    {},
    optional={
        "search": _TEXTS,
        "projectId": _IDS,
        "status": st.sampled_from(["todo", "in_progress", "done"]),
        "dueDateFrom": _MOMENTS,
        "dueDateTo": _MOMENTS,
        "orderBy": st.sampled_from(["dueDate", "-dueDate", "priority", "-priority", "title", "-title", "createdAt"]),
    },
)


@settings(
    max_examples=tries(60, long=2_000), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(tasks=st.lists(_TASKS, max_size=12), filters=_FILTERS, limit=st.integers(1, 15))
def test_select_gives_what_the_model_gives(
    store: Store, clock: ManualClock, tasks: list[Row], filters: dict[str, Any], limit: int
) -> None:
    store.run("DELETE FROM tasks")
    rows = []
    for task in tasks:
        clock.now += 1
        rows.append(store.insert(TableName.TASKS, task))
    assert store.select(TableName.TASKS, filters, limit=limit) == _modelled(rows, filters)[:limit]


def test_search_may_have_any_number_of_words(store: Store) -> None:
    words = " ".join(f"word{number}" for number in range(2_000))
    row = store.insert(TableName.NOTES, {"title": "All", "content": words})
    assert store.select(TableName.NOTES, {"search": words}) == [row]
    assert store.select(TableName.NOTES, {"search": f"{words} missing"}) == []


def _modelled(rows: list[Row], filters: dict[str, Any]) -> list[Row]:
    conditions: dict[str, Callable[[Any, Any], bool]] = {
        "search": lambda row, value: all(
            any(word in _fold(row[name] or "") for name in ("title", "description")) for word in _fold(value).split()
        ),
        "projectId": lambda row, value: bool(row["projectId"] == value),
        "status": lambda row, value: bool(row["status"] == value),
        "dueDateFrom": lambda row, value: row["dueDate"] is not None and row["dueDate"] >= value,
        "dueDateTo": lambda row, value: row["dueDate"] is not None and row["dueDate"] <= value,
    }
    found = [row for row in rows if all(conditions[name](row, filters[name]) for name in filters if name in conditions)]
    order = filters.get("orderBy")
    if order is None:
        return found
    column = order.removeprefix("-")
    given_rows = [row for row in found if row[column] is not None]
    empty = [row for row in found if row[column] is None]
    ranks: dict[str, Callable[[Any], Any]] = {"priority": ["high", "medium", "low"].index, "title": _fold}
    rank = ranks.get(column, lambda value: value)
    # Stable: equal rows stay in order of age, oldest first, in either direction.
    return sorted(given_rows, key=lambda row: rank(row[column]), reverse=order.startswith("-")) + empty


def _fold(text: str) -> str:
    apart = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(mark for mark in apart if not 0x300 <= ord(mark) <= 0x36F)).casefold()


@pytest.mark.parametrize(
    "needle",
    ["perché", "PERCHÉ", unicodedata.normalize("NFD", "Perché"), "perche", "no perche", " NO\nperché domande "],
)
def test_search_finds_all_words_whatever_their_order_case_and_accents(store: Store, needle: str) -> None:
    note = store.insert(TableName.NOTES, {"title": "Domande", "content": "E Perché no?"})
    store.insert(TableName.NOTES, {"title": "Perch no"})
    assert store.select(TableName.NOTES, {"search": needle}) == [note]


@pytest.mark.parametrize(
    ("table", "columns", "needle"),
    [
        (TableName.PROJECTS, {"name": "Villa Sul Lago"}, "sul"),
        (TableName.CHECKPOINTS, {"projectId": "p", "title": "Go live", "date": 1}, "LIVE"),
        (TableName.TASK_COMMENTS, {"taskId": "t", "author": "Anna", "content": "Später"}, "SPÄTER"),
        (TableName.CLIENTS, {"name": "Bakery"}, "bak"),
    ],
)
def test_search_looks_into_the_text_of_every_table(store: Store, table: TableName, columns: Row, needle: str) -> None:
    row = store.insert(table, columns)
    assert store.select(table, {"search": needle}) == [row]
    assert store.select(table, {"search": f"{needle}!"}) == []


def test_select_leaves_archived_projects_out_unless_asked(store: Store) -> None:
    active = store.insert(TableName.PROJECTS, {"name": "House"})
    archived = store.insert(TableName.PROJECTS, {"name": "Boat", "status": "archived"})
    assert store.select(TableName.PROJECTS, {}) == [active]
    assert store.select(TableName.PROJECTS, {"includeArchived": False}) == [active]
    assert store.select(TableName.PROJECTS, {"includeArchived": True}) == [active, archived]
    assert store.select(TableName.PROJECTS, {"status": "archived"}) == [archived]


def test_select_filters_projects_by_client_and_comments_by_task(store: Store) -> None:
    mine = store.insert(TableName.PROJECTS, {"name": "House", "clientId": "c1"})
    store.insert(TableName.PROJECTS, {"name": "Boat", "clientId": "c2"})
    said = store.insert(TableName.TASK_COMMENTS, {"taskId": "t1", "author": "Anna", "content": "Fine."})
    store.insert(TableName.TASK_COMMENTS, {"taskId": "t2", "author": "Anna", "content": "Fine."})
    assert store.select(TableName.PROJECTS, {"clientId": "c1"}) == [mine]
    assert store.select(TableName.TASK_COMMENTS, {"taskId": "t1"}) == [said]


def test_select_filters_checkpoints_by_their_date(store: Store) -> None:
    rows = [store.insert(TableName.CHECKPOINTS, {"projectId": "p", "title": "x", "date": date}) for date in (1, 2, 3)]
    assert store.select(TableName.CHECKPOINTS, {"dueDateFrom": 2, "dueDateTo": 2}) == [rows[1]]


@pytest.mark.parametrize(
    ("table", "filters", "sentence"),
    [
        (TableName.TASKS, {"colour": "red"}, 'There is no filter "colour".'),
        (TableName.TASKS, {"clientId": "c"}, "tasks cannot be filtered by clientId."),
        (TableName.NOTES, {"dueDateFrom": 1}, "notes cannot be filtered by dueDateFrom."),
        (TableName.CLIENTS, {"status": "active"}, "clients cannot be filtered by status."),
        (TableName.TASKS, {"status": "open"}, 'status must be one of todo, in_progress, done, not "open".'),
        (TableName.TASKS, {"projectId": None}, "projectId must be text, not null."),
        (TableName.TASKS, {"search": 7}, "search must be text, not 7."),
        (TableName.TASKS, {"dueDateTo": "now"}, 'dueDateTo must be a whole number of milliseconds, not "now".'),
        (TableName.TASKS, {"orderBy": "--title"}, 'tasks has no column "-title".'),
        (TableName.TASKS, {"orderBy": "title; DROP TABLE tasks"}, 'tasks has no column "title; DROP TABLE tasks".'),
        (TableName.TASKS, {"orderBy": None}, "orderBy must be text, not null."),
        (TableName.PROJECTS, {"includeArchived": 1}, "includeArchived must be true or false, not 1."),
    ],
)
def test_select_refuses_filters_that_make_no_sense(store: Store, table: TableName, filters: Row, sentence: str) -> None:
    with pytest.raises(CallRefused) as refused:
        store.select(table, filters)
    assert str(refused.value) == sentence


@pytest.mark.parametrize("limit", [0, -1])
def test_select_refuses_a_limit_below_one(store: Store, limit: int) -> None:
    with pytest.raises(CallRefused, match=f"^limit must be 1 or more, not {limit}.$"):
        store.select(TableName.TASKS, {}, limit=limit)
