"""What all kinds of turns share: what they work with, the run on the device, and the frames they write."""

import asyncio
import logging
import uuid
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import ClassVar, Final, Generic, TypeVar, assert_never

from accounts.database import DATABASE_ERRORS, UNREACHABLE
from agents.adapters.base import (
    AnswerFormat,
    Material,
    Message,
    ModelParams,
    SystemMessage,
    UserMessage,
    earlier,
    latest,
)
from agents.calls import Table
from agents.engine import loop
from agents.engine.roster import AgentName, AgentProfile, classify_intent
from agents.engine.run import AgentRun, Requester, RunDependencies, running
from agents.errors import ModelError, ModelRefused, ModelUnavailable
from agents.events import AgentEvent, Finished, TextDelta, ToolFinished, ToolStarted, Usage
from agents.jobs.dispatch import JobStarter
from agents.jobs.records import Asked, NewJob, Said
from agents.prompts.names import PromptName
from agents.prompts.rendering import moment, prompt_text, remembered_text, system_prompt
from agents.requests import RequestKind
from agents.scopes import AnyScope, View
from agents.telemetry.turns import TurnOutcome, note_agent, note_end, note_first_text
from agents.tools.client import ClientExecutor
from agents.tools.context import CallContext
from agents.tools.long import begun_notice
from agents.tools.recollection import Forget
from agents.tools.spec import ToolSpec
from chat.formatters.formatter import Entity, Formatter, Part, Row, TextPart
from chat.protocol.frames.client import HistoryMessage, TurnRequest
from chat.protocol.frames.server import ErrorInfo
from chat.protocol.frames.vocabulary import ErrorCode, FinishReason, TurnState
from chat.turns.frame_log import AnswerWriter, FrameLog
from chat.turns.sessions import SessionBuffers
from memory.recording import Exchange
from memory.service import MemoryService, Recalled

logger = logging.getLogger(__name__)

