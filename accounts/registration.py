"""How an account begins."""

from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from accounts.errors import AddressTaken
from accounts.models import User

_MADE_ON_SAVE = frozenset({"encryption_key", "master_key_id"})


def register(email: str, password: str, *, language: str = "en", timezone: str = "UTC") -> User:
    """A new user and the user's key, in one transaction.

    Raises Django's ``ValidationError`` with sentences by field, or ``AddressTaken``. Whether the address is taken is
    found by inserting, after the password has been hashed: two at once cannot both pass, and both take equally long.
    """
    user = User(email=email, language=language, timezone=timezone)
    user.clean()
    _refuse_weak(password, user)
    user.set_password(password)
    user.clean_fields(exclude=_MADE_ON_SAVE)
    try:
        with transaction.atomic():
            user.save(force_insert=True)
    except IntegrityError:
        if User.objects.filter(email=user.email).exists():
            raise AddressTaken from None
        raise
    return user


def _refuse_weak(password: str, user: User) -> None:
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise ValidationError({"password": error.messages}) from None
