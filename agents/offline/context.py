"""The common parts of plans: the offered tools, their results, the page, and the search for a named row.

A plan is a generator: it yields a round of tool requests, receives their results, and returns the answer, or raises
``PlanEnded``. It keeps no state between two model requests: it runs again from the start with the results that the
conversation contains.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

from accounts.translations import gettext_noop
from agents.adapters.base import ToolMessage, ToolSchema
from agents.calls import NamedRows, Rows
from agents.engine.roster import tools_to_find
from agents.offline.answers import PlanAnswer
from agents.offline.commands import RowKind, Target
from agents.offline.rows import TABLES, Listing, Record, TitleMatch, best_match, read_listing, without_ids
from agents.offline.wording import Wording, capitalised
from agents.permissions.approvals.refusals import Refusal, refusal_in
from agents.scopes import NoteScope, ProjectScope, View
from agents.tools.finding import FindTools
from agents.tools.long import FAILED

T = TypeVar("T")

NO_SUCH_DATE: Final = gettext_noop("There is no such date in the calendar.")
CANNOT_HERE: Final = gettext_noop("I cannot do this here: the tool it takes is not on offer.")
_REFUSALS: Final = {
    Refusal.REFUSED: gettext_noop("All right, I leave it as it is."),
    Refusal.NOT_ASKED: gettext_noop("All right, I leave it as it is."),
    Refusal.UNANSWERED: gettext_noop("You did not answer in time, so I changed nothing. Say it again when you like."),
    Refusal.PENDING: gettext_noop(
        "This needs your approval and waits for it: look at what is open. Nothing is changed yet."
    ),
    Refusal.CANNOT_ASK: gettext_noop("This needs your approval, and I cannot ask you for it here. Nothing is changed."),
    Refusal.DENIED: gettext_noop("Your settings do not allow this. Nothing is changed."),
}
MISSING: Final = ToolMessage(call_id="", text="", ok=False)
"""A placeholder for a result that the conversation does not contain: a failure without a text."""

MAX_PROJECTS = 25
"""The number of projects whose checkpoints are read if no project is named."""
NONE_CALLED = gettext_noop("I found {none} called {name}.")
_SEVERAL = gettext_noop(
    "{count} {many} could be meant by {name}. Repeat the command with the full title of one of them:"
)
_SAME_TITLE = gettext_noop(
    "{count} {many} have the title {name}. Add what tells them apart, such as “in project …”, or rename one first:"
)

_TOOLS = {RowKind.TASK: "list_tasks", RowKind.PROJECT: "list_projects", RowKind.NOTE: "list_notes"}


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolRequest:
    """A tool to call, with JSON-compatible arguments."""

    name: str
    arguments: dict[str, object]


Round: TypeAlias = tuple[ToolRequest, ...]
Results: TypeAlias = tuple[ToolMessage, ...]
Steps: TypeAlias = Generator[Round, Results, T]
Plan: TypeAlias = Steps[PlanAnswer]


class PlanEnded(Exception):
    """Ends a plan with ``answer``, for example because there is no such row, or because a tool failed."""

    def __init__(self, answer: PlanAnswer) -> None:
        super().__init__(answer.text)
        self.answer = answer


def next_step(plan: Plan, rounds: Sequence[Results]) -> Round | PlanAnswer:
    """The next step of ``plan`` after ``rounds`` of results: a round of requests, or the answer."""
    try:
        step = next(plan)
        for results in rounds:
            step = plan.send((*results, *(MISSING for _ in step))[: len(step)])
    except StopIteration as ended:
        answer: PlanAnswer = ended.value
        return answer
    except PlanEnded as stopped:
        return stopped.answer
    return step


def request(tool: str, /, **arguments: object) -> ToolRequest:
    """A tool request without the arguments that are None."""
    return ToolRequest(name=tool, arguments={key: value for key, value in arguments.items() if value is not None})


@dataclass(frozen=True, kw_only=True, slots=True)
class Context(Wording):
    """The context of a message: the tools, the page, the time and the language."""

    tools: Sequence[ToolSchema]
    view: View | None = None
    """The page beside the sidebar; None outside the sidebar."""

    @property
    def project_id(self) -> str | None:
        """The project of new rows unless another is named."""
        match self.view.scope if self.view else None:
            case ProjectScope(entityId=project_id) | NoteScope(projectId=project_id):
                return project_id
            case _:
                return None

    def offers(self, name: str) -> bool:
        """Whether the tool ``name`` can be called. So can tools that the agent can search for."""
        names = {tool.name for tool in self.tools}
        return name in names or (FindTools.tool_name in names and name in tools_to_find(names))

    def say(self, message: str, *, row: Record | None = None, **parts: object) -> PlanAnswer:
        """An answer: ``message`` in the user's language, with a capital at the start.

        ``row`` fills in ``{the}`` and ``{title}``.
        """
        if row:
            parts |= {"the": self.the(row.entity), "title": self.quoted(row)}
        return PlanAnswer(text=capitalised(self.gettext(message, **parts)))

    def rows(self, result: ToolMessage, name: str) -> Rows:
        """The rows of a tool's result under ``name``. Raises ``PlanEnded`` if the tool failed."""
        if name not in result.rows:
            raise PlanEnded(self.failed(result))
        return result.rows[name]

    def listing(self, entity: RowKind, result: ToolMessage, name: str = "") -> Listing:
        """The records in a tool's result. Raises ``PlanEnded`` if the tool failed."""
        return read_listing(entity, self.rows(result, name or TABLES[entity]), self.now.tzinfo)

    def record(self, entity: RowKind, result: ToolMessage, name: str = "") -> Record:
        """The record that a tool created, changed or read. Raises ``PlanEnded`` if the tool failed."""
        records = self.listing(entity, result, name).records
        if not records:
            raise PlanEnded(self.failed(result))
        return records[0]

    def check(self, result: ToolMessage) -> None:
        """Raise ``PlanEnded`` if the tool failed."""
        if not result.ok:
            raise PlanEnded(self.failed(result))

    def read(self, entity: RowKind, rows: NamedRows, name: str) -> Listing | None:
        """The records under ``name``; None if there is no such part."""
        return read_listing(entity, rows[name], self.now.tzinfo) if name in rows else None

    def read_one(self, entity: RowKind, rows: NamedRows, name: str) -> Record | None:
        """The first record under ``name``."""
        listing = self.read(entity, rows, name)
        return listing.records[0] if listing and listing.records else None

    def failed(self, result: ToolMessage) -> PlanAnswer:
        """The answer about a tool's failure. The reason of a refusal is in the user's language."""
        refusal = refusal_in(result.text)
        if refusal is not None:
            return PlanAnswer(text=self.gettext(_REFUSALS[refusal]))
        reason = without_ids(result.text.removeprefix(FAILED)) or self.gettext("The tool gave no answer.")
        return self.say("That did not work. {sentence}", sentence=reason)


