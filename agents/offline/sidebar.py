"""The sidebar's few tools in place of those that plans request.

Plans request tools such as ``list_tasks`` and ``get_note``. In the sidebar, one tool reads whole pages. So the rows are
looked up on a page, and the plan gets the result that it expects.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from accounts.translations import gettext_noop
from agents.adapters.base import ToolMessage, ToolSchema
from agents.calls import Row, Rows, Table
from agents.offline.answers import PlanAnswer
from agents.offline.commands import ChangeRow, Command, DeleteRow, RowKind
from agents.offline.context import Context, Plan, PlanEnded, Results, Round, Steps, ToolRequest, request
from agents.offline.plans import plan
from agents.scopes import ListScope, NoteScope, View, viewed_project
from agents.tools.page_details import Part
from agents.tools.rows import text

_NOTES_READ_ONLY: Final = gettext_noop("Here I can read notes, but not edit them. Open the note to change it.")
_NOTE_CHANGES: Final = frozenset({"update_note", "delete_note"})
_ALWAYS: Final = (
    *("get_page_details", "list_tasks", "list_projects", "list_checkpoints", "get_project", "get_note"),
    *("list_task_comments", "create_task", "update_task", "create_note", "create_checkpoint", "undo_changes"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class _LookUp:
    """The request that replaces another one, and the conversion of its result to the other's result."""

    request: ToolRequest
    read: Callable[[ToolMessage], ToolMessage] = lambda result: result


def plan_beside_page(context: Context, view: View, command: Command) -> Plan:
    """The plan for ``command`` with only the sidebar's tools."""
    if isinstance(command, ChangeRow | DeleteRow) and command.target.entity is RowKind.NOTE:
        yield from ()
        return context.say(_NOTES_READ_ONLY)
    lists_other_rows = isinstance(view.scope, ListScope) and view.scope.page != "notes-list"
    names = _ALWAYS if view.scope is None or lists_other_rows else (*_ALWAYS, "list_notes")
    tools = [ToolSchema(name=name, description="", parameters={}) for name in names]
    inner = plan(replace(context, tools=tools), command)
    try:
        requests = next(inner)
        while True:
            requests = inner.send((yield from _looked_up(context, view, requests, names)))
    except StopIteration as ended:
        answer: PlanAnswer = ended.value
        return answer


def _looked_up(context: Context, view: View, requests: Round, names: Sequence[str]) -> Steps[Results]:
    """The results for ``requests``. Each page is read once. Raises ``PlanEnded`` if there is no tool for a request."""
    for each in requests:
        if each.name in _NOTE_CHANGES:
            raise PlanEnded(context.say(_NOTES_READ_ONLY))
        if each.name not in names:
            raise PlanEnded(context.say("I cannot do this beside a page. Ask me on Home."))
    in_view = [_result_in_view(view, each) for each in requests]
    look_ups = [_look_up(view, each) for each, result in zip(requests, in_view, strict=True) if result is None]
    distinct = {repr(look_up.request): look_up.request for look_up in look_ups}
    results = (yield tuple(distinct.values())) if distinct else ()
    answers = dict(zip(distinct, results, strict=True))
    read = iter([look_up.read(answers[repr(look_up.request)]) for look_up in look_ups])
    return tuple(next(read) if result is None else result for result in in_view)


def _result_in_view(view: View, wanted: ToolRequest) -> ToolMessage | None:
    """The list of notes, if the view already contains it, because no tool lists all notes; None otherwise."""
    if wanted.name != "list_notes" or wanted.arguments.get("project_id"):
        return None
    match view.scope:
        case ListScope(page="notes-list"):
            notes = view.notes
        case NoteScope(projectId=None, entityName=title, entityId=row_id):
            notes = ({"id": row_id, "title": title},)
        case _:
            return None
    return ToolMessage(call_id="", text="", rows={Table.NOTES: Rows(rows=notes)})


def _look_up(view: View, wanted: ToolRequest) -> _LookUp:  # noqa: C901 - one case for each tool
    given = wanted.arguments
    viewed = viewed_project(view.scope)
    match wanted.name:
        case "list_tasks":
            return _tasks(given.get("project_id", viewed), given.get("status"), str(given.get("search") or ""))
        case "list_projects":
            return _page(Part.PROJECTS, Table.PROJECTS, "projects_all")
        case "list_checkpoints" if given["project_id"] == viewed:
            return _page(Part.MILESTONES, Table.CHECKPOINTS, "project", viewed)
        case "list_checkpoints":
            meant = {"type": "checkpoint", "projectId": given["project_id"]}
            return _page(
                Part.EVENTS, Table.CHECKPOINTS, "timeline_all", is_meant=lambda event: meant.items() <= event.items()
            )
        case "list_notes":
            project_id = getattr(view.scope, "projectId", None) or getattr(view.scope, "entityId", None)
            return _page(Part.NOTES, Table.NOTES, "project", given.get("project_id") or project_id)
        case "get_project":
            return _page(Part.PROJECT, Table.PROJECTS, "project", given["project_id"])
        case "get_note":
            return _page(Part.NOTE, Table.NOTES, "note", given["note_id"])
        case "list_task_comments":
            return _page(Part.COMMENTS, Table.TASK_COMMENTS, "task", given["task_id"])
        case "create_note":
            body = {"title": given["title"], "body": given["content"], "project_id": given.get("project_id")}
            return _LookUp(request=request("create_note", **body))
        case "create_checkpoint":
            event = {"title": given["title"], "due_at": given["date"], "project_id": given["project_id"]}
            return _LookUp(request=request("create_timeline_event", type="checkpoint", **event))
        case _:
            return _LookUp(request=wanted)


def _tasks(project_id: object, status: object, word: str) -> _LookUp:
    def is_meant(row: Row) -> bool:
        return status in {None, row.get("status")} and word.casefold() in text(row, "title").casefold()

    page = "tasks_all" if project_id is None else "project"
    return _page(Part.TASKS, Table.TASKS, page, project_id, is_meant=is_meant)


def _page(
    part: Part,
    table: Table,
    entity_type: str,
    entity_id: object = None,
    *,
    is_meant: Callable[[Row], bool] = lambda _row: True,
) -> _LookUp:
    """Read the rows in a part of a page for which ``is_meant`` is true. Without that part, the result is a failure."""

    def read(page: ToolMessage) -> ToolMessage:
        found = page.rows.get(part)
        if found is None:
            return replace(page, rows={})
        rows = tuple(row for row in found.rows if is_meant(row))
        return replace(page, rows={table: replace(found, rows=rows)})

    return _LookUp(request=request("get_page_details", entity_type=entity_type, entity_id=entity_id), read=read)
