"""Why a tool did not run, as sentences for the model. Pure."""

import json
from enum import StrEnum
from typing import Final, assert_never

from agents.errors import ToolFailed
from agents.permissions.approvals.repository import ApprovalStatus
from agents.permissions.models import ApprovalState, Decision


class Refusal(StrEnum):
    """Why a tool did not run, as the first sentence for the model. No value is a prefix of another."""

    REFUSED = "The user refused this, so nothing was changed."
    UNANSWERED = "The user did not answer in time, so nothing was changed."
    PENDING = "This needs the user's approval, which is still open, so nothing has been changed yet."
    CANNOT_ASK = "This needs the user's approval, and the user's client cannot ask for it, so nothing was changed."
    NOT_ASKED = "The user refused several calls of this request, so this was not asked about, and nothing was changed."
    DENIED = "The user's settings do not allow this, so nothing was changed."


CANNOT_ASK: Final = f"{Refusal.CANNOT_ASK} Tell the user, who can do it in the app."


def refusal_in(text: str) -> Refusal | None:
    """The refusal that ``text`` begins with, if any."""
    return next((refusal for refusal in Refusal if text.startswith(refusal.value)), None)


def refuse_if_denied(decision: Decision) -> None:
    """Raise ``ToolFailed`` if ``decision`` denies the tool."""
    if decision is Decision.DENY:
        raise ToolFailed(f"{Refusal.DENIED} Tell the user, who may change it in the settings.")


def refuse_unless_approved(status: ApprovalStatus) -> None:
    """Raise ``ToolFailed`` unless the user has approved."""
    match status.state:
        case ApprovalState.APPROVED:
            return
        case ApprovalState.REFUSED:
            reason = f" The user's words: {json.dumps(status.reason, ensure_ascii=False)}." if status.reason else ""
            raise ToolFailed(f"{Refusal.REFUSED}{reason} Do not try it again unless the user asks for it.")
        case ApprovalState.PENDING:
            raise ToolFailed(
                f"{Refusal.PENDING} It waits as approval {status.id}: tell the user to look at what waits for an "
                "answer, and do not call the tool again."
            )
        case ApprovalState.EXPIRED:
            raise ToolFailed(f"{Refusal.UNANSWERED} Tell the user, who may ask for it again.")
        case ApprovalState.CANCELLED:
            raise ToolFailed("The question to the user was withdrawn, so nothing was changed.")
        case _:
            assert_never(status.state)
