"""What all kinds of turns share: running the loop on the turn's device and writing what it yields."""

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import replace
from functools import partial
from typing import assert_never

from agents.adapters.earlier import latest
from agents.engine import loop
from agents.engine.executor import ToolExecutor
from agents.errors import ModelError, ModelRefused, ModelUnavailable
from agents.events import AgentEvent, Finished, TextDelta, ToolFinished, ToolStarted, Usage
from agents.jobs.notices import begun_notice
from agents.jobs.records import Asked, NewJob, Said
from agents.kinds import RequestKind
from agents.permissions.approvals.consent import TurnConsent
from agents.permissions.approvals.questions import Origin
from agents.permissions.disclosures.ledger import Ledger
from agents.permissions.disclosures.models import LedgeredAdapter, LedgeredEmbedder
from agents.permissions.disclosures.records import Occasion
from agents.permissions.sharing.withholding import Withholding
from agents.telemetry.turns import TurnOutcome
from agents.telemetry.watching import note_agent, note_end, note_first_text
from agents.tools.client import ClientExecutor, clear_client_executor, set_client_executor
from agents.tools.context import CallContext
from agents.tools.recollection import Forget
from agents.tools.runs import Run
from agents.tools.spec.tool import ToolSpec
from chat.formatters.assembly import Formatter
from chat.formatters.parts import Part, TextPart
from chat.protocol.frames.server import ErrorInfo
from chat.protocol.frames.vocabulary import ErrorCode, FinishReason, TurnState
from chat.turns.asking import JobStarter, Kit, Person, Question, context, conversation, params
from chat.turns.remembering import Exchange
from chat.turns.writer import AnswerWriter

logger = logging.getLogger(__name__)


