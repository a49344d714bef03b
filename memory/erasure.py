"""Forgetting everything that is remembered of a user, who stays."""

from typing import Final
from uuid import UUID

from django.db import transaction

from accounts.models import User
from memory.models import MemoryAssociative, MemoryCore, MemoryEpisodic, MemoryProactive

_TIERS: Final = (MemoryAssociative, MemoryEpisodic, MemoryProactive, MemoryCore)


@transaction.atomic
def erase_memory(user_id: UUID) -> None:
    """Deletes every row of the four tiers. The user's key need not open."""
    # Whoever is writing holds a share lock on this row: what they write comes before this, or after it.
    User.objects.select_for_update(no_key=True).filter(id=user_id).first()
    for tier in _TIERS:
        tier.objects.for_user(user_id).delete()
