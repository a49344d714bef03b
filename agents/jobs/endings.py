"""How a job ends in its row, also when its user's key cannot be opened or the user is gone.

The user's row is locked before a job's, as in everything that writes ciphertext.
"""

import logging
from collections.abc import Mapping
from datetime import datetime
from enum import Enum, auto
from typing import Final
from uuid import UUID

from accounts.errors import AccountGone, EncryptionError, KeyConfigurationError
from accounts.keys.vault import Vault, vault_for_writing
from accounts.models import User
from accounts.translations import gettext_noop, translations
from agents.jobs.models import JobState, ToolJob, ToolJobQuerySet
from agents.jobs.records import job_place

logger = logging.getLogger(__name__)

NO_KEY: Final = (EncryptionError, KeyConfigurationError)
"""What opening a vault raises for an account that exists."""


class Ending(Enum):
    """How a job ends that its worker did not end."""

    UNREADABLE = auto()
    """What it is to do cannot be opened."""
    INTERRUPTED = auto()
    """Its workers died, as often as it is tried."""
    DEVICE_AWAY = auto()
    NOT_APPROVED = auto()


_TEXTS: Final[Mapping[Ending, str]] = {
    Ending.UNREADABLE: gettext_noop("This could not be done: what is kept of it cannot be opened."),
    Ending.INTERRUPTED: gettext_noop(
        "This was interrupted again and again, so it was given up. Some of it may have been done."
    ),
    Ending.DEVICE_AWAY: gettext_noop(
        "The device was away for too long, so this was given up. Some of it may have been done."
    ),
    Ending.NOT_APPROVED: gettext_noop("Nobody approved this in time, so nothing was done."),
}


def ending_text(ending: Ending, language: str) -> str:
    """A sentence or two for the user. ``language`` is an IETF tag; English where it is none of ours."""
    return translations(language).gettext(_TEXTS[ending])


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


def end_with(
    jobs: ToolJobQuerySet, job_id: UUID, state: JobState, texts: Mapping[str, str], *, now: datetime
) -> JobState | None:
    """End this job, if ``jobs`` finds it, with ``texts`` by column; how it ended, None when it was not found.

    Without a vault there are no texts, and the job ends as ``vault_of`` says. Inside a transaction only.
    """
    vault = vault_of(job_id)
    if isinstance(vault, JobState):
        return vault if end(jobs, vault, now=now) else None
    sealed = {column: vault.encrypt(job_place(job_id, column), text) for column, text in texts.items()}
    return state if end(jobs, state, now=now, **sealed) else None


def give_up(jobs: ToolJobQuerySet, job_id: UUID, ending: Ending, *, now: datetime) -> JobState | None:
    """As ``end_with``: failed, with the words for ``ending`` in the language of the account."""
    language = User.objects.filter(tool_jobs=job_id).values_list("language", flat=True).first() or ""
    texts = {"failure_encrypted": ending_text(ending, language)}
    return end_with(jobs, job_id, JobState.FAILED, texts, now=now)
