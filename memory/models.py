"""The rows of the four tiers: what fits into them, how their texts are encrypted, and how they are listed.

Every text is ciphertext that only its owner's key decrypts, bound to its table, its column and the id of its row.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Final, Generic, Self, TypeVar
from uuid import UUID, uuid4

from django.conf import settings
from django.db import models
from django.utils import timezone as clock
from pgvector.django import HalfVectorField

from accounts.cursors import Cursor
from accounts.encryption import EncryptedTextField, place_of
from accounts.errors import EncryptionError
from accounts.keys.vault import Vault
from accounts.models import OwnedQuerySet
from memory.errors import InvalidMemory, MemoryNotFound, UnreadableRow

logger = logging.getLogger(__name__)

MAX_KEY_CHARS: Final = 100
MAX_VALUE_CHARS: Final = 2_000
MAX_CORE_ROWS: Final = 200
MAX_FACT_CHARS: Final = 4_000
MAX_SUMMARY_CHARS: Final = 1_000
MAX_PATTERN_CHARS: Final = 500
MAX_ID_CHARS: Final = 200
MAX_TYPE_CHARS: Final = 32
INDEX_CHARS: Final = 64

_M = TypeVar("_M", bound=models.Model)
_Item = TypeVar("_Item", covariant=True)
_Row = TypeVar("_Row")
_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True, slots=True)
class Page(Generic[_Item]):
    """Part of a list. ``after`` is where the next page begins, None at the end."""

    items: Sequence[_Item]
    after: Cursor | None


class TierQuerySet(OwnedQuerySet[_M]):
    """Rows of any tier."""

    def page(self, field: str, *, after: Cursor | None, limit: int) -> tuple[list[_M], Cursor | None]:
        """At most ``limit`` rows that follow ``after``, newest by ``field`` first, and the cursor of the next page.

        Rows that are added or deleted between two pages move no other row to another page.
        """
        rows = self
        if after is not None:
            rows = rows.filter(
                models.Q(**{f"{field}__lt": after.at}) | models.Q(**{field: after.at, "id__gt": after.id})
            )
        found = list(rows.order_by(f"-{field}", "id")[: limit + 1])
        kept, more = found[:limit], len(found) > limit
        return kept, Cursor(at=getattr(kept[-1], field), id=kept[-1].pk) if more else None

    def locked(self, row_id: UUID) -> _M | None:
        """The row with this id, locked until the transaction ends."""
        return self.select_for_update().filter(id=row_id).first()

    def editable(self, vault: Vault, row_id: UUID, column: str) -> _M:
        """As ``locked``. Raises ``MemoryNotFound``, and ``UnreadableRow`` if ``column`` cannot be decrypted."""
        row = self.locked(row_id)
        if row is None:
            raise MemoryNotFound
        opened(vault, row, column)
        return row

    def discard(self, row_id: UUID) -> bool:
        """Delete the row with this id, even one that cannot be decrypted. Return whether there was one."""
        deleted, _ = self.filter(id=row_id).delete()
        return bool(deleted)


class Source(StrEnum):
    """Who worded a habit. Mining does not change a habit that its owner has worded."""

    MINED = "mined"
    OWNER = "owner"


class TierRow(models.Model):
    """What the rows of all tiers have in common."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    # Without an index of its own: each tier has one that begins with the user.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    created_at = models.DateTimeField(default=clock.now)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return str(self.id)


class CoreQuerySet(TierQuerySet["MemoryCore"]):
    """Preferences."""


class MemoryCore(TierRow):
    """A preference, always given to the model. ``key_index`` is an HMAC of the key under the user's own key (hex)."""

    key_index = models.CharField(max_length=INDEX_CHARS)
    key_encrypted = EncryptedTextField()
    value_encrypted = EncryptedTextField()
    updated_at = models.DateTimeField(default=clock.now)

    objects = CoreQuerySet.as_manager()

    class Meta:
        verbose_name = "core memory"
        verbose_name_plural = "core memory"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            # Its index serves recall, and finding the row of a key.
            models.UniqueConstraint(fields=["user", "key_index"], name="memory_core_key_of_user"),
        ]


