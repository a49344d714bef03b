"""Staff who sign in to the admin."""

import pytest
from django.test import Client
from pytest_django import Settings

from tests.conftest import PASSWORD

LOGIN = "/admin/login/"
FACTOR = "/admin/second-factor/"


@pytest.fixture
def required(settings: Settings) -> None:
    """All staff must have a second factor, as in production."""
    settings.STAFF_SECOND_FACTOR = "REQUIRED"


@pytest.fixture
def client() -> Client:
    return Client()


def give_password(client: Client, email: str = "sam@example.com", *, then: str = "/admin/") -> str:
    """Sign in with the password; the address that the browser is sent to, empty without one."""
    answer = client.post(f"{LOGIN}?next={then}", {"username": email, "password": PASSWORD})
    return answer.headers.get("Location", "")


def opens(client: Client, path: str = "/admin/") -> bool:
    return client.get(path).status_code == 200
