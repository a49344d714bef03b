"""The common parts of all kinds of turns: their run on the device, and the frames that they write."""

import asyncio
import logging
import uuid
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractContextManager, aclosing, asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar, Final, Generic, TypeVar, assert_never
from uuid import UUID

from accounts.database import DATABASE_ERRORS, UNREACHABLE, cause_of
from accounts.translations import gettext_noop, translations
from agents.adapters.base import AnswerFormat, ModelParams, latest
from agents.calls import Table
from agents.engine import loop
from agents.engine.roster import AgentName
from agents.engine.routing import classify_intent
from agents.engine.run import AgentRun, Requester, running
from agents.errors import ImageError, ModelError, TooManyJobs
from agents.events import AgentEvent, Finished, ModelProgress, TextDelta, ToolFinished, ToolStarted, Usage
from agents.images import Image
from agents.jobs.dispatch import JobStarter
from agents.jobs.records import Asked, NewJob, Said
from agents.permissions.approvals.change_report import change_report, closing_of
from agents.permissions.approvals.repository import Preview, as_shown
from agents.requests import RequestKind
from agents.telemetry.turns import TurnOutcome, note_agent, note_end, note_first_text
from agents.tools.client import ClientExecutor
from agents.tools.context import CallContext
from agents.tools.long import begun_notice
from agents.tools.recollection import Forget
from agents.tools.spec import Risk, ToolSpec
from chat.formatters.blocks import Entity, Part, Row, TextPart
from chat.formatters.formatter import Formatter
from chat.protocol.frames.client import HistoryMessage, TurnRequest
from chat.protocol.frames.errors import image_error_info, incident_message, model_error_info
from chat.protocol.frames.server import ErrorInfo
from chat.protocol.frames.vocabulary import ErrorCode, FinishReason, TurnState
from chat.turns.conversations import ConversationTurn
from chat.turns.dependencies import TurnDependencies
from chat.turns.frame_log import AnswerWriter, FrameLog
from chat.turns.model_wait import ModelWait
from chat.turns.question import Question
from chat.turns.remembering import TurnMemory
from memory.recalled import Recalled

logger = logging.getLogger(__name__)

_TABLES: Final = {
    Entity.TASK: Table.TASKS,
    Entity.PROJECT: Table.PROJECTS,
    Entity.NOTE: Table.NOTES,
    Entity.CHECKPOINT: Table.CHECKPOINTS,
}
_UNSEEN: Final = gettext_noop("The model that answers cannot see images, so it gets your message without them.")

Request = TypeVar("Request", bound=TurnRequest)


@dataclass(eq=False)
class TurnWork(ABC, Generic[Request]):
    """Answers one request. Each subclass is a kind of turn; ``work_of`` in ``chat.runner`` lists them.

    ``shows_remembered``: whether the client is sent what was recalled.
    """

    kind: ClassVar[RequestKind]
    dependencies: TurnDependencies
    requester: Requester
    client: ClientExecutor
    request: Request
    request_id: str
    shows_remembered: bool = False
    acted: Sequence[str] = field(default=(), init=False)
    """As ``DeviceRun.acted``."""

    @property
    def session_id(self) -> str:
        """The client's name for the conversation of the request; empty for none."""
        return ""

    def queued(self) -> AbstractContextManager[None]:
        """Hold the turn's place in the queue of its session, even before it is known whether it runs here."""
        return nullcontext()

    @abstractmethod
    async def __call__(self, log: FrameLog) -> None:
        """Write the frames of the turn into ``log``, including the last one if the turn is cancelled."""

    @asynccontextmanager
    async def answering(self, writer: AnswerWriter) -> AsyncIterator["Answering"]:
        """Run the turn in this block. The turn's last frame is written exactly once, even if the block raises."""
        with running(
            self.dependencies.run,
            self.requester,
            request_id=self.request_id,
            kind=self.kind,
            model=self.request.model,
            session_id=self.session_id,
        ) as run:
            answering = Answering(self.dependencies, run, self.client, writer, shows_remembered=self.shows_remembered)
            self.acted = answering.device.acted
            try:
                yield answering
            except asyncio.CancelledError:
                answering.end(FinishReason.CANCELLED)
                raise
            except ModelError as error:
                logger.warning("the model failed: %s", error)
                answering.end(FinishReason.ERROR, error=model_error_info(error))
            except ImageError as error:
                answering.end(FinishReason.ERROR, error=image_error_info(error))
            except DATABASE_ERRORS as error:
                logger.warning("a turn needs the database, which cannot be used: %s", cause_of(error))
                away = ErrorInfo(code=ErrorCode.NOT_AVAILABLE, message=UNREACHABLE, retryable=True)
                answering.end(FinishReason.ERROR, error=away)
            except Exception:  # the boundary of a turn: the client gets a number with which the log has the traceback
                incident = uuid.uuid4().hex[:12]
                logger.exception("a turn failed unexpectedly (incident %s)", incident)
                message = incident_message(incident)
                answering.end(
                    FinishReason.ERROR, error=ErrorInfo(code=ErrorCode.INTERNAL_ERROR, message=message, retryable=True)
                )
            else:
                answering.end(FinishReason.DONE)
            finally:
                await answering.keep_what_happened()


