"""The only loop: model, its tool calls, model again, until it answers; and what runs the calls.

At most ``MAX_TOOL_ROUNDS`` rounds of tools, fewer if a call comes to the same three times in a row; then the model is
asked once more and must answer. An answer that is empty, that claims a change where there was none, or that gives up on
a call that could be put right is asked for once more (``agents/engine/closing.py``). The conversation only grows, so
that each request begins with the one before. The executor finds a tool, validates its arguments, has the gate admit it,
runs it, and words every outcome for the model.
"""

import logging
import re
import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from functools import cache
from typing import Final, TypeAlias

from accounts.database import DATABASE_ERRORS
from agents.adapters.base import (
    AssistantMessage,
    Message,
    ModelAdapter,
    ModelParams,
    ToolChoice,
    ToolMessage,
    ToolSchema,
)
from agents.calls import Rows
from agents.engine.closing import Closing, Done
from agents.engine.model_text import ModelText, Piece
from agents.engine.repetition import Repetitions
from agents.engine.rounds import ToolOutcome, dispatch, groups
from agents.errors import (
    AgentError,
    ClientAbsent,
    ClientRefused,
    ClientSilent,
    ModelRetry,
    ToolFailed,
    Withheld,
)
from agents.events import (
    AgentEvent,
    Finished,
    ModelEvent,
    ModelProgress,
    TextDelta,
    ToolCall,
    ToolFinished,
    ToolStarted,
    Usage,
)
from agents.permissions.approvals.consent import Gate, Unattended
from agents.provenance import Provenance
from agents.telemetry.turns import UNKNOWN_TOOL, note_tool
from agents.tools.context import CallContext
from agents.tools.finding import fitting
from agents.tools.model_calls import as_object, find_name, like
from agents.tools.rows import ToolResult
from agents.tools.spec import Execution, Risk, ToolSpec

logger = logging.getLogger(__name__)

MAX_TOOL_ROUNDS: Final = 5
_APART: Final = "\n\n"
"""Between an answer and the better one that the model is asked for."""
MAX_TEXT_BYTES = 64 * 1024
"""The most text of one call that reaches the model (protocol: rows are untrusted input)."""
_BROKEN_OFF: Final = re.compile(
    r'^[^"\n]*"(?:[^"\\\n]|\\.)*(?:\\?|"(?: \([^()\n]*\)?)?(?: (?:\[[^\]\n]*)?)?)\Z', re.MULTILINE
)
"""A last line with a row that has lost its end (``agents/tools/rows.py``)."""


StartJob: TypeAlias = Callable[[ToolSpec, CallContext], Awaitable[str]]
"""Starts a tool as a job; returns a text for the model. Raises ``ToolFailed``."""
NameRows: TypeAlias = Callable[[ToolSpec], Awaitable[ModelRetry | None]]
"""As ``RowResolver.name_rows``."""


async def run(
    adapter: ModelAdapter,
    messages: Sequence[Message],
    executor: "ToolExecutor",
    params: ModelParams,
    *,
    with_rows: str = "",
    records: bool = False,
) -> AsyncGenerator[AgentEvent, None]:
    """The answer to ``messages`` while it is made.

    ``with_rows`` is told to the model with the first rows that it reads. ``records`` is whether the exchange will be
    remembered. Raises ``ModelUnavailable``, ``ModelRefused`` or ``ModelBroken`` (also when the model neither says nor
    does anything).
    """
    conversation = list(messages)
    executor.follow(conversation)
    names = [tool.name for tool in executor.schemas]
    closing = Closing(conversation, language=params.language, writes=_writes(executor), tools=names, records=records)
    repetitions = Repetitions(executor.reads)
    tool_round = 0
    while True:
        must_answer = tool_round == MAX_TOOL_ROUNDS or repetitions.hopeless
        asked = replace(params, tool_choice=ToolChoice.NONE) if must_answer else params
        reply = _Reply(executor.schemas, number=len(closing.said))
        async with aclosing(reply.read(adapter.stream(conversation, executor.schemas, asked))) as events:
            async for event in events:
                yield event
        closing.said.append(reply.text)
        if must_answer or not reply.calls:
            objection = closing.objection(can_call=not must_answer)
            if not objection:
                break
            conversation += objection
            if reply.text.strip():
                closing.said[-1] += _APART
                yield TextDelta(text=_APART)
            continue
        calls = [executor.named(call) for call in reply.calls]
        # Some servers read the arguments of earlier calls, and fail on those that are no object.
        sendable = tuple(replace(call, arguments=as_object(call.arguments)) for call in calls)
        conversation.append(AssistantMessage(text=reply.text, tool_calls=sendable))
        repetitions.begin_round()
        async with executor.round([call for call in calls if not repetitions.made_before(call)]):
            for group in groups(calls, executor):
                for call in group:
                    yield ToolStarted(call=call, label=executor.label(call))
                for call, outcome in zip(group, await dispatch(group, executor, repetitions), strict=True):
                    reads = executor.reads(call)
                    told = _tool_message(call, outcome, with_rows if reads else "")
                    with_rows = "" if told.text != outcome.text else with_rows
                    conversation.append(told)
                    changed = outcome.ok and not reads
                    closing.done.append(Done(call=call, outcome=told, changed=changed, correctable=outcome.correctable))
                    yield _finished(call, outcome)
        tool_round += 1
    if last := closing.last_words():
        yield TextDelta(text=last)
    yield Finished(text="".join(closing.said), tool_rounds=tool_round)


