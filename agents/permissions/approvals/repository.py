"""Approvals in the database: values, and the steps that open, answer, use and close a question.

A question is opened once, answered once and used once. Every step is one conditional update: if two processes race, one
succeeds and the other gets the present state.
"""

import json
import logging
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID, uuid4

from django.db import transaction
from pydantic import JsonValue

from accounts.cipher import Place
from accounts.encryption import encrypted_columns
from accounts.errors import AccountGone, EncryptionError
from accounts.keys.vault import Vault, open_vault
from accounts.locks import lock_user
from agents.calls import Row
from agents.errors import ApprovalSettled, TooManyQuestions, UnknownApproval
from agents.permissions.approvals.policies import remember_answer
from agents.permissions.approvals.quoting import show_controls
from agents.permissions.approvals.sources import Source
from agents.permissions.models import Approval, ApprovalQuerySet, ApprovalState
from agents.requests import MAX_NAME_CHARS, RequestOrigin, storable
from agents.tools.spec import Risk

logger = logging.getLogger(__name__)

MAX_OF_PROGRAMS: Final = 20
"""The maximum number of open questions of programs for each user."""
_TABLE: Final = "agents_approval"
_BATCH: Final = 500
_MAX_SHOWN_CHARS: Final = 10_000
"""The number of characters of a text that are stored for display: a note can be as long as a book."""
_CHARS_BEFORE_CHANGE: Final = 200
"""The number of characters of a longer text that are shown before a change."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Preview:
    """A row before and after a change. ``before`` is None for an insertion, ``after`` for a deletion."""

    before: Row | None
    after: Row | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ProposedCall:
    """A tool call that needs approval. Calls with the same effect on the same row have the same ``plan``.

    ``source`` is the text that may have led to the call, if the user's own words did not. Questions that are asked
    together have the same ``group``.
    """

    tool: str
    risk: Risk
    arguments: Mapping[str, JsonValue] = field(repr=False)
    summary: str = field(repr=False)
    preview: Preview | None = field(repr=False)
    plan: str = field(repr=False)
    source: Source | None = field(default=None, repr=False)
    group: UUID | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A proposed call as the user sees it. The user's answer contains ``id``."""

    id: UUID
    request_id: str
    tool: str
    risk: Risk
    arguments: Mapping[str, JsonValue] = field(repr=False)
    summary: str = field(repr=False)
    preview: Preview | None = field(repr=False)
    expires_at: datetime
    source: Source | None = field(default=None, repr=False)
    group: UUID | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """A user's answer. With ``remember`` it also applies to later calls of the tool, unless this call has a source."""

    approved: bool
    reason: str = field(default="", repr=False)
    remember: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class ApprovalStatus:
    """The present state of a question. ``reason`` is the user's text with a refusal."""

    id: UUID
    state: ApprovalState
    expires_at: datetime
    reason: str = field(default="", repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    """An accepted answer. ``waited_at`` is the time when a turn last waited for it."""

    id: UUID
    user_id: UUID
    request_id: str
    state: ApprovalState
    waited_at: datetime | None
    remembered: bool


def open_question(origin: RequestOrigin, call: ProposedCall, *, now: datetime, lifetime: timedelta) -> Question:
    """The question for ``call``: the one that its request opened before, or a new one.

    An approval is used up once the tool has run by it: the same call then is a new question. Each call of a program is
    a request of its own. So a program's call also finds the program's open question, and a refused one until it would
    have expired. Raises ``TooManyQuestions``.
    """
    with transaction.atomic():
        # With the lock, concurrent calls find the same question, and the key does not change.
        user = lock_user(origin.user_id)
        expire_overdue(user.id, now=now)
        vault = open_vault(user.id)
        key = vault.digest("approval call", call.plan)
        known = (
            Approval.objects.for_user(user.id)
            .filter(request_id=origin.request_id, call_key=key)
            .order_by("-repetition")
            .first()
        )
        if known is not None and known.taken_at is None:
            return question_in(known, vault)
        row = _new_row(origin, call, vault, key=key, now=now)
        if origin.program and (same := _program_question(row, now)) is not None:
            return question_in(same, vault)
        row.repetition = known.repetition + 1 if known is not None else 0
        row.expires_at = now + lifetime
        row.save(force_insert=True)
        return question_in(row, vault)


def _program_question(row: Approval, now: datetime) -> Approval | None:
    """The program's question about the same call, if it is open or was refused, and has not expired.

    Raises ``TooManyQuestions`` if there is none and the user has the maximum number of open questions.
    """
    of_user = Approval.objects.for_user(row.user_id)
    recent = of_user.filter(state__in=(ApprovalState.PENDING, ApprovalState.REFUSED), expires_at__gt=now)
    same = recent.filter(program=row.program, device_id=row.device_id, call_key=row.call_key).first()
    if same is None and of_user.pending().exclude(program="").count() >= MAX_OF_PROGRAMS:
        raise TooManyQuestions(MAX_OF_PROGRAMS)
    return same


def status(approval_id: UUID, *, waiting_at: datetime | None) -> ApprovalStatus:
    """The state of a question. ``waiting_at`` records that a turn waits for the answer, or is about to use it.

    Raises ``UnknownApproval``.
    """
    rows = Approval.objects.filter(id=approval_id)
    if waiting_at is not None:
        rows.unsettled().update(waited_at=waiting_at)
    return _status_of(rows)


def answer(user_id: UUID, approval_id: UUID, given: Answer, *, now: datetime) -> Answered:
    """Record the user's answer. Raises ``UnknownApproval``, or ``ApprovalSettled`` if the question is closed."""
    state = ApprovalState.APPROVED if given.approved else ApprovalState.REFUSED
    # Outside the transaction, which is rolled back for a late answer.
    expire_overdue(user_id, now=now)
    with transaction.atomic():
        try:
            lock_user(user_id)
        except AccountGone:
            raise UnknownApproval from None
        rows = Approval.objects.for_user(user_id).filter(id=approval_id)
        updated = rows.pending().update(state=state, answered_at=now)
        row = rows.first()
        if row is None:
            raise UnknownApproval
        if not updated:
            raise ApprovalSettled(row.state)
        if given.reason:
            row.reason_encrypted = open_vault(user_id).encrypt(_place(row, "reason_encrypted"), given.reason)
            row.save(update_fields=["reason_encrypted"])
        remembered = (
            given.remember
            and not row.source_encrypted
            and remember_answer(user_id, row.tool, Risk(row.risk), approved=given.approved)
        )
        return _answered(row, remembered=remembered)


def close(approval_id: UUID, state: ApprovalState) -> ApprovalStatus:
    """Close an open question. Returns its state, which can be an earlier answer. Cancelling also ends an approval."""
    rows = Approval.objects.filter(id=approval_id)
    open_rows = rows.unsettled() if state is ApprovalState.CANCELLED else rows.pending()
    open_rows.update(state=state)
    return _status_of(rows)


def cancel(user_id: UUID, request_id: str) -> int:
    """Cancel a request's open questions and unused approvals. Returns their number."""
    rows = Approval.objects.for_user(user_id).filter(request_id=request_id)
    return rows.unsettled().update(state=ApprovalState.CANCELLED)


def take(approval_id: UUID, *, now: datetime) -> bool:
    """Claim an approval to run the tool by it. Only one claim of an approval returns True."""
    return Approval.objects.filter(id=approval_id).unused().update(taken_at=now) == 1


def orphaned(*, now: datetime, unseen_since: datetime) -> list[Answered]:
    """One batch of the ``ApprovalQuerySet.orphaned`` approvals of all users, the oldest answer first."""
    rows = Approval.objects.orphaned(now, unseen_since=unseen_since).order_by("answered_at", "id")
    return [_answered(row, remembered=False) for row in rows.defer(*encrypted_columns(Approval))[:_BATCH]]


def asked(approval_id: UUID) -> tuple[RequestOrigin, Question]:
    """A question and the request that asked it. Raises ``UnknownApproval`` and ``EncryptionError``."""
    row = Approval.objects.filter(id=approval_id).first()
    if row is None:
        raise UnknownApproval
    origin = RequestOrigin(
        user_id=row.user_id,
        request_id=row.request_id,
        session_id=row.session_id,
        device_id=row.device_id,
        program=row.program,
    )
    return origin, question_in(row, open_vault(row.user_id))


def open_questions(user_id: UUID, device_id: str, *, now: datetime, waited_since: datetime | None) -> list[Question]:
    """The questions to show on a device again. With ``waited_since``, only if a turn has waited for them since then."""
    askable = Approval.objects.for_user(user_id).askable(now, waited_since).filter(device_id=device_id)
    rows = list(askable.order_by("created_at", "id"))
    return list(readable_questions(rows, open_vault(user_id)).values()) if rows else []


def asked_devices(user_ids: Collection[UUID], *, now: datetime, waited_since: datetime | None) -> set[tuple[UUID, str]]:
    """The users among these, and their devices, with ``open_questions``. One query."""
    rows = Approval.objects.askable(now, waited_since).filter(user_id__in=user_ids)
    return set(rows.order_by().values_list("user_id", "device_id").distinct())


def expire_overdue(user_id: UUID, *, now: datetime) -> None:
    """Set the state of the user's ``ApprovalQuerySet.overdue`` questions to expired."""
    Approval.objects.for_user(user_id).overdue(now).update(state=ApprovalState.EXPIRED)


def question_in(row: Approval, vault: Vault) -> Question:
    """Raises ``EncryptionError``."""
    preview = json.loads(vault.decrypt(_place(row, "preview_encrypted"), row.preview_encrypted))
    source = row.source_encrypted and json.loads(vault.decrypt(_place(row, "source_encrypted"), row.source_encrypted))
    return Question(
        id=row.id,
        request_id=row.request_id,
        tool=row.tool,
        risk=Risk(row.risk),
        arguments=json.loads(vault.decrypt(_place(row, "arguments_encrypted"), row.arguments_encrypted)),
        summary=vault.decrypt(_place(row, "summary_encrypted"), row.summary_encrypted),
        preview=None if preview is None else Preview(before=preview["before"], after=preview["after"]),
        expires_at=row.expires_at,
        source=Source(**source) if source else None,
        group=row.group,
    )


def readable_questions(rows: Iterable[Approval], vault: Vault) -> dict[UUID, Question]:
    """The questions in ``rows`` by id. Logs and leaves out a row that cannot be decrypted."""
    questions = {}
    for row in rows:
        try:
            questions[row.id] = question_in(row, vault)
        except EncryptionError as error:
            logger.warning("skipped: the row %s of %s cannot be decrypted: %s", row.id, _TABLE, error)
    return questions


def reason_in(row: Approval, vault: Vault) -> str:
    """The user's text with a refusal. Raises ``EncryptionError``."""
    return vault.decrypt(_place(row, "reason_encrypted"), row.reason_encrypted)


def as_shown(preview: Preview | None) -> JsonValue:
    """``preview`` as it is stored and shown: long texts are cut, and no text changes the direction of others."""
    if preview is None:
        return None
    before, after = preview.before, preview.after
    rows = {"before": (before, after or {}), "after": (after, before or {})}
    return {
        name: None
        if row is None
        else {column: show_controls(_cut(value, other.get(column))) for column, value in row.items()}
        for name, (row, other) in rows.items()
    }


def _cut(value: JsonValue, other: JsonValue) -> JsonValue:
    """``value``. A long text is cut to a part around its first difference from ``other``."""
    if not isinstance(value, str) or len(value) <= _MAX_SHOWN_CHARS:
        return value
    changed = _first_difference(value, other) if isinstance(other, str) and other != value else 0
    start = max(0, changed - _CHARS_BEFORE_CHANGE)
    shown = value[start : start + _MAX_SHOWN_CHARS]
    return f"{'…' if start else ''}{shown}{'…' if start + len(shown) < len(value) else ''}"


def _first_difference(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (mine, theirs) in pairs if mine != theirs), min(len(one), len(other)))


