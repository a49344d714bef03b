"""Signing in with an address and a password."""

from django.contrib.auth import authenticate
from django.contrib.auth.models import update_last_login

from accounts.errors import LoginFailed
from accounts.models import User


def log_in(email: str, password: str) -> User:
    """The active user with this address and password. Raises ``LoginFailed``, always alike.

    An unknown address, a wrong password, an account without a usable password and one that is not active cost one
    query and one hash each, so neither the answer nor its time tells which it was. (Django's model backend hashes
    once for an unknown address as well.)
    """
    user = authenticate(email=email, password=password)
    if not isinstance(user, User):
        raise LoginFailed
    update_last_login(type(user), user)
    return user
