"""Facts that were drawn from exchanges: how they are stored, and which of them supersede which.

A superseded fact is kept, with a link to the fact that superseded it; it is current again when the link is removed. All
functions are synchronous. Every write is one short transaction, and counts as a change (``next_revision``).
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final, TypeAlias
from uuid import UUID, uuid4

from django.db import transaction
from django.utils import timezone as clock

from accounts.keys.vault import Vault, open_vault, vault_for_writing
from memory.drawn import DrawnFact, KnownFact, Relation, related
from memory.facts import FactEntry, entry_of, lock_facts, put_vector
from memory.index import Embedding
from memory.models import (
    MAX_FACT_CHARS,
    MAX_ID_CHARS,
    MAX_TYPE_CHARS,
    AssociativeQuerySet,
    MemoryAssociative,
    MemoryEpisodic,
    opened,
    readable,
    storable,
)
from memory.revisions import next_revision

MAX_KNOWN: Final = 1_000
"""The number of latest facts with which a new one is compared."""
EmbeddedFact: TypeAlias = tuple[DrawnFact, Embedding | None]
"""A fact and its vector; None if it still waits for one."""
_LINK: Final = ("superseded_by", "superseded_as", "superseded_at", "revision")


def known_facts(user_id: UUID, vault: Vault | None = None) -> list[KnownFact]:
    """The latest current facts, without rows that cannot be decrypted. Raises what ``open_vault`` raises."""
    vault = vault or open_vault(user_id)
    rows = MemoryAssociative.objects.for_user(user_id).current().defer("embedding").order_by("-created_at", "id")
    return list(readable(rows[:MAX_KNOWN], lambda row: _known(vault, row)))


@transaction.atomic
def store_drawn(user_id: UUID, episode_id: UUID, drawn: Sequence[EmbeddedFact], *, is_all: bool) -> bool:
    """Store the facts drawn from an exchange. ``is_all`` says that no more will be drawn from it.

    A statement that was already stored from the same exchange is not stored again. Returns False if the facts are no
    longer wanted: the exchange or its words are gone, all facts were drawn, or the memory is turned off. Raises what
    ``open_vault`` raises.
    """
    vault = vault_for_writing(user_id)
    lock_facts(user_id)
    waiting = MemoryEpisodic.objects.for_user(user_id).filter(facts_at=None).exclude(exchange_encrypted="")
    episode = waiting.filter(user__memory_enabled=True).select_for_update(of=("self",)).filter(id=episode_id).first()
    if episode is None:
        return False
    add_drawn(vault, episode, drawn)
    if is_all:
        episode.facts_at, episode.touched_encrypted, episode.next_attempt_at = clock.now(), "", None
        episode.save(update_fields=["facts_at", "touched_encrypted", "next_attempt_at"])
    return True


def add_drawn(vault: Vault, episode: MemoryEpisodic, drawn: Sequence[EmbeddedFact]) -> None:
    """As ``store_drawn``, for an ``episode`` that the caller has locked after ``lock_facts``."""
    if not drawn:
        return
    user_id, known = episode.user_id, known_facts(episode.user_id, vault)
    before = MemoryAssociative.objects.for_user(user_id).filter(said_in=episode).defer("embedding")
    said = set(readable(before, lambda row: opened(vault, row, "content_encrypted")))
    revision = next_revision(user_id) or 0
    for fact, embedding in drawn:
        if (statement := fact.statement[:MAX_FACT_CHARS]) not in said:
            said.add(statement)
            row = _row(vault, episode, fact, embedding, revision)
            _put_in_place(row, fact, known)
            if row.superseded_by_id is None:
                known.append(_known(vault, row))


def _row(
    vault: Vault, episode: MemoryEpisodic, fact: DrawnFact, embedding: Embedding | None, revision: int
) -> MemoryAssociative:
    row = MemoryAssociative(
        id=uuid4(), user_id=episode.user_id, said_in=episode, created_at=episode.created_at, revision=revision
    )
    row.content_encrypted = vault.seal(row, "content_encrypted", fact.statement[:MAX_FACT_CHARS])
    row.details_encrypted = vault.seal(row, "details_encrypted", fact.details())
    row.evidence_encrypted = vault.seal(row, "evidence_encrypted", fact.evidence)
    if fact.row is not None:
        row.entity_type = storable(fact.row.entity_type, limit=MAX_TYPE_CHARS)
        row.entity_id = storable(fact.row.entity_id, limit=MAX_ID_CHARS)
    put_vector(row, vault, embedding)
    return row


def _put_in_place(row: MemoryAssociative, fact: DrawnFact, known: list[KnownFact]) -> None:
    """Save a new row, and link it with the fact that supersedes it or the facts that it supersedes."""
    found = related(fact, known, at=row.created_at)
    stays = next((each for each in found if each.known_stays), None)
    if stays is not None:
        row.superseded_by_id, row.superseded_as = stays.known.id, stays.relation
        row.superseded_at = stays.known.at
    row.save(force_insert=True)
    if stays is not None:
        return
    for each in found:
        known.remove(each.known)
        MemoryAssociative.objects.filter(id=each.known.id).update(
            superseded_by=row, superseded_as=each.relation, superseded_at=row.created_at, revision=row.revision
        )


@transaction.atomic
def restore_fact(user_id: UUID, row_id: UUID) -> FactEntry:
    """Make a fact current again at its owner's request. Raises ``MemoryNotFound`` and ``UnreadableRow``."""
    vault = vault_for_writing(user_id)
    lock_facts(user_id)
    row = MemoryAssociative.objects.for_user(user_id).facts().editable(vault, row_id, "content_encrypted")
    if row.superseded_by_id is not None:
        _clear(row)
        # Nothing that was said before now can supersede it again.
        row.corrected_at = row.updated_at = clock.now()
        row.revision = next_revision(user_id) or 0
        row.save(update_fields=[*_LINK, "corrected_at", "updated_at"])
    return entry_of(vault, row)


