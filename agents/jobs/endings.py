"""How a job ends in its row, also when its user's key cannot be opened or the user is gone; and what its user reads.

The user's row is locked before a job's, as in everything that writes ciphertext.
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

NO_KEY: Final = (EncryptionError, KeyConfigurationError)
"""What opening a vault raises for an account that exists."""


class Ending(Enum):
    """How a job ends that its worker did not end, in English words for its user."""

    UNREADABLE = gettext_noop("This could not be done: what is kept of it cannot be opened.")
    INTERRUPTED = gettext_noop(
        "This was interrupted again and again, so it was given up. Some of it may have been done."
    )
    """Its workers died, as often as it is tried."""
    DEVICE_AWAY = gettext_noop("The device was away for too long, so this was given up. Some of it may have been done.")
    NOT_APPROVED = gettext_noop("Nobody approved this in time, so nothing was done.")


def ending_text(ending: Ending, language: str) -> str:
    """A sentence or two for the user. ``language`` is an IETF tag; English where it is none of ours."""
    return translations(language).gettext(ending.value)


def vault_of(job_id: UUID) -> Vault | JobState:
    """The vault of the job's user, held until the end of the transaction; without one, how the job is to end."""
    user_id = ToolJob.objects.filter(id=job_id).values_list("user_id", flat=True).first()
    if user_id is None:
        return JobState.CANCELLED
    try:
        return vault_for_writing(user_id)
    except AccountGone:
        return JobState.CANCELLED
    except NO_KEY as error:
        logger.warning("the job %s fails: the key of its user cannot be opened: %s", job_id, error)
        return JobState.FAILED


def end(jobs: ToolJobQuerySet, state: JobState, *, now: datetime, **columns: object) -> bool:
    """End the job that ``jobs`` finds, if it finds one; whether it did. ``columns`` change with it."""
    changed = jobs.update(state=state, finished_at=now, claimed_by="", lease_until=None, waiting_since=None, **columns)
    return changed == 1


@transaction.atomic
def end_with(jobs: ToolJobQuerySet, job_id: UUID, state: JobState, text: str, *, now: datetime) -> JobState | None:
    """End this job, if ``jobs`` finds it, as done or failed, with a ``text`` for its user; None when it is not found.

    Otherwise returns how it ended. Without a vault there is no text, and it ends as ``vault_of`` says.
    """
    vault = vault_of(job_id)
    if isinstance(vault, JobState):
        return vault if end(jobs, vault, now=now) else None
    column = "response_encrypted" if state is JobState.DONE else "failure_encrypted"
    sealed = vault.seal(ToolJob(id=job_id), column, text)
    return state if end(jobs, state, now=now, **{column: sealed}) else None


def give_up(jobs: ToolJobQuerySet, job_id: UUID, ending: Ending, *, now: datetime) -> JobState | None:
    """As ``end_with``: failed, with the words for ``ending`` in the language of the account."""
    language = User.objects.filter(tool_jobs=job_id).values_list("language", flat=True).first() or ""
    return end_with(jobs, job_id, JobState.FAILED, ending_text(ending, language), now=now)


def report_in(row: ToolJob, vault: Vault) -> JobReport:
    """What ``row`` tells the user. Raises ``EncryptionError``."""
    failure = text_in(row, "failure_encrypted", vault)
    if failure is None and row.state == JobState.FAILED:
        # There was no key to write down the reason with.
        failure = ending_text(Ending.UNREADABLE, row.user.language)
    return JobReport(status=status_of(row), response=text_in(row, "response_encrypted", vault), failure=failure)


def readable_reports(rows: Sequence[ToolJob]) -> list[JobReport]:
    """What ``rows`` of one user tell; what cannot be opened is left out, and the log says which."""
    if not rows:
        return []
    try:
        vault = open_vault(rows[0].user_id)
    except (AccountGone, *NO_KEY) as error:
        logger.warning("skipped: jobs of user %s, whose key cannot be opened: %s", rows[0].user_id, error)
        return []
    reports = []
    for row in rows:
        try:
            reports.append(report_in(row, vault))
        except EncryptionError as error:
            logger.warning("skipped: the job %s cannot be opened: %s", row.id, error)
    return reports
