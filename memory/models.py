"""What is remembered of a user, in four tiers. Every text is ciphertext that only the user's key opens."""

from typing import ClassVar, Final, Self
from uuid import UUID, uuid4

from django.conf import settings
from django.db import models
from django.utils import timezone as clock
from pgvector.django import HalfVectorField

from memory.embedders.base import DIMENSIONS

MAX_ID_CHARS: Final = 200
MAX_TYPE_CHARS: Final = 32
INDEX_CHARS: Final = 64


class CoreQuerySet(models.QuerySet["MemoryCore"]):
    """Preferences."""

    def for_user(self, user_id: UUID) -> Self:
        return self.filter(user_id=user_id)


class MemoryCore(models.Model):
    """A preference, always given to the model. ``key_index`` is an HMAC of the key under the user's own key (hex)."""

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    # No index of its own: that of the constraint below begins with the user.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    key_index = models.CharField(max_length=INDEX_CHARS)
    key_encrypted = models.TextField()
    value_encrypted = models.TextField()
    created_at = models.DateTimeField(default=clock.now)
    updated_at = models.DateTimeField(default=clock.now)

    objects = CoreQuerySet.as_manager()

    class Meta:
        verbose_name = "core memory"
        verbose_name_plural = "core memory"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            # Its index serves recall, and a key's row.
            models.UniqueConstraint(fields=["user", "key_index"], name="memory_core_key_of_user"),
        ]

    def __str__(self) -> str:
        return str(self.id)


class EpisodicQuerySet(models.QuerySet["MemoryEpisodic"]):
    """What happened, newest first."""

    def for_user(self, user_id: UUID) -> Self:
        return self.filter(user_id=user_id)

    def newest_first(self) -> Self:
        return self.order_by("-created_at", "id")


class MemoryEpisodic(models.Model):
    """What happened in one exchange, in a sentence or two.

    ``exchange_encrypted`` keeps the words themselves only until a model has written the summary from them:
    ``summarised_at`` is null as long as the summary is the plain one made on the spot. ``attempts`` counts the tries.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    # No index of its own: that of recall, below, begins with the user.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    session_id = models.CharField(max_length=MAX_ID_CHARS, blank=True)
    summary_encrypted = models.TextField()
    exchange_encrypted = models.TextField(blank=True)
    summarised_at = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=clock.now)

    objects = EpisodicQuerySet.as_manager()

    class Meta:
        verbose_name = "episode"
        permissions = (("reveal_memoryepisodic", "Can reveal an episode's text"),)
        indexes: ClassVar[list[models.Index]] = [
            # Recall and history: a user's newest.
            models.Index(fields=["user", "-created_at"], name="memory_episodic_newest"),
            # The sweep: what still waits for a summary.
            models.Index(
                fields=["next_attempt_at"],
                name="memory_episodic_waiting",
                condition=models.Q(next_attempt_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)


class AssociativeQuerySet(models.QuerySet["MemoryAssociative"]):
    """Facts and exchanges."""

    def for_user(self, user_id: UUID) -> Self:
        return self.filter(user_id=user_id)


class MemoryAssociative(models.Model):
    """A fact or an exchange that is found by its meaning.

    ``embedding`` is the text's vector turned by the user's veil of key version ``veil_version`` (both null until it has
    been made) by the embedder ``embedding_model``. The row of an episode follows it: ``episode`` is null for a fact.
    ``entity_type`` and ``entity_id`` name what on the device the text is about. ``next_attempt_at`` is when the vector
    is to be made, null when nothing is to be done; ``attempts`` counts the tries.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    # No index of its own: that of the list, below, begins with the user.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    content_encrypted = models.TextField()
    embedding = HalfVectorField(dimensions=DIMENSIONS, null=True)
    embedding_model = models.CharField(max_length=100, blank=True)
    veil_version = models.PositiveIntegerField(null=True)
    entity_type = models.CharField(max_length=MAX_TYPE_CHARS, blank=True)
    entity_id = models.CharField(max_length=MAX_ID_CHARS, blank=True)
    episode = models.OneToOneField(MemoryEpisodic, on_delete=models.CASCADE, null=True, related_name="associative")
    attempts = models.PositiveSmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=clock.now)
    updated_at = models.DateTimeField(default=clock.now)

    objects = AssociativeQuerySet.as_manager()

    class Meta:
        verbose_name = "associative memory"
        verbose_name_plural = "associative memory"
        indexes: ClassVar[list[models.Index]] = [
            # Recall (every vector of a user, exactly) and the list, newest first.
            models.Index(fields=["user", "-updated_at"], name="memory_associative_of_user"),
            # The sweep: what still waits for its vector.
            models.Index(
                fields=["next_attempt_at"],
                name="memory_associative_waiting",
                condition=models.Q(next_attempt_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)


class ProactiveQuerySet(models.QuerySet["MemoryProactive"]):
    """Habits."""

    def for_user(self, user_id: UUID) -> Self:
        return self.filter(user_id=user_id)

    def kept(self) -> Self:
        return self.filter(dismissed_at=None)

    def above(self, confidence: float) -> Self:
        return self.filter(confidence__gt=confidence).order_by("-confidence", "id")


class MemoryProactive(models.Model):
    """A habit worth raising unasked above a confidence (0 to 1).

    ``basis_encrypted`` says what recurs, and ``pattern_index`` is its HMAC under the user's own key (hex): the same
    habit is found again whatever its owner has made of the words. Of one that the owner dismissed the words are gone;
    the basis stays, so that it does not come back.
    """

    id = models.UUIDField(primary_key=True, default=uuid4, editable=False)
    # No index of its own: that of the constraint below begins with the user.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    pattern_index = models.CharField(max_length=INDEX_CHARS)
    basis_encrypted = models.TextField()
    pattern_encrypted = models.TextField(blank=True)
    dismissed_at = models.DateTimeField(null=True)
    confidence = models.FloatField()
    source = models.CharField(max_length=32)
    created_at = models.DateTimeField(default=clock.now)
    updated_at = models.DateTimeField(default=clock.now)

    objects = ProactiveQuerySet.as_manager()

    class Meta:
        verbose_name = "habit"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            # Its index serves recall, and a pattern's row.
            models.UniqueConstraint(fields=["user", "pattern_index"], name="memory_proactive_pattern_of_user"),
            models.CheckConstraint(
                condition=models.Q(confidence__gte=0, confidence__lte=1), name="memory_proactive_confidence"
            ),
        ]

    def __str__(self) -> str:
        return str(self.id)
