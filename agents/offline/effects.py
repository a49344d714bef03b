"""Plans that make, change and delete rows. Each looks up afresh what it is about to touch."""

from agents.offline.answers import Answer, Cards
from agents.offline.commands import (
    AddComment,
    ChangeRow,
    CreateRow,
    DeleteRow,
    Entity,
    Incomplete,
    Missing,
    Status,
    Target,
)
from agents.offline.desk import Desk, Plan, Steps, ToolRequest, request, sentence
from agents.offline.lookups import find_project, find_row, find_row_to_delete
from agents.offline.matching import best_match
from agents.offline.rows import Row, read_row, read_rows

_UPDATE = {
    Entity.TASK: ("update_task", "task_id", "title"),
    Entity.PROJECT: ("update_project", "project_id", "name"),
    Entity.CHECKPOINT: ("update_checkpoint", "checkpoint_id", "title"),
    Entity.NOTE: ("update_note", "note_id", "title"),
}
_DELETE = {
    Entity.TASK: ("delete_task", "task_id"),
    Entity.PROJECT: ("delete_project", "project_id"),
    Entity.CHECKPOINT: ("delete_checkpoint", "checkpoint_id"),
    Entity.NOTE: ("delete_note", "note_id"),
    Entity.COMMENT: ("delete_task_comment", "comment_id"),
}


def create_row(desk: Desk, command: CreateRow) -> Plan:
    """Make the row; of a checkpoint, ask for the project and the date that it must have."""
    details = command.details
    needs_project = command.entity is Entity.CHECKPOINT and not desk.project_id
    may_have_one = command.entity is not Entity.PROJECT
    if not details.project and (needs_project or (desk.asks_for_project and may_have_one)):
        return ask(desk, Incomplete(missing=Missing.PROJECT, entity=command.entity))
    if command.entity is Entity.CHECKPOINT and not details.due:
        return ask(desk, Incomplete(missing=Missing.DATE, entity=command.entity))
    project_id = desk.project_id
    if details.project:
        project = yield from find_project(desk, details.project)
        if isinstance(project, Answer):
            return project
        project_id = project.id
    [text] = yield (_creation(command, project_id),)
    row = _done(command.entity, text, "Created")
    if row is None:
        return desk.failed(text)
    said = _said(desk, desk.phrases.created, row, details=desk.phrases.details(row, desk.today))
    return _with_card(said, row)


def change_row(desk: Desk, command: ChangeRow) -> Plan:
    """Change what is asked of the one row that is meant."""
    row = yield from find_row(desk, command.target, prefer=_likely(command))
    if isinstance(row, Answer):
        return row
    project: Row | None = None
    if command.project:
        found = yield from find_project(desk, command.project)
        if isinstance(found, Answer):
            return found
        project = found
    updates = _updates(command, row.entity, project)
    if not updates:
        return desk.say(desk.phrases.not_for, the=desk.phrases.noun(row.entity).the, title=desk.quoted(row))
    [text] = yield (_update(row, updates),)
    changed = _done(row.entity, text, "Updated")
    if changed is None:
        return desk.failed(text)
    return _with_card(_change_said(desk, command, row, changed, project), changed)


def delete_row(desk: Desk, command: DeleteRow) -> Plan:
    """Delete the one row whose whole title is given."""
    target = command.target
    if target.entity is Entity.COMMENT:
        row = yield from _find_comment(desk, target)
    else:
        row = yield from find_row_to_delete(desk, target)
    if isinstance(row, Answer):
        return row
    tool, key = _DELETE[row.entity]
    [text] = yield (ToolRequest(name=tool, arguments={key: row.id}),)
    if not text.startswith("Deleted"):
        return desk.failed(text)
    return Answer(text=_said(desk, desk.phrases.deleted, row))


def add_comment(desk: Desk, command: AddComment) -> Plan:
    """Comment on a task, in the person's own name unless another is given."""
    task = yield from find_row(desk, command.target)
    if isinstance(task, Answer):
        return task
    author = command.author or desk.phrases.myself
    [text] = yield (request("add_task_comment", task_id=task.id, author=author, content=command.content),)
    if not text.startswith("Added"):
        return desk.failed(text)
    return _with_card(_said(desk, desk.phrases.commented, task), task)


def ask(desk: Desk, command: Incomplete) -> Answer:
    """Ask for what a command lacks, with an example that works."""
    phrases = desk.phrases
    example = phrases.examples[command.entity]
    if command.missing is Missing.PROJECT:
        example = phrases.filed_examples.get(command.entity, example)
    elif command.missing is Missing.GOAL:
        example = phrases.plan_example
    return desk.say(phrases.missing[command.missing], the=phrases.noun(command.entity).the, example=example)


