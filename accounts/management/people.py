"""The users that a command is about."""

from django.core.management.base import CommandError

from accounts.models import User


def user_with_address(email: str) -> User:
    """The user with this address in any form. Raises ``CommandError``."""
    try:
        return User.objects.get_by_natural_key(email)
    except User.DoesNotExist:
        raise CommandError(f"There is no account with the address {email}.") from None


def counted(number: int, noun: str) -> str:
    """Such as "1 row" and "2,000 rows"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
