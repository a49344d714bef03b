"""The users that a command is about, and why."""

from argparse import ArgumentTypeError
from uuid import UUID

from django.core.management.base import CommandError

from accounts.errors import EncryptionError, KeyConfigurationError
from accounts.models import User


def user_with_address(email: str) -> User:
    """The user with this address in any form, or with this id, as logs have it. Raises ``CommandError``."""
    if "@" not in email and (user := _user_with_id(email)) is not None:
        return user
    try:
        return User.objects.get_by_natural_key(email)
    except User.DoesNotExist:
        raise CommandError(f"There is no account with the address {email or '“”'}.") from None
    except (EncryptionError, KeyConfigurationError) as error:
        raise CommandError(f"No account can be found by its address: {error}") from None


def _user_with_id(text: str) -> User | None:
    try:
        return User.objects.filter(id=UUID(text)).first()
    except ValueError:
        return None


def reason_text(text: str) -> str:
    """The type of an argument for the record: not blank."""
    if not text.strip():
        raise ArgumentTypeError("it is empty: say why, for the record.")
    return text


def counted(number: int, noun: str) -> str:
    """Such as "1 row" and "2,000 rows"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
