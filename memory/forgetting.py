"""Forgetting: one exchange, a span of time, a fact, everything, and the words that their owner keeps only for a while.

Each is one transaction that also counts as a change (``next_revision``), so no process recalls from its caches what has
been forgotten. Synchronous. Rows need not be decryptable, nor the user's key.
"""

from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.utils import timezone as clock

from accounts.errors import AccountGone
from accounts.locks import lock_user
from accounts.models import User
from memory.models import MemoryAssociative, MemoryCore, MemoryEpisodic, MemoryProactive, next_revision

_BATCH: Final = 1_000
"""Rows whose words one transaction deletes."""


@transaction.atomic
def forget_exchange(user_id: UUID, row_id: UUID) -> bool:
    """Delete an episode, its words and its associative row. Return whether there was one."""
    return bool(_forget_episodes(user_id, id=row_id))


@transaction.atomic
def forget_between(user_id: UUID, since: datetime | None, until: datetime | None) -> int:
    """Delete the episodes of exchanges from ``since`` on and before ``until``; None means no bound. Return how many."""
    bounds = {"created_at__gte": since, "created_at__lt": until}
    return _forget_episodes(user_id, **{name: bound for name, bound in bounds.items() if bound is not None})


@transaction.atomic
def forget_fact(user_id: UUID, row_id: UUID) -> bool:
    """Delete a row of the associative tier, and the episode if it comes from one. Return whether there was one."""
    row = MemoryAssociative.objects.for_user(user_id).filter(id=row_id).only("episode_id").first()
    if row is None:
        return False
    if row.episode_id is not None:
        return bool(_forget_episodes(user_id, id=row.episode_id))
    return MemoryAssociative.objects.for_user(user_id).discard(row_id)


@transaction.atomic
def forget_everything(user_id: UUID) -> None:
    """Delete every row of the four tiers, for a user who stays."""
    # A writer holds a share lock on this row: its transaction ends before this one, or begins after it.
    with suppress(AccountGone):
        lock_user(user_id)
    for tier in (MemoryAssociative, MemoryEpisodic, MemoryProactive, MemoryCore):
        tier.objects.for_user(user_id).delete()
    next_revision(user_id, forgets=True)


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
    rows = MemoryEpisodic.objects.for_user(user_id).filter(created_at__lt=before).exclude(exchange_encrypted="")
    found = list(rows.select_for_update(of=("self",)).order_by("id").values_list("id", flat=True)[:_BATCH])
    if not found:
        return 0
    revision = next_revision(user_id)
    return MemoryEpisodic.objects.filter(id__in=found).update(
        exchange_encrypted="", next_attempt_at=None, revision=revision
    )


def _forget_episodes(user_id: UUID, **which: object) -> int:
    rows = MemoryEpisodic.objects.for_user(user_id).filter(**which)
    # Not the number that delete() returns, which counts the associative rows as well.
    found = list(rows.select_for_update(of=("self",)).order_by("id").values_list("id", flat=True))
    if found:
        MemoryEpisodic.objects.for_user(user_id).filter(id__in=found).delete()
        next_revision(user_id, forgets=True)
    return len(found)
