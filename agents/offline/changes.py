"""Plans that create, change and delete rows. Each looks its row up first."""

from collections.abc import Mapping

from accounts.translations import gettext_noop
from agents.adapters.base import ToolMessage
from agents.offline.answers import PlanAnswer, ShownCards
from agents.offline.commands import (
    AddComment,
    ChangeRow,
    CreateRow,
    DeleteRow,
    Field,
    Incomplete,
    Missing,
    RowKind,
    Status,
    Target,
)
from agents.offline.context import Context, Plan, PlanEnded, Steps, ToolRequest, request
from agents.offline.lookups import NONE_CALLED, find_project, find_row, find_row_to_delete
from agents.offline.rows import Record, best_match, record_in
from agents.offline.wording import STATUSES, capitalised

_UPDATE = {
    RowKind.TASK: ("update_task", "task_id", "title"),
    RowKind.PROJECT: ("update_project", "project_id", "name"),
    RowKind.CHECKPOINT: ("update_checkpoint", "checkpoint_id", "title"),
    RowKind.NOTE: ("update_note", "note_id", "title"),
}
_CREATED = gettext_noop("I created {the} {title}{details}.")
_UPDATED = gettext_noop("I updated {the} {title}{details}.")
_MARKED = gettext_noop("I marked {the} {title} as {status}.")
_RENAMED = gettext_noop("I renamed {the} {old} to {title}.")
_MOVED = gettext_noop("I moved {the} {title} to the project {project}.")
_ARCHIVED = gettext_noop("I archived {the} {title}.")
_RESTORED = gettext_noop("I took {the} {title} out of the archive.")
_DELETED = gettext_noop("I deleted {the} {title}.")
_COMMENTED = gettext_noop("I added the comment to {the} {title}.")
_NOT_FOR = gettext_noop("I cannot change that: {the} {title} has no such field.")
_CLEARED = {
    Field.DUE: gettext_noop("{the} {title} has no due date any more."),
    Field.ASSIGNEES: gettext_noop("{the} {title} is assigned to nobody any more."),
    Field.PROJECT: gettext_noop("{the} {title} belongs to no project any more."),
}
_QUESTIONS = {
    Missing.TITLE: gettext_noop("What is {the} to be called? For example: {example}"),
    Missing.PROJECT: gettext_noop("Which project does {the} belong to? For example: {example}"),
    Missing.DATE: gettext_noop("For which date is {the}? For example: {example}"),
    Missing.CONTENT: gettext_noop("What is {the} to say? For example: {example}"),
    Missing.GOAL: gettext_noop("What is {the} to reach? For example: {example}"),
    Missing.WHICH: gettext_noop("Which one do you mean? Name it by its title, best in quotes. For example: {example}"),
}
_EXAMPLES = {
    RowKind.TASK: gettext_noop("Create a task called “Buy milk”"),
    RowKind.PROJECT: gettext_noop("Create a project called “Website”"),
    RowKind.CHECKPOINT: gettext_noop("Create a checkpoint “Beta” in project “Website” on 24 December"),
    RowKind.NOTE: gettext_noop("Create a note called “Ideas”: paint the kitchen"),
    RowKind.COMMENT: gettext_noop("Comment on “Buy milk”: the shop closes at six"),
    None: gettext_noop("Mark “Buy milk” as done"),
}
_FILED_EXAMPLES: Mapping[RowKind | None, str] = {
    RowKind.TASK: gettext_noop("Create a task called “Buy milk” in project “Website”"),
    RowKind.NOTE: gettext_noop("Create a note called “Ideas” in project “Website”: paint the kitchen"),
}
_PLAN_EXAMPLE = gettext_noop("Plan the project “Website”: go online by 1 May")
_DELETE = {
    RowKind.TASK: ("delete_task", "task_id"),
    RowKind.PROJECT: ("delete_project", "project_id"),
    RowKind.CHECKPOINT: ("delete_checkpoint", "checkpoint_id"),
    RowKind.NOTE: ("delete_note", "note_id"),
    RowKind.COMMENT: ("delete_task_comment", "comment_id"),
}


def create_row(context: Context, command: CreateRow) -> Plan:
    """Create the row; ask for a checkpoint's project and date, which it must have."""
    details = command.details
    needs_project = command.entity is RowKind.CHECKPOINT and not context.project_id
    may_have_one = command.entity is not RowKind.PROJECT
    if not details.project and (needs_project or (context.asks_for_project and may_have_one)):
        return ask(context, Incomplete(missing=Missing.PROJECT, entity=command.entity))
    if command.entity is RowKind.CHECKPOINT and not details.due:
        return ask(context, Incomplete(missing=Missing.DATE, entity=command.entity))
    project_id = context.project_id
    if details.project:
        project = yield from find_project(context, details.project)
        project_id = project.id
    [result] = yield (_creation(command, project_id),)
    row = _made_by_job(command.entity, result) or context.record(command.entity, result)
    return _with_card(_said(context, _CREATED, row, details=context.details(row)), row)


