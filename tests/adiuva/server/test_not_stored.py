"""What the API answers about a user is not written to the disk of a browser."""

import pytest
from django.test import Client

from accounts.auth.tokens import issue_tokens
from accounts.models import User


@pytest.mark.parametrize("path", ["auth/me", "auth/sessions", "devices", "nothing"])
def test_answers_of_the_api_are_not_stored(client: Client, alice: User, path: str) -> None:
    answer = client.get(f"/api/v1/{path}", headers={"Authorization": f"Bearer {issue_tokens(alice).access}"})

    assert answer["Cache-Control"] == "no-store"
