"""Plans that show what is on the page in front of the person."""

from agents.offline.answers import Answer
from agents.offline.commands import OPEN, Entity, Filter, ListRows, Status
from agents.offline.descriptions import described
from agents.offline.desk import Desk, Plan, request, sentence
from agents.offline.listings import fits, list_rows
from agents.offline.rows import Row, Rows, read_row, read_rows
from agents.offline.showing import show_note
from agents.scopes import ListScope, NoteScope, ProjectScope
from agents.sections import read_sections
from agents.tools.page_details import Part
from agents.tools.page_text import title_of

_LISTED = {"tasks": Entity.TASK, "projects-list": Entity.PROJECT, "notes-list": Entity.NOTE}
_PARTS = {Part.TASKS: Entity.TASK, Part.NOTES: Entity.NOTE, Part.MILESTONES: Entity.CHECKPOINT}


def show_page(desk: Desk) -> Plan:
    """What the page holds; that there is none, or that it is never shared."""
    match desk.view.scope if desk.view else None:
        case ProjectScope(entityId=project_id):
            return (yield from _project(desk, project_id))
        case NoteScope(entityId=note_id, entityName=title):
            return (yield from show_note(desk, Row(entity=Entity.NOTE, id=note_id, title=title)))
        case ListScope(page="timeline"):
            return (yield from _timeline(desk))
        case ListScope(page=page):
            return (yield from list_rows(desk, ListRows(entity=_LISTED[page])))
        case None:
            return desk.say(desk.phrases.no_page if desk.view is None else desk.phrases.page_never_shared)


def _project(desk: Desk, project_id: str) -> Plan:
    [text] = yield (request("get_page_details", entity_type="project", entity_id=project_id),)
    sections = read_sections(text)
    project = read_row(Entity.PROJECT, sections.get(title_of(Part.PROJECT), ""))
    if project is None:
        return desk.failed(text)
    parts = {
        part: read_rows(entity, sections.get(title_of(part), "")) or Rows(rows=(), total=0)
        for part, entity in _PARTS.items()
    }
    waiting = [row for row in parts[Part.TASKS].rows if row.status is not Status.DONE]
    state = desk.phrases.archived if project.archived else desk.phrases.active
    said = [sentence(desk.phrases.project_state, title=desk.quoted(project), state=state), _holds(desk, waiting, parts)]
    shown = sorted(waiting, key=_by_date), parts[Part.NOTES].rows, parts[Part.MILESTONES].rows
    return Answer(text="\n".join([" ".join(said), *(desk.lines(rows) for rows in shown if rows)]))


def _holds(desk: Desk, waiting: list[Row], parts: dict[Part, Rows]) -> str:
    """``It holds 2 open tasks, 1 of them overdue, and 1 note.``"""
    phrases = desk.phrases
    late = sum(fits(row, Filter(overdue=True), desk.today) for row in waiting)
    tasks = f"{len(waiting)} {described(desk, Entity.TASK, Filter(statuses=OPEN), len(waiting))}"
    counts = [phrases.of_which_overdue.format(rows=tasks, count=late) if late else tasks] if waiting else []
    counts += [
        desk.counted(parts[part].total, _PARTS[part]) for part in (Part.NOTES, Part.MILESTONES) if parts[part].total
    ]
    return phrases.holds.format(things=", ".join(counts)) if counts else phrases.holds_nothing


def _timeline(desk: Desk) -> Plan:
    [text] = yield (request("get_page_details", entity_type="timeline_all"),)
    events = read_rows(Entity.CHECKPOINT, read_sections(text).get(title_of(Part.EVENTS), ""))
    if events is None:
        return desk.failed(text)
    ahead = [
        row for row in events.rows if row.moment and row.moment.day >= desk.today and row.status is not Status.DONE
    ]
    if not ahead:
        return desk.say(desk.phrases.no_events)
    return Answer(text=f"{desk.phrases.events}\n{desk.lines(sorted(ahead, key=_by_date))}")


def _by_date(row: Row) -> tuple[bool, str]:
    """By date, those without one last."""
    return row.moment is None, f"{row.moment.day} {row.moment.at or ''}" if row.moment else ""
