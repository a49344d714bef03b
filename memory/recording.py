"""Episodes on their way into the memory, as rows: written, claimed, completed, given up. Synchronous.

An episode is written as its turn ends, with a plain summary and the words themselves (encrypted, like everything). Then
it waits: whoever claims it has a model write a better summary, which takes the plain one's place, and the words go.
A user who turns the memory off meanwhile, or goes, ends that.
"""

from collections.abc import Sequence
from uuid import UUID, uuid4

from django.db import transaction
from django.utils import timezone as clock

from accounts.models import User
from accounts.vault import open_vault, vault_for_writing
from memory.claims import LEASE, Claim, claim, put_off
from memory.exchanges import Exchange
from memory.facts import About, Meaning, store_fact
from memory.limits import MAX_SUMMARY_CHARS, storable
from memory.models import MAX_ID_CHARS, MemoryEpisodic
from memory.sealing import opened, sealed


@transaction.atomic
def write_episode(user_id: UUID, session_id: str, exchange: Exchange) -> Claim | None:
    """The episode, as good as it can be at once, claimed by the caller; None where the memory is off.

    Raises what ``open_vault`` raises.
    """
    vault = vault_for_writing(user_id)
    if not _remembers(user_id):
        return None
    now = clock.now()
    row = MemoryEpisodic(
        id=uuid4(),
        user_id=user_id,
        session_id=storable(session_id, limit=MAX_ID_CHARS),
        attempts=1,
        next_attempt_at=now + LEASE,
        created_at=now,
    )
    row.summary_encrypted = sealed(vault, row, "summary_encrypted", exchange.plain_summary())
    row.exchange_encrypted = sealed(vault, row, "exchange_encrypted", exchange.as_text())
    row.save(force_insert=True)
    return Claim(user_id=user_id, row_id=row.id)


def claim_episodes(*, limit: int) -> Sequence[Claim]:
    """Episodes that wait for their summary, claimed for the caller."""
    return claim(MemoryEpisodic.objects.all(), limit=limit)


def exchange_of(waiting: Claim) -> Exchange | None:
    """The words of an episode that still waits; None when nothing is left to do.

    Raises ``UnreadableRow`` and what ``open_vault`` raises.
    """
    row = MemoryEpisodic.objects.for_user(waiting.user_id).filter(id=waiting.row_id).first()
    if row is None or not row.exchange_encrypted:
        return None
    return Exchange.from_text(opened(open_vault(waiting.user_id), row, "exchange_encrypted"))


@transaction.atomic
def complete(waiting: Claim, summary: str, meaning: Meaning | None) -> bool:
    """Put ``summary`` in the plain one's place, and the associative row beside it; the words go.

    Whether it was done: not when somebody else was first, nor when the owner has corrected or deleted the episode, or
    has turned the memory off.
    """
    vault = vault_for_writing(waiting.user_id)
    row = _still_waiting(waiting)
    if row is None or not _remembers(waiting.user_id):
        return False
    row.summary_encrypted = sealed(vault, row, "summary_encrypted", summary[:MAX_SUMMARY_CHARS])
    row.exchange_encrypted, row.next_attempt_at, row.summarised_at = "", None, clock.now()
    row.save(update_fields=["summary_encrypted", "exchange_encrypted", "next_attempt_at", "summarised_at"])
    store_fact(waiting.user_id, summary[:MAX_SUMMARY_CHARS], meaning, about=About(episode_id=row.id))
    return True


@transaction.atomic
def postpone(waiting: Claim) -> bool:
    """After a failure: set the next attempt; whether there is one."""
    row = _still_waiting(waiting)
    return row is not None and put_off(row)


def give_up(waiting: Claim) -> None:
    """Leave an episode that cannot be opened as it is, and try no more."""
    MemoryEpisodic.objects.for_user(waiting.user_id).filter(id=waiting.row_id).update(next_attempt_at=None)


def _still_waiting(waiting: Claim) -> MemoryEpisodic | None:
    rows = MemoryEpisodic.objects.for_user(waiting.user_id).filter(id=waiting.row_id, summarised_at=None)
    return rows.exclude(exchange_encrypted="").select_for_update().first()


def _remembers(user_id: UUID) -> bool:
    """Asked once the user's row is locked, so that what is turned off stays off."""
    return User.objects.filter(id=user_id, memory_enabled=True).exists()
