"""The admin page of jobs: states and times, never the content; cancelling and retrying one."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from django.contrib import admin
from django.utils import timezone as clock

from accounts.admin.row_actions import RowAction, RowActionsPage
from accounts.errors import NothingToDo
from agents.errors import JobError
from agents.jobs import service
from agents.jobs.models import OVER, JobState, ToolJob

_SPACE: Final = "\N{NO-BREAK SPACE}"
_UNITS: Final = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))
_COLOURS: Final[Mapping[str, str]] = {
    JobState.WAITING_APPROVAL: "warning",
    JobState.QUEUED: "info",
    JobState.RUNNING: "primary",
    JobState.WAITING_DEVICE: "warning",
    JobState.DONE: "success",
    JobState.DELIVERED: "success",
    JobState.FAILED: "danger",
}
"""Labels of states, by django-unfold's names; a cancelled job has none."""


def _cancel(job: ToolJob) -> str:
    try:
        status = service.request_cancel(job.user_id, job.id, now=clock.now())
    except JobError as error:
        raise NothingToDo(str(error)) from error
    return "Cancelled." if status.state == JobState.CANCELLED else "It is asked to stop, and may be done first."


def _retry(job: ToolJob) -> str:
    try:
        service.retry(job.user_id, job.id)
    except JobError as error:
        raise NothingToDo(str(error)) from error
    return "Queued again."


CANCEL: Final[RowAction[ToolJob]] = RowAction(
    name="cancel",
    title="Cancel",
    icon="cancel",
    consequence="Nothing more is done for this job, as when its user cancels it. One that runs is asked to stop, and "
    "may be done first. What it has changed on the device stays.",
    permission="agents.change_tooljob",
    do=_cancel,
    fits=lambda job: job.state not in OVER and job.cancel_requested_at is None,
    dangerous=True,
)
RETRY: Final[RowAction[ToolJob]] = RowAction(
    name="retry",
    title="Retry",
    icon="replay",
    consequence="This job is queued once more, and what it did before is not done twice. It works on the user's device "
    "as they asked at the time: make sure that they still want it.",
    permission="agents.change_tooljob",
    do=_retry,
    fits=service.may_retry,
)


@admin.register(ToolJob)
class JobsPage(RowActionsPage[ToolJob]):
    section = "Assistant"
    icon = "pending_actions"
    purpose = "Tools that take longer: when they ran, how often it was tried and how it ended, never what was done."

    list_display = (
        "created_at",
        "user",
        "tool",
        "state_label",
        "began_after",
        "took",
        "told_after",
    )
    row_actions = (CANCEL, RETRY)
    list_filter = ("state",)
    list_select_related = ("user",)
    search_fields = ("user__email__exact", "tool")
    search_help_text = "The whole address of whose it is, or a tool"
    date_hierarchy = "created_at"
    ordering = ("-created_at",)
    fields = (
        "id",
        "user",
        "request_id",
        "session_id",
        "device_id",
        "tool",
        "label",
        "status",
        "attempts",
        "began_after",
        "took",
        "told_after",
        "claimed_by",
        "lease_until",
        "waiting_since",
        "first_away_at",
        "published_at",
        "cancel_requested_at",
        "created_at",
        "started_at",
        "finished_at",
        "delivered_at",
    )
    readonly_fields = fields

    @admin.display(description="state", ordering="state")
    def state_label(self, job: ToolJob) -> tuple[str, str]:
        return job.state, self.status(job)

    state_label.label = _COLOURS  # type: ignore[attr-defined] # django-unfold's way to set colours

    @admin.display(description="state")
    def status(self, job: ToolJob) -> str:
        words = job.get_state_display()
        if job.state == JobState.RUNNING and job.cancel_requested_at is not None:
            return f"{words}, to be cancelled"
        if job.state == JobState.RUNNING and job.fraction is not None:
            return f"{words}, {job.fraction:.0%}"
        return words

    @admin.display(description="began after", empty_value="–")
    def began_after(self, job: ToolJob) -> str | None:
        return _span(job.created_at, job.started_at, goes_on=job.state not in OVER)

    @admin.display(description="took", empty_value="–")
    def took(self, job: ToolJob) -> str | None:
        """Since its first start, including all waiting."""
        return _span(job.started_at, job.finished_at, goes_on=job.state not in OVER)

    @admin.display(description="told after", empty_value="–")
    def told_after(self, job: ToolJob) -> str | None:
        return _span(job.finished_at, job.delivered_at, goes_on=job.state in OVER)


def _span(since: datetime | None, until: datetime | None, *, goes_on: bool) -> str | None:
    """The time between two moments; if the second is missing and the span ``goes_on``, until now."""
    if since is None or (until is None and not goes_on):
        return None
    return f"{span_text(clock.now() - since)} so far" if until is None else span_text(until - since)


def span_text(length: timedelta) -> str:
    """``length`` in its two largest units, such as ``2 min 5 s``, with no-break spaces. Negative counts as zero."""
    left = max(0, int(length.total_seconds()))
    if not left:
        return f"under{_SPACE}1{_SPACE}s"
    counts = []
    for seconds, unit in _UNITS:
        count, left = divmod(left, seconds)
        counts.append((count, unit))
    first = next(place for place, (count, _) in enumerate(counts) if count)
    return _SPACE.join(f"{count}{_SPACE}{unit}" for count, unit in counts[first : first + 2] if count)
