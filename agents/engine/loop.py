"""The only loop: model, its tool calls, model again, until it answers; and what runs the calls.

At most ``MAX_TOOL_ROUNDS`` rounds of tools; then the model is asked once more, without tools, and must answer. The loop
yields events as they happen; collecting them (``collect``) is the non-streaming form. The executor finds a tool,
validates its arguments, has the gate admit it, runs it, and words every outcome for the model.
"""

import asyncio
import logging
import re
import time
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final, Protocol, TypeAlias

from agents.adapters.base import AssistantMessage, Message, ModelAdapter, ModelParams, ToolMessage, ToolSchema
from agents.calls import NamedRows, Rows
from agents.errors import (
    AgentError,
    ClientAbsent,
    ClientRefused,
    ClientSilent,
    ModelBroken,
    ModelRefused,
    ModelRetry,
    ToolFailed,
    Withheld,
)
from agents.events import (
    AgentEvent,
    Finished,
    ModelEvent,
    ModelStopped,
    StopReason,
    TextDelta,
    ToolCall,
    ToolFinished,
    ToolStarted,
    Usage,
)
from agents.permissions.approvals.consent import Gate, Unattended
from agents.permissions.sharing.filter import counting
from agents.telemetry.turns import UNKNOWN_TOOL, note_tool
from agents.tools.context import CallContext
from agents.tools.rows import ToolResult
from agents.tools.spec import Execution, Risk, ToolSpec

logger = logging.getLogger(__name__)

MAX_TOOL_ROUNDS: Final = 5
_READ_BEFORE: Final = "[This was read while the change before it waited for the user: it does not show that change.]"
MAX_TEXT_BYTES = 64 * 1024
"""The most text of one call that reaches the model (protocol: rows are untrusted input)."""
_BROKEN_OFF: Final = re.compile(
    r'^[^"\n]*"(?:[^"\\\n]|\\.)*(?:\\?|"(?: \([^()\n]*\)?)?(?: (?:\[[^\]\n]*)?)?)\Z', re.MULTILINE
)
"""A last line with a row that has lost its end (``agents/tools/rows.py``)."""


def _ignore() -> None:
    return None


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolOutcome:
    """What a call came to: ``text`` for the model, ``rows`` as the values in it, and whether it did what was asked."""

    text: str
    ok: bool
    duration_ms: int
    rows: NamedRows = field(default_factory=dict)


StartJob: TypeAlias = Callable[[ToolSpec, CallContext], Awaitable[str]]
"""Starts a tool as a job; returns a text for the model. Raises ``ToolFailed``."""


class ToolDispatcher(Protocol):
    """Runs a model's tool calls."""

    @property
    def schemas(self) -> Sequence[ToolSchema]:
        """The tools that the model may call."""

    def label(self, call: ToolCall) -> str:
        """A phrase for the user while ``call`` runs."""

    def reads(self, call: ToolCall) -> bool:
        """Whether ``call`` only reads, so that it may run beside others."""

    async def dispatch(self, call: ToolCall, *, on_waiting: Callable[[], None] = _ignore) -> ToolOutcome:
        """Run ``call``. Never raises: a failure is an outcome, too.

        ``on_waiting`` is called when the call waits for the user, which may take minutes.
        """


async def run(
    adapter: ModelAdapter, messages: Sequence[Message], dispatcher: ToolDispatcher, params: ModelParams
) -> AsyncGenerator[AgentEvent, None]:
    """The answer to ``messages`` while it is made.

    Raises ``ModelUnavailable``, ``ModelRefused`` or ``ModelBroken`` (also when the model ends without a word).
    """
    conversation = list(messages)
    said: list[str] = []
    for tool_round in range(MAX_TOOL_ROUNDS + 1):
        tools = dispatcher.schemas if tool_round < MAX_TOOL_ROUNDS else ()
        request = _Request()
        async with aclosing(adapter.stream(conversation, tools, params)) as events:
            async for event in events:
                request.take(event)
                if isinstance(event, TextDelta | Usage):
                    yield event
        said.extend(request.text)
        if not request.calls or not tools:
            yield Finished(text=_answer(said, request), tool_rounds=tool_round)
            return
        conversation.append(AssistantMessage(text="".join(request.text), tool_calls=tuple(request.calls)))
        for group in _groups(request.calls, dispatcher):
            for call in group:
                yield ToolStarted(call=call, label=dispatcher.label(call))
            for call, outcome in zip(group, await _dispatch(group, dispatcher), strict=True):
                conversation.append(ToolMessage(call_id=call.id, text=outcome.text, ok=outcome.ok, rows=outcome.rows))
                yield ToolFinished(call=call, text=outcome.text, ok=outcome.ok, duration_ms=outcome.duration_ms)


@dataclass
class _Request:
    """What one model request has yielded."""

    text: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    stopped: StopReason | None = None

    def take(self, event: ModelEvent) -> None:
        match event:
            case TextDelta():
                self.text.append(event.text)
            case ToolCall():
                self.calls.append(event)
            case ModelStopped():
                self.stopped = event.reason
            case Usage():
                pass


def _answer(said: Sequence[str], request: _Request) -> str:
    answer = "".join(said)
    if answer.strip():
        return answer
    if request.stopped is StopReason.REFUSED:
        raise ModelRefused
    raise ModelBroken("The model ended without an answer.")


