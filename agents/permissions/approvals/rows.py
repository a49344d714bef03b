"""Approvals as rows: a question is opened once, answered once and used once, whoever comes at the same time.

Every step is one conditional update, so of two that come together one wins and the other is told where things stand.
"""

import json
import logging
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID, uuid4

from django.db import transaction
from pydantic import JsonValue

from accounts.errors import EncryptionError
from accounts.keys import Place
from accounts.models import User
from accounts.vault import Vault, open_vault
from agents.errors import ApprovalSettled, UnknownApproval
from agents.names import storable
from agents.permissions.approvals.models import Approval, ApprovalQuerySet, ApprovalState
from agents.permissions.approvals.policies import remember_answer
from agents.permissions.approvals.questions import Answer, Answered, Origin, Preview, Question, Standing, Wish
from agents.tools.spec.tool import Risk

logger = logging.getLogger(__name__)

_TABLE: Final = "agents_approval"
_AT_ONCE: Final = 500
"""The rest is for the next look."""
_LONGEST_TEXT: Final = 10_000
"""How much of one text of a row is kept for showing: a note may be a book."""


def open_question(origin: Origin, wish: Wish, *, now: datetime, lifetime: timedelta) -> Question:
    """The question of this wish: the one that the turn has asked before, or a new one.

    One by which the tool has run is used up: the next such wish is a new question.
    """
    with transaction.atomic():
        # Locked: a question that is asked twice at once must be one, and the key must not change meanwhile.
        user = User.objects.select_for_update(no_key=True).get(id=origin.user_id)
        expire_overdue(user.id, now=now)
        vault = open_vault(user.id)
        key = vault.digest("approval call", wish.plan)
        known = (
            Approval.objects.for_user(user.id)
            .filter(request_id=origin.request_id, call_key=key)
            .order_by("-repetition")
            .first()
        )
        if known is not None and known.taken_at is None:
            return question_in(known, vault)
        row = _new_row(origin, wish, vault, key=key, now=now)
        row.repetition = known.repetition + 1 if known is not None else 0
        row.expires_at = now + lifetime
        row.save(force_insert=True)
        return question_in(row, vault)


def look(approval_id: UUID, *, waiting_at: datetime | None) -> Standing:
    """Where the question stands. ``waiting_at``: a turn is there to hear the answer, or to use it.

    Raises ``UnknownApproval``.
    """
    rows = Approval.objects.filter(id=approval_id)
    if waiting_at is not None:
        rows.unsettled().update(waited_at=waiting_at)
    return _standing_of(rows)


def answer(user_id: UUID, approval_id: UUID, given: Answer, *, now: datetime) -> Answered:
    """Take the user's answer. Raises ``UnknownApproval``, or ``ApprovalSettled`` when somebody was faster."""
    state = ApprovalState.APPROVED if given.approved else ApprovalState.REFUSED
    # Outside of the transaction, which an answer that comes too late rolls back.
    expire_overdue(user_id, now=now)
    with transaction.atomic():
        user = User.objects.select_for_update(no_key=True).filter(id=user_id).first()
        rows = Approval.objects.for_user(user_id).filter(id=approval_id)
        taken = rows.pending().update(state=state, answered_at=now)
        row = rows.first()
        if user is None or row is None:
            raise UnknownApproval
        if not taken:
            raise ApprovalSettled(row.state)
        if given.reason:
            row.reason_encrypted = open_vault(user_id).encrypt(_place(row, "reason_encrypted"), given.reason)
            row.save(update_fields=["reason_encrypted"])
        remembered = given.remember and remember_answer(user_id, row.tool, Risk(row.risk), approved=given.approved)
        return _answered(row, remembered=remembered)


def close(approval_id: UUID, state: ApprovalState) -> Standing:
    """Settle an open question without an answer; where it stands then, which may be what somebody answered.

    Cancelling also ends an approval by which nothing has run, so that nothing will.
    """
    rows = Approval.objects.filter(id=approval_id)
    closing = [ApprovalState.PENDING]
    if state is ApprovalState.CANCELLED:
        closing.append(ApprovalState.APPROVED)
    rows.filter(state__in=closing, taken_at=None).update(state=state)
    return _standing_of(rows)


def cancel(user_id: UUID, request_id: str) -> int:
    """Cancel the request's open questions, and approvals by which nothing has run; how many there were."""
    rows = Approval.objects.for_user(user_id).filter(request_id=request_id)
    return rows.unsettled().update(state=ApprovalState.CANCELLED)


def take(approval_id: UUID, *, now: datetime) -> bool:
    """Claim an approval to run the tool by it; whether it was there to be claimed. Only one claim succeeds."""
    return Approval.objects.filter(id=approval_id).unused().update(taken_at=now) == 1


def orphaned(*, now: datetime, unseen_since: datetime) -> list[Answered]:
    """Approvals of all users that nobody is about to use (``ApprovalQuerySet.orphaned``), the oldest answers first."""
    rows = Approval.objects.orphaned(now, unseen_since=unseen_since).order_by("answered_at", "id")
    return [_answered(row, remembered=False) for row in rows.defer(*Approval.ENCRYPTED)[:_AT_ONCE]]