def _answered(row: Approval, *, remembered: bool) -> Answered:
    return Answered(
        id=row.id,
        user_id=row.user_id,
        request_id=row.request_id,
        state=ApprovalState(row.state),
        waited_at=row.waited_at,
        remembered=remembered,
    )


def _status_of(rows: ApprovalQuerySet) -> ApprovalStatus:
    row = rows.first()
    if row is None:
        raise UnknownApproval
    state, reason = ApprovalState(row.state), ""
    if state is ApprovalState.REFUSED:
        reason = reason_in(row, open_vault(row.user_id))
    return ApprovalStatus(id=row.id, state=state, expires_at=row.expires_at, reason=reason)


def _new_row(origin: RequestOrigin, call: ProposedCall, vault: Vault, *, key: str, now: datetime) -> Approval:
    arguments = json.dumps(dict(call.arguments), sort_keys=True)
    row = Approval(
        id=uuid4(),
        user_id=origin.user_id,
        request_id=origin.request_id,
        session_id=storable(origin.session_id),
        device_id=origin.device_id,
        program=storable(origin.program)[:MAX_NAME_CHARS],
        tool=call.tool,
        risk=call.risk,
        arguments_hash=vault.digest("approval arguments", json.dumps([call.tool, arguments])),
        call_key=key,
        group=call.group,
        created_at=now,
    )
    texts = {
        "arguments_encrypted": arguments,
        "preview_encrypted": json.dumps(as_shown(call.preview)),
        "summary_encrypted": call.summary,
        "reason_encrypted": "",
        **({} if call.source is None else {"source_encrypted": json.dumps(asdict(call.source))}),
    }
    for column, text in texts.items():
        setattr(row, column, vault.encrypt(_place(row, column), text))
    return row


def _place(row: Approval, column: str) -> Place:
    return Place(table=_TABLE, column=column, row_id=row.id)
