"""The tables of the agents in custody: what of them is renewed with their owner's key, and exported."""

from datetime import datetime
from typing import Final, cast

from django.db.models import Model

from accounts.custody import EncryptedTable, Exported, PlainTable
from accounts.vault import Vault
from agents.dialogues.models import Dialogue
from agents.dialogues.rows import turns_in
from agents.jobs.models import ToolJob, ToolJobStep
from agents.jobs.sealing import arguments_in, asked_as_stored, content_in, failure_in, response_in
from agents.permissions.approvals.models import Approval
from agents.permissions.approvals.rows import question_in, reason_in
from agents.permissions.disclosures.entries import Disclosure, SharingMarks
from agents.permissions.disclosures.rows import row_ids_in
from agents.permissions.quotas.models import UserQuota
from agents.permissions.sharing.rows import marks_in
from agents.telemetry.models import TurnRecord


def _exported_approval(row: Model, vault: Vault) -> Exported:
    approval = cast("Approval", row)
    question = question_in(approval, vault)
    shown = question.preview
    return {
        "id": str(approval.id),
        "request_id": approval.request_id,
        "tool": approval.tool,
        "risk": approval.risk,
        "arguments": question.arguments,
        "summary": question.summary,
        "preview": None if shown is None else {"before": shown.before, "after": shown.after},
        "state": approval.state,
        "reason": reason_in(approval, vault),
        "created_at": approval.created_at.isoformat(),
        "expires_at": approval.expires_at.isoformat(),
        "answered_at": _written(approval.answered_at),
    }


def _exported_job(row: Model, vault: Vault) -> Exported:
    job = cast("ToolJob", row)
    return {
        "id": str(job.id),
        "request_id": job.request_id,
        "session_id": job.session_id,
        "device_id": job.device_id,
        "tool": job.tool,
        "arguments": arguments_in(job, vault),
        "asked": asked_as_stored(job, vault),
        "state": job.state,
        "response": response_in(job, vault),
        "failure": failure_in(job, vault),
        "created_at": job.created_at.isoformat(),
        "started_at": _written(job.started_at),
        "finished_at": _written(job.finished_at),
        "delivered_at": _written(job.delivered_at),
    }


def _exported_step(row: Model, vault: Vault) -> Exported:
    step = cast("ToolJobStep", row)
    return {
        "id": str(step.id),
        "job_id": str(step.job_id),
        "number": step.number,
        "name": step.name,
        "content": content_in(step, vault),
        "created_at": step.created_at.isoformat(),
    }


def _exported_dialogue(row: Model, vault: Vault) -> Exported:
    dialogue = cast("Dialogue", row)
    return {
        "id": str(dialogue.id),
        "model": dialogue.model,
        "turns": [{"role": turn.role, "content": turn.content} for turn in turns_in(dialogue, vault)],
        "created_at": dialogue.created_at.isoformat(),
        "updated_at": dialogue.updated_at.isoformat(),
    }


def _exported_disclosure(row: Model, vault: Vault) -> Exported:
    disclosure = cast("Disclosure", row)
    return {
        "id": str(disclosure.id),
        "request_id": disclosure.request_id,
        "device_id": disclosure.device_id,
        "source": disclosure.source,
        "job_id": None if disclosure.job_id is None else str(disclosure.job_id),
        "model": disclosure.model,
        "left_server": disclosure.left_server,
        "table": disclosure.table,
        "rows": row_ids_in(disclosure, vault),
        "at": disclosure.at.isoformat(),
    }


def _exported_marks(row: Model, vault: Vault) -> Exported:
    kept = cast("SharingMarks", row)
    marks = marks_in(kept, vault)
    return {
        "id": str(kept.id),
        "tables": sorted(marks.tables),
        "projects": sorted(marks.projects),
        "updated_at": kept.updated_at.isoformat(),
    }


def _exported_turn(row: Model) -> Exported:
    turn = cast("TurnRecord", row)
    return {
        "id": str(turn.id),
        "request_id": turn.request_id,
        "kind": turn.kind,
        "source": turn.source,
        "agent": turn.agent,
        "model": turn.model,
        "started_at": turn.started_at.isoformat(),
        "duration_ms": turn.duration_ms,
        "first_text_ms": turn.first_text_ms,
        "model_requests": turn.model_requests,
        "input_tokens": turn.input_tokens,
        "output_tokens": turn.output_tokens,
        "tool_calls": turn.tool_calls,
        "tool_failures": turn.tool_failures,
        "outcome": turn.outcome,
        "error_code": turn.error_code,
    }


def _exported_quota(row: Model) -> Exported:
    quota = cast("UserQuota", row)
    return {"turns": quota.turns, "tokens": quota.tokens, "updated_at": quota.updated_at.isoformat()}


def _written(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


TABLES: Final = (
    # The digests stay as they are: they matter as long as a question is open, or a request may call a tool again, which
    # is minutes.
    EncryptedTable(
        model=Approval, columns=Approval.ENCRYPTED, rows_of=Approval.objects.for_user, export=_exported_approval
    ),
    # Before the jobs, which would take them along uncounted when their owner is erased.
    EncryptedTable(
        model=ToolJobStep, columns=ToolJobStep.ENCRYPTED, rows_of=ToolJobStep.objects.for_user, export=_exported_step
    ),
    EncryptedTable(model=ToolJob, columns=ToolJob.ENCRYPTED, rows_of=ToolJob.objects.for_user, export=_exported_job),
    EncryptedTable(
        model=Dialogue, columns=Dialogue.ENCRYPTED, rows_of=Dialogue.objects.for_user, export=_exported_dialogue
    ),
    EncryptedTable(
        model=Disclosure, columns=Disclosure.ENCRYPTED, rows_of=Disclosure.objects.for_user, export=_exported_disclosure
    ),
    EncryptedTable(
        model=SharingMarks,
        columns=SharingMarks.ENCRYPTED,
        rows_of=SharingMarks.objects.for_user,
        export=_exported_marks,
    ),
)

# The tools of a turn go with it, and say no more to its user than its own numbers do.
PLAIN_TABLES: Final = (
    PlainTable(model=TurnRecord, rows_of=TurnRecord.objects.for_user, export=_exported_turn),
    PlainTable(model=UserQuota, rows_of=UserQuota.objects.for_user, export=_exported_quota),
)
