"""The journal of a job: each step is recorded once, and a second run of the job reads it instead of repeating it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from accounts.database import in_database
from accounts.errors import AccountGone, EncryptionError
from accounts.keys.vault import Vault, open_vault, vault_for_writing
from agents.errors import JobLost, JobUnreadable
from agents.jobs.endings import NO_KEY
from agents.jobs.models import ToolJob, ToolJobStep
from agents.jobs.records import content_in, step_place


def step(job_id: UUID, owner: str, name: str, content: str, *, now: datetime) -> str:
    """Record ``content`` as the step ``name``, unless it is recorded; return what is recorded.

    Raises ``JobLost`` when ``owner`` does not hold the job, and ``JobUnreadable``.
    """
    with transaction.atomic():
        held = ToolJob.objects.filter(id=job_id).held_by(owner)
        user_id = held.values_list("user_id", flat=True).first()
        if user_id is None:
            raise JobLost
        vault = _vault(user_id, writing=True)
        # Locked: steps have one order, and no other run takes the job while this one writes.
        if held.select_for_update(no_key=True).values_list("id", flat=True).first() is None:
            raise JobLost
        written = ToolJobStep.objects.filter(job_id=job_id)
        known = written.filter(name=name).first()
        if known is not None:
            return _content(known, vault)
        last = written.aggregate(last=Max("number"))["last"] or 0
        row = ToolJobStep(job_id=job_id, user_id=user_id, number=last + 1, name=name, created_at=now)
        row.content_encrypted = vault.encrypt(step_place(row.id), content)
        row.save(force_insert=True)
        return content


def steps(job_id: UUID) -> dict[str, str]:
    """The recorded steps by name, in their order. Raises ``JobLost`` and ``JobUnreadable``."""
    rows = list(ToolJobStep.objects.filter(job_id=job_id).order_by("number"))
    if not rows:
        return {}
    vault = _vault(rows[0].user_id, writing=False)
    return {row.name: _content(row, vault) for row in rows}


def _vault(user_id: UUID, *, writing: bool) -> Vault:
    try:
        return vault_for_writing(user_id) if writing else open_vault(user_id)
    except AccountGone:
        raise JobLost from None
    except NO_KEY as error:
        raise JobUnreadable from error


def _content(row: ToolJobStep, vault: Vault) -> str:
    try:
        return content_in(row, vault)
    except EncryptionError as error:
        raise JobUnreadable from error


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
    def empty(self) -> bool:
        """Whether no step is recorded yet: nothing was said or changed."""
        return not self._written

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
