"""What a token grants access by, and whether all of it still holds.

It is checked when a token is presented, and every few seconds for open sockets.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef
from rest_framework_simplejwt.utils import get_md5_hash_password

from accounts.models import TokenFamily, User


@dataclass(frozen=True, kw_only=True, slots=True)
class AccessGrant:
    """Access that lasts while the user is active, keeps this password (a digest of the stored hash) and generation, and
    no device on which the family was used is removed.
    """

    user_id: UUID
    password: str = field(repr=False)
    generation: int
    family: UUID


def grant_of(user: User, *, family: UUID) -> AccessGrant:
    """The grant of a token issued now."""
    digest = get_md5_hash_password(user.password)
    return AccessGrant(user_id=user.id, password=digest, generation=user.token_generation, family=family)


def valid_grants(grants: Collection[AccessGrant]) -> dict[AccessGrant, User]:
    """Those that still hold, each with its user. One query for all."""
    ended = TokenFamily.objects.filter(
        device__user=OuterRef("pk"),
        device__removed_at__isnull=False,
        family__in={grant.family for grant in grants},
    )
    users = User.objects.filter(id__in={grant.user_id for grant in grants}, is_active=True)
    found = {user.id: user for user in users.annotate(ended_families=ArraySubquery(ended.values("family")))}
    return {
        grant: user
        for grant in grants
        if (user := found.get(grant.user_id)) is not None
        and grant == grant_of(user, family=grant.family)
        and grant.family not in user.ended_families
    }


def revoked(grants: Collection[AccessGrant]) -> set[AccessGrant]:
    """Those that no longer hold. One query."""
    return set(grants) - valid_grants(grants).keys()
