"""What the support view of a user says of the assistant: states, times and figures of jobs, turns and questions."""

from collections.abc import Iterable, Sequence

from django.db.models import Count, Max

from accounts.admin.support import SHOWN, SUPPORT_SECTIONS, Cell, SupportSection
from accounts.encryption import encrypted_columns
from accounts.models import User
from agents.jobs.models import ToolJob
from agents.permissions.models import Approval
from agents.telemetry.models import TurnRecord


def _jobs(user: User) -> Iterable[Sequence[Cell]]:
    jobs = ToolJob.objects.for_user(user.id).newest_first().defer(*encrypted_columns(ToolJob))
    for job in jobs[:SHOWN]:
        yield job.tool, job.get_state_display(), job.attempts, job.created_at, job.started_at, job.finished_at


def _turns(user: User) -> Iterable[Sequence[Cell]]:
    for turn in TurnRecord.objects.for_user(user.id).order_by("-started_at", "id")[:SHOWN]:
        ending = turn.error_code.replace("_", " ") or turn.outcome
        yield turn.kind, ending, turn.started_at, f"{turn.duration_ms:,} ms", f"{turn.tool_failures}/{turn.tool_calls}"


def _approvals(user: User) -> Iterable[Sequence[Cell]]:
    counted = Approval.objects.for_user(user.id).order_by("state").values_list("state")
    yield from counted.annotate(number=Count("id"), latest=Max("created_at"))


SUPPORT_SECTIONS.extend(
    [
        SupportSection(
            title="Jobs",
            permission="agents.view_tooljob",
            headers=("tool", "state", "attempts", "made", "began", "ended"),
            rows=_jobs,
        ),
        SupportSection(
            title="Turns",
            permission="agents.view_turnrecord",
            headers=("kind", "outcome", "began", "took", "tools failed"),
            rows=_turns,
        ),
        SupportSection(
            title="Questions before an action",
            permission="agents.view_approval",
            headers=("state", "number", "latest"),
            rows=_approvals,
        ),
    ]
)
