"""Forgetting an exchange, a span of time, a fact, the facts about a row, or everything; and the deletion of old words.

Each is one transaction that also counts as a change (``next_forgetting``), so that no process recalls forgotten things
from its caches. All functions are synchronous. With the user's key, other texts that state a forgotten fact are deleted
too, and the habits that a forgotten exchange shows; without the key, all mined habits are deleted.
"""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.utils import timezone as clock

from accounts.errors import KEY_ERRORS, AccountGone
from accounts.keys.vault import Vault, open_vault
from accounts.locks import lock_user
from accounts.models import User
from memory.drawn import RESTATES, Relation, content_words
from memory.exchange import Exchange
from memory.facts import lock_facts
from memory.mining import Basis, said_in
from memory.models import (
    MemoryAssociative,
    MemoryCore,
    MemoryEpisodic,
    MemoryProactive,
    opened,
    opened_or_none,
    readable,
)
from memory.revisions import next_forgetting, next_revision
from memory.search.words import folded, sentences_of
from memory.supersession import unlink, with_superseded, with_superseding

_BATCH: Final = 1_000
"""The number of rows whose words one transaction deletes."""
_SEARCHED: Final = 5_000
"""How many of the newest exchanges are decrypted at most, because ciphertext cannot be searched."""
_SHARE_OF_PREFERENCE: Final = 0.6
"""A text with more than this share of a preference's words states it."""
_SHARE_OF_FACT: Final = 0.75
"""A text with more than this share of a fact's words states it."""
_MIN_WORDS: Final = 2
"""Other texts are not searched for facts with fewer words than this, because too many texts have them."""


@transaction.atomic
def forget_exchange(user_id: UUID, row_id: UUID) -> bool:
    """Delete an episode, its words, its associative row and its facts. Returns whether there was one."""
    return bool(_forget_episodes(user_id, id=row_id))


@transaction.atomic
def forget_between(user_id: UUID, since: datetime | None, until: datetime | None) -> int:
    """Delete the episodes from ``since`` on and before ``until``; None means no bound. Returns their number."""
    bounds = {"created_at__gte": since, "created_at__lt": until}
    return _forget_episodes(user_id, **{name: bound for name, bound in bounds.items() if bound is not None})


@transaction.atomic
def forget_fact(user_id: UUID, row_id: UUID) -> bool:
    """Delete a row of the associative tier, and the exchange that it comes from. Returns whether there was such a row.

    Facts that state the same are deleted too, as are the exchanges in which they were said and those of the newest
    5,000 that state it again: otherwise these would be recalled.
    """
    lock_facts(user_id)
    rows = MemoryAssociative.objects.for_user(user_id)
    row = rows.filter(id=row_id).only("episode_id").first()
    if row is None:
        return False
    if row.episode_id is not None:
        return bool(_forget_episodes(user_id, id=row.episode_id))
    says_it_now = with_superseding(rows, [row_id], Relation.SAME, Relation.PRECISE)
    going = with_superseded(rows, says_it_now, *RESTATES)
    _forget_said(user_id, going, saying=_episodes_saying_facts(user_id, going))
    return True


def _episodes_saying_facts(user_id: UUID, ids: Collection[UUID]) -> Collection[UUID]:
    """The exchanges that state these facts. None without the user's key, so that facts can be forgotten without it."""
    try:
        vault = open_vault(user_id)
    except KEY_ERRORS:
        return ()
    rows = MemoryAssociative.objects.for_user(user_id).filter(id__in=ids).only("content_encrypted")
    texts = [opened_or_none(vault, row, "content_encrypted") for row in rows]
    words = [frozenset(content_words(text)) for text in texts if text]
    facts = [_Statement(parts=(each,), share=_SHARE_OF_FACT) for each in words if len(each) >= _MIN_WORDS]
    return _episodes_saying(user_id, vault, facts)


