"""What a turn is asked, and how that becomes a conversation with a model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol
from uuid import UUID
from zoneinfo import ZoneInfo

from agents.adapters.base import (
    AnswerFormat,
    Message,
    ModelAdapter,
    ModelParams,
    Purpose,
    SystemMessage,
    UserMessage,
)
from agents.adapters.earlier import earlier
from agents.engine.roster import AgentProfile
from agents.jobs.records import JobStanding, NewJob
from agents.permissions.approvals.questions import Origin
from agents.permissions.approvals.tool_approvals import Asker, NobodyToAsk, ToolApprovalManager
from agents.permissions.disclosures.store import DisclosureStore, Untold
from agents.permissions.sharing.store import MarkStore, Unmarked
from agents.prompts.names import PromptName
from agents.prompts.remembered import remembered_text
from agents.prompts.system import moment, prompt_text, system_prompt
from agents.scopes import AnyScope, View
from agents.tools.context import CallContext
from chat.protocol.frames.client import HistoryMessage
from chat.turns.remembering import Remembering
from memory.embedders.base import Embedder
from memory.recall import Remembered


@dataclass(frozen=True, kw_only=True, slots=True)
class Person:
    """Whom a turn answers, and how they are asked before a tool runs."""

    user_id: UUID
    timezone: ZoneInfo
    language: str
    asker: Asker = field(default_factory=NobodyToAsk)
    device_id: str = ""
    """The device on which what is asked is done."""


class JobStarter(Protocol):
    """Has tools run as jobs, and their device told."""

    async def start(self, origin: Origin, new: NewJob) -> JobStanding:
        """The job, on its way. Raises as ``agents.jobs.rows.create``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Kit:
    """What every turn works with. ``memory`` is None where nothing is remembered, ``jobs`` where no queued tool runs;
    ``clock`` gives the aware time. ``disclosures`` and ``marks`` stand for what a model may be sent: as they are by
    default, everything, and nobody writes it down.
    """

    adapter: ModelAdapter
    embedder: Embedder
    approvals: ToolApprovalManager
    jobs: JobStarter | None = None
    memory: Remembering | None = None
    disclosures: DisclosureStore = field(default_factory=Untold)
    marks: MarkStore = field(default_factory=Unmarked)
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """What is asked of which agent, and in which prompt's manner it answers.

    ``data`` are rows that the message is about, in words; ``view`` is the page in front of the user.
    """

    message: str
    agent: AgentProfile
    prompt: PromptName
    answer_format: AnswerFormat
    remembered: Remembered = field(default_factory=Remembered)
    history: Sequence[HistoryMessage] = ()
    session_id: str | None = None
    scope: AnyScope | None = None
    scope_words: str = ""
    purpose: Purpose = Purpose.ANSWER
    data: str = ""
    view: View | None = None


def conversation(question: Question, person: Person, now: datetime) -> list[Message]:
    """What the model reads: the system prompt, what is remembered, the latest of the history, the message."""
    variables = {
        "now": moment(now),
        "timezone": person.timezone.key,
        "role": prompt_text(question.agent.role) if question.agent.role else "",
        "scope": question.scope_words,
    }
    return [
        SystemMessage(text=system_prompt(question.prompt, variables, language=person.language)),
        *_remembered(question.remembered),
        *earlier(question.history),
        UserMessage(text=f"{question.message}\n\n{question.data}" if question.data else question.message),
    ]


def params(question: Question, person: Person, now: datetime) -> ModelParams:
    """How the model is asked."""
    return ModelParams(
        purpose=question.purpose,
        answer_format=question.answer_format,
        language=person.language,
        now=now,
        view=question.view,
    )


def context(question: Question, person: Person, kit: Kit) -> CallContext:
    """What the question's tools may know."""
    return CallContext(
        user_id=person.user_id,
        timezone=person.timezone,
        language=person.language,
        now=lambda: kit.clock().astimezone(person.timezone),
        embedder=kit.embedder,
        memory=None if kit.memory is None else kit.memory.recollection(person.user_id),
        session_id=question.session_id,
        scope=question.scope,
    )


def _remembered(remembered: Remembered) -> list[Message]:
    # As the user's and not as the system's: what is remembered has no more authority than who told it.
    return [] if remembered.empty else [UserMessage(text=remembered_text(remembered))]
