"""How the end of a job is stored, also without the user's key or the user; and what the user then reads.

The user's row is locked before the job's, as everywhere that ciphertext is written.
"""

import logging
from collections.abc import Sequence
from datetime import datetime
from enum import Enum
from typing import Final
from uuid import UUID

from django.db import transaction

from accounts.errors import AccountGone, EncryptionError, KeyConfigurationError
from accounts.keys.vault import Vault, open_vault, vault_for_writing
from accounts.models import User
from accounts.translations import gettext_noop, translations
from agents.jobs.models import JobState, ToolJob, ToolJobQuerySet
from agents.jobs.records import JobReport, status_of, text_in

logger = logging.getLogger(__name__)

VAULT_ERRORS: Final = (EncryptionError, KeyConfigurationError)
"""What opening the vault of an existing account, or reading with it, may raise."""


class Ending(Enum):
    """What the user reads, in English, of a job that no worker has ended."""

    UNREADABLE = gettext_noop("This could not be done: what is kept of it cannot be opened.")
    INTERRUPTED = gettext_noop(
        "This was interrupted again and again, so it was given up. Some of it may have been done."
    )
    """Its worker died in every attempt."""
    DEVICE_AWAY = gettext_noop("The device was away for too long, so this was given up. Some of it may have been done.")
    NOT_APPROVED = gettext_noop("Nobody approved this in time, so nothing was done.")


def ending_text(ending: Ending, language: str) -> str:
    """One or two sentences for the user. ``language`` is an IETF tag; English for a language that is not supported."""
    return translations(language).gettext(ending.value)


def vault_of(job_id: UUID) -> Vault | JobState:
    """The vault of the job's user, locked until the transaction ends; if there is none, the state to end the job in."""
    user_id = ToolJob.objects.filter(id=job_id).values_list("user_id", flat=True).first()
    if user_id is None:
        return JobState.CANCELLED
    try:
        return vault_for_writing(user_id)
    except AccountGone:
        return JobState.CANCELLED
    except VAULT_ERRORS as error:
        logger.warning("job %s fails, because the key of its user cannot be opened: %s", job_id, error)
        return JobState.FAILED


def end(jobs: ToolJobQuerySet, state: JobState, *, now: datetime, **columns: object) -> bool:
    """End the job that ``jobs`` finds, and set ``columns``. Returns whether it found one."""
    changed = jobs.update(state=state, finished_at=now, claimed_by="", lease_until=None, waiting_since=None, **columns)
    return changed == 1


@transaction.atomic
def end_with(jobs: ToolJobQuerySet, job_id: UUID, state: JobState, text: str, *, now: datetime) -> JobState | None:
    """End this job, if ``jobs`` finds it, as done or failed, with a ``text`` for its user.

    Returns how it ended; None if ``jobs`` does not find it. Without a vault no text is stored, and the job ends as
    ``vault_of`` says.
    """
    vault = vault_of(job_id)
    if isinstance(vault, JobState):
        return vault if end(jobs, vault, now=now) else None
    is_done = state is JobState.DONE
    column = "response_encrypted" if is_done else "failure_encrypted"
    # A tool's last report is of less than all of its work.
    progress = {"fraction": 1.0} if is_done else {}
    sealed = vault.seal(ToolJob(id=job_id), column, text)
    return state if end(jobs, state, now=now, **{column: sealed}, **progress) else None


def give_up(jobs: ToolJobQuerySet, job_id: UUID, ending: Ending, *, now: datetime) -> JobState | None:
    """As ``end_with``: as failed, with the text for ``ending`` in the account's language."""
    language = User.objects.filter(tool_jobs=job_id).values_list("language", flat=True).first() or ""
    return end_with(jobs, job_id, JobState.FAILED, ending_text(ending, language), now=now)


def report_in(row: ToolJob, vault: Vault) -> JobReport:
    """The report in ``row``. Raises ``EncryptionError``."""
    failure = text_in(row, "failure_encrypted", vault)
    if failure is None and row.state == JobState.FAILED:
        # There was no key to encrypt the reason with.
        failure = ending_text(Ending.UNREADABLE, row.user.language)
    return JobReport(status=status_of(row), response=text_in(row, "response_encrypted", vault), failure=failure)


def readable_reports(rows: Sequence[ToolJob]) -> list[JobReport]:
    """The reports in ``rows``, which are one user's. Rows that cannot be decrypted are left out and logged."""
    if not rows:
        return []
    try:
        vault = open_vault(rows[0].user_id)
    except (AccountGone, *VAULT_ERRORS) as error:
        logger.warning("skipped the jobs of user %s, whose key cannot be opened: %s", rows[0].user_id, error)
        return []
    reports = []
    for row in rows:
        try:
            reports.append(report_in(row, vault))
        except EncryptionError as error:
            logger.warning("skipped job %s, which cannot be decrypted: %s", row.id, error)
    return reports
