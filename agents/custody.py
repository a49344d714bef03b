"""Approvals in custody: what of them is renewed with their owner's key, and exported."""

from typing import Final, cast

from django.db.models import Model

from accounts.custody import EncryptedTable, Exported
from accounts.vault import Vault
from agents.approval_rows import question_in, reason_in
from agents.models import Approval


def _exported(row: Model, vault: Vault) -> Exported:
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
        "answered_at": None if approval.answered_at is None else approval.answered_at.isoformat(),
    }


TABLES: Final = (
    # The digests stay as they are: they matter as long as a question is open, which is minutes.
    EncryptedTable(model=Approval, columns=Approval.ENCRYPTED, rows_of=Approval.objects.for_user, export=_exported),
)
