"""The agents' tables for the export of a user's data, in plain text, and for erasure, in the order of deletion."""

from typing import Final, cast

from django.db.models import Model

from accounts.keys.custody import EncryptedTable, Exported, PlainTable, exported_values
from accounts.keys.vault import Vault
from agents.dialogues.models import Dialogue
from agents.dialogues.service import turns_in
from agents.jobs.models import ToolJob, ToolJobStep
from agents.jobs.records import arguments_in, asked_as_stored, text_in
from agents.permissions.approvals.repository import question_in, reason_in
from agents.permissions.disclosures import row_ids_in
from agents.permissions.models import Approval, Disclosure, SharingMarks, ToolPolicy, UserQuota
from agents.permissions.sharing import marks_in
from agents.telemetry.models import TurnRecord


def _exported_approval(row: Model, vault: Vault) -> Exported:
    approval = cast("Approval", row)
    question = question_in(approval, vault)
    preview, source = question.preview, question.source
    return {
        **exported_values(row, ("id", "request_id", "program", "group", "tool", "risk")),
        "arguments": question.arguments,
        "summary": question.summary,
        "preview": None if preview is None else {"before": preview.before, "after": preview.after},
        "source": None if source is None else {"name": source.name, "text": source.text},
        "state": approval.state,
        "reason": reason_in(approval, vault),
        **exported_values(row, ("created_at", "expires_at", "answered_at", "taken_at")),
    }


def _exported_job(row: Model, vault: Vault) -> Exported:
    job = cast("ToolJob", row)
    return {
        **exported_values(row, ("id", "request_id", "session_id")),
        "device": job.device_id,
        "program": job.program,
        "tool": job.tool,
        "arguments": arguments_in(job, vault),
        "asked": asked_as_stored(job, vault),
        "state": job.state,
        "response": text_in(job, "response_encrypted", vault),
        "failure": text_in(job, "failure_encrypted", vault),
        **exported_values(row, ("created_at", "started_at", "finished_at", "delivered_at")),
    }


def _exported_dialogue(row: Model, vault: Vault) -> Exported:
    turns = turns_in(cast("Dialogue", row), vault)
    return {
        **exported_values(row, ("id", "model")),
        "turns": [{"role": turn.role, "content": turn.content} for turn in turns],
        **exported_values(row, ("created_at", "updated_at")),
    }


def _exported_disclosure(row: Model, vault: Vault) -> Exported:
    disclosure, columns = cast("Disclosure", row), ("source", "job_id", "model", "left_server", "table")
    return {
        **exported_values(row, ("id", "request_id")),
        "device": disclosure.device_id,
        **exported_values(row, columns),
        "rows": row_ids_in(disclosure, vault),
        **exported_values(row, ("at",)),
    }


def _exported_marks(row: Model, vault: Vault) -> Exported:
    marks = marks_in(cast("SharingMarks", row), vault)
    return {
        **exported_values(row, ("id",)),
        "tables": sorted(marks.tables),
        "projects": sorted(marks.projects),
        **exported_values(row, ("updated_at",)),
    }


TABLES: Final = (
    # A rotation leaves the digests unchanged. They are used only for minutes, while a question is open or its request
    # can repeat the call.
    EncryptedTable(model=Approval, exporter=_exported_approval),
    # Before the jobs: a cascade would delete the steps without counting them.
    EncryptedTable(model=ToolJobStep, exported=("id", "job_id", "number", "name", "content_encrypted", "created_at")),
    EncryptedTable(model=ToolJob, exporter=_exported_job),
    EncryptedTable(model=Dialogue, exporter=_exported_dialogue),
    EncryptedTable(model=Disclosure, exporter=_exported_disclosure),
    EncryptedTable(model=SharingMarks, exporter=_exported_marks),
    # ``TurnTool`` rows are deleted with their turn, whose export contains their counts.
    PlainTable(
        model=TurnRecord,
        exported=(
            *("id", "request_id", "kind", "source", "agent", "model", "started_at", "duration_ms", "first_text_ms"),
            *("model_requests", "input_tokens", "output_tokens", "tool_calls", "tool_failures", "outcome"),
            "error_code",
        ),
    ),
    PlainTable(model=ToolPolicy, exported=("risk", "tool", "decision", "remembered", "updated_at")),
    PlainTable(model=UserQuota, exported=("turns", "tokens", "updated_at")),
)
