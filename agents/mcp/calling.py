"""A tool call over MCP: validated, asked about and run as a turn's is, on the device that its user used last."""

import json
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Final, Protocol
from uuid import UUID

from pydantic import JsonValue

from agents.adapters.surrogates import mended
from agents.approvals import AskedLater, ToolApprovalManager
from agents.client import clear_client_executor, set_client_executor
from agents.consent import TurnConsent
from agents.context import CallContext
from agents.events import ToolCall
from agents.executor import ToolExecutor, ToolOutcome
from agents.jobs.notices import begun_notice
from agents.jobs.records import Asked, JobStanding, NewJob
from agents.mcp.callers import Caller
from agents.mcp.devices import Devices, Reached
from agents.questions import Origin
from agents.recollection import Recollection
from agents.runs import Run
from agents.specs.spec import ToolSpec
from memory.embedders.base import Embedder

_MESSAGE: Final = "Run {tool}, and tell me what came of it."
"""What the user of a job is taken to have said, for the model that words its answer."""


class StartJob(Protocol):
    """Has a tool run as a job."""

    def __call__(self, origin: Origin, new: NewJob) -> Awaitable[JobStanding]: ...


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class McpCalls:
    """Runs tools for callers. ``recollection`` is None where nothing is remembered, ``start_job`` where no queued tool
    runs; ``clock`` gives the aware time.
    """

    approvals: ToolApprovalManager
    embedder: Embedder
    devices: Devices
    recollection: Callable[[UUID], Recollection] | None = None
    start_job: StartJob | None = None
    clock: Callable[[], datetime] = _utc_now

    async def call(
        self, caller: Caller, tool: type[ToolSpec], arguments: Mapping[str, JsonValue] | None
    ) -> ToolOutcome:
        """What a model would be told of the call. Raises nothing: a failure is an outcome like any other."""
        # A request of its own: what is asked about, and what has begun as a job, is this call's alone.
        request_id = str(uuid.uuid4())
        call = ToolCall(id=request_id, name=tool.tool_name, arguments=json.dumps(arguments or {}))
        async with self.devices.reached(caller.user_id, request_id) as reached:
            executor = ToolExecutor(
                [tool],
                self._context(caller),
                gate=self._consent(reached, request_id),
                start_job=None
                if self.start_job is None
                else partial(_start, self.start_job, reached=reached, request_id=request_id),
            )
            token = set_client_executor(Run(reached.client))
            try:
                return await executor.dispatch(call)
            finally:
                clear_client_executor(token)

    def _context(self, caller: Caller) -> CallContext:
        return CallContext(
            user_id=caller.user_id,
            timezone=caller.timezone,
            language=caller.language,
            now=lambda: self.clock().astimezone(caller.timezone),
            embedder=self.embedder,
            memory=None if self.recollection is None else self.recollection(caller.user_id),
        )

    def _consent(self, reached: Reached, request_id: str) -> TurnConsent:
        # Nobody waits for a person here: the answer says that the question is open, and under which id.
        return TurnConsent(manager=self.approvals, asker=AskedLater(), client=reached.client, request_id=request_id)


async def _start(
    start_job: StartJob, tool: ToolSpec, context: CallContext, *, reached: Reached, request_id: str
) -> str:
    asked = Asked(message=_MESSAGE.format(tool=tool.tool_name), language=context.language, timezone=context.timezone)
    origin = Origin(user_id=context.user_id, request_id=request_id, session_id="", device_id=reached.device_id)
    new = NewJob(tool=tool.tool_name, label=tool.label, arguments=tool.arguments, asked=asked)
    standing = await start_job(origin, new)
    return f"{begun_notice()} It is job {standing.id}."


def told(outcome: ToolOutcome) -> str:
    """The text of the outcome as UTF-8 can write it."""
    return mended(outcome.text)
