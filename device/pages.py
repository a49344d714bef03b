"""``page_details``: everything about what a page of the client shows, in one answer."""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias, cast

from pydantic import JsonValue

from device.calls import Call
from device.errors import CallRefused
from device.store import Store
from device.tables import Row, TableName, shown

_COMMENTED_TASKS: Final = 20
"""Comments come with a project's newest tasks only."""

Page: TypeAlias = dict[str, JsonValue]


def page_details(store: Store, call: Call) -> Page | None:
    """The snapshot that ``data.entityType`` and ``data.entityId`` ask for; None when there is no such row.

    Raises ``CallRefused`` for an unknown type, and for filters that it does not have.
    """
    with store.transaction():
        return _snapshot(store, call, call.text("entityType"))


def _snapshot(store: Store, call: Call, entity_type: str) -> Page | None:
    if entity_type in _ROW_PAGES:
        table, page = _ROW_PAGES[entity_type]
        row = store.get(table, call.text("entityId"))
        return None if row is None else page(store, row)
    if entity_type in _LIST_PAGES:
        return _LIST_PAGES[entity_type](store, call.filters)
    raise CallRefused(f"There is no page of {shown(entity_type)}.")


def _project(store: Store, project: Row) -> Page:
    of_project: Row = {"projectId": project["id"]}
    tasks = store.select(TableName.TASKS, of_project)
    newest = store.select(TableName.TASKS, {**of_project, "orderBy": "-createdAt"}, limit=_COMMENTED_TASKS)
    notes = store.select(TableName.NOTES, of_project)
    return _page(
        project=project,
        tasks=tasks,
        notes=[_without(note, "content") for note in notes],
        milestones=store.select(TableName.CHECKPOINTS, {**of_project, "orderBy": "date"}),
        comments=[comment for task in newest for comment in _comments(store, task)],
    )


def _task(store: Store, task: Row) -> Page:
    project_id = task["projectId"]
    return _page(
        task=task,
        project=store.get(TableName.PROJECTS, project_id) if isinstance(project_id, str) else None,
        comments=_comments(store, task),
        deps=[],
    )


def _note(_store: Store, note: Row) -> Page:
    return _page(note={**_without(note, "content"), "body": note["content"]})


def _all_tasks(store: Store, filters: Row) -> Page:
    return _page(tasks=store.select(TableName.TASKS, filters))


def _all_projects(store: Store, filters: Row) -> Page:
    return _page(projects=store.select(TableName.PROJECTS, filters))


def _timeline(store: Store, filters: Row) -> Page:
    checkpoints = [_event("checkpoint", row, "date") for row in store.select(TableName.CHECKPOINTS, filters)]
    tasks = [_event("task", row, "dueDate") for row in store.select(TableName.TASKS, filters)]
    dated = [event for event in checkpoints + tasks if event["date"] is not None]
    return _page(events=sorted(dated, key=lambda event: cast("int", event["date"])))


def _event(kind: str, row: Row, date: str) -> Row:
    event = {"type": kind, "id": row["id"], "title": row["title"], "date": row[date], "projectId": row["projectId"]}
    return {**event, "status": row["status"]} if "status" in row else event


def _comments(store: Store, task: Row) -> list[Row]:
    return store.select(TableName.TASK_COMMENTS, {"taskId": task["id"]})


def _without(row: Row, column: str) -> Row:
    return {name: value for name, value in row.items() if name != column}


def _page(**parts: Row | list[Row] | None) -> Page:
    return cast("Page", parts)


_ROW_PAGES: Final[Mapping[str, tuple[TableName, Callable[[Store, Row], Page]]]] = {
    "project": (TableName.PROJECTS, _project),
    "task": (TableName.TASKS, _task),
    "note": (TableName.NOTES, _note),
}
_LIST_PAGES: Final[Mapping[str, Callable[[Store, Row], Page]]] = {
    "tasks_all": _all_tasks,
    "projects_all": _all_projects,
    "timeline_all": _timeline,
}