def _tool_message(call: ToolCall, outcome: ToolOutcome, with_rows: str) -> ToolMessage:
    """The outcome as the model is told of it, with ``with_rows`` if it has any."""
    has_rows = any(part.rows for part in outcome.rows.values())
    text = f"{outcome.text}\n\n{with_rows}" if with_rows and has_rows else outcome.text
    return ToolMessage(call_id=call.id, text=text, ok=outcome.ok, rows=outcome.rows, provenance=outcome.provenance)


def _finished(call: ToolCall, outcome: ToolOutcome) -> ToolFinished:
    return ToolFinished(
        call=call,
        text=outcome.text,
        ok=outcome.ok,
        duration_ms=outcome.duration_ms,
        provenance=outcome.provenance,
    )


class _Reply:
    """One message of the model. Its text for the user and its calls are known when it has been read."""

    def __init__(self, tools: Sequence[ToolSchema], *, number: int) -> None:
        self._written = ModelText(frozenset(tool.name for tool in tools), ids=f"text-{number}")
        self._texts: list[str] = []
        self._calls: list[ToolCall] = []
        self._calls_in_text: list[ToolCall] = []

    async def read(
        self, events: AsyncGenerator[ModelEvent, None]
    ) -> AsyncGenerator[TextDelta | Usage | ModelProgress, None]:
        """Its text as it comes, what it cost, and before it how far a slow model is."""
        async with aclosing(events):
            async for event in events:
                if isinstance(event, TextDelta):
                    for text in self._take(self._written.feed(event.text)):
                        yield TextDelta(text=text)
                elif isinstance(event, ToolCall):
                    self._calls.append(event)
                elif isinstance(event, Usage | ModelProgress):
                    yield event
        for text in self._take(self._written.end()):
            yield TextDelta(text=text)

    @property
    def text(self) -> str:
        return "".join(self._texts)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        # A model that also writes its calls as text means the same ones.
        return tuple(self._calls or self._calls_in_text)

    def _take(self, pieces: Sequence[Piece]) -> list[str]:
        texts = [piece for piece in pieces if isinstance(piece, str)]
        self._texts += texts
        self._calls_in_text += [piece for piece in pieces if isinstance(piece, ToolCall)]
        return texts


def _writes(executor: "ToolExecutor") -> bool:
    """Whether some tool can change something."""
    return any(not executor.reads(ToolCall(id="", name=tool.name, arguments="")) for tool in executor.schemas)