def asked(approval_id: UUID) -> tuple[Origin, Question]:
    """What was asked, and where it came from. Raises ``UnknownApproval`` and ``EncryptionError``."""
    row = Approval.objects.filter(id=approval_id).first()
    if row is None:
        raise UnknownApproval
    origin = Origin(user_id=row.user_id, request_id=row.request_id, session_id=row.session_id, device_id=row.device_id)
    return origin, question_in(row, open_vault(row.user_id))


def open_questions(user_id: UUID, device_id: str, *, now: datetime, waited_since: datetime | None) -> list[Question]:
    """What the device is to be asked again; with ``waited_since``, only what a turn has waited for since then."""
    rows = Approval.objects.for_user(user_id).pending().filter(device_id=device_id, expires_at__gt=now)
    if waited_since is not None:
        rows = rows.filter(waited_at__gte=waited_since)
    found = list(rows.order_by("created_at", "id"))
    vault = open_vault(user_id) if found else None
    return [] if vault is None else list(readable_questions(found, vault).values())


def expire_overdue(user_id: UUID, *, now: datetime) -> None:
    """Settle what the user left unanswered, and approvals by which nothing has run in time."""
    Approval.objects.for_user(user_id).overdue(now).update(state=ApprovalState.EXPIRED)


def question_in(row: Approval, vault: Vault) -> Question:
    """The question that ``row`` holds. Raises ``EncryptionError`` when it cannot be opened."""
    preview = json.loads(vault.decrypt(_place(row, "preview_encrypted"), row.preview_encrypted))
    return Question(
        id=row.id,
        request_id=row.request_id,
        tool=row.tool,
        risk=Risk(row.risk),
        arguments=json.loads(vault.decrypt(_place(row, "arguments_encrypted"), row.arguments_encrypted)),
        summary=vault.decrypt(_place(row, "summary_encrypted"), row.summary_encrypted),
        preview=None if preview is None else Preview(before=preview["before"], after=preview["after"]),
        expires_at=row.expires_at,
    )


def readable_questions(rows: Iterable[Approval], vault: Vault) -> dict[UUID, Question]:
    """The questions that ``rows`` hold, by their ids; one that cannot be opened is left out, and the log says which."""
    questions = {}
    for row in rows:
        try:
            questions[row.id] = question_in(row, vault)
        except EncryptionError as error:
            logger.warning("skipped: the row %s of %s cannot be opened: %s", row.id, _TABLE, error)
    return questions


def reason_in(row: Approval, vault: Vault) -> str:
    """What the user said with a refusal. Raises ``EncryptionError``."""
    return vault.decrypt(_place(row, "reason_encrypted"), row.reason_encrypted)


def _answered(row: Approval, *, remembered: bool) -> Answered:
    return Answered(
        id=row.id,
        user_id=row.user_id,
        request_id=row.request_id,
        state=ApprovalState(row.state),
        waited_at=row.waited_at,
        remembered=remembered,
    )


def _standing_of(rows: ApprovalQuerySet) -> Standing:
    row = rows.first()
    if row is None:
        raise UnknownApproval
    state, reason = ApprovalState(row.state), ""
    if state is ApprovalState.REFUSED:
        reason = reason_in(row, open_vault(row.user_id))
    return Standing(id=row.id, state=state, expires_at=row.expires_at, reason=reason)


def _new_row(origin: Origin, wish: Wish, vault: Vault, *, key: str, now: datetime) -> Approval:
    arguments = json.dumps(dict(wish.arguments), sort_keys=True)
    row = Approval(
        id=uuid4(),
        user_id=origin.user_id,
        request_id=origin.request_id,
        session_id=storable(origin.session_id),
        device_id=storable(origin.device_id),
        tool=wish.tool,
        risk=wish.risk,
        arguments_hash=vault.digest("approval arguments", json.dumps([wish.tool, arguments])),
        call_key=key,
        created_at=now,
    )
    texts = {
        "arguments_encrypted": arguments,
        "preview_encrypted": json.dumps(as_shown(wish.preview)),
        "summary_encrypted": wish.summary,
        "reason_encrypted": "",
    }
    for column, text in texts.items():
        setattr(row, column, vault.encrypt(_place(row, column), text))
    return row


def _place(row: Approval, column: str) -> Place:
    return Place(table=_TABLE, column=column, row_id=row.id)


def as_shown(preview: Preview | None) -> JsonValue:
    """``preview`` as it is kept, and as the user saw it: long texts cut."""
    if preview is None:
        return None
    rows = {"before": preview.before, "after": preview.after}
    return {
        name: None if row is None else {column: _cut(value) for column, value in row.items()}
        for name, row in rows.items()
    }


def _cut(value: JsonValue) -> JsonValue:
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        return f"{value[:_LONGEST_TEXT]}…"
    return value