def _creation(command: CreateRow, project_id: str | None) -> ToolRequest:
    details = command.details
    due = details.due.iso if details.due else None
    match command.entity:
        case Entity.PROJECT:
            return request("create_project", name=command.title)
        case Entity.CHECKPOINT:
            return request("create_checkpoint", project_id=project_id, title=command.title, date=due)
        case Entity.NOTE:
            # A note without a text of its own gets its title as text, so that a search by meaning can find it.
            content = details.content or command.title
            return request("create_note", title=command.title, content=content, project_id=project_id)
        case _:
            return request(
                "create_task",
                title=command.title,
                description=details.content,
                status=Status.TODO,
                priority=details.priority or "medium",
                assignees=list(details.assignees) or None,
                due_date=due,
                project_id=project_id,
            )


def _likely(command: ChangeRow) -> "_Likely | None":
    return _Likely(command.status) if command.status else None


class _Likely:
    """Of tasks with the same name, the one whose state would change is meant."""

    def __init__(self, status: Status) -> None:
        self._status = status

    def __call__(self, row: Row) -> bool:
        return row.status is not self._status


def _updates(command: ChangeRow, entity: Entity, project: Row | None) -> dict[str, object]:
    """The arguments of the update; empty when the kind has no such column."""
    title = _UPDATE[entity][2]
    updates: dict[str, object | None] = {
        title: command.title,
        "status": command.status,
        "priority": command.priority,
        "assignees": list(command.assignees) or None,
        "project_id": project.id if project else None,
        "description" if entity is Entity.TASK else "content": command.content,
        "date" if entity is Entity.CHECKPOINT else "due_date": command.due.iso if command.due else None,
    }
    if command.archived is not None:
        updates["status"] = "archived" if command.archived else "active"
    given = {name: value for name, value in updates.items() if value is not None}
    if command.clears:
        given[command.clears] = None
    return given if given.keys() <= _COLUMNS[entity] else {}


_COLUMNS = {
    Entity.TASK: {"title", "status", "priority", "assignees", "project_id", "description", "due_date"},
    Entity.PROJECT: {"name", "status"},
    Entity.CHECKPOINT: {"title", "date", "project_id"},
    Entity.NOTE: {"title", "content", "project_id"},
}


def _update(row: Row, updates: dict[str, object]) -> ToolRequest:
    tool, key, _ = _UPDATE[row.entity]
    return ToolRequest(name=tool, arguments={key: row.id, **updates})


def _change_said(desk: Desk, command: ChangeRow, row: Row, changed: Row, project: Row | None) -> str:
    phrases = desk.phrases
    if command.clears:
        return _said(desk, phrases.cleared[command.clears], changed)
    if command.title:
        return _said(desk, phrases.renamed, changed, old=desk.quoted(row))
    if command.status:
        return _said(desk, phrases.marked, changed, status=phrases.statuses[command.status])
    if command.archived is not None:
        return _said(desk, phrases.archived_it if command.archived else phrases.restored_it, changed)
    if project:
        return _said(desk, phrases.moved, changed, project=desk.quoted(project))
    return _said(desk, phrases.changed, changed, details=phrases.details(changed, desk.today))


def _said(desk: Desk, template: str, row: Row, **parts: str) -> str:
    return sentence(template, the=desk.phrases.noun(row.entity).the, title=desk.quoted(row), **parts)


def _done(entity: Entity, text: str, how: str) -> Row | None:
    """The row that a confirmation tells; None when ``text`` is none."""
    return read_row(entity, text) if text.startswith(how) else None


def _with_card(text: str, row: Row) -> Answer:
    return Answer(text=text, shown=Cards(entity=row.entity, rows=(row,), named=True))


def _find_comment(desk: Desk, target: Target) -> Steps[Row | Answer]:
    if target.parent is None:
        return ask(desk, Incomplete(missing=Missing.WHICH, entity=Entity.COMMENT))
    task = yield from find_row(desk, target.parent)
    if isinstance(task, Answer):
        return task
    [text] = yield (request("list_task_comments", task_id=task.id),)
    comments = read_rows(Entity.COMMENT, text)
    if comments is None:
        return desk.failed(text)
    match = best_match(comments.rows, target)
    if match.exact and len(match.rows) == 1:
        return match.rows[0]
    return desk.say(
        desk.phrases.none_called, none=desk.phrases.noun(Entity.COMMENT).none, name=desk.phrases.quoted(target.name)
    )
