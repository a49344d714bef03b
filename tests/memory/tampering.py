"""What somebody with the database could do to it, and what a damaged disk does."""

from django.db.models import Model

from accounts.models import RetiredKey, User
from accounts.rotation import rotate_user_key


def damage(row: Model, column: str) -> str:
    """Change one character of a ciphertext; gives what stands there now."""
    token: str = getattr(row, column)
    middle = len(token) // 2
    damaged = token[:middle] + ("A" if token[middle] != "A" else "B") + token[middle + 1 :]
    type(row)._default_manager.filter(pk=row.pk).update(**{column: damaged})
    return damaged


def move(source: Model, target: Model, column: str) -> str:
    """Put one row's ciphertext in the place of another's; gives it."""
    token: str = getattr(source, column)
    type(target)._default_manager.filter(pk=target.pk).update(**{column: token})
    return token


def half_rotate(user: User) -> None:
    """Give the user a new key, and renew nothing yet."""
    rotate_user_key(user.id, within_s=0)
    assert RetiredKey.objects.filter(user=user).exists()
