"""Changes to rows as by an attacker with database access, or a damaged disk."""

from django.db.models import Model

from accounts.keys.rotation import rotate_user_key
from accounts.models import RetiredKey, User


def damage(row: Model, column: str) -> str:
    """Change one character of a ciphertext and return the damaged ciphertext."""
    token: str = getattr(row, column)
    middle = len(token) // 2
    damaged = token[:middle] + ("A" if token[middle] != "A" else "B") + token[middle + 1 :]
    type(row)._default_manager.filter(pk=row.pk).update(**{column: damaged})
    return damaged


def move(source: Model, target: Model, column: str) -> str:
    """Replace one row's ciphertext with another's and return it."""
    token: str = getattr(source, column)
    type(target)._default_manager.filter(pk=target.pk).update(**{column: token})
    return token


def half_rotate(user: User) -> None:
    """Give the user a new key without renewing any row."""
    rotate_user_key(user.id, within_s=0)
    assert RetiredKey.objects.filter(user=user).exists()