def with_superseded(facts: AssociativeQuerySet, ids: Collection[UUID], *relations: Relation) -> set[UUID]:
    """These facts and all that they have superseded by one of ``relations``, directly or not."""
    linked = facts.filter(superseded_as__in=relations)
    return _reached(ids, lambda new: linked.filter(superseded_by__in=new).values_list("id", flat=True))


def with_superseding(facts: AssociativeQuerySet, ids: Collection[UUID], *relations: Relation) -> set[UUID]:
    """These facts and all that have superseded them by one of ``relations``, directly or not."""
    linked = facts.filter(superseded_as__in=relations).exclude(superseded_by=None)
    return _reached(ids, lambda new: linked.filter(id__in=new).values_list("superseded_by_id", flat=True))


def _reached(ids: Collection[UUID], next_of: Callable[[Collection[UUID]], Iterable[UUID]]) -> set[UUID]:
    """These ``ids`` and all that can be reached from them by ``next_of``."""
    found, new = set(ids), set(ids)
    while new:
        new = set(next_of(new)) - found
        found |= new
    return found


def unlink(user_id: UUID, going: Collection[UUID], *, revision: int) -> None:
    """Link the facts that these have superseded to those that supersede these; if there are none, make them current."""
    facts = MemoryAssociative.objects.for_user(user_id).facts().only(*_LINK[:3])
    leaving = {row.id: row for row in facts.filter(id__in=going)}
    for row in facts.filter(superseded_by__in=going).exclude(id__in=going):
        _relink(row, leaving)
        row.revision = revision
        row.save(update_fields=_LINK)


def _relink(row: MemoryAssociative, leaving: dict[UUID, MemoryAssociative]) -> None:
    while row.superseded_by_id is not None and (left := leaving.get(row.superseded_by_id)) is not None:
        if left.superseded_by_id is None:
            _clear(row)
            return
        if left.superseded_as == Relation.CONTRADICTS:
            row.superseded_as = Relation.CONTRADICTS
        row.superseded_by_id, row.superseded_at = left.superseded_by_id, left.superseded_at


def _clear(row: MemoryAssociative) -> None:
    row.superseded_by_id, row.superseded_as, row.superseded_at = None, "", None


def _known(vault: Vault, row: MemoryAssociative) -> KnownFact:
    """The fact in ``row``. Raises ``UnreadableRow``."""
    details = opened(vault, row, "details_encrypted") if row.details_encrypted else ""
    return KnownFact.of(row.id, opened(vault, row, "content_encrypted"), details, row.corrected_at or row.created_at)
