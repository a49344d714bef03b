"""Runs the calls of a model: finds the tool, validates its arguments, passes the gate, and executes it.

Every outcome has a text for the model.
"""

import logging
import re
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from functools import cache
from typing import Final, TypeAlias

from accounts.database import DATABASE_ERRORS
from agents.adapters.base import Message, ToolSchema
from agents.calls import Rows
from agents.engine.grounding import Grounds
from agents.engine.rounds import ToolOutcome
from agents.errors import (
    AgentError,
    ClientAbsent,
    ClientRefused,
    ClientSilent,
    ModelRetry,
    ToolFailed,
    TooManyJobs,
    Withheld,
)
from agents.events import ToolCall
from agents.permissions.approvals.consent import Gate, Unattended
from agents.permissions.approvals.repository import Preview
from agents.provenance import Provenance
from agents.telemetry.turns import UNKNOWN_TOOL, note_tool
from agents.tools.context import CallContext
from agents.tools.finding import matching_tools
from agents.tools.model_calls import find_name, like, sendable_name
from agents.tools.rows import ToolResult
from agents.tools.spec import Execution, Risk, ToolSpec

logger = logging.getLogger(__name__)

MAX_TEXT_BYTES = 64 * 1024
"""How much text of one call reaches the model, at most: rows are untrusted input."""
_LEFT_OUT: Final = "\n[Left out, since nothing was said of it: {names}. Do not tell the user that it was set.]"
_BROKEN_OFF: Final = re.compile(
    r'^[^"\n]*"(?:[^"\\\n]|\\.)*(?:\\?|"(?: \([^()\n]*\)?)?(?: (?:\[[^\]\n]*)?)?)\Z', re.MULTILINE
)
"""A last line with a row whose end was cut off (``agents/tools/rows.py``)."""

StartJob: TypeAlias = Callable[[ToolSpec, CallContext, Preview | None], Awaitable[str]]
"""Starts a tool as a job, with the preview that the user saw. Returns a text for the model. Raises ``ToolFailed``."""
NameRows: TypeAlias = Callable[[ToolSpec, Grounds], Awaitable[ModelRetry | None]]
"""As ``RowResolver.name_rows``."""


