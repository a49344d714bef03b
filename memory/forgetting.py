"""Forgetting: one exchange, a span of time, a fact, what is about a row, everything, and words kept only for a while.

Each is one transaction that also counts as a change (``next_forgetting``), so no process recalls from its caches what
has been forgotten. Synchronous. Only ``forget_saying`` needs the user's key.
"""

from collections.abc import Collection
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.utils import timezone as clock

from accounts.errors import AccountGone
from accounts.keys.vault import Vault
from accounts.locks import lock_user
from accounts.models import User
from memory.drawn import RESTATES, Relation, content_words
from memory.exchange import Exchange
from memory.facts import lock_facts
from memory.models import (
    MemoryAssociative,
    MemoryCore,
    MemoryEpisodic,
    MemoryProactive,
    next_forgetting,
    next_revision,
    opened_or_none,
)
from memory.supersession import unlink, with_superseded

_BATCH: Final = 1_000
"""Rows whose words one transaction deletes."""
_SEARCHED: Final = 5_000
"""Ciphertext cannot be searched, so as many exchanges are opened at most."""
_MOST: Final = 0.6
"""The share of a statement's words above which a text says it."""


@transaction.atomic
def forget_exchange(user_id: UUID, row_id: UUID) -> bool:
    """Delete an episode, its words, its associative row and its facts. Return whether there was one."""
    return bool(_forget_episodes(user_id, id=row_id))


@transaction.atomic
def forget_between(user_id: UUID, since: datetime | None, until: datetime | None) -> int:
    """Delete the episodes of exchanges from ``since`` on and before ``until``; None means no bound. Return how many."""
    bounds = {"created_at__gte": since, "created_at__lt": until}
    return _forget_episodes(user_id, **{name: bound for name, bound in bounds.items() if bound is not None})


@transaction.atomic
def forget_fact(user_id: UUID, row_id: UUID) -> bool:
    """Delete a row of the associative tier, and the exchange that it comes from. Return whether there was one.

    With a fact go those that say the same, and the exchanges in which they were said: else these would be told.
    """
    lock_facts(user_id)
    rows = MemoryAssociative.objects.for_user(user_id)
    row = rows.filter(id=row_id).only("episode_id").first()
    if row is None:
        return False
    if row.episode_id is not None:
        return bool(_forget_episodes(user_id, id=row.episode_id))
    _forget_said(user_id, [row_id])
    return True


def forget_saying(user_id: UUID, vault: Vault, key: str, value: str) -> None:
    """Delete the facts and exchanges that say ``value`` of ``key``, of the newest 5,000 exchanges.

    A text says it if it has most of the words of both, and of the value alone. Call it in a transaction.
    """
    lock_facts(user_id)
    words, of_value = frozenset(content_words(f"{key} {value}")), frozenset(content_words(value))

    def says(text: str | None) -> bool:
        found = frozenset(content_words(text or ""))
        return bool(of_value) and all(len(found & each) > _MOST * len(each) for each in (words, of_value))

    facts = MemoryAssociative.objects.for_user(user_id).facts().only("content_encrypted")
    _forget_said(user_id, [row.id for row in facts if says(opened_or_none(vault, row, "content_encrypted"))])
    newest = MemoryEpisodic.objects.for_user(user_id).newest_first().only("summary_encrypted", "exchange_encrypted")
    saying = [row.id for row in newest[:_SEARCHED].iterator(chunk_size=_BATCH) if says(_text_of(vault, row))]
    if saying:
        _forget_episodes(user_id, id__in=saying)


def _text_of(vault: Vault, row: MemoryEpisodic) -> str | None:
    """What the user has said, or the summary where no words are kept."""
    if not row.exchange_encrypted:
        return opened_or_none(vault, row, "summary_encrypted")
    text = opened_or_none(vault, row, "exchange_encrypted")
    return None if text is None else Exchange.from_text(text).message


