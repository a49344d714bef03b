"""A tool call over MCP: validated, asked about and run as a turn's is, on the device that its user used last."""

import json
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Final, Protocol
from uuid import UUID

from pydantic import JsonValue

from agents.adapters.surrogates import mended
from agents.dialogues.rows import UserDialogues
from agents.engine.executor import ToolExecutor, ToolOutcome
from agents.errors import Unrecorded
from agents.events import ToolCall
from agents.jobs.notices import begun_notice
from agents.jobs.records import Asked, JobStanding, NewJob
from agents.kinds import RequestKind
from agents.mcp.callers import Caller
from agents.mcp.clients import UNNAMED
from agents.mcp.devices import Devices, Reached
from agents.mcp.metering import Metered
from agents.permissions.approvals.consent import TurnConsent
from agents.permissions.approvals.questions import Origin
from agents.permissions.approvals.tool_approvals import AskedLater, ToolApprovalManager
from agents.permissions.disclosures.ledger import Ledger
from agents.permissions.disclosures.models import LedgeredEmbedder
from agents.permissions.disclosures.records import Occasion
from agents.permissions.disclosures.store import DisclosureStore, Untold
from agents.permissions.quotas.keeper import QuotaKeeper
from agents.permissions.sharing.store import MarkStore, Unmarked
from agents.permissions.sharing.withholding import Withholding
from agents.telemetry.turns import TurnOrigin, TurnOutcome, TurnSource
from agents.telemetry.watching import Observers, note_end
from agents.tools.client import clear_client_executor, set_client_executor
from agents.tools.context import CallContext
from agents.tools.memory import Recollection
from agents.tools.runs import Run
from agents.tools.spec.tool import Risk, ToolSpec
from memory.embedders.base import Embedder

_MESSAGE: Final = "Run {tool}, and tell me what came of it."
"""What the user of a job is taken to have said, for the model that words its answer."""
_UNTOLD: Final = {
    True: "What was read could not be written down in the ledger of disclosures, so it is not told. Try again later.",
    False: (
        "What came of it could not be written down in the ledger of disclosures, so it is not told. The change may "
        "have happened. Do not repeat it; tell the user to check."
    ),
}
"""By whether the tool only reads."""


class StartJob(Protocol):
    """Has a tool run as a job."""

    def __call__(self, origin: Origin, new: NewJob) -> Awaitable[JobStanding]: ...


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """What a client is told of a call, and whether the tool did what was asked.

    ``request_id`` names the call wherever it left a trace: in the log, the ledger, approvals, jobs and records.
    """

    request_id: str
    text: str
    ok: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class McpCalls:
    """Runs tools for callers. ``recollection`` is None where nothing is remembered, ``start_job`` where no queued tool
    runs; ``clock`` gives the aware time. ``disclosures`` and ``marks`` stand for what a client may be told, as they do
    for models: as they are by default, everything, and nobody writes it down.
    """

    approvals: ToolApprovalManager
    embedder: Embedder
    devices: Devices
    recollection: Callable[[UUID], Recollection] | None = None
    start_job: StartJob | None = None
    clock: Callable[[], datetime] = _utc_now
    observers: Observers = field(default_factory=Observers)
    quotas: QuotaKeeper = field(default_factory=QuotaKeeper)
    disclosures: DisclosureStore = field(default_factory=Untold)
    marks: MarkStore = field(default_factory=Unmarked)

    async def call(
        self,
        caller: Caller,
        tool: type[ToolSpec],
        arguments: Mapping[str, JsonValue] | None,
        *,
        client: str = UNNAMED,
    ) -> Told:
        """What ``client``, as the ledger knows it, is told of the call. A tool that fails says so like any other."""
        # A request of its own: what is asked about, and what has begun as a job, is this call's alone.
        request_id = str(uuid.uuid4())
        call = ToolCall(id=request_id, name=tool.tool_name, arguments=json.dumps(arguments or {}))
        origin = TurnOrigin(user_id=caller.user_id, request_id=request_id, kind=RequestKind.MCP, source=TurnSource.MCP)
        with self.observers.watching(origin):
            try:
                async with self.devices.reached(caller.user_id, request_id) as reached:
                    ledger = self._ledger(caller, reached, request_id)
                    outcome = await self._ran(caller, tool, call, reached, ledger)
                    await ledger.telling(client, [outcome.text])
            except Unrecorded:
                note_end(TurnOutcome.ERROR, "unrecorded")
                return Told(request_id=request_id, text=_UNTOLD[tool.risk is Risk.READ], ok=False)
            except Exception:
                note_end(TurnOutcome.ERROR, "internal_error")
                raise
            # Whatever the tool said: that it failed stands beside the outcome, as in a turn.
            note_end(TurnOutcome.DONE)
            # As UTF-8 can write it.
            return Told(request_id=request_id, text=mended(outcome.text), ok=outcome.ok)

    async def _ran(
        self, caller: Caller, tool: type[ToolSpec], call: ToolCall, reached: Reached, ledger: Ledger
    ) -> ToolOutcome:
        executor = ToolExecutor(
            [tool],
            self._context(caller, ledger),
            gate=Metered(gate=self._consent(reached, call.id), quotas=self.quotas),
            start_job=None
            if self.start_job is None
            else partial(_start, self.start_job, reached=reached, request_id=call.id),
        )
        run = Run(Withholding(reached.client, self.marks, caller.user_id))
        ledger.follow(run)
        token = set_client_executor(run)
        try:
            return await executor.dispatch(call)
        finally:
            clear_client_executor(token)

    def _ledger(self, caller: Caller, reached: Reached, request_id: str) -> Ledger:
        origin = Origin(user_id=caller.user_id, request_id=request_id, device_id=reached.device_id)
        return Ledger(Occasion(origin=origin, source=RequestKind.MCP), self.disclosures)

    def _context(self, caller: Caller, ledger: Ledger) -> CallContext:
        return CallContext(
            user_id=caller.user_id,
            timezone=caller.timezone,
            language=caller.language,
            now=lambda: self.clock().astimezone(caller.timezone),
            embedder=LedgeredEmbedder(embedder=self.embedder, ledger=ledger),
            memory=None if self.recollection is None else self.recollection(caller.user_id),
            dialogues=UserDialogues(user_id=caller.user_id),
        )

    def _consent(self, reached: Reached, request_id: str) -> TurnConsent:
        return TurnConsent(
            manager=self.approvals,
            # Nobody waits for a person here: the answer says that the question is open, and under which id.
            asker=AskedLater(),
            # Not by way of the run: what is read to be shown to the user is told to no client.
            client=reached.client,
            request_id=request_id,
        )


async def _start(
    start_job: StartJob, tool: ToolSpec, context: CallContext, *, reached: Reached, request_id: str
) -> str:
    asked = Asked(message=_MESSAGE.format(tool=tool.tool_name), language=context.language, timezone=context.timezone)
    origin = Origin(user_id=context.user_id, request_id=request_id, session_id="", device_id=reached.device_id)
    new = NewJob(tool=tool.tool_name, label=tool.label, arguments=tool.arguments, asked=asked)
    standing = await start_job(origin, new)
    return f"{begun_notice()} It is job {standing.id}."