_TABLES: Final = {
    Entity.TASK: Table.TASKS,
    Entity.PROJECT: Table.PROJECTS,
    Entity.NOTE: Table.NOTES,
    Entity.CHECKPOINT: Table.CHECKPOINTS,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnDependencies:
    """What a process provides to its turns.

    ``memory`` is None where the memory is turned off, ``jobs`` where no queued tool runs.
    """

    run: RunDependencies
    jobs: JobStarter | None = None
    memory: MemoryService | None = None
    sessions: SessionBuffers = field(default_factory=SessionBuffers)


Request = TypeVar("Request", bound=TurnRequest)


@dataclass(eq=False)
class TurnWork(ABC, Generic[Request]):
    """Answers one request of its ``kind``. Each subclass is a kind of turn; ``chat.runner`` lists them."""

    kind: ClassVar[RequestKind]
    dependencies: TurnDependencies
    requester: Requester
    client: ClientExecutor
    request: Request
    request_id: str

    @abstractmethod
    async def __call__(self, log: FrameLog) -> None:
        """Write the frames of the turn into ``log``; after a cancellation still the last one."""

    @asynccontextmanager
    async def answering(self, writer: AnswerWriter) -> AsyncIterator["Answering"]:
        """The turn at work. However the block ends, the turn's last frame is written, once."""
        with running(self.dependencies.run, self.requester, request_id=self.request_id, kind=self.kind) as run:
            answering = Answering(self.dependencies, run, self.client, writer)
            try:
                yield answering
            except asyncio.CancelledError:
                answering.end(FinishReason.CANCELLED)
                raise
            except ModelError as error:
                logger.warning("the model failed: %s", error)
                answering.end(FinishReason.ERROR, error=_model_error_info(error))
            except DATABASE_ERRORS as error:
                logger.warning("a turn needs the database, which cannot be used: %s", type(error).__name__)
                away = ErrorInfo(code=ErrorCode.NOT_AVAILABLE, message=UNREACHABLE, retryable=True)
                answering.end(FinishReason.ERROR, error=away)
            except Exception:  # the boundary of a turn: the client gets an incident's number, the log the reason
                incident = uuid.uuid4().hex[:12]
                logger.exception("a turn failed unexpectedly (incident %s)", incident)
                message = f"Something went wrong on the server (incident {incident})."
                answering.end(
                    FinishReason.ERROR, error=ErrorInfo(code=ErrorCode.INTERNAL_ERROR, message=message, retryable=True)
                )
            else:
                answering.end(FinishReason.DONE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A message to an agent, and the prompt that sets how it answers.

    ``data`` are rows that the message is about, in words, and ``material`` the same as values; ``view`` is the page in
    front of the user.
    """

    message: str
    agent: AgentProfile
    prompt: PromptName
    answer_format: AnswerFormat
    remembered: Recalled = field(default_factory=Recalled)
    history: Sequence[HistoryMessage] = ()
    session_id: str | None = None
    scope: AnyScope | None = None
    scope_words: str = ""
    data: str = ""
    material: Material | None = None
    view: View | None = None


class Answering:
    """One turn at work: its run on the device, and the frames it writes."""

    def __init__(
        self, dependencies: TurnDependencies, run: AgentRun, client: ClientExecutor, writer: AnswerWriter
    ) -> None:
        self.run = run
        self.device = run.on(client)
        self._dependencies = dependencies
        self._requester = run.requester
        self._writer = writer
        self._usage: Usage | None = None
        self.said: list[str] = []
        """The texts written so far, in order."""
        self._apart = False
        self._forgot = False

    async def prepare(
        self, message: str, *, on_agent: Callable[[AgentName], None] | None = None
    ) -> tuple[AgentName, Recalled]:
        """Choose the agent for ``message`` and recall what goes along; ``on_agent`` hears of the choice at once."""
        memory, requester = self._dependencies.memory, self._requester

        async def choose() -> AgentName:
            agent = await classify_intent(message, self.run.adapter, language=requester.language)
            if on_agent is not None:
                on_agent(agent)
            return agent

        if memory is None:
            return await choose(), Recalled()
        async with asyncio.TaskGroup() as tasks:
            recalling = tasks.create_task(memory.recall(requester.user_id, message), name="recalling")
            agent = await choose()
        return agent, recalling.result()

    def say(self, text: str) -> None:
        """Write ``text`` as the turn's own, without asking the model."""
        self._write([TextPart(text=text)])

    async def answer(self, question: Question) -> None:
        """Ask the model and write its answer. Raises ``ModelError``."""
        now, jobs = self.run.now(), self._dependencies.jobs
        formatter = Formatter(
            # A formatter's reason never holds what the model wrote.
            partial(logger.info, "a block was skipped: %s"),
            rows=self._rows if question.answer_format is AnswerFormat.BLOCKS else None,
        )
        note_agent(question.agent.name)
        executor = self.device.executor(
            question.agent.tools,
            self.run.context(session_id=question.session_id, scope=question.scope),
            said=question.message,
            reasons=question.agent.reasons_to_ask,
            on_asking=self._asking,
            start_job=None if jobs is None else partial(self._start_job, jobs, question),
        )
        params = ModelParams(
            answer_format=question.answer_format, language=self._requester.language, now=now, view=question.view
        )
        try:
            events = loop.run(self.run.adapter, _conversation(question, self._requester, now), executor, params)
            with self.device.active():
                async with aclosing(events):
                    async for event in events:
                        self._take(event, formatter)
        except ModelError:
            self._write(formatter.end_message())
            raise
        self._write(formatter.end_message())

    async def record(self, message: str, *, session_id: str | None = None) -> None:
        """Record the exchange in the memory if there was an answer in words, before the turn's last frame.

        A turn in which something was forgotten is not recorded: it repeats what the user wants forgotten.
        """
        response = "".join(self.said)
        if self._dependencies.memory is None or self._forgot or not response.strip():
            return
        exchange = Exchange(
            message=message, response=response, language=self._requester.language, session_id=session_id or ""
        )
        await self._dependencies.memory.record(self._requester.user_id, exchange)

    async def _start_job(self, jobs: JobStarter, question: Question, tool: ToolSpec, context: CallContext) -> str:
        asked = Asked(
            message=question.message,
            history=tuple(Said(role=message.role, content=message.content) for message in latest(question.history)),
            scope=question.scope,
            language=context.language,
            timezone=context.timezone,
        )
        origin = replace(self.run.origin, session_id=context.session_id or "")
        await jobs.start(origin, NewJob(tool=tool.tool_name, label=tool.label, arguments=tool.arguments, asked=asked))
        return begun_notice()

    def _asking(self, tool: ToolSpec, *, waiting: bool) -> None:
        state = TurnState.WAITING_APPROVAL if waiting else TurnState.CALLING_TOOL
        self._writer.status(state, tool=tool.tool_name, label=None if waiting else tool.label)

    def _rows(self, entity: Entity) -> Sequence[Row]:
        return self.device.results.rows(_TABLES[entity])

    def _take(self, event: AgentEvent, formatter: Formatter) -> None:
        match event:
            case TextDelta():
                self._write(formatter.feed(event.text))
            case ToolStarted():
                self._write(formatter.end_message())
                self._apart = bool(self.said) and not self.said[-1][-1:].isspace()
                self._writer.status(TurnState.CALLING_TOOL, tool=event.call.name, label=event.label)
            case ToolFinished():
                self._forgot |= event.ok and event.call.name == Forget.tool_name
                self._writer.status(TurnState.THINKING)
            case Usage():
                self._usage = event if self._usage is None else self._usage + event
            case Finished():
                pass
            case _:
                assert_never(event)

    def _write(self, parts: Sequence[Part]) -> None:
        for part in parts:
            if isinstance(part, TextPart):
                if not self.said:
                    note_first_text()
                if self._apart:
                    # What a model says before and after its tools are two messages, so a paragraph separates them.
                    self._apart = False
                    self.said.append("\n\n")
                    self._writer.part(TextPart(text="\n\n"))
                self.said.append(part.text)
            self._writer.part(part)

    def end(self, reason: FinishReason, *, error: ErrorInfo | None = None) -> None:
        """The turn's last frame, and its end for the observers."""
        note_end(TurnOutcome(reason.value), "" if error is None else error.code)
        self._writer.end(reason, changes=self.device.results.changes, usage=self._usage, error=error)


def _model_error_info(error: ModelError) -> ErrorInfo:
    match error:
        case ModelUnavailable():
            code = ErrorCode.MODEL_UNAVAILABLE
        case ModelRefused():
            code = ErrorCode.MODEL_REFUSED
        case _:
            code = ErrorCode.MODEL_ERROR
    return ErrorInfo(code=code, message=str(error), retryable=error.retryable)


def _conversation(question: Question, requester: Requester, now: datetime) -> list[Message]:
    variables = {
        "now": moment(now),
        "timezone": requester.timezone.key,
        "role": prompt_text(question.agent.role) if question.agent.role else "",
        "scope": question.scope_words,
    }
    text = f"{question.message}\n\n{question.data}" if question.data else question.message
    remembered = question.remembered
    return [
        SystemMessage(text=system_prompt(question.prompt, variables, language=requester.language)),
        # As the user's and not as the system's: a memory has no more authority than the person who told it.
        *([] if remembered.empty else [UserMessage(text=remembered_text(remembered))]),
        *earlier(question.history),
        UserMessage(text=text, material=question.material),
    ]
