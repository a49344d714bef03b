"""Runs the tools a model calls: find, validate, approve, run, time, and put every outcome into words for the model."""

import logging
import re
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Protocol, TypeAlias

from agents.adapters.base import ToolSchema
from agents.errors import AgentError, ClientAbsent, ClientRefused, ClientSilent, ModelRetry, ToolFailed, Withheld
from agents.events import ToolCall
from agents.permissions.approvals.consent import Gate, Unattended
from agents.permissions.sharing.counting import counting
from agents.telemetry.turns import UNKNOWN_TOOL
from agents.telemetry.watching import note_tool
from agents.tools.context import CallContext
from agents.tools.spec.tool import Execution, Risk, ToolSpec

logger = logging.getLogger(__name__)

MAX_TEXT_BYTES = 64 * 1024
"""How much text of one call reaches the model (protocol: rows are untrusted input)."""
_BROKEN_OFF: Final = re.compile(
    r'^[^"\n]*"(?:[^"\\\n]|\\.)*(?:\\?|"(?: \([^()\n]*\)?)?(?: (?:\[[^\]\n]*)?)?)\Z', re.MULTILINE
)
"""A last line with a row that has lost its end (``agents/tools/wording.py``)."""


def _ignore() -> None:
    return None


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolOutcome:
    """What the model is told of a call, and whether it did what was asked."""

    text: str
    ok: bool
    duration_ms: int


StartJob: TypeAlias = Callable[[ToolSpec, CallContext], Awaitable[str]]
"""Has a tool run as a job; gives what the model is told of it. Raises ``ToolFailed``."""


class ToolDispatcher(Protocol):
    """What a model's tool calls go through."""

    @property
    def schemas(self) -> Sequence[ToolSchema]:
        """The tools on offer."""

    def label(self, call: ToolCall) -> str:
        """What a person reads while ``call`` runs."""

    def reads(self, call: ToolCall) -> bool:
        """Whether ``call`` only reads, so that it may run beside others."""

    async def dispatch(self, call: ToolCall, *, on_waiting: Callable[[], None] = _ignore) -> ToolOutcome:
        """Run ``call``. Never raises: a failure is an outcome like any other.

        ``on_waiting`` is called when it waits for a person, and may do so for minutes.
        """


class ToolExecutor:
    """The ``ToolDispatcher`` of one run: a set of tools, the context that fills them, the gate they pass.

    Without a gate nobody can be asked, so what must ask is refused. Without ``start_job`` no queued tool runs.
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
            text, ok = await self._attempted(call, on_waiting)
        took_s = self._clock() - started
        name = call.name if call.name in self._tools else UNKNOWN_TOOL
        note_tool(name, ok=ok, took_s=took_s, arguments=call.arguments, result=text)
        return ToolOutcome(text=withheld.told(_cut(text)), ok=ok, duration_ms=round(took_s * 1000))

    async def _attempted(self, call: ToolCall, on_waiting: Callable[[], None]) -> tuple[str, bool]:
        """What the model is told, and whether the tool did what was asked."""
        try:
            return await self._run(call, on_waiting), True
        except AgentError as error:
            return self._told(call, error), False
        except Exception:  # the boundary of a tool: whatever breaks must not end the turn
            incident = uuid.uuid4().hex[:12]
            logger.exception("tool %s failed unexpectedly (incident %s)", call.name, incident)
            return f"The tool failed unexpectedly (incident {incident}). Do not call it again like this.", False

    async def _run(self, call: ToolCall, on_waiting: Callable[[], None]) -> str:
        tool = self._tools.get(call.name)
        if tool is None:
            names = ", ".join(self._tools) or "none"
            raise ModelRetry(f"There is no tool named {call.name!r}. The tools are: {names}.")
        spec = tool.from_arguments(call.arguments, self._context)
        # Validated before anybody is asked, and run at once when the gate is open.
        await self._gate.admit(spec, self._context, on_waiting=on_waiting)
        if tool.execution is Execution.INLINE:
            return await spec.execute()
        if self._start_job is None:
            raise ToolFailed("This takes too long for an answer, and nothing here runs it beside one. Tell the user.")
        return await self._start_job(spec, self._context)

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
    # Made of a class, so it never changes; making it anew for every turn would cost a tenth of the turn.
    return tool.schema()


def _cut(text: str) -> str:
    data = text.encode("utf-8", "replace")
    if len(data) <= MAX_TEXT_BYTES:
        return text
    # A row is told whole, with the id at its end, or not at all: by its id it is known what was disclosed.
    kept = _BROKEN_OFF.sub("", data[:MAX_TEXT_BYTES].decode("utf-8", "ignore"))
    return f"{kept}\n[{len(data) - MAX_TEXT_BYTES} more bytes are left out.]"
