"""The journal of a job: each step is recorded once, and a second run of the job reads it instead of repeating it.

So are the job's calls to its device. A write gets its id from the job and from what it writes, so that the device's
ledger knows it again. That it goes out, and what the device answered, is written down: what was answered once is not
asked again, and what may have gone out goes out again only to a device that keeps a ledger.
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
from agents.jobs.endings import NO_KEY
from agents.jobs.models import ToolJob, ToolJobStep
from agents.tools.client import OnLate

_GOING: Final = "going "
"""Begins the names of the steps that say that a write goes out."""


@contextmanager
def _readable() -> Iterator[None]:
    try:
        yield
    except AccountGone:
        raise JobLost from None
    except NO_KEY as error:
        raise JobUnreadable from error


@_readable()
@transaction.atomic
def step(job_id: UUID, owner: str, name: str, content: str, *, now: datetime) -> str:
    """Record ``content`` as the step ``name``, unless it is recorded; return what is recorded.

    Raises ``JobLost`` when ``owner`` does not hold the job, and ``JobUnreadable``.
    """
    held = ToolJob.objects.filter(id=job_id).held_by(owner)
    user_id = held.values_list("user_id", flat=True).first()
    if user_id is None:
        raise JobLost
    vault = vault_for_writing(user_id)
    # Locked: steps have one order, and no other run takes the job while this one writes.
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
    """Delete a step. Raises ``JobLost`` when ``owner`` does not hold the job."""
    # Locked: no other run, which would read the step, takes the job meanwhile.
    held = ToolJob.objects.filter(id=job_id).held_by(owner).select_for_update(no_key=True)
    if held.values_list("id", flat=True).first() is None:
        raise JobLost
    ToolJobStep.objects.filter(job_id=job_id, name=name).delete()


@_readable()
def steps(job_id: UUID) -> dict[str, str]:
    """The recorded steps by name, in their order. Raises ``JobLost`` and ``JobUnreadable``."""
    rows = list(ToolJobStep.objects.filter(job_id=job_id).order_by("number"))
    if not rows:
        return {}
    vault = open_vault(rows[0].user_id)
    return {row.name: vault.open(row, "content_encrypted") for row in rows}


@dataclass(kw_only=True, eq=False)
class Steps:
    """The steps that earlier runs of a job recorded, by name, and those that this one, ``owner``, adds."""

    job_id: UUID
    owner: str
    clock: Callable[[], datetime]
    _written: dict[str, str] = field(default_factory=dict, init=False)

    async def read(self) -> None:
        """Read what earlier runs recorded. Raises ``JobLost`` and ``JobUnreadable``."""
        self._written = dict(await in_database(steps, self.job_id))

    @property
    def has_changes(self) -> bool:
        """Whether a change may have gone out to the device."""
        return any(name.startswith(_GOING) for name in self._written)

    def written(self, name: str) -> str | None:
        """The content of the step; None before it is recorded."""
        return self._written.get(name)

    async def write(self, name: str, content: str) -> str:
        """Record the step. Returns its content, which is an earlier run's if one recorded it.

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
    """The ``ClientExecutor`` of one run of a job. ``before_change`` is called before its first write goes out."""

    client: JobClient
    steps: Steps
    before_change: Callable[[], Awaitable[None]] | None = None
    _made: Counter[str] = field(default_factory=Counter, init=False)

    def supports(self, action: CallAction) -> bool:
        return self.client.supports(action)

    async def execute(self, call: ClientCall, *, on_late: OnLate) -> ClientAnswer:
        """As ``ClientExecutor.execute``; raises ``ToolFailed`` for a write whose outcome will never be known, and what
        ``before_change`` raises.
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
