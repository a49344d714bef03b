"""Whom a command is about."""

from collections.abc import Sequence
from uuid import UUID

from django.core.management.base import CommandError

from accounts.models import User


def user_with_address(email: str) -> User:
    """However the address is written. Raises ``CommandError``."""
    try:
        return User.objects.get_by_natural_key(email)
    except User.DoesNotExist:
        raise CommandError(f"There is no account with the address {email}.") from None


def everybody() -> Sequence[UUID]:
    """The ids of all users who have a key; of an account that is being erased it is destroyed already."""
    return list(User.objects.exclude(encryption_key="").order_by("date_joined", "id").values_list("id", flat=True))


def counted(number: int, noun: str) -> str:
    """Such as "1 row" and "2,000 rows"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
