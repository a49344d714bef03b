"""Finding the row that a name means, by the tools, freshly for every command."""

from collections.abc import Callable, Sequence

from agents.offline.answers import Answer
from agents.offline.commands import Entity, Target
from agents.offline.desk import Desk, Steps, ToolRequest, request
from agents.offline.matching import Match, best_match
from agents.offline.rows import Row, Rows, read_rows

MOST_PROJECTS = 25
"""How many projects' checkpoints are looked through when no project is named."""

_ANYTHING = (Entity.TASK, Entity.PROJECT, Entity.NOTE)


def find_row(desk: Desk, target: Target, *, prefer: Callable[[Row], bool] | None = None) -> Steps[Row | Answer]:
    """The one row that ``target`` means, or why there is none: not found, or several.

    Among rows that fit alike, those that ``prefer`` names come first.
    """
    if target.entity is Entity.CHECKPOINT:
        rows = yield from _checkpoints(desk, target.project)
    else:
        rows = yield from _named(desk, target)
    if isinstance(rows, Answer):
        return rows
    match = best_match(rows, target)
    if prefer and (preferred := tuple(row for row in match.rows if prefer(row))):
        match = Match(rows=preferred, exact=match.exact)
    return _only(desk, target, match)


def find_row_to_delete(desk: Desk, target: Target) -> Steps[Row | Answer]:
    """As ``find_row``, but the name must be the whole title: what is deleted does not come back."""
    row = yield from find_row(desk, target)
    if isinstance(row, Row) and not best_match((row,), target).exact:
        return desk.say(
            desk.phrases.not_certain, the=desk.phrases.noun(row.entity).the, title=desk.phrases.quoted(row.title)
        )
    return row


def find_project(desk: Desk, name: str) -> Steps[Row | Answer]:
    """The project called ``name``, archived ones included."""
    return (yield from find_row(desk, Target(name=name, literal=name, entity=Entity.PROJECT)))


def project_named(rows: Sequence[Row], name: str) -> Row | None:
    """The project among ``rows`` whose whole name is ``name``."""
    match = best_match(rows, Target(name=name, literal=name))
    return match.rows[0] if match.exact and len(match.rows) == 1 else None


def all_projects() -> ToolRequest:
    """Every project, the archived ones included, by the tool that every agent has."""
    return request("list_projects", include_archived=True)


def read_all(desk: Desk, entity: Entity, texts: Sequence[str]) -> Rows | Answer:
    """The rows of several listings together, each once; what a tool said instead when one failed."""
    rows: dict[str, Row] = {}
    untold = 0
    for text in texts:
        listing = read_rows(entity, text)
        if listing is None:
            return desk.failed(text)
        rows |= {row.id: row for row in listing.rows}
        untold += listing.total - len(listing.rows)
    return Rows(rows=tuple(rows.values()), total=len(rows) + untold)


def _named(desk: Desk, target: Target) -> Steps[Sequence[Row] | Answer]:
    """Rows of the target's kind, or of every kind on offer, which may hold its name."""
    kinds = (target.entity,) if target.entity else tuple(kind for kind in _ANYTHING if desk.offers(_TOOLS[kind]))
    if not kinds:
        return desk.say(desk.phrases.cannot_here)
    project_id: str | None = None
    if target.project and target.entity is not Entity.PROJECT:
        project = yield from find_project(desk, target.project)
        if isinstance(project, Answer):
            return project
        project_id = project.id
    rows = yield from _listed(desk, tuple(_look_up(kind, target.name, project_id) for kind in kinds), kinds)
    if isinstance(rows, Answer) or best_match(rows, target).rows or Entity.TASK not in kinds:
        return rows
    # The device's search knows only whole phrases; the name may be one with other spaces, cases or marks.
    return (yield from _listed(desk, (request("list_tasks", project_id=project_id),), (Entity.TASK,)))


def _listed(desk: Desk, requests: tuple[ToolRequest, ...], kinds: Sequence[Entity]) -> Steps[Sequence[Row] | Answer]:
    texts = yield requests
    found: list[Row] = []
    for kind, text in zip(kinds, texts, strict=True):
        rows = read_all(desk, kind, (text,))
        if isinstance(rows, Answer):
            return rows
        found.extend(rows.rows)
    return found


_TOOLS = {Entity.TASK: "list_tasks", Entity.PROJECT: "list_projects", Entity.NOTE: "list_notes"}


def _look_up(kind: Entity, name: str, project_id: str | None) -> ToolRequest:
    if kind is Entity.TASK:
        return request("list_tasks", search=name, project_id=project_id)
    if kind is Entity.NOTE:
        return request("list_notes", project_id=project_id)
    return all_projects()


def _checkpoints(desk: Desk, project: str | None) -> Steps[Sequence[Row] | Answer]:
    """The checkpoints of a project, or of the first ``MOST_PROJECTS``."""
    if project:
        found = yield from find_project(desk, project)
        if isinstance(found, Answer):
            return found
        projects: Sequence[Row] = (found,)
    else:
        listed = yield from _listed(desk, (all_projects(),), (Entity.PROJECT,))
        if isinstance(listed, Answer):
            return listed
        projects = listed
    if not projects:
        return ()
    requests = tuple(request("list_checkpoints", project_id=row.id) for row in projects[:MOST_PROJECTS])
    return (yield from _listed(desk, requests, (Entity.CHECKPOINT,) * len(requests)))


def _only(desk: Desk, target: Target, match: Match) -> Row | Answer:
    noun = desk.phrases.noun(target.entity)
    name = desk.phrases.quoted(target.name)
    if not match.rows:
        return desk.say(desk.phrases.none_called, none=noun.none, name=name)
    if len(match.rows) == 1:
        return match.rows[0]
    template = desk.phrases.same_title if match.exact else desk.phrases.several
    asked = desk.say(template, count=str(len(match.rows)), many=noun.many, name=name)
    return Answer(text=f"{asked.text}\n{desk.lines(match.rows)}")
