"""A job's calls to its device, which a second run of the job does not make twice.

A write gets its id from the job and from what it writes, so that the device's ledger knows it again. That it goes out,
and what the device answered, is written down: what was answered once is not asked again, and what may have gone out
goes out again only to a device that keeps a ledger.
"""

from collections import Counter
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from typing import Final, Protocol
from uuid import UUID, uuid5

from pydantic import TypeAdapter

from agents.calls import CallAction, ClientAnswer, ClientCall
from agents.errors import ClientSilent, ToolFailed
from agents.jobs.journal import Steps
from agents.tools.client import OnLate

_ANSWERS: Final = TypeAdapter(ClientAnswer)


class JobClient(Protocol):
    """Runs a job's calls on its device, as ``agents.tools.client.ClientExecutor`` does for a turn."""

    def supports(self, action: CallAction) -> bool:
        """As there."""

    async def execute(self, call: ClientCall, *, on_late: OnLate, repeated: bool) -> ClientAnswer:
        """As there. ``repeated`` is a call that may have gone out before: a write goes to a device with a ledger only,
        and else counts as one that was not answered.
        """


class Devices(Protocol):
    """Where the devices are, as those see it who have no socket."""

    def client(self, user_id: UUID, device_id: str, job_id: UUID) -> AbstractAsyncContextManager[JobClient]:
        """The way to the device, until the end of the block."""

    async def connected(self, user_id: UUID, device_id: str) -> bool:
        """Whether the device is there now."""


@dataclass(kw_only=True, eq=False)
class JobCalls:
    """The ``ClientExecutor`` of one run of a job."""

    job_id: UUID
    client: JobClient
    steps: Steps
    _made: Counter[str] = field(default_factory=Counter, init=False)

    def supports(self, action: CallAction) -> bool:
        return self.client.supports(action)

    async def execute(self, call: ClientCall, *, on_late: OnLate) -> ClientAnswer:
        """As ``ClientExecutor.execute``; raises ``ToolFailed`` for a write whose outcome will never be known."""
        if not call.is_write:
            return await self.client.execute(call, on_late=on_late, repeated=False)
        call = self._named(call)
        answered = self.steps.written(_answer(call))
        if answered is not None:
            return _ANSWERS.validate_json(answered)
        repeated = self.steps.written(_going(call)) is not None
        if not repeated:
            await self.steps.write(_going(call), "")
        try:
            answer = await self.client.execute(call, on_late=on_late, repeated=repeated)
        except ClientSilent:
            if repeated:
                raise ToolFailed(
                    "This work was interrupted just when a change was made, and the device cannot say whether it was. "
                    "The outcome is unknown: tell the user to check."
                ) from None
            raise
        await self.steps.write(_answer(call), _ANSWERS.dump_json(answer).decode())
        return answer

    def _named(self, call: ClientCall) -> ClientCall:
        what = call.fingerprint()
        self._made[what] += 1
        return replace(call, id=str(uuid5(self.job_id, f"{what} {self._made[what]}")))


def _going(call: ClientCall) -> str:
    return f"going {call.id}"


def _answer(call: ClientCall) -> str:
    return f"answer {call.id}"