def forget_saying(user_id: UUID, vault: Vault, key: str, value: str) -> None:
    """Delete the facts that state ``value`` for ``key``, and those of the newest 5,000 exchanges that do.

    A text states it if it has most of the words of key and value together, and most of the value's. Call it in a
    transaction.
    """
    lock_facts(user_id)
    words, of_value = frozenset(content_words(f"{key} {value}")), frozenset(content_words(value))
    if not of_value:
        return
    said = _Statement(parts=(words, of_value), share=_SHARE_OF_PREFERENCE)
    facts = MemoryAssociative.objects.for_user(user_id).facts().only("content_encrypted")
    texts = [(row.id, opened_or_none(vault, row, "content_encrypted")) for row in facts]
    ids = [row_id for row_id, text in texts if text and said.is_said_by(content_words(text))]
    going = with_superseded(facts, ids, *RESTATES)
    _forget_said(user_id, going, saying=_episodes_saying(user_id, vault, [said]))


@dataclass(frozen=True, kw_only=True, slots=True)
class _Statement:
    """What is forgotten. A text states it if it has more than ``share`` of the words (stems) of each of ``parts``."""

    parts: Sequence[frozenset[str]]
    share: float

    def is_said_by(self, words: Collection[str]) -> bool:
        found = frozenset(words)
        return all(len(found & part) > self.share * len(part) for part in self.parts)

    def may_be_in(self, plain: str) -> bool:
        """Whether a folded text may state it. Finding the stems of all that a user ever said would take seconds."""
        # The last letter of a stem may differ from that of its word: “happi”, “happy”.
        found = frozenset(stem for part in self.parts for stem in part if stem[: max(len(stem) - 1, 1)] in plain)
        return self.is_said_by(found)


def _episodes_saying(user_id: UUID, vault: Vault, said: Sequence[_Statement]) -> list[UUID]:
    """Those of the newest exchanges in which the user, or a sentence of the answer, states any of ``said``."""
    if not said:
        return []
    newest = MemoryEpisodic.objects.for_user(user_id).newest_first().only("summary_encrypted", "exchange_encrypted")
    rows = newest[:_SEARCHED].iterator(chunk_size=_BATCH)
    return [row.id for row in rows if _says(_sides(vault, row), said)]


def _says(sides: Sequence[str], said: Sequence[_Statement]) -> bool:
    plain = folded("\n".join(sides))
    asked = [each for each in said if each.may_be_in(plain)]
    if not asked:
        return False
    message, *answers = sides
    of_message = content_words(message)
    # An answer says little without its question.
    texts = [of_message, *(of_message + content_words(each) for text in answers for each in sentences_of(text))]
    return any(each.is_said_by(text) for each in asked for text in texts)


def _sides(vault: Vault, row: MemoryEpisodic) -> Sequence[str]:
    """The message and the answer, or the summary if no words are kept; an empty text if it cannot be decrypted."""
    if not row.exchange_encrypted:
        return (opened_or_none(vault, row, "summary_encrypted") or "",)
    text = opened_or_none(vault, row, "exchange_encrypted")
    if text is None:
        return ("",)
    exchange = Exchange.from_text(text)
    return exchange.message, exchange.response


def _forget_said(user_id: UUID, going: Collection[UUID], *, saying: Collection[UUID] = ()) -> None:
    """Delete facts, the exchanges they were said in, and those ``saying`` them. Call it after ``lock_facts``."""
    rows = MemoryAssociative.objects.for_user(user_id)
    episodes = {*rows.filter(id__in=going).exclude(said_in=None).values_list("said_in_id", flat=True), *saying}
    if staying := list(rows.filter(said_in__in=episodes).exclude(id__in=going).values_list("id", flat=True)):
        # The other facts of these exchanges stay, without the words that stated them.
        revision = next_revision(user_id) or 0
        rows.filter(id__in=staying).update(said_in=None, evidence_encrypted="", revision=revision)
    _forget_facts(user_id, going)
    if episodes:
        _forget_episodes(user_id, id__in=episodes)