class Answering:
    """One turn under way: its run on the client, and the frames it writes."""

    def __init__(
        self, kit: Kit, person: Person, client: ClientExecutor, writer: AnswerWriter, *, source: RequestKind
    ) -> None:
        origin = Origin(user_id=person.user_id, request_id=writer.request_id, device_id=person.device_id)
        self.ledger = Ledger(Occasion(origin=origin, source=source), kit.disclosures)
        self.withholding = Withholding(client, kit.marks, person.user_id)
        self.run = Run(self.withholding)
        self.ledger.follow(self.run)
        self.embedder = LedgeredEmbedder(embedder=kit.embedder, ledger=self.ledger)
        self._client = client
        adapter = LedgeredAdapter(adapter=kit.adapter, ledger=self.ledger)
        self._kit = replace(kit, adapter=adapter, embedder=self.embedder)
        self._person = person
        self._writer = writer
        self._usage: Usage | None = None
        self._said: list[str] = []
        self._apart = False
        self._forgot = False

    @asynccontextmanager
    async def ending(self) -> AsyncIterator[None]:
        """Whatever happens inside, the turn's last frame is written, once."""
        try:
            yield
        except asyncio.CancelledError:
            self._end(FinishReason.CANCELLED)
            raise
        except ModelError as error:
            logger.warning("the model failed: %s", error)
            self._end(FinishReason.ERROR, error=model_error_info(error))
        except Exception:  # the boundary of a turn: the client is told, the log knows why
            incident = uuid.uuid4().hex[:12]
            logger.exception("a turn failed unexpectedly (incident %s)", incident)
            self._end(FinishReason.ERROR, error=unexpected_error_info(incident))
        else:
            self._end(FinishReason.DONE)

    @contextmanager
    def on_device(self) -> Iterator[None]:
        """Calls to the client that are made inside go to the turn's device and belong to its run."""
        token = set_client_executor(self.run)
        try:
            yield
        finally:
            clear_client_executor(token)

    def say(self, text: str) -> None:
        """Write ``text`` as the turn's own, without asking the model."""
        self._write([TextPart(text=text)])

    async def answer(self, question: Question, formatter: Formatter) -> None:
        """Ask the model and write its answer. Raises ``ModelError``."""
        now = self._kit.clock().astimezone(self._person.timezone)
        note_agent(question.agent.name)
        executor = ToolExecutor(
            question.agent.tools,
            context(question, self._person, self._kit),
            gate=self._consent(question),
            start_job=None if self._kit.jobs is None else partial(self._start_job, self._kit.jobs, question),
        )
        try:
            events = loop.run(
                self._kit.adapter,
                conversation(question, self._person, now),
                executor,
                params(question, self._person, now),
            )
            with self.on_device():
                async with aclosing(events):
                    async for event in events:
                        self._take(event, formatter)
        except ModelError:
            self._write(formatter.end_message())
            raise
        self._write(formatter.end_message())

    def _consent(self, question: Question) -> TurnConsent:
        return TurnConsent(
            manager=self._kit.approvals,
            asker=self._person.asker,
            # Not by way of the run: what is read to be shown to the user is no answer of a tool's.
            client=self._client,
            request_id=self._writer.request_id,
            reasons=question.agent.reasons_to_ask,
            on_asking=self._asking,
        )

    async def _start_job(self, jobs: JobStarter, question: Question, tool: ToolSpec, context: CallContext) -> str:
        asked = Asked(
            message=question.message,
            history=tuple(Said(role=message.role, content=message.content) for message in latest(question.history)),
            scope=question.scope,
            language=context.language,
            timezone=context.timezone,
        )
        origin = Origin(
            user_id=context.user_id,
            request_id=self._writer.request_id,
            session_id=context.session_id or "",
            device_id=self._person.device_id,
        )
        await jobs.start(origin, NewJob(tool=tool.tool_name, label=tool.label, arguments=tool.arguments, asked=asked))
        return begun_notice()

    def _asking(self, tool: ToolSpec, *, waiting: bool) -> None:
        state = TurnState.WAITING_APPROVAL if waiting else TurnState.CALLING_TOOL
        self._writer.status(state, tool=tool.tool_name, label=None if waiting else tool.label)

    async def record(self, message: str, *, session_id: str | None = None) -> None:
        """Have the exchange remembered, if it was answered with words, before the last frame says that it is over.

        One in which something was forgotten is not: it says once more what the user wants forgotten.
        """
        response = "".join(self._said)
        if self._kit.memory is None or self._forgot or not response.strip():
            return
        await self._kit.memory.record(
            Exchange(
                user_id=self._person.user_id,
                message=message,
                response=response,
                language=self._person.language,
                session_id=session_id or "",
            )
        )

    def _take(self, event: AgentEvent, formatter: Formatter) -> None:
        match event:
            case TextDelta():
                self._write(formatter.feed(event.text))
            case ToolStarted():
                self._write(formatter.end_message())
                self._apart = bool(self._said) and not self._said[-1][-1:].isspace()
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
                if not self._said:
                    note_first_text()
                self._set_apart()
                self._said.append(part.text)
            self._writer.part(part)

    def _set_apart(self) -> None:
        """What a model says before and after its tools are two messages: they must not run together."""
        if self._apart:
            self._apart = False
            self._said.append("\n\n")
            self._writer.part(TextPart(text="\n\n"))

    def _end(self, reason: FinishReason, *, error: ErrorInfo | None = None) -> None:
        note_end(TurnOutcome(reason.value), "" if error is None else error.code)
        self._writer.end(reason, changes=self.run.changes, usage=self._usage, error=error)


def model_error_info(error: ModelError) -> ErrorInfo:
    """What the client is told of a model's failure."""
    match error:
        case ModelUnavailable():
            code = ErrorCode.MODEL_UNAVAILABLE
        case ModelRefused():
            code = ErrorCode.MODEL_REFUSED
        case _:
            code = ErrorCode.MODEL_ERROR
    return ErrorInfo(code=code, message=str(error), retryable=error.retryable)


def log_invalid_block(reason: str) -> None:
    """What formatters tell of the blocks they skip; it never holds what the model wrote."""
    logger.info("a block was skipped: %s", reason)


def unexpected_error_info(incident: str) -> ErrorInfo:
    """What the client is told of a failure that only the log knows."""
    return ErrorInfo(
        code=ErrorCode.INTERNAL_ERROR,
        message=f"Something went wrong on the server (incident {incident}).",
        retryable=True,
    )
