"""Finding the row that a name means, by the tools, freshly for every command."""

from collections.abc import Callable, Sequence

from accounts.translations import gettext_noop
from agents.adapters.base import ToolMessage
from agents.offline.answers import PlanAnswer
from agents.offline.commands import RowKind, Target
from agents.offline.context import CANNOT_HERE, Context, PlanEnded, Steps, ToolRequest, request
from agents.offline.rows import Listing, Record, TitleMatch, best_match

MOST_PROJECTS = 25
"""How many projects' checkpoints are looked through when no project is named."""
NONE_CALLED = gettext_noop("I found {none} called {name}.")
_NOT_CERTAIN = gettext_noop(
    "I found {the} {title}, but that is not the whole title you gave. Deleting cannot be undone: repeat the command "
    "with the full title."
)
_SEVERAL = gettext_noop(
    "{count} {many} could be meant by {name}. Repeat the command with the full title of one of them:"
)
_SAME_TITLE = gettext_noop(
    "{count} {many} have the title {name}. Add what tells them apart, such as “in project …”, or rename one first:"
)

_ANYTHING = (RowKind.TASK, RowKind.PROJECT, RowKind.NOTE)


def find_row(context: Context, target: Target, *, prefer: Callable[[Record], bool] | None = None) -> Steps[Record]:
    """The one row that ``target`` means, or raises ``PlanEnded`` when there is none, or several.

    Among rows that fit alike, those for which ``prefer`` is true come first.
    """
    if target.entity is RowKind.CHECKPOINT:
        rows = yield from _checkpoints(context, target.project)
    else:
        rows = yield from _named(context, target)
    match = best_match(rows, target)
    if prefer and (preferred := tuple(row for row in match.records if prefer(row))):
        match = TitleMatch(records=preferred, exact=match.exact)
    return _only(context, target, match)


def find_row_to_delete(context: Context, target: Target) -> Steps[Record]:
    """As ``find_row``, but the name must be the whole title: a deleted row cannot be restored."""
    row = yield from find_row(context, target)
    if not best_match((row,), target).exact:
        raise PlanEnded(context.say(_NOT_CERTAIN, the=context.the(row.entity), title=context.quoted(row)))
    return row


def find_project(context: Context, name: str) -> Steps[Record]:
    """The project called ``name``, archived ones included."""
    return (yield from find_row(context, Target(name=name, literal=name, entity=RowKind.PROJECT)))


def find_project_id(context: Context, name: str | None) -> Steps[str | None]:
    """The id of the project called ``name``; None without a name."""
    return (yield from find_project(context, name)).id if name else None


def project_named(rows: Sequence[Record], name: str) -> Record | None:
    """The project among ``rows`` whose whole name is ``name``."""
    match = best_match(rows, Target(name=name, literal=name))
    return match.records[0] if match.exact and len(match.records) == 1 else None


def all_projects() -> ToolRequest:
    """Every project, the archived ones included, by the tool that every agent has."""
    return request("list_projects", include_archived=True)


def read_all(context: Context, entity: RowKind, results: Sequence[ToolMessage]) -> Listing:
    """The records of several listings together, each once. Raises ``PlanEnded`` when one failed."""
    records: dict[str, Record] = {}
    omitted = 0
    for result in results:
        listing = context.listing(entity, result)
        records |= {record.id: record for record in listing.records}
        omitted += listing.total - len(listing.records)
    return Listing(records=tuple(records.values()), total=len(records) + omitted)


def _named(context: Context, target: Target) -> Steps[Sequence[Record]]:
    """Rows of the target's kind, or of every kind on offer, which may hold its name."""
    kinds = (target.entity,) if target.entity else tuple(kind for kind in _ANYTHING if context.offers(_TOOLS[kind]))
    if not kinds:
        raise PlanEnded(context.say(CANNOT_HERE))
    is_project = target.entity is RowKind.PROJECT
    project_id = yield from find_project_id(context, None if is_project else target.project)
    rows = yield from _listed(context, tuple(_look_up(kind, target.name, project_id) for kind in kinds), kinds)
    if best_match(rows, target).records or RowKind.TASK not in kinds:
        return rows
    # The device's search knows only whole phrases; the name may be one with other spaces, cases or marks.
    return (yield from _listed(context, (request("list_tasks", project_id=project_id),), (RowKind.TASK,)))


def _listed(context: Context, requests: tuple[ToolRequest, ...], kinds: Sequence[RowKind]) -> Steps[Sequence[Record]]:
    results = yield requests
    found: list[Record] = []
    for kind, result in zip(kinds, results, strict=True):
        found.extend(context.listing(kind, result).records)
    return found


_TOOLS = {RowKind.TASK: "list_tasks", RowKind.PROJECT: "list_projects", RowKind.NOTE: "list_notes"}


def _look_up(kind: RowKind, name: str, project_id: str | None) -> ToolRequest:
    if kind is RowKind.TASK:
        return request("list_tasks", search=name, project_id=project_id)
    if kind is RowKind.NOTE:
        return request("list_notes", project_id=project_id)
    return all_projects()


def _checkpoints(context: Context, project: str | None) -> Steps[Sequence[Record]]:
    """The checkpoints of a project, or of the first ``MOST_PROJECTS``."""
    projects: Sequence[Record]
    if project:
        projects = ((yield from find_project(context, project)),)
    else:
        projects = yield from _listed(context, (all_projects(),), (RowKind.PROJECT,))
    if not projects:
        return ()
    requests = tuple(request("list_checkpoints", project_id=row.id) for row in projects[:MOST_PROJECTS])
    return (yield from _listed(context, requests, (RowKind.CHECKPOINT,) * len(requests)))


def _only(context: Context, target: Target, match: TitleMatch) -> Record:
    count, name = len(match.records), context.name(target.name)
    if not count:
        raise PlanEnded(context.say(NONE_CALLED, none=context.no(target.entity), name=name))
    if count == 1:
        return match.records[0]
    asked = context.say(
        _SAME_TITLE if match.exact else _SEVERAL, count=count, many=context.noun(target.entity, count), name=name
    )
    raise PlanEnded(PlanAnswer(text=f"{asked.text}\n{context.lines(match.records)}"))
