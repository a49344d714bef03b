"""Members of staff and their permissions."""

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from accounts.models import User


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def may(user: User, *names: str) -> None:
    """Give ``user`` permissions such as ``accounts.change_user``."""
    for name in names:
        app, _, codename = name.partition(".")
        user.user_permissions.add(Permission.objects.get(content_type__app_label=app, codename=codename))


@pytest.fixture
def superuser(sam: User) -> User:
    """Sam, a superuser."""
    sam.is_superuser = True
    sam.save(update_fields=["is_superuser"])
    return sam


@pytest.fixture
def as_superuser(superuser: User) -> Client:
    return signed_in(superuser)


@pytest.fixture
def as_sam(sam: User) -> Client:
    """Staff with the permissions on users, but no superuser."""
    may(sam, *(f"accounts.{verb}_user" for verb in ("view", "add", "change", "delete")))
    return signed_in(sam)
