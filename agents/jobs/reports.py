"""Rows of jobs as values: their status, and the reports for their users."""

import logging
from collections.abc import Sequence

from accounts.errors import AccountGone, EncryptionError
from accounts.keys.vault import Vault, open_vault
from agents.jobs.endings import NO_KEY, Ending, ending_text
from agents.jobs.models import JobState, ToolJob
from agents.jobs.records import JobReport, JobStatus, failure_in, response_in

logger = logging.getLogger(__name__)


def status_of(row: ToolJob) -> JobStatus:
    """The status of the job in ``row``."""
    return JobStatus(
        id=row.id,
        user_id=row.user_id,
        request_id=row.request_id,
        session_id=row.session_id,
        device_id=row.device_id,
        tool=row.tool,
        label=row.label,
        state=JobState(row.state),
        fraction=row.fraction,
        cancel_requested=row.cancel_requested_at is not None,
    )


def report_in(row: ToolJob, vault: Vault) -> JobReport:
    """What ``row`` tells the user. Raises ``EncryptionError``."""
    failure = failure_in(row, vault)
    if failure is None and row.state == JobState.FAILED:
        # There was no key to write down the reason with.
        failure = ending_text(Ending.UNREADABLE, row.user.language)
    return JobReport(status=status_of(row), response=response_in(row, vault), failure=failure)


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
