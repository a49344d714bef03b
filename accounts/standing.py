"""What a token stands for, and whether all of it is still so.

The same question is asked when a token is presented, and every few seconds about the sockets that are open.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef
from rest_framework_simplejwt.utils import get_md5_hash_password

from accounts.models import TokenFamily, User


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """Access that lasts while the user is active and has this password (a digest of what is stored) and generation,
    and while no device that the family was used on is removed.
    """

    user_id: UUID
    password: str = field(repr=False)
    generation: int
    family: UUID


def standing_of(user: User, *, family: UUID) -> Standing:
    """What tokens given out now stand for."""
    digest = get_md5_hash_password(user.password)
    return Standing(user_id=user.id, password=digest, generation=user.token_generation, family=family)


def upheld(standings: Collection[Standing]) -> dict[Standing, User]:
    """Those that still hold, each with its user. One query, however many there are."""
    ended = TokenFamily.objects.filter(
        device__user=OuterRef("pk"),
        device__removed_at__isnull=False,
        family__in={standing.family for standing in standings},
    )
    users = User.objects.filter(id__in={standing.user_id for standing in standings}, is_active=True)
    found = {user.id: user for user in users.annotate(ended_families=ArraySubquery(ended.values("family")))}
    return {
        standing: user
        for standing in standings
        if (user := found.get(standing.user_id)) is not None
        and standing == standing_of(user, family=standing.family)
        and standing.family not in user.ended_families
    }


def revoked(standings: Collection[Standing]) -> set[Standing]:
    """Those whose holders may not stay. One query."""
    return set(standings) - upheld(standings).keys()