class EpisodicQuerySet(TierQuerySet["MemoryEpisodic"]):
    """Episodes."""

    def newest_first(self) -> Self:
        return self.order_by("-created_at", "id")


class MemoryEpisodic(TierRow):
    """What happened in one exchange, in a sentence or two, and its words.

    ``exchange_encrypted`` are the words of both sides; empty once their owner has corrected the summary, and after the
    days for which their owner keeps words. While ``summarised_at`` is null the summary is the plain one that needs no
    model, and while ``facts_at`` is null no facts have been drawn; ``touched_encrypted`` are the rows on the device
    that they may be about (``memory.exchange``), empty once they are drawn. ``next_attempt_at`` is when the row may be
    claimed for either, null when nothing is due; ``attempts`` counts the tries. ``revision`` is the number of the last
    change of what is searched (``next_revision``).
    """

    session_id = models.CharField(max_length=MAX_ID_CHARS, blank=True)
    summary_encrypted = EncryptedTextField()
    exchange_encrypted = EncryptedTextField(blank=True)
    touched_encrypted = EncryptedTextField(blank=True, default="", db_default="")
    summarised_at = models.DateTimeField(null=True)
    facts_at = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True)
    revision = models.BigIntegerField(default=0, db_default=0)

    objects = EpisodicQuerySet.as_manager()

    class Meta:
        verbose_name = "episode"
        permissions = (("reveal_memoryepisodic", "Can reveal an episode's text"),)
        indexes: ClassVar[list[models.Index]] = [
            # Recall and history: a user's newest.
            models.Index(fields=["user", "-created_at"], name="memory_episodic_newest"),
            # Recall: what has changed since an index of the user's exchanges was built.
            models.Index(fields=["user", "revision"], name="memory_episodic_changed"),
            # The sweep: rows that wait for a summary or for their facts.
            models.Index(
                fields=["next_attempt_at"],
                name="memory_episodic_waiting",
                condition=models.Q(next_attempt_at__isnull=False),
            ),
        ]


class AssociativeQuerySet(TierQuerySet["MemoryAssociative"]):
    """Facts, and the rows that make episodes searchable."""

    def facts(self) -> Self:
        return self.filter(episode=None)

    def current(self) -> Self:
        """The facts that no other one has taken the place of."""
        return self.facts().filter(superseded_by=None)


class MemoryAssociative(TierRow):
    """A fact or an episode's summary, found by its meaning.

    ``embedding`` is the text's vector by the embedder ``embedding_model``, hidden by the ``memory.index.Veil`` of the
    user's key of version ``veil_version``; both are null until it has been made. ``episode`` is null for a fact.
    ``entity_type`` and ``entity_id`` name what on the device the text is about. ``next_attempt_at`` is when the row may
    be claimed for its vector, null when none is due; ``attempts`` counts the tries.

    A fact that was drawn from an exchange has it in ``said_in``, the words that say it in ``evidence_encrypted``, and
    what it is compared by in ``details_encrypted`` (``memory.drawn``); ``created_at`` is when it was said. A fact that
    another one has taken the place of has that one in ``superseded_by``, why in ``superseded_as`` and since when in
    ``superseded_at``. ``corrected_at`` is when its owner decided on its words. ``revision`` is as for episodes.
    """

    content_encrypted = EncryptedTextField()
    details_encrypted = EncryptedTextField(blank=True, default="", db_default="")
    evidence_encrypted = EncryptedTextField(blank=True, default="", db_default="")
    embedding = HalfVectorField(null=True)
    embedding_model = models.CharField(max_length=100, blank=True)
    veil_version = models.PositiveIntegerField(null=True)
    entity_type = models.CharField(max_length=MAX_TYPE_CHARS, blank=True)
    entity_id = models.CharField(max_length=MAX_ID_CHARS, blank=True)
    episode = models.OneToOneField(MemoryEpisodic, on_delete=models.CASCADE, null=True, related_name="associative")
    said_in = models.ForeignKey(MemoryEpisodic, on_delete=models.CASCADE, null=True, related_name="facts")
    superseded_by = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, related_name="supersedes")
    superseded_as = models.CharField(max_length=MAX_TYPE_CHARS, blank=True, default="", db_default="")
    superseded_at = models.DateTimeField(null=True)
    corrected_at = models.DateTimeField(null=True)
    revision = models.BigIntegerField(default=0, db_default=0)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True)
    updated_at = models.DateTimeField(default=clock.now)

    objects = AssociativeQuerySet.as_manager()

    class Meta:
        verbose_name = "associative memory"
        verbose_name_plural = "associative memory"
        indexes: ClassVar[list[models.Index]] = [
            # Recall (every vector of a user, exactly) and the list, newest first.
            models.Index(fields=["user", "-updated_at"], name="memory_associative_of_user"),
            # Recall: whether there are facts, among many rows of episodes, and which have changed.
            models.Index(
                fields=["user", "revision"], name="memory_facts_changed", condition=models.Q(episode_id__isnull=True)
            ),
            # The sweep: rows that wait for a vector.
            models.Index(
                fields=["next_attempt_at"],
                name="memory_associative_waiting",
                condition=models.Q(next_attempt_at__isnull=False),
            ),
        ]


