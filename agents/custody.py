"""How the agents' tables are exported, in plain text, and which of their rows erasure deletes first."""

from datetime import datetime
from typing import Final, cast

from django.db.models import Model

from accounts.keys.custody import EncryptedTable, Exported, PlainTable
from accounts.keys.vault import Vault
from agents.dialogues.models import Dialogue
from agents.dialogues.service import turns_in
from agents.jobs.models import ToolJob, ToolJobStep
from agents.jobs.records import arguments_in, asked_as_stored, content_in, failure_in, response_in
from agents.permissions.approvals.models import Approval
from agents.permissions.approvals.repository import question_in, reason_in
from agents.permissions.disclosures.models import Disclosure
from agents.permissions.disclosures.repository import row_ids_in
from agents.permissions.quotas.models import UserQuota
from agents.permissions.sharing.filter import marks_in
from agents.permissions.sharing.models import SharingMarks
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


def _written(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


TABLES: Final = (
    # A rotation leaves the digests unchanged: they matter only for minutes, while a question is open or a request may
    # repeat a call.
    EncryptedTable(model=Approval, exporter=_exported_approval),
    # Before the jobs, whose deletion would cascade to them without counting them.
    EncryptedTable(model=ToolJobStep, exporter=_exported_step),
    EncryptedTable(model=ToolJob, exporter=_exported_job),
    EncryptedTable(model=Dialogue, exporter=_exported_dialogue),
    EncryptedTable(model=Disclosure, exporter=_exported_disclosure),
    EncryptedTable(model=SharingMarks, exporter=_exported_marks),
    # ``TurnTool`` rows are deleted with their turn; an export has their numbers in the turn.
    PlainTable(
        model=TurnRecord,
        exported=(
            *("id", "request_id", "kind", "source", "agent", "model", "started_at", "duration_ms", "first_text_ms"),
            *("model_requests", "input_tokens", "output_tokens", "tool_calls", "tool_failures", "outcome"),
            "error_code",
        ),
    ),
    PlainTable(model=UserQuota, exported=("turns", "tokens", "updated_at")),
)