class Answering:
    """A turn while it is answered: its run on the device, and the frames that it writes."""

    def __init__(
        self,
        dependencies: TurnDependencies,
        run: AgentRun,
        client: ClientExecutor,
        writer: AnswerWriter,
        *,
        shows_remembered: bool = False,
    ) -> None:
        self.run = run
        self.device = run.on(client)
        self._dependencies = dependencies
        self._requester = run.requester
        self._writer = writer
        self._shows_remembered = shows_remembered
        self._waiting = ModelWait(self._report_wait, run.requester.language)
        self._usage: Usage | None = None
        self._texts: list[str] = []
        """The texts written so far."""
        self._begins_paragraph = False
        """Whether the next text begins a paragraph."""
        self._forgot = False
        """Whether something in the memory was forgotten."""
        self._answers = True
        """As ``Finished.answers``."""
        self._turn = ConversationTurn(dependencies.conversations, dependencies.foreign_marks, run, self.device)
        self._memory = TurnMemory(dependencies.memory, run.requester, self.device)

    async def prepare(
        self,
        message: str,
        *,
        history: Sequence[HistoryMessage] = (),
        otherwise: AgentName | None = None,
        on_agent: Callable[[AgentName], None] | None = None,
    ) -> tuple[AgentName, Recalled]:
        """Choose the agent for ``message``, and recall what is relevant to it. Clients that show this are sent it.

        ``otherwise`` is the agent if neither ``message`` nor ``history`` determines one. ``on_agent`` is called with
        the agent when it is chosen.
        """
        requester = self._requester

        async def choose() -> AgentName:
            agent = await classify_intent(
                message,
                self.run.adapter,
                language=requester.language,
                before=[said.content for said in history if said.role == "user"],
                otherwise=otherwise,
            )
            if on_agent is not None:
                on_agent(agent)
            return agent

        if not self._memory.is_on:
            return await choose(), Recalled()
        async with asyncio.TaskGroup() as tasks:
            recalling = tasks.create_task(self._memory.recall(message, history), name="recalling")
            agent = await choose()
        remembered = recalling.result()
        if self._shows_remembered and not remembered.empty:
            self._writer.remembered(remembered.items)
        return agent, remembered

    @property
    def text(self) -> str:
        """The answer so far."""
        return "".join(self._texts)

    def say(self, text: str) -> None:
        """Write ``text`` of the server, not of the model."""
        self._write([TextPart(text=text)])

    async def answer(self, question: Question) -> None:
        """Ask the model and write its answer. Raises ``ModelError`` or ``ImageError``."""
        now, jobs, images = self.run.now(), self._dependencies.jobs, await self._images(question.images)
        formatter = Formatter(
            # A formatter's reason never contains what the model wrote.
            partial(logger.info, "a block was skipped: %s"),
            rows=self._rows,
            shows_blocks=question.answer_format is AnswerFormat.BLOCKS,
            row_id=self.run.short_ids.row_id,
            language=self._requester.language,
            timezone=self._requester.timezone,
        )
        note_agent(question.agent.name)
        self.device.results.by = question.agent.name
        executor = self.device.executor(
            question.agent.tools,
            self.run.context(session_id=question.session_id, scope=question.scope, last_change=self._turn.last_change),
            said=question.message,
            reasons=question.agent.reasons_to_ask,
            on_asking=self._asking,
            start_job=None if jobs is None else partial(self._start_job, jobs, question),
            found=question.agent.found,
        )
        params = ModelParams(
            answer_format=question.answer_format, language=self._requester.language, now=now, view=question.view
        )
        history = await self._turn.resume(
            question.session_id,
            question.history,
            asked=question.message,
            is_beside=question.scope is not None,
            written_from={} if question.material is None else question.material.rows,
        )
        try:
            events = loop.run(
                self.run.adapter,
                question.conversation(history, self._requester, now, images),
                executor,
                params,
                with_rows=question.instructions_with_rows(self._requester.language),
                records=self._memory.records,
            )
            with self.device.active():
                async with aclosing(events):
                    self._waiting.begin()
                    async for event in events:
                        self._waiting.note(event)
                        self._take(event, formatter)
        except ModelError:
            self._write(formatter.end_message())
            raise
        finally:
            self._waiting.end()
        self._write(formatter.end_message())
        self._report_changes()
        self._write(formatter.cards([change.id for change in self.device.results.changes]))
        await self._turn.mark(self.text)
        await self._turn.keep()

    def _report_changes(self) -> None:
        """Report the changed rows that neither the user nor the answer named."""
        report = change_report(
            self.device.unreported,
            self.device.results.tool_results,
            self.text,
            language=self._requester.language,
            can_undo=self.device.can_undo,
            replaced=self.device.replaced,
        )
        if report:
            if closing := closing_of(self.text):
                self.say(closing)
            self._begins_paragraph = bool(self._texts)
            self.say(report)

    async def _images(self, ids: Sequence[UUID]) -> tuple[Image, ...]:
        """The images with these ids; none, with a notice, if the model cannot see images. Raises ``ImageError``."""
        images = await self._dependencies.images.named(self._requester.user_id, ids) if ids else ()
        model = self.run.model
        if not images or (self._dependencies.sees_images if model is None else model.sees_images):
            return images
        self.say(translations(self._requester.language).gettext(_UNSEEN))
        self._begins_paragraph = True
        return ()

    async def record(self, message: str, *, session_id: str | None = None) -> None:
        """Record the exchange in the memory, before the turn's last frame, if the answer has any text.

        A turn in which something was forgotten is not recorded, because it repeats what the user wants forgotten. An
        answer that may repeat foreign text is left out, so that such text does not get into the memory. So is an answer
        that describes what the assistant can do, because the words and days in its examples are not the user's.
        """
        if not self._forgot and self.text.strip():
            response = self.text if self._answers and not self.device.reading.is_foreign else ""
            await self._memory.record(message, response, session_id=session_id)

    async def _start_job(
        self, jobs: JobStarter, question: Question, tool: ToolSpec, context: CallContext, shown: Preview | None
    ) -> str:
        asked = Asked(
            message=question.message,
            history=tuple(Said(role=message.role, content=message.content) for message in latest(question.history)),
            scope=question.scope,
            language=context.language,
            timezone=context.timezone,
            shown=as_shown(shown),
            model=None if self.run.model is None else self.run.model.name,
            foreign=self.device.reading.is_foreign,
        )
        origin = replace(self.run.origin, session_id=context.session_id or "")
        changes = tool.risk is not Risk.READ
        try:
            new = NewJob(tool=tool.tool_name, label=tool.label, arguments=tool.arguments, asked=asked)
            await jobs.start(origin, new)
        except TooManyJobs:
            changes = False
            raise
        finally:
            # Even if this was interrupted, because the job may have begun.
            if changes:
                self._turn.began_job()
        return begun_notice()

    def _report_wait(self, label: str) -> None:
        self._writer.status(TurnState.THINKING, label=label)

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
                self._begins_paragraph = bool(self._texts) and not self._texts[-1][-1:].isspace()
                self._writer.status(TurnState.CALLING_TOOL, tool=event.call.name, label=event.label)
            case ToolFinished():
                self._forgot |= event.ok and event.call.name == Forget.tool_name
                if event.ok or event.asks_which:
                    self._turn.add_result(event.call, event.text, event.provenance, ok=event.ok)
                if event.is_last:
                    self._writer.status(TurnState.THINKING)
            case Usage():
                self._usage = event if self._usage is None else self._usage + event
            case Finished():
                self._answers = event.answers
            case ModelProgress():
                pass
            case _:
                assert_never(event)

    def _write(self, parts: Sequence[Part]) -> None:
        for part in parts:
            if isinstance(part, TextPart):
                if not self._texts:
                    note_first_text()
                # The model's texts before and after tool calls are two messages, so they are separate paragraphs.
                text = part.text.lstrip("\n") if self._begins_paragraph else part.text
                if not text:
                    continue
                if self._begins_paragraph:
                    text = f"\n\n{text}"
                self._begins_paragraph = False
                self._texts.append(text)
                self._writer.part(TextPart(text=text))
            else:
                self._turn.add_cards(part.rows)
                self._writer.part(part)

    async def keep_what_happened(self) -> None:
        """Store that a turn which did not succeed changed something, or may have repeated foreign text, if so."""
        await self._turn.mark(self.text)
        await self._turn.keep_change()

    def end(self, reason: FinishReason, *, error: ErrorInfo | None = None) -> None:
        """Write the turn's last frame, and report its end to the observers."""
        note_end(TurnOutcome(reason.value), "" if error is None else error.code)
        self._memory.forget_deleted()
        changes, replacement = self.device.results.changes, self.run.replacement
        self._writer.end(reason, changes=changes, usage=self._usage, error=error, replacement=replacement)
