"""What a plan works with: the tools on offer, the language, the calendar; and the shape of a plan.

A plan is a generator: it yields a round of tool requests, is sent their texts, and returns the answer. It keeps no
state between two model requests; it is run again from the start with what the conversation already holds.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import TypeAlias, TypeVar

from agents.adapters.base import ToolSchema
from agents.jobs.notices import FAILED
from agents.offline.answers import Answer
from agents.offline.commands import Entity
from agents.offline.phrases import Phrases
from agents.offline.rows import Moment, Row, without_ids
from agents.permissions.approvals.refusals import refusal_in
from agents.scopes import ListScope, NoteScope, ProjectScope, View

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolRequest:
    """A tool to be called, with arguments that JSON can hold."""

    name: str
    arguments: dict[str, object]


Round: TypeAlias = tuple[ToolRequest, ...]
Texts: TypeAlias = tuple[str, ...]
Steps: TypeAlias = Generator[Round, Texts, T]
Plan: TypeAlias = Steps[Answer]


def next_step(plan: Plan, rounds: Sequence[Sequence[str]]) -> Round | Answer:
    """Where ``plan`` stands after ``rounds`` of tool texts: the next round of requests, or the answer."""
    try:
        step = next(plan)
        for texts in rounds:
            # A text that is missing reads as an answer without words, so that the plan reports it as a failure.
            step = plan.send((*texts, *("" for _ in step))[: len(step)])
    except StopIteration as ended:
        answer: Answer = ended.value
        return answer
    return step


def request(tool: str, /, **arguments: object) -> ToolRequest:
    """A tool request without the arguments that are None."""
    return ToolRequest(name=tool, arguments={key: value for key, value in arguments.items() if value is not None})


@dataclass(frozen=True, kw_only=True, slots=True)
class Desk:
    """One message's surroundings. ``now`` is aware, in the person's time zone."""

    tools: Sequence[ToolSchema]
    phrases: Phrases
    now: datetime
    view: View | None = None
    """The page in front of the person, beside which they talk to the assistant."""

    @property
    def project_id(self) -> str | None:
        """The project that new things belong to when no other is named."""
        match self.view.scope if self.view else None:
            case ProjectScope(entityId=project_id):
                return project_id
            case NoteScope(projectId=project_id):
                return project_id
            case _:
                return None

    @property
    def asks_for_project(self) -> bool:
        """Whether the page is a list of everything, where a new thing needs a project that is named."""
        return self.view is not None and isinstance(self.view.scope, ListScope)

    @property
    def today(self) -> date:
        return self.now.date()

    def offers(self, name: str) -> bool:
        """Whether the tool ``name`` may be called."""
        return any(tool.name == name for tool in self.tools)

    def say(self, template: str, **parts: str) -> Answer:
        """An answer of words only."""
        return Answer(text=sentence(template, **parts))

    def failed(self, text: str) -> Answer:
        """What a tool said instead of doing what was asked; why it was not run, in the person's language."""
        refusal = refusal_in(text)
        if refusal is not None:
            return Answer(text=self.phrases.refusals[refusal])
        why = without_ids(text.removeprefix(FAILED))
        return self.say(self.phrases.failed, sentence=why or self.phrases.unclear_answer)

    def quoted(self, row: Row) -> str:
        return self.phrases.quoted(row.title)

    def line(self, row: Row) -> str:
        """A row in one line: its title and what is worth saying of it."""
        return f"{row.title}{self.phrases.details(row, self.today)}"

    def lines(self, rows: Sequence[Row]) -> str:
        """Rows as a list, the first twenty."""
        said = [f"- {self.line(row)}" for row in rows[:MOST_LINES]]
        if len(rows) > MOST_LINES:
            said.append(f"- {self.phrases.more.format(count=len(rows) - MOST_LINES)}")
        return "\n".join(said)

    def counted(self, count: int, entity: Entity) -> str:
        noun = self.phrases.noun(entity)
        return f"{count} {noun.one if count == 1 else noun.many}"

    def instant(self, moment: Moment) -> datetime:
        """``moment`` as an aware time; a day without a time of day is its midnight."""
        return datetime.combine(moment.day, moment.at or time.min, self.now.tzinfo)


MOST_LINES = 20


def sentence(template: str, **parts: str) -> str:
    """``template`` filled in, with one space between words and a capital at the start."""
    text = template.format(**parts)
    return text[:1].upper() + text[1:]
