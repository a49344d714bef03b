"""``page_details``: the shapes of the data behind a sidebar's answer."""

from typing import Any

import pytest

from device.executor import Executor
from device.store import Store
from device.tables import Row, TableName
from tests.device.clocks import ManualClock


def _details(executor: Executor, entity_type: str, entity_id: object = None, **filters: Any) -> Any:
    data = {"entityType": entity_type} if entity_id is None else {"entityType": entity_type, "entityId": entity_id}
    frame: dict[str, Any] = {"id": "c", "action": "page_details", "data": data, "filters": filters}
    answer = executor.execute(frame)
    return answer.get("row", answer)


def _comment(store: Store, task: Row) -> Row:
    return store.insert(TableName.TASK_COMMENTS, {"taskId": task["id"], "author": "Anna", "content": "Fine."})


def test_page_of_a_project_shows_all_that_belongs_to_it(store: Store, executor: Executor) -> None:
    project = store.insert(TableName.PROJECTS, {"name": "House", "status": "archived"})
    mine: Row = {"projectId": project["id"]}
    task = store.insert(TableName.TASKS, {**mine, "title": "Roof"})
    store.insert(TableName.TASKS, {"title": "Something else"})
    note = store.insert(TableName.NOTES, {**mine, "title": "Ideas", "content": "Tiles"})
    later = store.insert(TableName.CHECKPOINTS, {**mine, "title": "Moved in", "date": 9})
    sooner = store.insert(TableName.CHECKPOINTS, {**mine, "title": "Roof on", "date": 3})
    comment = _comment(store, task)
    assert _details(executor, "project", project["id"]) == {
        "project": project,
        "tasks": [task],
        "notes": [{name: value for name, value in note.items() if name != "content"}],
        "milestones": [sooner, later],
        "comments": [comment],
    }


def test_page_of_a_project_has_comments_of_the_twenty_newest_tasks(
    store: Store, executor: Executor, clock: ManualClock
) -> None:
    project = store.insert(TableName.PROJECTS, {"name": "House"})
    comments = []
    for number in range(22):
        clock.now += 1
        task = store.insert(TableName.TASKS, {"title": f"task {number}", "projectId": project["id"]})
        comments.append(_comment(store, task))
    page = _details(executor, "project", project["id"])
    assert page["comments"] == comments[:1:-1]
    assert len(page["tasks"]) == 22


def test_page_of_a_task_shows_its_project_and_comments(store: Store, executor: Executor) -> None:
    project = store.insert(TableName.PROJECTS, {"name": "House"})
    task = store.insert(TableName.TASKS, {"title": "Roof", "projectId": project["id"]})
    comment = _comment(store, task)
    assert _details(executor, "task", task["id"]) == {
        "task": task,
        "project": project,
        "comments": [comment],
        "deps": [],
    }


def test_page_of_a_task_without_project_has_none(store: Store, executor: Executor) -> None:
    task = store.insert(TableName.TASKS, {"title": "Roof"})
    assert _details(executor, "task", task["id"])["project"] is None


def test_page_of_a_note_has_its_body(store: Store, executor: Executor) -> None:
    note = dict(store.insert(TableName.NOTES, {"title": "Ideas", "content": "Tiles"}))
    body = note.pop("content")
    assert _details(executor, "note", note["id"]) == {"note": {**note, "body": body}}


def test_pages_of_lists_apply_the_filters_of_the_page(store: Store, executor: Executor) -> None:
    done = store.insert(TableName.TASKS, {"title": "Roof", "status": "done"})
    store.insert(TableName.TASKS, {"title": "Door"})
    archived = store.insert(TableName.PROJECTS, {"name": "Boat", "status": "archived"})
    assert _details(executor, "tasks_all", status="done") == {"tasks": [done]}
    assert _details(executor, "projects_all") == {"projects": []}
    assert _details(executor, "projects_all", includeArchived=True) == {"projects": [archived]}


def test_timeline_holds_checkpoints_and_tasks_with_a_due_date(store: Store, executor: Executor) -> None:
    checkpoint = store.insert(TableName.CHECKPOINTS, {"projectId": "p", "title": "Roof on", "date": 5})
    due = store.insert(TableName.TASKS, {"title": "Door", "dueDate": 2})
    store.insert(TableName.TASKS, {"title": "Some day"})
    door = {"type": "task", "id": due["id"], "title": "Door", "date": 2, "projectId": None, "status": "todo"}
    roof = {"type": "checkpoint", "id": checkpoint["id"], "title": "Roof on", "date": 5, "projectId": "p"}
    assert _details(executor, "timeline_all") == {"events": [door, roof]}
    assert _details(executor, "timeline_all", projectId="p") == {"events": [roof]}


@pytest.mark.parametrize("entity_type", ["project", "task", "note"])
def test_page_of_what_does_not_exist_is_null(executor: Executor, entity_type: str) -> None:
    assert _details(executor, entity_type, "nowhere") is None


def test_page_needs_a_known_type_and_an_id(executor: Executor) -> None:
    assert _details(executor, "client", "c") == {"error": 'There is no page of "client".'}
    assert _details(executor, "task") == {"error": "page_details needs data.entityId."}
