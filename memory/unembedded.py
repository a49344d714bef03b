"""Facts that have no vector, or one of another embedder. Synchronous."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from accounts.vault import Vault, open_vault
from memory.claims import Claim, claim, put_off
from memory.models import AssociativeQuerySet, MemoryAssociative
from memory.sealing import opened, readable


@dataclass(frozen=True, kw_only=True, slots=True)
class Unembedded:
    """A text to make a vector of; ``token`` is how it is stored, by which a later change is noticed."""

    row_id: UUID
    content: str
    token: str
    has_vector: bool


def claim_unembedded(*, limit: int) -> Sequence[Claim]:
    """Facts that wait for their vector, claimed for the caller."""
    return claim(MemoryAssociative.objects.all(), limit=limit)


def lacking(model: str, *, model_changed: bool) -> AssociativeQuerySet:
    """Facts without a vector; with ``model_changed`` also those whose vector ``model`` did not make."""
    wanted = Q(embedding=None)
    if model_changed:
        wanted |= ~Q(embedding_model=model)
    return MemoryAssociative.objects.filter(wanted, user__memory_enabled=True)


def text_of(waiting: Claim) -> Unembedded | None:
    """The text of a fact that still waits; None when nothing is left to do.

    Raises ``UnreadableRow`` and what ``open_vault`` raises.
    """
    row = MemoryAssociative.objects.for_user(waiting.user_id).filter(id=waiting.row_id, embedding=None).first()
    return None if row is None else _text(open_vault(waiting.user_id), row)


def texts_of(user_id: UUID, rows: Sequence[MemoryAssociative]) -> list[Unembedded]:
    """The texts of a user's ``rows``; one that cannot be opened is left out. Raises what ``open_vault`` raises."""
    vault = open_vault(user_id)
    return list(readable(rows, lambda row: _text(vault, row)))


def _text(vault: Vault, row: MemoryAssociative) -> Unembedded:
    return Unembedded(
        row_id=row.id,
        content=opened(vault, row, "content_encrypted"),
        token=row.content_encrypted,
        has_vector=bool(row.embedding_model),
    )


@transaction.atomic
def postpone_vector(waiting: Claim) -> bool:
    """After a failure: set the next attempt; whether there is one."""
    rows = MemoryAssociative.objects.for_user(waiting.user_id).filter(id=waiting.row_id, embedding=None)
    row = rows.select_for_update().first()
    return row is not None and put_off(row)


def leave_unembedded(waiting: Claim) -> None:
    """Try no more to make the row's vector, until ``backfill_embeddings`` is asked to."""
    MemoryAssociative.objects.for_user(waiting.user_id).filter(id=waiting.row_id).update(next_attempt_at=None)
