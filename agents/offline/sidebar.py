"""The sidebar's few tools in the place of those that plans ask for.

A plan lists tasks and reads notes. Beside a page there is one tool that reads whole pages, so what a plan asks for is
looked up on the right page, and the plan gets the result that it expects.
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
from agents.scopes import ListScope, NoteScope, ProjectScope, View
from agents.tools.page_details import Part
from agents.tools.rows import text

_NOTES_READ_ONLY: Final = gettext_noop("Here I can read notes, but not edit them. Open the note to change it.")
_NOTE_CHANGES: Final = frozenset({"update_note", "delete_note"})
_ALWAYS: Final = (
    *("get_page_details", "list_tasks", "list_projects", "list_checkpoints", "get_project", "get_note"),
    *("list_task_comments", "create_task", "update_task", "create_note", "create_checkpoint"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class _LookUp:
    """The request in the place of another, and how its result reads as the answer to that one."""

    request: ToolRequest
    read: Callable[[ToolMessage], ToolMessage] = lambda result: result


def plan_beside_page(context: Context, view: View, command: Command) -> Plan:
    """The plan for ``command`` where only the sidebar's tools are on offer."""
    if isinstance(command, ChangeRow | DeleteRow) and command.target.entity is RowKind.NOTE:
        yield from ()
        return context.say(_NOTES_READ_ONLY)
    names = (*_ALWAYS, "list_notes") if _notes_on(view) else _ALWAYS
    tools = [ToolSchema(name=name, description="", parameters={}) for name in names]
    as_asked = plan(replace(context, tools=tools), command)
    try:
        wanted = next(as_asked)
        while True:
            wanted = as_asked.send((yield from _looked_up(context, view, wanted, names)))
    except StopIteration as ended:
        answer: PlanAnswer = ended.value
        return answer


def _looked_up(context: Context, view: View, wanted: Round, names: Sequence[str]) -> Steps[Results]:
    """The results for ``wanted``; each page is read once. Raises ``PlanEnded`` when there is no tool for it."""
    for asked in wanted:
        if asked.name in _NOTE_CHANGES:
            raise PlanEnded(context.say(_NOTES_READ_ONLY))
        if asked.name not in names:
            raise PlanEnded(context.say("I cannot do this beside a page. Ask me on Home."))
    on_page = [_on_page(view, asked) for asked in wanted]
    look_ups = [_look_up(view, asked) for asked, result in zip(wanted, on_page, strict=True) if result is None]
    distinct = {repr(look_up.request): look_up.request for look_up in look_ups}
    results = (yield tuple(distinct.values())) if distinct else ()
    answers = dict(zip(distinct, results, strict=True))
    read = iter([look_up.read(answers[repr(look_up.request)]) for look_up in look_ups])
    return tuple(next(read) if result is None else result for result in on_page)


def _notes_on(view: View) -> bool:
    """Whether the page lists notes."""
    match view.scope:
        case ListScope(page=page):
            return page == "notes-list"
        case None:
            return False
        case _:
            return True


def _on_page(view: View, asked: ToolRequest) -> ToolMessage | None:
    """The result, where the view of the page holds it already: no tool lists all notes."""
    if asked.name != "list_notes" or asked.arguments.get("project_id"):
        return None
    match view.scope:
        case ListScope(page="notes-list"):
            notes = view.notes
        case NoteScope(projectId=None, entityName=title, entityId=row_id):
            notes = ({"id": row_id, "title": title},)
        case _:
            return None
    return ToolMessage(call_id="", text="", rows={Table.NOTES: Rows(rows=notes)})


def _look_up(view: View, asked: ToolRequest) -> _LookUp:  # noqa: C901 - one case a tool
    given = asked.arguments
    match asked.name:
        case "list_tasks":
            return _LookUp(request=_page_of_tasks(view, given), read=_part(Part.TASKS, Table.TASKS, _fits(given)))
        case "list_projects":
            return _LookUp(request=_page("projects_all"), read=_part(Part.PROJECTS, Table.PROJECTS))
        case "list_checkpoints" if _is_viewed(view, given):
            page = _page("project", given["project_id"])
            return _LookUp(request=page, read=_part(Part.MILESTONES, Table.CHECKPOINTS))
        case "list_checkpoints":
            read = _part(Part.EVENTS, Table.CHECKPOINTS, _is_checkpoint_of(given["project_id"]))
            return _LookUp(request=_page("timeline_all"), read=read)
        case "list_notes":
            project_id = given.get("project_id") or _project_of(view)
            return _LookUp(request=_page("project", project_id), read=_part(Part.NOTES, Table.NOTES))
        case "get_project":
            return _LookUp(request=_page("project", given["project_id"]), read=_part(Part.PROJECT, Table.PROJECTS))
        case "get_note":
            return _LookUp(request=_page("note", given["note_id"]), read=_part(Part.NOTE, Table.NOTES))
        case "list_task_comments":
            return _LookUp(request=_page("task", given["task_id"]), read=_part(Part.COMMENTS, Table.TASK_COMMENTS))
        case "create_note":
            body = {"title": given["title"], "body": given["content"], "project_id": given.get("project_id")}
            return _LookUp(request=request("create_note", **body))
        case "create_checkpoint":
            event = {"title": given["title"], "due_at": given["date"], "project_id": given["project_id"]}
            return _LookUp(request=request("create_timeline_event", type="checkpoint", **event))
        case _:
            return _LookUp(request=asked)


def _page(entity_type: str, entity_id: object = None) -> ToolRequest:
    return request("get_page_details", entity_type=entity_type, entity_id=entity_id)


def _page_of_tasks(view: View, given: dict[str, object]) -> ToolRequest:
    project_id = given.get("project_id")
    if project_id is None and isinstance(view.scope, ProjectScope):
        project_id = view.scope.entityId
    return _page("tasks_all") if project_id is None else _page("project", project_id)


def _is_viewed(view: View, given: dict[str, object]) -> bool:
    return isinstance(view.scope, ProjectScope) and given["project_id"] == view.scope.entityId


def _project_of(view: View) -> str | None:
    return getattr(view.scope, "projectId", None) or getattr(view.scope, "entityId", None)


def _part(
    part: Part, table: Table, is_meant: Callable[[Row], bool] = lambda _row: True
) -> Callable[[ToolMessage], ToolMessage]:
    """Reads the rows of one part of a page for which ``is_meant`` is true. Without that part the page is a failure."""

    def read(page: ToolMessage) -> ToolMessage:
        found = page.rows.get(part)
        if found is None:
            return replace(page, rows={})
        rows = tuple(row for row in found.rows if is_meant(row))
        return replace(page, rows={table: Rows(rows=rows, omitted=found.omitted)})

    return read


def _fits(given: dict[str, object]) -> Callable[[Row], bool]:
    """Whether a task is in that state and has that word."""
    status, word = given.get("status"), str(given.get("search") or "").casefold()
    return lambda row: status in {None, row.get("status")} and word in text(row, "title").casefold()


def _is_checkpoint_of(project_id: object) -> Callable[[Row], bool]:
    return lambda event: event.get("type") == "checkpoint" and event.get("projectId") == project_id