def find_row(context: Context, target: Target, *, prefer: Callable[[Record], bool] | None = None) -> Steps[Record]:
    """The row that ``target`` names. Raises ``PlanEnded`` if there is none, or several.

    Of rows that match equally well, those for which ``prefer`` is true are preferred.
    """
    if target.entity is RowKind.CHECKPOINT:
        rows = yield from _checkpoints(context, target.project)
    else:
        rows = yield from _named(context, target)
    match = best_match(rows, target)
    if prefer and (preferred := tuple(row for row in match.records if prefer(row))):
        match = TitleMatch(records=preferred, exact=match.exact)
    if len(match.records) == 1:
        return match.records[0]
    if target.id and target.entity:
        # It was shown before. Its id distinguishes it from others with the same title.
        return Record(entity=target.entity, id=target.id, title=target.name)
    count, name = len(match.records), context.name(target.name)
    if not count:
        raise PlanEnded(context.say(NONE_CALLED, none=context.no(target.entity), name=name))
    message = _SAME_TITLE if match.exact else _SEVERAL
    question = context.say(message, count=count, many=context.noun(target.entity, count), name=name)
    raise PlanEnded(PlanAnswer(text=f"{question.text}\n{context.lines(match.records)}"))


def find_project(context: Context, name: str) -> Steps[Record]:
    """The project with this name, even if it is archived."""
    return (yield from find_row(context, Target(name=name, literal=name, entity=RowKind.PROJECT)))


def all_projects() -> ToolRequest:
    """The request for all projects, including archived ones, by a tool that all agents have."""
    return request("list_projects", include_archived=True)


def read_all(context: Context, entity: RowKind, results: Sequence[ToolMessage]) -> Listing:
    """The records of several listings, without duplicates. Raises ``PlanEnded`` if one failed."""
    listings = [context.listing(entity, result) for result in results]
    records = {record.id: record for listing in listings for record in listing.records}
    omitted = sum(listing.total - len(listing.records) for listing in listings)
    uncounted = any(listing.uncounted for listing in listings)
    return Listing(records=tuple(records.values()), total=len(records) + omitted, uncounted=uncounted)


def _named(context: Context, target: Target) -> Steps[Sequence[Record]]:
    """Rows of the target's kind, or of all offered kinds, one of which may have its name."""
    kinds = (target.entity,) if target.entity else tuple(kind for kind in _TOOLS if context.offers(_TOOLS[kind]))
    if not kinds:
        raise PlanEnded(context.say(CANNOT_HERE))
    project = None if target.entity is RowKind.PROJECT else target.project
    project_id = (yield from find_project(context, project)).id if project else None
    requests = {
        RowKind.TASK: request("list_tasks", search=target.name, project_id=project_id),
        RowKind.NOTE: request("list_notes", project_id=project_id),
    }
    rows = yield from _listed(context, tuple(requests.get(kind, all_projects()) for kind in kinds), kinds)
    if best_match(rows, target).records or RowKind.TASK not in kinds:
        return rows
    # The device finds only literal phrases. The title may have other spaces, cases or marks.
    again = [request("list_tasks", project_id=project_id)]
    if target.entity is None and context.offers("list_checkpoints"):
        projects = [row.id for row in rows if row.entity is RowKind.PROJECT]
        ids = [project_id] if project_id else projects[:MAX_PROJECTS]
        again += [request("list_checkpoints", project_id=row_id) for row_id in ids]
    return (yield from _listed(context, tuple(again), (RowKind.TASK, *[RowKind.CHECKPOINT] * (len(again) - 1))))


def _listed(context: Context, requests: tuple[ToolRequest, ...], kinds: Sequence[RowKind]) -> Steps[Sequence[Record]]:
    results = yield requests
    listings = [context.listing(kind, result) for kind, result in zip(kinds, results, strict=True)]
    return [record for listing in listings for record in listing.records]


def _checkpoints(context: Context, project: str | None) -> Steps[Sequence[Record]]:
    """The checkpoints of a project, or of the first ``MAX_PROJECTS``."""
    if project:
        projects: Sequence[Record] = ((yield from find_project(context, project)),)
    else:
        projects = yield from _listed(context, (all_projects(),), (RowKind.PROJECT,))
    if not projects:
        return ()
    requests = tuple(request("list_checkpoints", project_id=row.id) for row in projects[:MAX_PROJECTS])
    return (yield from _listed(context, requests, (RowKind.CHECKPOINT,) * len(requests)))
