"""The rows of the four tiers: how long their texts may be, how these are decrypted, and how rows are listed.

Every text is encrypted with its owner's key, and bound to its table, its column and the id of its row.
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

from accounts.cipher import Place
from accounts.cursors import Cursor
from accounts.encryption import EncryptedTextField, place_of
from accounts.errors import EncryptionError
from accounts.keys.vault import Vault
from accounts.models import OwnedQuerySet, User
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

        Rows that are added or deleted between two requests do not move other rows to another page.
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
        """Delete the row with this id, even if it cannot be decrypted. Returns whether there was one."""
        deleted, _ = self.filter(id=row_id).delete()
        return bool(deleted)


class Source(StrEnum):
    """Who wrote the words of a habit. Mining does not change a habit that its owner has reworded."""

    MINED = "mined"
    OWNER = "owner"


class TierRow(models.Model):
    """What the rows of all tiers have in common."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    # No index of its own, because each tier has one that begins with the user.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    created_at = models.DateTimeField(default=clock.now)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return str(self.id)


class CoreQuerySet(TierQuerySet["MemoryCore"]):
    """Preferences."""


class MemoryCore(TierRow):
    """A preference, always sent to the model. ``key_index`` is an HMAC of the key with the user's own key (hex)."""

    key_index = models.CharField(max_length=INDEX_CHARS)
    key_encrypted = EncryptedTextField()
    value_encrypted = EncryptedTextField()
    updated_at = models.DateTimeField(default=clock.now)

    objects = CoreQuerySet.as_manager()

    class Meta:
        verbose_name = "core memory"
        verbose_name_plural = "core memory"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            # Its index serves recall, and the lookup of a key.
            models.UniqueConstraint(fields=["user", "key_index"], name="memory_core_key_of_user"),
        ]


class EpisodicQuerySet(TierQuerySet["MemoryEpisodic"]):
    """Episodes."""

    def newest_first(self) -> Self:
        return self.order_by("-created_at", "id")


class MemoryEpisodic(TierRow):
    """One exchange: a summary of one or two sentences, and its words.

    ``exchange_encrypted`` has the words of both sides. It is empty once the owner has corrected the summary, and after
    the days for which the owner keeps words. While ``summarised_at`` is null, the summary is the plain one that needs
    no model. While ``facts_at`` is null, no facts have been drawn; until then ``touched_encrypted`` has the rows on the
    device that they may be about (``memory.exchange``). ``next_attempt_at`` is when the row may be claimed for either;
    null if nothing is due. ``attempts`` counts the attempts. ``revision`` is the number of the last change of the
    searched text (``next_revision``).
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
            # Recall and history: a user's newest episodes.
            models.Index(fields=["user", "-created_at"], name="memory_episodic_newest"),
            # Recall: the episodes that have changed since an index of the user's exchanges was built.
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
        """The facts that no other fact has superseded."""
        return self.facts().filter(superseded_by=None)


class MemoryAssociative(TierRow):
    """A fact or an episode's summary, which is found by its meaning.

    ``embedding`` is the text's vector from the embedder ``embedding_model``, hidden by the ``memory.index.Veil`` of
    version ``veil_version`` of the user's key; both are null until there is a vector. ``episode`` is null for a fact.
    ``entity_type`` and ``entity_id`` name the row on the device that the text is about. ``next_attempt_at`` is when the
    row may be claimed for its vector; null if none is due. ``attempts`` counts the attempts.

    For a fact that was drawn from an exchange, ``said_in`` is the exchange, ``evidence_encrypted`` the words that state
    the fact, ``details_encrypted`` what it is compared by (``memory.drawn``), and ``created_at`` when it was said. For
    a superseded fact, ``superseded_by`` is the fact that superseded it, ``superseded_as`` says why, and
    ``superseded_at`` when. ``corrected_at`` is when the owner wrote or confirmed the words. ``revision`` is as for
    episodes.
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
            # Recall: whether there are facts among many rows of episodes, and which have changed.
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
        """The habits that their owner has neither reworded nor dismissed."""
        return self.kept().filter(source=Source.MINED)

    def above(self, confidence: float) -> Self:
        return self.filter(confidence__gt=confidence).order_by("-confidence", "id")


class MemoryProactive(TierRow):
    """A habit. Above a certain confidence (0 to 1) it is mentioned without being asked for.

    ``basis_encrypted`` says what recurs, and ``pattern_index`` is its HMAC with the user's own key (hex), by which the
    habit is recognised even if its owner has changed the words. If its owner dismisses it, the words are deleted and
    the basis is kept, so that mining does not add it again.
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
            # Its index serves recall, and the lookup of a pattern.
            models.UniqueConstraint(fields=["user", "pattern_index"], name="memory_proactive_pattern_of_user"),
            models.CheckConstraint(
                condition=models.Q(confidence__gte=0, confidence__lte=1), name="memory_proactive_confidence"
            ),
        ]


def memory_is_on(user_id: UUID) -> bool:
    """Whether the user has the memory turned on. This can change until the user's row is locked."""
    return User.objects.filter(id=user_id, memory_enabled=True).exists()


def opened(vault: Vault, row: models.Model, column: str) -> str:
    """The text in ``column`` of ``row``. Raises ``UnreadableRow``."""
    return decrypted(vault, place_of(row, column), getattr(row, column))


def decrypted(vault: Vault, place: Place, token: str) -> str:
    """The text of the ciphertext ``token``, which was read from ``place``. Raises ``UnreadableRow``."""
    try:
        return vault.decrypt(place, token)
    except EncryptionError as error:
        raise UnreadableRow(place.table, place.row_id, str(error)) from error


def opened_or_none(vault: Vault, row: models.Model, column: str) -> str | None:
    """As ``opened``; None if the text cannot be decrypted."""
    try:
        return opened(vault, row, column)
    except UnreadableRow:
        return None


def readable(rows: Iterable[_Row], read: Callable[[_Row], _T]) -> Iterator[_T]:
    """The result of ``read`` for each row. Rows that cannot be decrypted are left out and logged."""
    for row in rows:
        try:
            value = read(row)
        except UnreadableRow as error:
            logger.warning("skipped: %s", error)
            continue
        yield value


def fitting(text: str, *, what: str, limit: int) -> str:
    """``text`` without surrounding space. Raises ``InvalidMemory`` if it is then empty or too long."""
    trimmed = text.strip()
    if not trimmed:
        raise InvalidMemory(f"The {what} is empty.")
    if len(trimmed) > limit:
        raise InvalidMemory(f"The {what} is too long: {len(trimmed)} characters, of {limit} at most.")
    return trimmed


def storable(identifier: str, *, limit: int) -> str:
    """A client's identifier in a form that PostgreSQL can store: no null characters, no lone surrogates, truncated."""
    return identifier.replace("\0", "").encode("utf-8", "replace").decode()[:limit]