def _forget_said(user_id: UUID, ids: Collection[UUID]) -> None:
    """Delete facts, those that say the same, and the exchanges they were said in. Call it behind ``lock_facts``."""
    rows = MemoryAssociative.objects.for_user(user_id)
    # What says the same would be told in its place.
    going = with_superseded(rows, ids, *RESTATES)
    said_in = set(rows.filter(id__in=going).exclude(said_in=None).values_list("said_in_id", flat=True))
    # The other facts of these exchanges stay, without the words that were there.
    rows.filter(said_in__in=said_in).exclude(id__in=going).update(said_in=None, evidence_encrypted="")
    _forget_facts(user_id, going)
    if said_in:
        _forget_episodes(user_id, id__in=said_in)


@transaction.atomic
def forget_rows(user_id: UUID, entity_ids: Collection[str]) -> int:
    """Delete the facts about rows that are gone from the device, and what these took the place of. Return how many."""
    lock_facts(user_id)
    facts = MemoryAssociative.objects.for_user(user_id).facts()
    about = set(facts.filter(entity_id__in=[each for each in entity_ids if each]).values_list("id", flat=True))
    if about:
        _forget_facts(user_id, with_superseded(facts, about, *Relation))
    return len(about)


def forget_drawn(user_id: UUID, episode_id: UUID) -> None:
    """Delete what was drawn from an exchange, but what its owner has decided on. Call it behind ``lock_facts``."""
    drawn = MemoryAssociative.objects.for_user(user_id).filter(said_in=episode_id)
    _forget_facts(user_id, set(drawn.filter(corrected_at=None).values_list("id", flat=True)))
    drawn.update(evidence_encrypted="")


def _forget_facts(user_id: UUID, ids: Collection[UUID]) -> None:
    """Delete these facts; those whose place they had taken are current again. Call it behind ``lock_facts``."""
    if ids:
        unlink(user_id, ids, revision=next_forgetting(user_id, ids) or 0)
        MemoryAssociative.objects.for_user(user_id).filter(id__in=ids).delete()


@transaction.atomic
def forget_everything(user_id: UUID) -> None:
    """Delete every row of the four tiers, for a user who stays."""
    # A writer holds a share lock on this row: its transaction ends before this one, or begins after it.
    with suppress(AccountGone):
        lock_user(user_id)
    for tier in (MemoryAssociative, MemoryEpisodic, MemoryProactive, MemoryCore):
        tier.objects.for_user(user_id).delete()
    next_forgetting(user_id, None)


def drop_old_words(*, now: datetime | None = None) -> int:
    """Delete the words of exchanges that are older than their owners keep them. The summaries stay.

    Return the number of exchanges. An exchange that still waits for a model's summary keeps the plain one.
    """
    now, dropped = now or clock.now(), 0
    for user_id, days in User.objects.exclude(memory_words_days=None).values_list("id", "memory_words_days"):
        while batch := _drop_words(user_id, now - timedelta(days=days or 0)):
            dropped += batch
    return dropped


@transaction.atomic
def _drop_words(user_id: UUID, before: datetime) -> int:
    lock_facts(user_id)
    rows = MemoryEpisodic.objects.for_user(user_id).filter(created_at__lt=before).exclude(exchange_encrypted="")
    found = list(rows.select_for_update(of=("self",)).order_by("id").values_list("id", flat=True)[:_BATCH])
    if not found:
        return 0
    revision = next_revision(user_id) or 0
    # What was found of them stays, without the words that say it.
    facts = MemoryAssociative.objects.filter(said_in__in=found).exclude(evidence_encrypted="")
    facts.update(evidence_encrypted="", revision=revision)
    return MemoryEpisodic.objects.filter(id__in=found).update(
        exchange_encrypted="", touched_encrypted="", next_attempt_at=None, revision=revision
    )


def _forget_episodes(user_id: UUID, **which: object) -> int:
    lock_facts(user_id)
    rows = MemoryEpisodic.objects.for_user(user_id).filter(**which)
    # Not the number that delete() returns, which counts the associative rows as well.
    found = list(rows.select_for_update(of=("self",)).order_by("id").values_list("id", flat=True))
    if found:
        facts = MemoryAssociative.objects.for_user(user_id).filter(said_in__in=found)
        _forget_facts(user_id, set(facts.values_list("id", flat=True)))
        MemoryEpisodic.objects.for_user(user_id).filter(id__in=found).delete()
        next_forgetting(user_id, found)
    return len(found)
