"""What a plan works with: the tools on offer, their results, the page; and the shape of a plan.

A plan is a generator: it yields a round of tool requests, receives their results, and returns the answer, or raises
``PlanEnded``. It keeps no state between two model requests; it runs again from the start with what the conversation
already holds.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

from accounts.translations import gettext_noop
from agents.adapters.base import ToolMessage, ToolSchema
from agents.calls import NamedRows, Rows
from agents.offline.answers import PlanAnswer
from agents.offline.commands import RowKind
from agents.offline.rows import TABLES, Listing, Record, read_listing, without_ids
from agents.offline.wording import Wording, capitalised
from agents.permissions.approvals.consent import Refusal, refusal_in
from agents.scopes import ListScope, NoteScope, ProjectScope, View
from agents.tools.long import FAILED

T = TypeVar("T")

CANNOT_HERE: Final = gettext_noop("I cannot do this here: the tool it takes is not on offer.")
_REFUSALS: Final = {
    Refusal.REFUSED: gettext_noop("All right, I leave it as it is."),
    Refusal.UNANSWERED: gettext_noop("You did not answer in time, so I changed nothing. Say it again when you like."),
    Refusal.PENDING: gettext_noop(
        "This needs your approval and waits for it: look at what is open. Nothing is changed yet."
    ),
    Refusal.CANNOT_ASK: gettext_noop("This needs your approval, and I cannot ask you for it here. Nothing is changed."),
    Refusal.DENIED: gettext_noop("Your settings do not allow this. Nothing is changed."),
}
MISSING: Final = ToolMessage(call_id="", text="", ok=False)
"""In the place of a result that the conversation does not hold: a failure without words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolRequest:
    """A tool to be called, with arguments that JSON can hold."""

    name: str
    arguments: dict[str, object]


Round: TypeAlias = tuple[ToolRequest, ...]
Results: TypeAlias = tuple[ToolMessage, ...]
Steps: TypeAlias = Generator[Round, Results, T]
Plan: TypeAlias = Steps[PlanAnswer]


class PlanEnded(Exception):
    """A plan ends with ``answer``: for example there is no such row, or a tool failed."""

    def __init__(self, answer: PlanAnswer) -> None:
        super().__init__(answer.text)
        self.answer = answer


def next_step(plan: Plan, rounds: Sequence[Results]) -> Round | PlanAnswer:
    """Where ``plan`` is after ``rounds`` of results: the next round of requests, or the answer."""
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
    """One message's surroundings, and the words to answer it with."""

    tools: Sequence[ToolSchema]
    view: View | None = None
    """The page in front of the person, beside which they talk to the assistant."""

    @property
    def project_id(self) -> str | None:
        """The project of new rows unless another is named."""
        match self.view.scope if self.view else None:
            case ProjectScope(entityId=project_id):
                return project_id
            case NoteScope(projectId=project_id):
                return project_id
            case _:
                return None

    @property
    def asks_for_project(self) -> bool:
        """Whether the page lists everything, so that a new row needs a named project."""
        return self.view is not None and isinstance(self.view.scope, ListScope)

    def offers(self, name: str) -> bool:
        """Whether the tool ``name`` may be called."""
        return any(tool.name == name for tool in self.tools)

    def say(self, message: str, **parts: object) -> PlanAnswer:
        """An answer that is ``message`` in the person's language, with a capital at the start."""
        return PlanAnswer(text=capitalised(self.gettext(message, **parts)))

    def rows(self, result: ToolMessage, name: str) -> Rows:
        """The rows of a tool's result under ``name``. Raises ``PlanEnded`` when there are none, because it failed."""
        if name not in result.rows:
            raise PlanEnded(self.failed(result))
        return result.rows[name]

    def listing(self, entity: RowKind, result: ToolMessage, name: str = "") -> Listing:
        """The records in a tool's result. Raises ``PlanEnded`` when it failed."""
        return read_listing(entity, self.rows(result, name or TABLES[entity]), self.now.tzinfo)

    def record(self, entity: RowKind, result: ToolMessage, name: str = "") -> Record:
        """The record that a tool made, changed or read. Raises ``PlanEnded`` when it failed."""
        records = self.listing(entity, result, name).records
        if not records:
            raise PlanEnded(self.failed(result))
        return records[0]

    def check(self, result: ToolMessage) -> None:
        """Raises ``PlanEnded`` when the tool failed."""
        if not result.ok:
            raise PlanEnded(self.failed(result))

    def read(self, entity: RowKind, rows: NamedRows, name: str) -> Listing | None:
        """The records under ``name``; None when there is no such part."""
        return read_listing(entity, rows[name], self.now.tzinfo) if name in rows else None

    def read_one(self, entity: RowKind, rows: NamedRows, name: str) -> Record | None:
        """The first record under ``name``."""
        listing = self.read(entity, rows, name)
        return listing.records[0] if listing and listing.records else None

    def failed(self, result: ToolMessage) -> PlanAnswer:
        """The failure of a tool. Why a tool did not run is said in the person's language."""
        refusal = refusal_in(result.text)
        if refusal is not None:
            return PlanAnswer(text=self.gettext(_REFUSALS[refusal]))
        why = without_ids(result.text.removeprefix(FAILED)) or self.gettext("The tool gave no answer.")
        return self.say("That did not work. {sentence}", sentence=why)
