"""Plans that have tools run as jobs, and what the outcome of a job reads like to the person."""

from collections.abc import Iterator

from agents.jobs.notices import FAILED, HAS_BEGUN
from agents.offline.answers import Answer
from agents.offline.commands import Entity, PlanProject, SummarizeProject
from agents.offline.desk import Desk, Plan, request, sentence
from agents.offline.lookups import find_row
from agents.offline.rows import read_row, without_ids
from agents.permissions.approvals.refusals import refusal_in

_SUMMARIZED = "Wrote the summary of the project "
_PLANNED = "Added to the project "
_LEFT_OUT = "\nLeft out of the plan:\n"
_REVIEWED = "The review of the week:"
_KINDS = {f"- {entity} ": entity for entity in (Entity.TASK, Entity.CHECKPOINT)}


def summarize_project(desk: Desk, command: SummarizeProject) -> Plan:
    """Have a project's summary written."""
    project = yield from find_row(desk, command.target)
    if isinstance(project, Answer):
        return project
    [text] = yield (request("summarize_project", project_id=project.id),)
    return _told(desk, text) or desk.failed(text)


def plan_project(desk: Desk, command: PlanProject) -> Plan:
    """Have a plan made for a project."""
    project = yield from find_row(desk, command.target)
    if isinstance(project, Answer):
        return project
    [text] = yield (request("plan_project", project_id=project.id, goal=command.goal),)
    return _told(desk, text) or desk.failed(text)


def review_week(desk: Desk) -> Plan:
    """Have the week reviewed."""
    [text] = yield (request("weekly_review"),)
    return _told(desk, text) or desk.failed(text)


def report(desk: Desk, text: str) -> Answer:
    """What a tool said that ran as a job. Texts without words of the person's language are passed on without ids."""
    if told := _told(desk, text):
        return told
    if not text or text.startswith(FAILED) or refusal_in(text):
        return desk.failed(text)
    return desk.say(desk.phrases.reported, sentence=without_ids(text))


def _told(desk: Desk, text: str) -> Answer | None:
    """The text of a tool that takes minutes in the person's language; None when it is none, or tells of a failure."""
    if text.startswith(HAS_BEGUN):
        return Answer(text=desk.phrases.begun)
    if text.startswith(_REVIEWED):
        return Answer(text=f"{desk.phrases.reviewed}\n\n{_written(text)}")
    project = read_row(Entity.PROJECT, text)
    if project is None:
        return None
    if text.startswith(_SUMMARIZED):
        said = sentence(desk.phrases.summarized, title=desk.quoted(project))
        return Answer(text=f"{said}\n\n{_written(text)}")
    if text.startswith(_PLANNED):
        said = sentence(desk.phrases.planned, title=desk.quoted(project))
        return Answer(text="\n".join([said, *_suggestions(desk, text)]))
    return None


def _written(text: str) -> str:
    return text.partition("\n\n")[2]


def _suggestions(desk: Desk, text: str) -> Iterator[str]:
    """What was added, a line each, and what was left out."""
    added, left_out, remarks = text.partition(_LEFT_OUT)
    for line in added.split("\n")[1:]:
        entity = next((entity for start, entity in _KINDS.items() if line.startswith(start)), None)
        row = read_row(entity, line) if entity else None
        if row is None:
            yield without_ids(line)
        else:
            yield f"- {desk.phrases.noun(row.entity).one} {desk.quoted(row)}{desk.phrases.details(row, desk.today)}"
    if left_out:
        yield desk.phrases.left_out
        yield from (f"- {without_ids(remark)}" for remark in remarks.split("\n"))