class ProactiveQuerySet(TierQuerySet["MemoryProactive"]):
    """Habits."""

    def kept(self) -> Self:
        return self.filter(dismissed_at=None)

    def mined(self) -> Self:
        """Those that their owner has neither worded nor dismissed."""
        return self.kept().filter(source=Source.MINED)

    def above(self, confidence: float) -> Self:
        return self.filter(confidence__gt=confidence).order_by("-confidence", "id")


class MemoryProactive(TierRow):
    """A habit that is raised unasked above a confidence (0 to 1).

    ``basis_encrypted`` says what recurs, and ``pattern_index`` is its HMAC under the user's own key (hex): the habit is
    found again even when its owner has changed the words. When its owner dismisses it, the words are deleted and the
    basis stays, so that mining does not find it again.
    """

    pattern_index = models.CharField(max_length=INDEX_CHARS)
    basis_encrypted = EncryptedTextField()
    pattern_encrypted = EncryptedTextField(blank=True)
    dismissed_at = models.DateTimeField(null=True)
    confidence = models.FloatField()
    source = models.CharField(max_length=32)
    updated_at = models.DateTimeField(default=clock.now)

    objects = ProactiveQuerySet.as_manager()

    class Meta:
        verbose_name = "habit"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            # Its index serves recall, and finding the row of a pattern.
            models.UniqueConstraint(fields=["user", "pattern_index"], name="memory_proactive_pattern_of_user"),
            models.CheckConstraint(
                condition=models.Q(confidence__gte=0, confidence__lte=1), name="memory_proactive_confidence"
            ),
        ]


def opened(vault: Vault, row: models.Model, column: str) -> str:
    """The text in ``column`` of ``row``. Raises ``UnreadableRow``."""
    place = place_of(row, column)
    try:
        return vault.decrypt(place, getattr(row, column))
    except EncryptionError as error:
        raise UnreadableRow(place.table, place.row_id, str(error)) from error


def opened_or_none(vault: Vault, row: models.Model, column: str) -> str | None:
    """As ``opened``; None if the text cannot be decrypted."""
    try:
        return opened(vault, row, column)
    except UnreadableRow:
        return None


def readable(rows: Iterable[_Row], read: Callable[[_Row], _T]) -> Iterator[_T]:
    """``read`` of each row, without the rows that cannot be decrypted; the log names those."""
    for row in rows:
        try:
            value = read(row)
        except UnreadableRow as error:
            logger.warning("skipped: %s", error)
            continue
        yield value


def fitting(text: str, *, what: str, limit: int) -> str:
    """``text`` without white space around it. Raises ``InvalidMemory`` if it is then empty or too long."""
    trimmed = text.strip()
    if not trimmed:
        raise InvalidMemory(f"The {what} is empty.")
    if len(trimmed) > limit:
        raise InvalidMemory(f"The {what} is too long: {len(trimmed)} characters, of {limit} at most.")
    return trimmed


def storable(identifier: str, *, limit: int) -> str:
    """A client's identifier as PostgreSQL stores it: without null characters and unpaired surrogates, cut off."""
    return identifier.replace("\0", "").encode("utf-8", "replace").decode()[:limit]