def _groups(calls: Sequence[ToolCall], dispatcher: ToolDispatcher) -> Iterator[list[ToolCall]]:
    """The calls in order: adjacent reads form a group, and reads after a change join the change."""
    group: list[ToolCall] = []
    for call in calls:
        if group and not dispatcher.reads(call):
            yield group
            group = []
        group.append(call)
    if group:
        yield group


async def _dispatch(group: Sequence[ToolCall], dispatcher: ToolDispatcher) -> Iterable[ToolOutcome]:
    """The outcomes of a group. Reads run concurrently; they run before a change only while it waits for the user."""
    first, *behind = group
    if not behind:
        return [await dispatcher.dispatch(first)]
    ahead = False
    async with asyncio.TaskGroup() as tasks:
        if dispatcher.reads(first):
            change = tasks.create_task(dispatcher.dispatch(first))
        else:
            change, ahead = await _until_waiting(first, dispatcher, tasks)
        reads = [tasks.create_task(dispatcher.dispatch(call)) for call in behind]
    outcomes = [task.result() for task in reads]
    if ahead and change.result().ok:
        # The model reads the outcomes in the order of its calls, in which this one came after the change.
        outcomes = [replace(outcome, text=f"{outcome.text}\n{_READ_BEFORE}") for outcome in outcomes]
    return [change.result(), *outcomes]


async def _until_waiting(
    call: ToolCall, dispatcher: ToolDispatcher, tasks: asyncio.TaskGroup
) -> tuple[asyncio.Task[ToolOutcome], bool]:
    """Start ``call``. Returns its task once it has ended or waits for the user, and whether it waits."""
    moved = asyncio.Event()
    task = tasks.create_task(dispatcher.dispatch(call, on_waiting=moved.set))
    task.add_done_callback(lambda _: moved.set())
    await moved.wait()
    return task, not task.done()


async def collect(events: AsyncGenerator[AgentEvent, None]) -> Finished:
    """The last of ``events``: the non-streaming form. Raises as ``run``."""
    async with aclosing(events):
        async for event in events:
            if isinstance(event, Finished):
                return event
    raise ModelBroken("The model ended without an answer.")


class ToolExecutor:
    """The ``ToolDispatcher`` of one run: its tools, the context that fills them, and the gate that they pass.

    Without a gate, tools that need the user's consent are refused. Without ``start_job``, queued tools are refused.
    """

    def __init__(
        self,
        tools: Sequence[type[ToolSpec]],
        context: CallContext,
        *,
        gate: Gate | None = None,
        start_job: StartJob | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tools: Mapping[str, type[ToolSpec]] = {tool.tool_name: tool for tool in tools}
        self._context = context
        self._gate: Gate = gate or Unattended()
        self._start_job = start_job
        self._clock = clock
        # mypy takes the hash of a class for that of its instances.
        self.schemas: Sequence[ToolSchema] = tuple(_schema(tool) for tool in tools)  # type: ignore[arg-type]

    def label(self, call: ToolCall) -> str:
        tool = self._tools.get(call.name)
        return tool.label if tool is not None else ""

    def reads(self, call: ToolCall) -> bool:
        tool = self._tools.get(call.name)
        return tool is None or tool.risk is Risk.READ

    async def dispatch(self, call: ToolCall, *, on_waiting: Callable[[], None] = _ignore) -> ToolOutcome:
        started = self._clock()
        with counting() as withheld:
            result, ok = await self._attempted(call, on_waiting)
        took_s = self._clock() - started
        name = call.name if call.name in self._tools else UNKNOWN_TOOL
        note_tool(name, ok=ok, took_s=took_s, arguments=call.arguments, result=result.text)
        result = _cut(result)
        text = withheld.told(result.text)
        return ToolOutcome(text=text, ok=ok, duration_ms=round(took_s * 1000), rows=result.rows)

    async def _attempted(self, call: ToolCall, on_waiting: Callable[[], None]) -> tuple[ToolResult, bool]:
        """What the tool gave, and whether it did what was asked."""
        try:
            return await self._run(call, on_waiting), True
        except AgentError as error:
            return ToolResult(text=self._told(call, error)), False
        except Exception:  # the boundary of a tool: nothing that breaks may end the turn
            incident = uuid.uuid4().hex[:12]
            logger.exception("tool %s failed unexpectedly (incident %s)", call.name, incident)
            text = f"The tool failed unexpectedly (incident {incident}). Do not call it again like this."
            return ToolResult(text=text), False

    async def _run(self, call: ToolCall, on_waiting: Callable[[], None]) -> ToolResult:
        tool = self._tools.get(call.name)
        if tool is None:
            names = ", ".join(self._tools) or "none"
            raise ModelRetry(f"There is no tool named {call.name!r}. The tools are: {names}.")
        spec = tool.from_arguments(call.arguments, self._context)
        # Validated before the user is asked, and run as soon as the gate opens.
        await self._gate.admit(spec, self._context, on_waiting=on_waiting)
        if tool.execution is Execution.INLINE:
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
            case Withheld():
                return str(error)
            case ClientRefused():
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
    text = f"{kept}\n[{len(data) - MAX_TEXT_BYTES} more bytes are left out.]"
    return ToolResult(text=text, rows={name: _in_text(rows, kept) for name, rows in result.rows.items()})


def _in_text(rows: Rows, text: str) -> Rows:
    """Those of the rows that ``text`` tells."""
    told = tuple(row for row in rows.rows if f"[id {row.get('id')}]" in text)
    return Rows(rows=told, omitted=rows.omitted + len(rows.rows) - len(told))