class ToolExecutor:
    """Runs the model's tool calls in one run: its tools, the context that fills them, and the gate that they pass.

    Without a gate, tools that need the user's consent are refused. Without ``start_job``, queued tools are refused.
    Without ``name_rows``, which gives a tool the ids of the rows that its arguments name, they have to be ids.
    ``found`` are those of the tools that the model is offered only when it looks for them.
    """

    def __init__(
        self,
        tools: Sequence[type[ToolSpec]],
        context: CallContext,
        *,
        gate: Gate | None = None,
        start_job: StartJob | None = None,
        name_rows: NameRows | None = None,
        found: Collection[type[ToolSpec]] = (),
        tells_foreign: Callable[[str], bool] = lambda _: False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tools: Mapping[str, type[ToolSpec]] = {tool.tool_name: tool for tool in tools}
        self._context = replace(context, find_tools=self._find) if found else context
        self._gate: Gate = gate or Unattended()
        self._start_job = start_job
        self._name_rows = name_rows
        self._tells_foreign = tells_foreign
        self._clock = clock
        # mypy takes the hash of a class for that of its instances.
        self.schemas: Sequence[ToolSchema] = tuple(_schema(tool) for tool in tools if tool not in found)  # type: ignore[arg-type]
        self._hidden: Sequence[ToolSchema] = tuple(_schema(tool) for tool in tools if tool in found)  # type: ignore[arg-type]

    def _find(self, query: str) -> Sequence[ToolSchema]:
        found = fitting(query, self._hidden)
        self._hidden = tuple(tool for tool in self._hidden if tool not in found)
        # Behind the others: what a server has cached of the tools stays.
        self.schemas = (*self.schemas, *found)
        return found

    def follow(self, conversation: Sequence[Message]) -> None:
        """As ``Gate.follow``."""
        self._gate.follow(conversation)

    @asynccontextmanager
    async def round(self, calls: Sequence[ToolCall]) -> AsyncIterator[None]:
        """A block that dispatches ``calls``, those of one reply: the user is asked about them at the same time."""
        changes = [call for call in calls if not self.reads(call)]
        # One is looked at as it runs.
        specs = [await self._prepared(call) for call in changes] if len(changes) > 1 else []
        async with self._gate.together([spec for spec in specs if spec is not None], self._context):
            yield

    async def _prepared(self, call: ToolCall) -> ToolSpec | None:
        """The tool of ``call`` with its arguments; None if they are wrong, which is told as it runs."""
        try:
            spec = self._tools[call.name].from_arguments(call.arguments, self._context)
            await self._gate.check(spec, self._context)
            return spec if self._name_rows is None or await self._name_rows(spec) is None else None
        except AgentError:
            return None

    def named(self, call: ToolCall) -> ToolCall:
        """``call`` by the name of the tool that is meant, if the model spelled it another way."""
        return replace(call, name=find_name(call.name, self._tools) or call.name)

    def label(self, call: ToolCall) -> str:
        """A phrase for the user while ``call`` runs."""
        tool = self._tools.get(call.name)
        return tool.label if tool is not None else ""

    def reads(self, call: ToolCall) -> bool:
        """Whether ``call`` only reads, so that it may run beside others."""
        tool = self._tools.get(call.name)
        return tool is None or tool.risk is Risk.READ

    async def dispatch(self, call: ToolCall, *, on_waiting: Callable[[], None] = lambda: None) -> ToolOutcome:
        """Run ``call``. A failure is an outcome, too; raises only ``DATABASE_ERRORS``.

        ``on_waiting`` is called when the call waits for the user, which may take minutes.
        """
        started, ok, correctable = self._clock(), False, False
        try:
            result, ok = await self._run(call, on_waiting), True
        except AgentError as error:
            result = ToolResult(text=self._told(call, error))
            correctable = isinstance(error, ModelRetry) and error.correctable
        except DATABASE_ERRORS:  # no later call would fare better, and no answer could be recorded
            raise
        except Exception:  # the boundary of a tool: nothing else that breaks may end the turn
            incident = uuid.uuid4().hex[:12]
            logger.exception("tool %s failed unexpectedly (incident %s)", call.name, incident)
            text = f"The tool failed unexpectedly (incident {incident}). Do not call it again like this."
            result = ToolResult(text=text)
        took_s = self._clock() - started
        name = call.name if call.name in self._tools else UNKNOWN_TOOL
        note_tool(name, ok=ok, took_s=took_s, arguments=call.arguments, result=result.text)
        told = _cut(result)
        duration_ms = round(took_s * 1000)
        return ToolOutcome(
            text=told.text,
            ok=ok,
            duration_ms=duration_ms,
            rows=told.rows,
            provenance=Provenance.FOREIGN if self._tells_foreign(told.text) else result.provenance,
            correctable=correctable,
        )

    async def _run(self, call: ToolCall, on_waiting: Callable[[], None]) -> ToolResult:
        tool = self._tools.get(call.name)
        if tool is None:
            names = ", ".join(self._tools) or "none"
            hint = like(call.name, self._tools)
            raise ModelRetry(f"There is no tool named {call.name!r}.{hint} The tools are: {names}.")
        spec = tool.from_arguments(call.arguments, self._context)
        await self._gate.check(spec, self._context)
        unknown = None if self._name_rows is None else await self._name_rows(spec)
        try:
            # Validated before the user is asked, and run as soon as the gate opens.
            await self._gate.admit(spec, self._context, on_waiting=on_waiting)
            return await self._executed(spec)
        except ModelRetry as error:
            raise unknown or error from None

    async def _executed(self, spec: ToolSpec) -> ToolResult:
        if spec.execution is Execution.INLINE:
            return await spec.execute()
        if self._start_job is None:
            raise ToolFailed("This takes too long for an answer, and nothing here runs it beside one. Tell the user.")
        return ToolResult(text=await self._start_job(spec, self._context))

    def _told(self, call: ToolCall, error: AgentError) -> str:
        match error:
            case ClientAbsent():
                return "The user's device is not connected, so nothing was read or changed. Tell the user."
            case ClientSilent() if self.reads(call):
                return "The user's device did not answer in time, so nothing could be read. Tell the user."
            case ClientSilent():
                return (
                    "The user's device did not answer in time. The outcome is unknown: the change may or may not have "
                    "happened. Do not repeat it; tell the user to check."
                )
            case ClientRefused() if not isinstance(error, Withheld):
                return f"The user's device refused: {error}"
            case _:
                return str(error)


@cache
def _schema(tool: type[ToolSpec]) -> ToolSchema:
    # It depends on the class alone. Making it for each turn would take a tenth of the turn.
    return tool.schema()


def _cut(result: ToolResult) -> ToolResult:
    data = result.text.encode("utf-8", "replace")
    if len(data) <= MAX_TEXT_BYTES:
        return result
    # A row is told whole, with the id at its end, or not at all: the ledger knows by the id what was disclosed.
    kept = _BROKEN_OFF.sub("", data[:MAX_TEXT_BYTES].decode("utf-8", "ignore"))
    rows: dict[str, Rows] = {}
    for name, part in result.rows.items():
        told = tuple(row for row in part.rows if f"[id {row.get('id')}]" in kept)
        rows[name] = Rows(rows=told, omitted=part.omitted + len(part.rows) - len(told))
    return ToolResult(text=f"{kept}\n[{len(data) - MAX_TEXT_BYTES} more bytes are left out.]", rows=rows)
