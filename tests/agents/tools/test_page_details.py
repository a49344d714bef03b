import pytest
from pydantic import JsonValue

from agents.calls import Table
from agents.tools.page_details import valid_filters

GIVEN: dict[str, JsonValue] = {
    "projectId": "p1",
    "status": "todo",
    "search": "milk",
    "orderBy": "-dueDate",
    "dueDateFrom": 1,
    "dueDateTo": 2,
    "clientId": "c1",
    "includeArchived": True,
    "taskId": "t1",
    "colour": "red",
}


@pytest.mark.parametrize(
    ("table", "names"),
    [
        (Table.TASKS, {"projectId", "status", "search", "orderBy", "dueDateFrom", "dueDateTo"}),
        (Table.CHECKPOINTS, {"projectId", "search", "dueDateFrom", "dueDateTo"}),
        (Table.PROJECTS, {"clientId", "search", "orderBy", "includeArchived"}),
        (Table.NOTES, {"projectId", "search"}),
    ],
)
def test_table_gets_only_its_filters(table: Table, names: set[str]) -> None:
    assert valid_filters(table, GIVEN) == {name: value for name, value in GIVEN.items() if name in names}


@pytest.mark.parametrize(
    "filters", [None, {}, {"status": "all"}, {"status": 1}, {"search": ""}, {"dueDateTo": True}, {"projectId": ["p"]}]
)
def test_invalid_filters_are_left_out(filters: dict[str, JsonValue] | None) -> None:
    assert valid_filters(Table.TASKS, filters) == {}
