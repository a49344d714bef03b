"""What all kinds of turns share: running the loop on the turn's device and writing what it yields."""

import asyncio
import logging
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import assert_never

from agents import loop
from agents.client import ClientExecutor, clear_client_executor, set_client_executor
from agents.errors import ModelError, ModelRefused, ModelUnavailable
from agents.events import AgentEvent, Finished, TextDelta, ToolFinished, ToolStarted, Usage
from agents.executor import ToolExecutor
from agents.runs import Run
from chat.formatters.assembly import Formatter
from chat.formatters.parts import Part, TextPart
from chat.frames.server import ErrorInfo
from chat.frames.vocabulary import ErrorCode, FinishReason, TurnState
from chat.turns.asking import Kit, Person, Question, context, conversation, params
from chat.turns.writer import AnswerWriter

logger = logging.getLogger(__name__)


class Answering:
    """One turn under way: its run on the client, and the frames it writes."""

    def __init__(self, kit: Kit, person: Person, client: ClientExecutor, writer: AnswerWriter) -> None:
        self.run = Run(client)
        self._kit = kit
        self._person = person
        self._writer = writer
        self._usage: Usage | None = None
        self._last_text = ""
        self._apart = False

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

    async def answer(self, question: Question, formatter: Formatter) -> None:
        """Ask the model and write its answer. Raises ``ModelError``."""
        now = self._kit.clock().astimezone(self._person.timezone)
        executor = ToolExecutor(question.agent.tools, context(question, self._person, self._kit))
        token = set_client_executor(self.run)
        try:
            events = loop.run(
                self._kit.adapter,
                conversation(question, self._person, now),
                executor,
                params(question, self._person, now),
            )
            async with aclosing(events):
                async for event in events:
                    self._take(event, formatter)
        except ModelError:
            self._write(formatter.end_message())
            raise
        finally:
            clear_client_executor(token)
        self._write(formatter.end_message())

    def _take(self, event: AgentEvent, formatter: Formatter) -> None:
        match event:
            case TextDelta():
                self._write(formatter.feed(event.text))
            case ToolStarted():
                self._write(formatter.end_message())
                self._apart = bool(self._last_text) and not self._last_text[-1].isspace()
                self._writer.status(TurnState.CALLING_TOOL, tool=event.call.name, label=event.label)
            case ToolFinished():
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
                self._set_apart()
                self._last_text = part.text
            self._writer.part(part)

    def _set_apart(self) -> None:
        """What a model says before and after its tools are two messages: they must not run together."""
        if self._apart:
            self._apart = False
            self._writer.part(TextPart(text="\n\n"))

    def _end(self, reason: FinishReason, *, error: ErrorInfo | None = None) -> None:
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
