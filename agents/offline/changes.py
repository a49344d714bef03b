"""Plans that create, change and delete rows. Changes and deletions look up their row first."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import time, timedelta

from accounts.translations import gettext_noop
from agents.offline import commands
from agents.offline.answers import PlanAnswer, ShownCards
from agents.offline.commands import Field, Incomplete, Missing, RowKind, Status, Target
from agents.offline.context import (
    NO_SUCH_DATE,
    NONE_CALLED,
    Context,
    Plan,
    PlanEnded,
    Steps,
    ToolRequest,
    find_project,
    find_row,
    request,
)
from agents.offline.dates import When
from agents.offline.reading import one_line
from agents.offline.rows import TABLES, Moment, Record, best_match, is_name_of, record_in
from agents.offline.wording import STATUSES
from agents.scopes import ListScope
from agents.tools.rows import text, title_of
from agents.tools.undo import NOTHING_TO_UNDO, NOTHING_UNDONE

_NOT_CERTAIN = gettext_noop(
    "I found {the} {title}, but that is not the whole title you gave, so nothing was deleted: repeat the command "
    "with the full title."
)
_UPDATED = gettext_noop("I updated {the} {title}{details}.")
_UNDATED = gettext_noop("{the} {title} has no date that could be moved.")
_CLEARED = {
    Field.DUE: gettext_noop("{the} {title} has no due date any more."),
    Field.ASSIGNEES: gettext_noop("{the} {title} is no longer assigned to anyone."),
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
_COLUMNS = {
    RowKind.TASK: {"title", "status", "priority", "assignees", "project_id", "description", "due_date"},
    RowKind.PROJECT: {"name", "status"},
    RowKind.CHECKPOINT: {"title", "date", "project_id"},
    RowKind.NOTE: {"title", "content", "project_id"},
}
_PLAN_EXAMPLE = gettext_noop("Plan the project “Website”: go online by 1 May")


def create_row(context: Context, command: commands.CreateRow) -> Plan:
    """Create the row. Ask for the project and the date of a checkpoint if they are missing."""
    details = command.details
    if missing := _lacking(context, command):
        return ask(context, missing)
    project_id = (yield from find_project(context, details.project)).id if details.project else context.project_id
    [result] = yield (_creation(command, project_id),)
    # A job's result has no rows: the record is in its text.
    by_job = not result.rows and result.text.startswith("Created")
    row = (by_job and record_in(command.entity, result.text)) or context.record(command.entity, result)
    answer = context.say("I created {the} {title}{details}.", row=row, details=context.details(row))
    return answer.with_card(row)


def create_rows(context: Context, command: commands.CreateRows) -> Plan:
    """Create the rows in one round, and report which were created and which failed."""
    if missing := next(filter(None, (_lacking(context, row) for row in command.rows)), None):
        return ask(context, missing)
    ids: dict[str | None, str | None] = {None: context.project_id}
    for row in command.rows:
        if row.details.project not in ids:
            ids[row.details.project] = (yield from find_project(context, row.details.project or "")).id
    results = yield tuple(_creation(row, ids[row.details.project]) for row in command.rows)
    pairs = list(zip(command.rows, results, strict=True))
    created = [context.record(row.entity, result) for row, result in pairs if TABLES[row.entity] in result.rows]
    failures = [
        f"{context.name(row.title)}: {context.failed(result).text}"
        for row, result in pairs
        if TABLES[row.entity] not in result.rows
    ]
    lines = [f"{context.noun(row.entity, 1)} {context.quoted(row)}{context.details(row)}" for row in created]
    texts = [context.gettext("I created:"), context.bullets(lines)] if created else []
    kinds = dict.fromkeys(row.entity for row in created)
    cards = (tuple(row for row in created if row.entity is kind) for kind in kinds)
    shown = tuple(ShownCards(entity=kind, rows=rows, named=True) for kind, rows in zip(kinds, cards, strict=True))
    return PlanAnswer(text="\n".join([*texts, *failures]), shown=shown)


def _lacking(context: Context, command: commands.CreateRow) -> Incomplete | None:
    """The question for a detail that the new row must have; None if it has all."""
    needs_project = command.entity is RowKind.CHECKPOINT and not context.project_id
    # A page that lists the rows of all projects does not determine the project of a new row.
    beside_list = context.view is not None and isinstance(context.view.scope, ListScope)
    if not command.details.project and (needs_project or (beside_list and command.entity is not RowKind.PROJECT)):
        return Incomplete(missing=Missing.PROJECT, entity=command.entity)
    if command.entity is RowKind.CHECKPOINT and not command.details.due:
        return Incomplete(missing=Missing.DATE, entity=command.entity)
    return None


def change_row(context: Context, command: commands.ChangeRow) -> Plan:
    """Change the row that the target names."""
    row = yield from find_row(context, command.target, prefer=_preferred(command))
    project = (yield from find_project(context, command.project)) if command.project else None
    command = yield from _resolved(context, command, row)
    updates = _updates(command, row.entity, project)
    if not updates:
        return context.say("I cannot change that: {the} {title} has no such field.", row=row)
    [result] = yield (ToolRequest(name=f"update_{row.entity}", arguments={f"{row.entity}_id": row.id, **updates}),)
    changed = context.record(row.entity, result)
    if len(updates) > 1:
        return context.say(_UPDATED, row=changed, details=context.details(changed)).with_card(changed)
    return _change_report(context, command, row, changed, project).with_card(changed)


def _preferred(command: commands.ChangeRow) -> Callable[[Record], bool] | None:
    """Of several tasks with the same name, prefer those whose state would change."""
    if command.reopens:
        return lambda row: row.status is Status.DONE
    return (lambda row: row.status is not command.status) if command.status else None


def _resolved(context: Context, command: commands.ChangeRow, row: Record) -> Steps[commands.ChangeRow]:
    """The change with the values that depend on the present row. Raises ``PlanEnded`` if the row rules it out."""
    if command.reopens and row.status is not Status.DONE:
        raise PlanEnded(context.say("{the} {title} is not done anyway.", row=row))
    if command.addition is not None and row.entity is RowKind.NOTE:
        note = context.record(RowKind.NOTE, (yield (request("get_note", note_id=row.id),))[0])
        command = replace(command, content="\n".join(filter(None, (note.text, command.addition))))
    if command.shift or command.at:
        if row.moment is None or row.entity is RowKind.NOTE:
            raise PlanEnded(context.say(_UNDATED, row=row))
        moved = _timed(row.moment, command.at) if command.at else _shifted(context, row.moment, command.shift)
        command = replace(command, due=moved)
    return _without_people(context, command, row) if command.unassigned else command


def _without_people(context: Context, command: commands.ChangeRow, row: Record) -> commands.ChangeRow:
    strangers = [name for name in command.unassigned if not row.is_for(name)]
    if strangers:
        raise PlanEnded(context.say("{the} {title} is not assigned to {name}.", row=row, name=", ".join(strangers)))
    rest = tuple(each for each in row.people if not any(is_name_of(name, each) for name in command.unassigned))
    return replace(command, assignees=rest, clears=None if rest else Field.ASSIGNEES)


def delete_row(context: Context, command: commands.DeleteRow) -> Plan:
    """Delete the row whose whole title is given."""
    target = command.target
    if target.entity is RowKind.COMMENT:
        row = yield from _find_comment(context, target)
    else:
        row = yield from find_row(context, target)
        if not best_match((row,), target).exact:
            return context.say(_NOT_CERTAIN, row=row)
    tool = "delete_task_comment" if row.entity is RowKind.COMMENT else f"delete_{row.entity}"
    [result] = yield (request(tool, **{f"{row.entity}_id": row.id}),)
    context.check(result)
    return context.say("I deleted {the} {title}.", row=row)


def add_comment(context: Context, command: commands.AddComment) -> Plan:
    """Comment on a task. The author of comments is the user, so the name of another author is added to the text."""
    task = yield from find_row(context, command.target)
    content = f"{command.content} ({command.author})" if command.author else command.content
    [result] = yield (request("add_task_comment", task_id=task.id, content=content),)
    context.check(result)
    return context.say("I added the comment to {the} {title}.", row=task).with_card(task)


def ask(context: Context, command: Incomplete) -> PlanAnswer:
    """Ask for the missing part of a command, with the rows that can be meant, or with an example."""
    if command.choices:
        titles = context.bullets([context.name(title) for title in command.choices])
        question = context.gettext("Which one do you mean?")
        return PlanAnswer(text=f"{question}\n{titles}")
    if command.missing is Missing.KIND:
        return context.say("What is {name} to be: a task, a note or a project?", name=context.name(command.title))
    example = _EXAMPLES[command.entity]
    if command.missing is Missing.PROJECT:
        example = _FILED_EXAMPLES.get(command.entity, example)
    elif command.missing is Missing.GOAL:
        example = _PLAN_EXAMPLE
    elif command.missing is Missing.WHICH:
        example = _EXAMPLES[None]
    return context.say(_QUESTIONS[command.missing], the=context.the(command.entity), example=context.gettext(example))


def _creation(command: commands.CreateRow, project_id: str | None) -> ToolRequest:
    details = command.details
    due = details.due.iso if details.due else None
    match command.entity:
        case RowKind.PROJECT:
            return request("create_project", name=command.title)
        case RowKind.CHECKPOINT:
            return request("create_checkpoint", project_id=project_id, title=command.title, date=due)
        case RowKind.NOTE:
            # A note without a text gets its title as text, so that the search by meaning can find it.
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


def _shifted(context: Context, moment: Moment, days: int) -> When:
    try:
        day = moment.day + timedelta(days=days)
    except OverflowError:
        raise PlanEnded(context.say(NO_SUCH_DATE)) from None
    return When(first=day, last=day, deadline=day, at=moment.at)


def _timed(moment: Moment, at: time) -> When:
    return When(first=moment.day, last=moment.day, deadline=moment.day, at=at)


def _updates(command: commands.ChangeRow, entity: RowKind, project: Record | None) -> dict[str, object]:
    """The arguments of the update; empty if the row's kind lacks one of the columns."""
    updates: dict[str, object | None] = {
        "name" if entity is RowKind.PROJECT else "title": command.title,
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


def _change_report(
    context: Context, command: commands.ChangeRow, row: Record, changed: Record, project: Record | None
) -> PlanAnswer:
    if command.clears:
        return context.say(_CLEARED[command.clears], row=changed)
    if command.title:
        return context.say("I renamed {the} {old} to {title}.", row=changed, old=context.quoted(row))
    if command.status:
        status = context.gettext(STATUSES[command.status])
        return context.say("I marked {the} {title} as {status}.", row=changed, status=status)
    if command.archived:
        return context.say("I archived {the} {title}.", row=changed)
    if command.archived is not None:
        return context.say("I took {the} {title} out of the archive.", row=changed)
    if project:
        name = context.quoted(project)
        return context.say("I moved {the} {title} to the project {project}.", row=changed, project=name)
    return context.say(_UPDATED, row=changed, details=context.details(changed))


def _find_comment(context: Context, target: Target) -> Steps[Record]:
    if target.parent is None:
        raise PlanEnded(ask(context, Incomplete(missing=Missing.WHICH, entity=RowKind.COMMENT)))
    task = yield from find_row(context, target.parent)
    [result] = yield (request("list_task_comments", task_id=task.id),)
    match = best_match(context.listing(RowKind.COMMENT, result).records, target)
    if match.exact and len(match.records) == 1:
        return match.records[0]
    raise PlanEnded(context.say(NONE_CALLED, none=context.no(RowKind.COMMENT), name=context.name(target.name)))


def undo(context: Context, *, all_day: bool) -> Plan:
    """Undo the latest changes, or those of today, and name the rows."""
    [result] = yield (request("undo_changes", what="today" if all_day else "last"),)
    if result.text.startswith(NOTHING_TO_UNDO):
        return context.say("There is nothing to undo.")
    if result.text.startswith(NOTHING_UNDONE):
        return context.say("I have undone nothing, because what was changed has been changed again since.")
    context.check(result)
    titles = [title_of(row) or one_line(text(row, "content")) for part in result.rows.values() for row in part.rows]
    opening = context.gettext("I have undone what was changed:")
    return PlanAnswer(text=f"{opening}\n{context.bullets([context.name(title) for title in titles])}")
