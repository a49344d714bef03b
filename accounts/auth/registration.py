"""Registering and signing in with an address and a password; the demo account of a development server."""

from functools import partial
from typing import Final

from django.conf import settings
from django.contrib.auth import authenticate
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import update_last_login
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.db import IntegrityError, transaction

from accounts.auth.verification import ask_to_verify, check_may_sign_in, initial_state
from accounts.errors import AddressTaken, LoginFailed
from accounts.models import User
from accounts.timezones import machine_timezone

MAX_ADDRESS_CHARS: Final = 254
DEMO_EMAIL: Final = "demo@adiuva.local"
DEMO_PASSWORD: Final = "adiuva-demo-2026"  # noqa: S105 (documented, and refused outside DEBUG)


def register(email: str, password: str, *, language: str = "en", timezone: str = "UTC") -> User:
    """A new user with a key, in one transaction, who is sent a link that verifies the address.

    Raises Django's ``ValidationError`` with sentences by field, or ``AddressTaken``. Only the INSERT finds a taken
    address, after the password has been hashed: of two at once one fails, and both answers take equally long.
    """
    user = User(email=email, language=language, timezone=timezone, address_state=initial_state())
    user.clean()
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise ValidationError({"password": error.messages}) from None
    user.set_password(password)
    user.clean_fields(exclude={"encryption_key", "master_key_id"})  # save() makes them
    try:
        with transaction.atomic():
            user.save(force_insert=True)
    except IntegrityError:
        if User.objects.filter(email=user.email).exists():
            raise AddressTaken from None
        raise
    ask_to_verify(user)
    return user


def log_in(email: str, password: str) -> User:
    """The active user with this address and password. Raises ``LoginFailed``, always the same.

    Raises ``AddressUnverified`` for the right password of a user who must verify the address first, and as
    ``open_vault`` if a key cannot be opened.

    An unknown address, a wrong password, an unusable one and an inactive account each cost two queries and one hash, so
    neither the answer nor its time tells them apart. (Django's model backend hashes once for an unknown address, too.)
    """
    user = authenticate(email=email, password=password)
    if not isinstance(user, User):
        raise LoginFailed
    check_may_sign_in(user)
    user.check_key()
    update_last_login(type(user), user)
    return user


def ensure_demo_account() -> User:
    """The demo account, created if it does not exist and otherwise left unchanged.

    Raises ``ImproperlyConfigured`` outside DEBUG: its password is public.
    """
    if not settings.DEBUG:
        raise ImproperlyConfigured("The demo account is for development: it is made with ADIUVA_DEBUG=1 only.")
    # Not create_user: two servers may start at once. Django calls the defaults only for a new account.
    defaults = {"password": partial(make_password, DEMO_PASSWORD), "timezone": machine_timezone}
    user, _ = User.objects.get_or_create(email=DEMO_EMAIL, defaults=defaults)
    return user