class ToolExecutor:
    """Executes the model's tool calls of one run. ``context`` has the values that tools get from the server.

    Without a ``gate``, tools that need the user's consent are refused; without ``start_job``, queued tools are.
    ``name_rows`` replaces names of rows in arguments by ids; without it, the arguments must be ids. ``found`` are the
    tools that the model is offered only after it has searched for them. ``tells_foreign``: whether a text contains a
    foreign row. The names of tools that have acted, or may have, are added to ``acted``.
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
        acted: list[str] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._tools: Mapping[str, type[ToolSpec]] = {tool.tool_name: tool for tool in tools}
        self._context = replace(context, find_tools=self._find) if found else context
        self._gate: Gate = gate or Unattended()
        self._start_job = start_job
        self._name_rows = name_rows
        self._tells_foreign = tells_foreign
        self._acted = [] if acted is None else acted
        self._clock = clock
        self._grounds = Grounds()
        # mypy confuses the hash of a class with that of its instances.
        self.schemas: Sequence[ToolSchema] = tuple(_schema(tool) for tool in tools if tool not in found)  # type: ignore[arg-type]
        self._hidden: Sequence[ToolSchema] = tuple(_schema(tool) for tool in tools if tool in found)  # type: ignore[arg-type]

    def _find(self, query: str) -> Sequence[ToolSchema]:
        found = matching_tools(query, self._hidden)
        self._hidden = tuple(tool for tool in self._hidden if tool not in found)
        # At the end, so that what a model server has cached of the tools stays valid.
        self.schemas = (*self.schemas, *found)
        return found

    def follow(self, conversation: Sequence[Message]) -> None:
        """As ``Gate.follow``. ``conversation`` is also what arguments must be grounded in."""
        self._gate.follow(conversation)
        self._grounds = Grounds(conversation)

    @asynccontextmanager
    async def round(self, calls: Sequence[ToolCall]) -> AsyncIterator[None]:
        """The block dispatches ``calls``, those of one reply. The user is asked about all of them at the same time."""
        changes = [call for call in calls if not self.reads(call)]
        # A single call asks when it runs.
        if len(changes) <= 1 or not self._gate.asks:
            yield
            return
        specs = [await self._prepared(call) for call in changes]
        async with self._gate.together([spec for spec in specs if spec is not None], self._context):
            yield

    async def _prepared(self, call: ToolCall) -> ToolSpec | None:
        """The tool of ``call`` with its arguments; None if they are wrong, which the model is told when it runs."""
        try:
            spec, _ = self._founded(self._tools[call.name], call)
            await self._gate.check(spec, self._context)
            return spec if await self._named_rows(spec) is None else None
        except AgentError:
            return None

    def named(self, call: ToolCall) -> ToolCall:
        """``call`` with the name of the tool that is meant, if it is misspelled. Other names become sendable."""
        return replace(call, name=find_name(call.name, self._tools) or sendable_name(call.name))

    def label(self, call: ToolCall) -> str:
        """What the user is shown while ``call`` runs."""
        tool = self._tools.get(call.name)
        return tool.label if tool is not None else ""

    def reads(self, call: ToolCall) -> bool:
        """Whether ``call`` only reads, so that it may run concurrently with others."""
        tool = self._tools.get(call.name)
        return tool is None or tool.risk is Risk.READ

    async def dispatch(self, call: ToolCall, *, on_waiting: Callable[[], None] = lambda: None) -> ToolOutcome:
        """Run ``call``. A failure is an outcome, too: only ``DATABASE_ERRORS`` are raised.

        ``on_waiting`` is called when the call waits for the user, which may take minutes.
        """
        started, ok, failure, provenance = self._clock(), False, ModelRetry(), Provenance.SAID
        unknown = False
        try:
            result, ok = await self._run(call, on_waiting), True
            provenance = result.provenance
        except AgentError as error:
            result = ToolResult(text=self._told(call, error))
            if _repeats_others(error, result.text):
                provenance = Provenance.READ
            failure = error if isinstance(error, ModelRetry) else failure
            unknown = isinstance(error, ClientSilent) and not self.reads(call)
        except DATABASE_ERRORS:  # later calls would fail, too, and the answer could not be recorded
            raise
        except Exception:  # the boundary of a tool: no other failure may end the turn
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
            provenance=Provenance.FOREIGN if self._tells_foreign(told.text) else provenance,
            correctable=failure.correctable,
            choices=failure.choices,
            unknown=unknown,
        )

    async def _run(self, call: ToolCall, on_waiting: Callable[[], None]) -> ToolResult:
        tool = self._tools.get(call.name)
        if tool is None:
            names = ", ".join(self._tools) or "none"
            hint = like(call.name, self._tools)
            raise ModelRetry(f"There is no tool named {call.name!r}.{hint} The tools are: {names}.")
        spec, left_out = self._founded(tool, call)
        await self._gate.check(spec, self._context)
        unknown = await self._named_rows(spec)
        try:
            # The arguments are validated before the user is asked, and the tool runs right after the answer.
            shown = await self._gate.admit(spec, self._context, on_waiting=on_waiting)
            result = await self._executed(spec, shown)
        except ModelRetry as error:
            raise unknown or error from None
        told = _LEFT_OUT.format(names=", ".join(left_out)) if left_out else ""
        return replace(result, text=f"{result.text}{told}")

    def _founded(self, tool: type[ToolSpec], call: ToolCall) -> tuple[ToolSpec, Sequence[str]]:
        """The tool with those arguments of ``call`` that are grounded, and, for a change, the names of the others.

        Raises ``ModelRetry``.
        """
        spec = tool.from_arguments(call.arguments, self._context)
        self._check_wanted(spec)
        left_out: Sequence[str] = ()
        if unfounded := self._grounds.unfounded(spec):
            if spec.risk is not Risk.READ:
                left_out = [name for name in sorted(unfounded) if spec.arguments[name] != spec.routes[name].default]
            spec.leave_out(unfounded)
        if order := self._grounds.order_of(spec):
            spec.put(order)
        dates = self._grounds.dates_of(spec)
        if dates is not None and dates.corrected:
            spec.put(dates.corrected)
            dates = self._grounds.dates_of(spec)
        if dates is not None and dates.fault:
            raise ModelRetry(dates.fault, correctable=True)
        return spec, left_out

    async def _named_rows(self, spec: ToolSpec) -> ModelRetry | None:
        """As ``NameRows``. Raises ``ModelRetry`` also if the user wants another row than the one that is named."""
        unknown = None if self._name_rows is None else await self._name_rows(spec, self._grounds)
        if self._grounds.changed_instead(spec):
            raise ModelRetry(
                "The user wants another one like that, so it is not changed: call the tool that creates one.",
                correctable=True,
            )
        return unknown

    def _check_wanted(self, spec: ToolSpec) -> None:
        """Raise ``ModelRetry`` if ``spec`` does something other than what the user asks for."""
        if self._grounds.out_of_reach(spec):
            raise ModelRetry("None of your tools can do this, so nothing was done. Tell the user so.")
        if self._grounds.only_looks(spec):
            raise ModelRetry("The user has asked to see something, so nothing is changed. Answer with what you read.")
        if self._grounds.created_before(spec):
            raise ModelRetry(
                "You have created this in the conversation already, and the user asks for no other one: "
                "change that one with the tool that updates it.",
                correctable=True,
            )
        if self._grounds.deleted_instead(spec):
            raise ModelRetry(
                "The user wants this archived, so it was not deleted: call the tool that updates it, with the status "
                "archived.",
                correctable=True,
            )
        if self._grounds.remembers_else(spec):
            raise ModelRetry(
                "Nothing was remembered: give the key and the value in the user's own words.", correctable=True
            )
        if self._grounds.created_instead(spec):
            raise ModelRetry(
                "The user wants a row changed that there is, so no new one was created: call the tool that updates it.",
                correctable=True,
            )

    async def _executed(self, spec: ToolSpec, shown: Preview | None) -> ToolResult:
        if spec.execution is Execution.INLINE:
            with self._noted(spec):
                return await spec.execute()
        if self._start_job is None:
            raise ToolFailed("This takes too long for an answer, and jobs are not available here. Tell the user.")
        with self._noted(spec):
            return ToolResult(text=await self._start_job(spec, self._context, shown))

    @contextmanager
    def _noted(self, spec: ToolSpec) -> Iterator[None]:
        """The block executes ``spec``. It may be interrupted at any time, so it is noted in ``acted`` before."""
        if spec.risk is Risk.READ and spec.execution is Execution.INLINE:
            yield
            return
        self._acted.append(spec.tool_name)
        try:
            yield
        except (ModelRetry, TooManyJobs):
            # Only after these failures is it certain that nothing was done.
            self._acted.remove(spec.tool_name)
            raise

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


def _repeats_others(error: AgentError, told: str) -> bool:
    """Whether ``told``, the text of ``error``, may contain words of rows or of the device."""
    return (isinstance(error, ClientRefused) and not isinstance(error, Withheld)) or "[id " in told


@cache
def _schema(tool: type[ToolSpec]) -> ToolSchema:
    # It depends on the class alone, and creating it takes a tenth of a turn's CPU time.
    schema = tool.schema()
    # A model is told when it gives unknown parameters. To forbid them in advance costs tokens for each tool.
    told = {name: value for name, value in schema.parameters.items() if name != "additionalProperties"}
    return replace(schema, parameters=told)


def _cut(result: ToolResult) -> ToolResult:
    data = result.text.encode("utf-8", "replace")
    if len(data) <= MAX_TEXT_BYTES:
        return result
    # A row is kept whole, with the id at its end, or omitted: the ledger knows by the id what was disclosed.
    kept = _BROKEN_OFF.sub("", data[:MAX_TEXT_BYTES].decode("utf-8", "ignore"))
    rows: dict[str, Rows] = {}
    for name, part in result.rows.items():
        told = tuple(row for row in part.rows if f"[id {row.get('id')}]" in kept)
        rows[name] = Rows(rows=told, omitted=part.omitted + len(part.rows) - len(told))
    return ToolResult(text=f"{kept}\n[{len(data) - MAX_TEXT_BYTES} more bytes are left out.]", rows=rows)
