"""The journal of a job: each step is recorded once, and a later run of the job reads it instead of repeating it.

The job's writes to its device are steps as well. A write's id is derived from the job and from what it writes, so that
the device's ledger recognises it. Two steps are recorded: that the write is sent, and what the device answered. A write
that was answered is not sent again; one that may have been sent is sent again only to a device that keeps a ledger.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, Protocol
from uuid import UUID, uuid5

from django.db import transaction
from django.db.models import Max
from pydantic import TypeAdapter

from accounts.database import in_database
from accounts.errors import AccountGone
from accounts.keys.vault import open_vault, vault_for_writing
from agents.calls import CallAction, ClientAnswer, ClientCall
from agents.errors import ClientAbsent, ClientSilent, JobLost, JobUnreadable, ToolFailed
from agents.jobs.endings import VAULT_ERRORS
from agents.jobs.models import ToolJob, ToolJobStep
from agents.tools.client import OnLate

_GOING: Final = "going "
"""Starts the names of the steps that record that a write is sent."""


@contextmanager
def _readable() -> Iterator[None]:
    try:
        yield
    except AccountGone:
        raise JobLost from None
    except VAULT_ERRORS as error:
        raise JobUnreadable from error


@_readable()
@transaction.atomic
def step(job_id: UUID, owner: str, name: str, content: str, *, now: datetime) -> str:
    """Record ``content`` as the step ``name`` unless there is such a step. Returns the recorded content.

    Raises ``JobLost`` if ``owner`` does not hold the job, and ``JobUnreadable``.
    """
    held = ToolJob.objects.filter(id=job_id).held_by(owner)
    user_id = held.values_list("user_id", flat=True).first()
    if user_id is None:
        raise JobLost
    vault = vault_for_writing(user_id)
    # Locked, so that the steps have one order, and no other run claims the job while this one writes.
    if held.select_for_update(no_key=True).values_list("id", flat=True).first() is None:
        raise JobLost
    written = ToolJobStep.objects.filter(job_id=job_id)
    known = written.filter(name=name).first()
    if known is not None:
        return vault.open(known, "content_encrypted")
    last = written.aggregate(last=Max("number"))["last"] or 0
    row = ToolJobStep(job_id=job_id, user_id=user_id, number=last + 1, name=name, created_at=now)
    row.content_encrypted = vault.seal(row, "content_encrypted", content)
    row.save(force_insert=True)
    return content


@transaction.atomic
def delete_step(job_id: UUID, owner: str, name: str) -> None:
    """Delete a step. Raises ``JobLost`` if ``owner`` does not hold the job."""
    # Locked, so that no other run, which would read the step, claims the job meanwhile.
    held = ToolJob.objects.filter(id=job_id).held_by(owner).select_for_update(no_key=True)
    if held.values_list("id", flat=True).first() is None:
        raise JobLost
    ToolJobStep.objects.filter(job_id=job_id, name=name).delete()


@_readable()
def steps(job_id: UUID) -> dict[str, str]:
    """The recorded steps by name, oldest first. Raises ``JobLost`` and ``JobUnreadable``."""
    rows = list(ToolJobStep.objects.filter(job_id=job_id).order_by("number"))
    if not rows:
        return {}
    vault = open_vault(rows[0].user_id)
    return {row.name: vault.open(row, "content_encrypted") for row in rows}


@dataclass(kw_only=True, eq=False)
class Steps:
    """The steps of a job, by name: those that earlier runs recorded, and those that this run, ``owner``, adds."""

    job_id: UUID
    owner: str
    clock: Callable[[], datetime]
    _written: dict[str, str] = field(default_factory=dict, init=False)

    async def read(self) -> None:
        """Read what earlier runs recorded. Raises ``JobLost`` and ``JobUnreadable``."""
        self._written = dict(await in_database(steps, self.job_id))

    @property
    def has_changes(self) -> bool:
        """Whether a change may have been sent to the device."""
        return any(name.startswith(_GOING) for name in self._written)

    def written(self, name: str) -> str | None:
        """The content of the step; None if it is not recorded."""
        return self._written.get(name)

    async def write(self, name: str, content: str) -> str:
        """Record the step, unless an earlier run did. Returns the recorded content.

        Raises ``JobLost`` and ``JobUnreadable``.
        """
        kept = await in_database(step, self.job_id, self.owner, name, content, now=self.clock())
        self._written[name] = kept
        return kept

    async def delete(self, name: str) -> None:
        """Delete the step. Raises ``JobLost``."""
        await in_database(delete_step, self.job_id, self.owner, name)
        del self._written[name]


_ANSWERS: Final = TypeAdapter(ClientAnswer)
_UNKNOWN: Final = (
    "This work was interrupted just when a change was made, and the device cannot say whether it was. "
    "The outcome is unknown: tell the user to check."
)


class JobClient(Protocol):
    """Runs a job's calls on its device, as ``agents.tools.client.ClientExecutor`` does for a turn."""

    def supports(self, action: CallAction) -> bool:
        """As there."""

    async def execute(self, call: ClientCall, *, on_late: OnLate, repeated: bool) -> ClientAnswer:
        """As there. ``repeated`` says that the call may have been sent before: then a write is sent only to a device
        with a ledger; for any other it counts as unanswered.
        """


class Devices(Protocol):
    """Access to the users' devices for a process that does not hold their sockets."""

    def client(self, user_id: UUID, device_id: str, job_id: UUID) -> AbstractAsyncContextManager[JobClient]:
        """The client for the device, until the block ends."""

    async def connected(self, user_id: UUID, device_id: str) -> bool:
        """Whether the device is connected now."""


@dataclass(kw_only=True, eq=False)
class JobCalls:
    """The ``ClientExecutor`` of one run of a job. ``before_change`` is called before the first write is sent."""

    client: JobClient
    steps: Steps
    before_change: Callable[[], Awaitable[None]] | None = None
    _made: Counter[str] = field(default_factory=Counter, init=False)

    def supports(self, action: CallAction) -> bool:
        return self.client.supports(action)

    async def execute(self, call: ClientCall, *, on_late: OnLate) -> ClientAnswer:
        """As ``ClientExecutor.execute``. Also raises ``ToolFailed`` for a write whose outcome will never be known, and
        what ``before_change`` raises.
        """
        if not call.is_write:
            return await self.client.execute(call, on_late=on_late, repeated=False)
        what = call.fingerprint()
        self._made[what] += 1
        call = replace(call, id=str(uuid5(self.steps.job_id, f"{what} {self._made[what]}")))
        going, answered = f"{_GOING}{call.id}", f"answer {call.id}"
        known = self.steps.written(answered)
        if known is not None:
            return _ANSWERS.validate_json(known)
        repeated = self.steps.written(going) is not None
        if not repeated:
            if self.before_change is not None and not self.steps.has_changes:
                await self.before_change()
            await self.steps.write(going, "")
        try:
            answer = await self.client.execute(call, on_late=on_late, repeated=repeated)
        except ClientAbsent:
            if not repeated:
                # It was never sent, and its row may change before it is.
                await self.steps.delete(going)
            raise
        except ClientSilent:
            if repeated:
                raise ToolFailed(_UNKNOWN) from None
            raise
        await self.steps.write(answered, _ANSWERS.dump_json(answer).decode())
        return answer
