"""How the tiers are read. Every read begins with whose memory it is."""

from typing import TYPE_CHECKING, Self
from uuid import UUID

from django.db import models

if TYPE_CHECKING:
    # Named below in text only, which the linter does not read as a type in this place.
    from memory.models import MemoryAssociative, MemoryCore, MemoryEpisodic, MemoryProactive  # noqa: F401


class CoreQuerySet(models.QuerySet["MemoryCore"]):
    """Preferences."""

    def for_user(self, user_id: UUID) -> Self:
        return self.filter(user_id=user_id)


class EpisodicQuerySet(models.QuerySet["MemoryEpisodic"]):
    """What happened, newest first."""

    def for_user(self, user_id: UUID) -> Self:
        return self.filter(user_id=user_id)

    def newest_first(self) -> Self:
        return self.order_by("-created_at", "id")


class AssociativeQuerySet(models.QuerySet["MemoryAssociative"]):
    """Facts and exchanges."""

    def for_user(self, user_id: UUID) -> Self:
        return self.filter(user_id=user_id)


class ProactiveQuerySet(models.QuerySet["MemoryProactive"]):
    """Habits."""

    def for_user(self, user_id: UUID) -> Self:
        return self.filter(user_id=user_id)

    def kept(self) -> Self:
        return self.filter(dismissed_at=None)

    def above(self, confidence: float) -> Self:
        return self.filter(confidence__gt=confidence).order_by("-confidence", "id")
