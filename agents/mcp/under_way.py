"""The current call over MCP: what it reports while it runs, and the job that it is about."""

from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final, TypeAlias
from uuid import UUID

from pydantic import JsonValue

from agents.calls import CallAction, ClientAnswer, ClientCall
from agents.jobs.records import JobStatus
from agents.tools.client import ClientExecutor, OnLate

Report: TypeAlias = Callable[[float, float | None, str], Awaitable[None]]
"""Reports progress to the client: how much is done, of how much if that is known, and a text without user data."""


async def report_nothing(_progress: float, _total: float | None, _message: str) -> None:
    """The ``Report`` for clients that did not ask for progress."""


@dataclass(kw_only=True, slots=True)
class CallUnderWay:
    """One call. ``may_read`` says whether the caller's token allows the tool with this name."""

    reporter: Report = report_nothing
    may_read: Callable[[str], bool] = lambda _tool: False
    job: Mapping[str, JsonValue] | None = None
    job_id: UUID | None = None
    """The job whose answer is in the result."""
    steps: int = field(default=0, init=False)
    _reported: float = field(default=-1, init=False)

    async def report(self, progress: float, total: float | None, message: str) -> None:
        """As ``Report``, but only if there is progress since the last report, as MCP demands."""
        if progress > self._reported:
            self._reported = progress
            await self.reporter(progress, total, message)


current_call: Final[ContextVar[CallUnderWay]] = ContextVar("current_call")


def described(status: JobStatus) -> dict[str, JsonValue]:
    """A job as ``structured.JOB_SCHEMA`` describes it."""
    return {
        "id": str(status.id),
        "tool": status.tool,
        "state": status.state.value,
        "label": status.label,
        "fraction": status.fraction,
        "createdAt": status.created_at.isoformat(),
        "updatedAt": status.updated_at.isoformat(),
    }


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportingClient:
    """A ``ClientExecutor`` that reports each answer of the device as a step."""

    client: ClientExecutor
    call: CallUnderWay
    label: str

    def supports(self, action: CallAction) -> bool:
        return self.client.supports(action)

    async def execute(self, call: ClientCall, *, on_late: OnLate) -> ClientAnswer:
        """As ``ClientExecutor.execute``."""
        answer = await self.client.execute(call, on_late=on_late)
        self.call.steps += 1
        await self.call.report(self.call.steps, None, self.label)
        return answer
