"""The sidebar's few tools in the place of those that plans ask for.

A plan lists tasks and reads notes. Beside a page there is one tool that reads whole pages, so what a plan asks for is
looked up on the right page, and the answer is told back in the words that the plan expects.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from agents.adapters.base import ToolSchema
from agents.offline.answers import Answer
from agents.offline.commands import ChangeRow, Command, DeleteRow, Entity
from agents.offline.desk import Desk, Plan, Round, Steps, Texts, ToolRequest, request
from agents.offline.planning import plan
from agents.offline.rows import read_rows
from agents.scopes import ListScope, NoteScope, ProjectScope, View
from agents.sections import read_sections
from agents.tools.page_details import Part
from agents.tools.page_text import title_of
from agents.tools.wording import Item, item, listing, read_items

_NOTE_CHANGES: Final = frozenset({"update_note", "delete_note"})
_ALWAYS: Final = (
    *("get_page_details", "list_tasks", "list_projects", "list_checkpoints", "get_project", "get_note"),
    *("list_task_comments", "create_task", "update_task", "create_note", "create_checkpoint"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class _LookUp:
    """What is really called, and how its text reads as the answer to what was asked for."""

    request: ToolRequest
    read: Callable[[str], str] = str


def plan_beside_page(desk: Desk, view: View, command: Command) -> Plan:
    """The plan for ``command`` where only the sidebar's tools are on offer."""
    if isinstance(command, ChangeRow | DeleteRow) and command.target.entity is Entity.NOTE:
        yield from ()
        return desk.say(desk.phrases.notes_read_only)
    names = (*_ALWAYS, "list_notes") if _notes_on(view) else _ALWAYS
    tools = [ToolSchema(name=name, description="", parameters={}) for name in names]
    as_asked = plan(Desk(tools=tools, phrases=desk.phrases, now=desk.now, view=view), command)
    try:
        wanted = next(as_asked)
        while True:
            texts = yield from _looked_up(desk, view, wanted, names)
            if isinstance(texts, Answer):
                return texts
            wanted = as_asked.send(texts)
    except StopIteration as ended:
        answer: Answer = ended.value
        return answer


def _looked_up(desk: Desk, view: View, wanted: Round, names: Sequence[str]) -> Steps[Texts | Answer]:
    """The texts that answer ``wanted``; each page is read once. An answer when there is no tool for it."""
    for asked in wanted:
        if asked.name in _NOTE_CHANGES:
            return desk.say(desk.phrases.notes_read_only)
        if asked.name not in names:
            return desk.say(desk.phrases.not_beside_page)
    told = [_told_by_view(view, asked) for asked in wanted]
    look_ups = [_look_up(view, asked) for asked, text in zip(wanted, told, strict=True) if text is None]
    distinct = tuple(
        look_up.request
        for number, look_up in enumerate(look_ups)
        if look_up.request not in _requests(look_ups[:number])
    )
    texts = (yield distinct) if distinct else ()
    answers = dict(zip(map(repr, distinct), texts, strict=True))
    read = iter([look_up.read(answers[repr(look_up.request)]) for look_up in look_ups])
    return tuple(next(read) if text is None else text for text in told)


def _requests(look_ups: Sequence[_LookUp]) -> list[ToolRequest]:
    return [look_up.request for look_up in look_ups]


def _notes_on(view: View) -> bool:
    """Whether the page tells which notes there are."""
    match view.scope:
        case ListScope(page=page):
            return page == "notes-list"
        case None:
            return False
        case _:
            return True


def _told_by_view(view: View, asked: ToolRequest) -> str | None:
    """The answer, where the description of the page holds it already: no tool lists all notes."""
    if asked.name != "list_notes" or asked.arguments.get("project_id"):
        return None
    match view.scope:
        case ListScope(page="notes-list"):
            return _listed(read_items(view.words), Entity.NOTE)
        case NoteScope(projectId=None, entityName=title, entityId=row_id):
            return _listed([Item(title=title, facts=(), id=row_id)], Entity.NOTE)
        case _:
            return None


def _look_up(view: View, asked: ToolRequest) -> _LookUp:  # noqa: C901 - one case a tool
    given = asked.arguments
    match asked.name:
        case "list_tasks":
            return _LookUp(request=_page_of_tasks(view, given), read=lambda text: _tasks(text, given))
        case "list_projects":
            return _LookUp(request=_page("projects_all"), read=_part(Part.PROJECTS))
        case "list_checkpoints" if _is_viewed(view, given):
            return _LookUp(request=_page("project", given["project_id"]), read=_part(Part.MILESTONES))
        case "list_checkpoints":
            return _LookUp(request=_page("timeline_all"), read=lambda text: _checkpoints(text, given["project_id"]))
        case "list_notes":
            project_id = given.get("project_id") or _project_of(view)
            return _LookUp(request=_page("project", project_id), read=_part(Part.NOTES))
        case "get_project":
            return _LookUp(request=_page("project", given["project_id"]), read=_part(Part.PROJECT))
        case "get_note":
            return _LookUp(request=_page("note", given["note_id"]), read=_part(Part.NOTE))
        case "list_task_comments":
            return _LookUp(request=_page("task", given["task_id"]), read=_part(Part.COMMENTS))
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


def _part(part: Part) -> Callable[[str], str]:
    """Reads one part of a page; what the tool said instead when it has none."""
    return lambda text: read_sections(text).get(title_of(part), text)


def _tasks(text: str, given: dict[str, object]) -> str:
    """The tasks of a page in that state and with that word."""
    told = _part(Part.TASKS)(text)
    state = str(given.get("status") or "").replace("_", " ")
    word = str(given.get("search") or "").casefold()
    return _narrowed(told, Entity.TASK, lambda row: (not state or state in row.facts) and word in row.title.casefold())


def _checkpoints(text: str, project_id: object) -> str:
    told = _part(Part.EVENTS)(text)
    return _narrowed(
        told, Entity.CHECKPOINT, lambda row: "checkpoint" in row.facts and f"project {project_id}" in row.facts
    )


def _narrowed(told: str, entity: Entity, is_meant: Callable[[Item], bool]) -> str:
    rows = read_rows(entity, told)
    if rows is None:
        return told
    items = [found for line in told.split("\n") if line.startswith("- ") for found in read_items(line)[:1]]
    return _listed([row for row in items if is_meant(row)], entity, omitted=rows.total - len(rows.rows))


def _listed(items: Sequence[Item], entity: Entity, *, omitted: int = 0) -> str:
    lines = [item(row.title, row.facts, row.id) for row in items]
    return listing(lines, one=entity, many=f"{entity}s", omitted=omitted)
