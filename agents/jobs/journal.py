"""The journal of a job: what was said at each step is written down once, and a second run reads it again."""

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from accounts.errors import AccountGone, EncryptionError
from accounts.vault import Vault, open_vault, vault_for_writing
from agents.errors import JobLost, JobUnreadable
from agents.jobs.closing import NO_KEY
from agents.jobs.models import ToolJob, ToolJobStep
from agents.jobs.sealing import content_in, step_place


def step(job_id: UUID, owner: str, name: str, content: str, *, now: datetime) -> str:
    """Write down ``content`` under ``name``; what stands there, which is what was written first.

    Raises ``JobLost`` when ``owner`` does not hold the job, and ``JobUnreadable``.
    """
    with transaction.atomic():
        held = ToolJob.objects.filter(id=job_id).held_by(owner)
        user_id = held.values_list("user_id", flat=True).first()
        if user_id is None:
            raise JobLost
        vault = _vault(user_id, writing=True)
        # Locked: steps have one order, and nobody takes the job away while its run writes.
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
    """What was written down so far, by name, in its order. Raises ``JobLost`` and ``JobUnreadable``."""
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