def change_row(context: Context, command: ChangeRow) -> Plan:
    """Change the one row that the target names."""
    # Among tasks with the same name, prefer those whose state would change.
    prefer = (lambda row: row.status is not command.status) if command.status else None
    row = yield from find_row(context, command.target, prefer=prefer)
    project = (yield from find_project(context, command.project)) if command.project else None
    updates = _updates(command, row.entity, project)
    if not updates:
        return PlanAnswer(text=_said(context, _NOT_FOR, row))
    [result] = yield (_update(row, updates),)
    changed = context.record(row.entity, result)
    return _with_card(_change_said(context, command, row, changed, project), changed)


def delete_row(context: Context, command: DeleteRow) -> Plan:
    """Delete the one row whose whole title is given."""
    target = command.target
    if target.entity is RowKind.COMMENT:
        row = yield from _find_comment(context, target)
    else:
        row = yield from find_row_to_delete(context, target)
    tool, key = _DELETE[row.entity]
    [result] = yield (ToolRequest(name=tool, arguments={key: row.id}),)
    context.check(result)
    return PlanAnswer(text=_said(context, _DELETED, row))


def add_comment(context: Context, command: AddComment) -> Plan:
    """Comment on a task, in the person's own name unless another is given."""
    task = yield from find_row(context, command.target)
    author = command.author or context.gettext("Me")
    [result] = yield (request("add_task_comment", task_id=task.id, author=author, content=command.content),)
    context.check(result)
    return _with_card(_said(context, _COMMENTED, task), task)


def ask(context: Context, command: Incomplete) -> PlanAnswer:
    """Ask for what a command lacks, with an example."""
    example = _EXAMPLES[command.entity]
    if command.missing is Missing.PROJECT:
        example = _FILED_EXAMPLES.get(command.entity, example)
    elif command.missing is Missing.GOAL:
        example = _PLAN_EXAMPLE
    return context.say(_QUESTIONS[command.missing], the=context.the(command.entity), example=context.gettext(example))


def _creation(command: CreateRow, project_id: str | None) -> ToolRequest:
    details = command.details
    due = details.due.iso if details.due else None
    match command.entity:
        case RowKind.PROJECT:
            return request("create_project", name=command.title)
        case RowKind.CHECKPOINT:
            return request("create_checkpoint", project_id=project_id, title=command.title, date=due)
        case RowKind.NOTE:
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


def _updates(command: ChangeRow, entity: RowKind, project: Record | None) -> dict[str, object]:
    """The arguments of the update; empty if the kind of row has no such column."""
    title = _UPDATE[entity][2]
    updates: dict[str, object | None] = {
        title: command.title,
        "status": command.status,
        "priority": command.priority,
        "assignees": list(command.assignees) or None,
        "project_id": project.id if project else None,
        "description" if entity is RowKind.TASK else "content": command.content,
        "date" if entity is RowKind.CHECKPOINT else "due_date": command.due.iso if command.due else None,
    }
    if command.archived is not None:
        updates["status"] = "archived" if command.archived else "active"
    given = {name: value for name, value in updates.items() if value is not None}
    if command.clears:
        given[command.clears] = None
    return given if given.keys() <= _COLUMNS[entity] else {}


_COLUMNS = {
    RowKind.TASK: {"title", "status", "priority", "assignees", "project_id", "description", "due_date"},
    RowKind.PROJECT: {"name", "status"},
    RowKind.CHECKPOINT: {"title", "date", "project_id"},
    RowKind.NOTE: {"title", "content", "project_id"},
}


def _update(row: Record, updates: dict[str, object]) -> ToolRequest:
    tool, key, _ = _UPDATE[row.entity]
    return ToolRequest(name=tool, arguments={key: row.id, **updates})


def _change_said(context: Context, command: ChangeRow, row: Record, changed: Record, project: Record | None) -> str:
    if command.clears:
        return _said(context, _CLEARED[command.clears], changed)
    if command.title:
        return _said(context, _RENAMED, changed, old=context.quoted(row))
    if command.status:
        return _said(context, _MARKED, changed, status=context.gettext(STATUSES[command.status]))
    if command.archived is not None:
        return _said(context, _ARCHIVED if command.archived else _RESTORED, changed)
    if project:
        return _said(context, _MOVED, changed, project=context.quoted(project))
    return _said(context, _UPDATED, changed, details=context.details(changed))


def _said(context: Context, message: str, row: Record, **parts: str) -> str:
    return capitalised(context.gettext(message, the=context.the(row.entity), title=context.quoted(row), **parts))


def _made_by_job(entity: RowKind, result: ToolMessage) -> Record | None:
    """The record in the text of a job, whose result has no rows."""
    return None if result.rows or not result.text.startswith("Created") else record_in(entity, result.text)


def _with_card(text: str, row: Record) -> PlanAnswer:
    return PlanAnswer(text=text, shown=ShownCards(entity=row.entity, rows=(row,), named=True))


def _find_comment(context: Context, target: Target) -> Steps[Record]:
    if target.parent is None:
        raise PlanEnded(ask(context, Incomplete(missing=Missing.WHICH, entity=RowKind.COMMENT)))
    task = yield from find_row(context, target.parent)
    [result] = yield (request("list_task_comments", task_id=task.id),)
    match = best_match(context.listing(RowKind.COMMENT, result).records, target)
    if match.exact and len(match.records) == 1:
        return match.records[0]
    raise PlanEnded(context.say(NONE_CALLED, none=context.no(RowKind.COMMENT), name=context.name(target.name)))