@transaction.atomic
def forget_rows(user_id: UUID, entity_ids: Collection[str]) -> int:
    """Delete the facts about rows that the device has deleted, and the facts that these superseded. Returns the number
    of facts about the rows.
    """
    lock_facts(user_id)
    facts = MemoryAssociative.objects.for_user(user_id).facts()
    about = set(facts.filter(entity_id__in=[each for each in entity_ids if each]).values_list("id", flat=True))
    if about:
        _forget_facts(user_id, with_superseded(facts, about, *Relation), by_owner=False)
    return len(about)


def forget_drawn(user_id: UUID, episode_id: UUID) -> None:
    """Delete the facts drawn from an exchange, except those its owner has corrected. Call it after ``lock_facts``."""
    drawn = MemoryAssociative.objects.for_user(user_id).filter(said_in=episode_id)
    _forget_facts(user_id, set(drawn.filter(corrected_at=None).values_list("id", flat=True)))
    drawn.update(evidence_encrypted="")


def _forget_facts(user_id: UUID, ids: Collection[UUID], *, by_owner: bool = True) -> None:
    """Delete these facts. Those that they superseded are current again. Call it after ``lock_facts``."""
    if ids:
        unlink(user_id, ids, revision=next_forgetting(user_id, ids, by_owner=by_owner) or 0)
        MemoryAssociative.objects.for_user(user_id).filter(id__in=ids).delete()


@transaction.atomic
def forget_everything(user_id: UUID) -> None:
    """Delete every row of the four tiers, for a user who keeps their account."""
    # A writer holds a share lock on the user's row: its transaction ends before this one, or starts after it.
    with suppress(AccountGone):
        lock_user(user_id)
    lock_facts(user_id)
    for tier in (MemoryAssociative, MemoryEpisodic, MemoryProactive, MemoryCore):
        tier.objects.for_user(user_id).delete()
    next_forgetting(user_id, None)


def drop_old_words() -> int:
    """Delete the words of exchanges that are older than their owners keep them. The summaries stay.

    Returns the number of exchanges. An exchange that still waits for a model's summary keeps the plain one.
    """
    now, dropped = clock.now(), 0
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
    # The facts that were drawn from them stay, without the words that stated them.
    facts = MemoryAssociative.objects.filter(said_in__in=found).exclude(evidence_encrypted="")
    facts.update(evidence_encrypted="", revision=revision)
    return MemoryEpisodic.objects.filter(id__in=found).update(
        exchange_encrypted="", touched_encrypted="", next_attempt_at=None, revision=revision
    )


def _forget_habits(user_id: UUID, episodes: Collection[UUID]) -> None:
    """Delete the mined habits that these episodes may show; all mined habits if that cannot be found out.

    Mining adds those again that the remaining episodes show.
    """
    habits = MemoryProactive.objects.for_user(user_id).mined()
    if (rows := list(habits)) and len(episodes) <= _SEARCHED:
        with suppress(*KEY_ERRORS):
            vault = open_vault(user_id)
            gone = MemoryEpisodic.objects.for_user(user_id).filter(id__in=episodes).only("summary_encrypted")
            texts = [opened_or_none(vault, row, "summary_encrypted") for row in gone.iterator(chunk_size=_BATCH)]
            said = said_in(text for text in texts if text)
            read = readable(rows, lambda row: (row.id, Basis.from_text(opened(vault, row, "basis_encrypted"))))
            habits = habits.filter(id__in=[row_id for row_id, basis in read if not said.isdisjoint(basis.words)])
    habits.delete()


def _forget_episodes(user_id: UUID, **which: object) -> int:
    lock_facts(user_id)
    rows = MemoryEpisodic.objects.for_user(user_id).filter(**which)
    # Not the number that delete() returns, because that includes the associative rows.
    found = list(rows.select_for_update(of=("self",)).order_by("id").values_list("id", flat=True))
    if found:
        facts = MemoryAssociative.objects.for_user(user_id).filter(said_in__in=found)
        _forget_facts(user_id, set(facts.values_list("id", flat=True)))
        _forget_habits(user_id, found)
        MemoryEpisodic.objects.for_user(user_id).filter(id__in=found).delete()
        next_forgetting(user_id, found)
    return len(found)
