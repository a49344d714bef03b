"""The only loop: model, its tool calls, model again, until it answers; and what runs the calls.

At most ``MAX_TOOL_ROUNDS`` rounds of tools; then the model is asked once more, without tools, and must answer. The
executor finds a tool, validates its arguments, has the gate admit it, runs it, and words every outcome for the model.
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
from typing import Final, TypeAlias

from accounts.database import DATABASE_ERRORS
from agents.adapters.base import AssistantMessage, Message, ModelAdapter, ModelParams, ToolMessage, ToolSchema
from agents.calls import NamedRows, Rows
from agents.errors import (
    AgentError,
    ClientAbsent,
    ClientRefused,
    ClientSilent,
    ModelBroken,
    ModelRetry,
    ToolFailed,
    Withheld,
)
from agents.events import AgentEvent, Finished, TextDelta, ToolCall, ToolFinished, ToolStarted, Usage
from agents.permissions.approvals.consent import Gate, Unattended
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


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolOutcome:
    """What a call came to: ``text`` for the model, ``rows`` as the values in it, and whether it did what was asked."""

    text: str
    ok: bool
    duration_ms: int
    rows: NamedRows = field(default_factory=dict)


StartJob: TypeAlias = Callable[[ToolSpec, CallContext], Awaitable[str]]
"""Starts a tool as a job; returns a text for the model. Raises ``ToolFailed``."""


async def run(
    adapter: ModelAdapter, messages: Sequence[Message], executor: "ToolExecutor", params: ModelParams
) -> AsyncGenerator[AgentEvent, None]:
    """The answer to ``messages`` while it is made.

    Raises ``ModelUnavailable``, ``ModelRefused`` or ``ModelBroken`` (also when the model ends without a word).
    """
    conversation = list(messages)
    said: list[str] = []
    for tool_round in range(MAX_TOOL_ROUNDS + 1):
        tools = executor.schemas if tool_round < MAX_TOOL_ROUNDS else ()
        before, calls = len(said), list[ToolCall]()
        async with aclosing(adapter.stream(conversation, tools, params)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    said.append(event.text)
                    yield event
                elif isinstance(event, ToolCall):
                    calls.append(event)
                elif isinstance(event, Usage):
                    yield event
        if not calls or not tools:
            yield Finished(text=_answer(said), tool_rounds=tool_round)
            return
        conversation.append(AssistantMessage(text="".join(said[before:]), tool_calls=tuple(calls)))
        for group in _groups(calls, executor):
            for call in group:
                yield ToolStarted(call=call, label=executor.label(call))
            for call, outcome in zip(group, await _dispatch(group, executor), strict=True):
                conversation.append(ToolMessage(call_id=call.id, text=outcome.text, ok=outcome.ok, rows=outcome.rows))
                yield ToolFinished(call=call, text=outcome.text, ok=outcome.ok, duration_ms=outcome.duration_ms)


def _answer(said: Sequence[str]) -> str:
    answer = "".join(said)
    if not answer.strip():
        raise ModelBroken("The model ended without an answer.")
    return answer


def _groups(calls: Sequence[ToolCall], executor: "ToolExecutor") -> Iterator[list[ToolCall]]:
    """The calls in order: adjacent reads form a group, and reads after a change join the change."""
    group: list[ToolCall] = []
    for call in calls:
        if group and not executor.reads(call):
            yield group
            group = []
        group.append(call)
    if group:
        yield group


async def _dispatch(group: Sequence[ToolCall], executor: "ToolExecutor") -> Iterable[ToolOutcome]:
    """The outcomes of a group. Reads run concurrently; they run before a change only while it waits for the user."""
    first, *behind = group
    if not behind:
        return [await executor.dispatch(first)]
    try:
        return await _dispatch_all(first, behind, executor)
    except ExceptionGroup as failed:
        # All for the same reason: the database is away.
        raise failed.exceptions[0] from None


async def _dispatch_all(first: ToolCall, behind: Sequence[ToolCall], executor: "ToolExecutor") -> Iterable[ToolOutcome]:
    ahead = False
    async with asyncio.TaskGroup() as tasks:
        # Set when the change has ended or waits for the user.
        moved = asyncio.Event()
        change = tasks.create_task(executor.dispatch(first, on_waiting=moved.set))
        if not executor.reads(first):
            change.add_done_callback(lambda _: moved.set())
            await moved.wait()
            ahead = not change.done()
        reads = [tasks.create_task(executor.dispatch(call)) for call in behind]
    outcomes = [task.result() for task in reads]
    if ahead and change.result().ok:
        # The model reads the outcomes in the order of its calls, in which this one came after the change.
        outcomes = [replace(outcome, text=f"{outcome.text}\n{_READ_BEFORE}") for outcome in outcomes]
    return [change.result(), *outcomes]


class ToolExecutor:
    """Runs the model's tool calls in one run: its tools, the context that fills them, and the gate that they pass.

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
        started, ok = self._clock(), False
        try:
            result, ok = await self._run(call, on_waiting), True
        except AgentError as error:
            result = ToolResult(text=self._told(call, error))
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
        return ToolOutcome(text=told.text, ok=ok, duration_ms=duration_ms, rows=told.rows)

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
