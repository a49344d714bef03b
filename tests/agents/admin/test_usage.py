"""Usage in the list of users."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone as clock
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from agents.admin.usage import DAYS
from agents.requests import RequestKind
from agents.telemetry.recorder import save_turns
from tests.accounts.admin.conftest import may, signed_in
from tests.agents.turns import generation, turn

USERS = "/admin/accounts/user/"
COLUMN = f"Turns ({DAYS} d)"


def shown(client: Client, column: str) -> dict[str, int]:
    rows = client.get(USERS).context["cl"].result_list
    return {str(user): getattr(user, column) for user in rows}


@pytest.mark.django_db(transaction=True)
def test_users_are_listed_with_recent_usage(as_superuser: Client, alice: User, bob: User) -> None:
    now, wrote = clock.now(), (generation(input_tokens=1_000, output_tokens=234),)
    save_turns(
        [
            turn(alice.id, generations=wrote, started_at=now),
            turn(alice.id, generations=wrote, started_at=now, kind=RequestKind.JOB),
            turn(alice.id, generations=wrote, started_at=now - timedelta(days=DAYS + 1)),
        ]
    )
    text = as_superuser.get(USERS).content.decode()
    assert (COLUMN in text, "2,468" in text) == (True, True)
    turns, tokens = shown(as_superuser, "turns_of_late"), shown(as_superuser, "tokens_of_late")
    assert (turns["alice@example.com"], tokens["alice@example.com"]) == (1, 2468)
    assert (turns["bob@example.com"], tokens["bob@example.com"]) == (0, 0)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("number", [1, 3])
def test_usage_needs_no_extra_query(
    as_superuser: Client, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    users = [User.objects.create_user(f"user-{position}@example.com") for position in range(number)]
    save_turns([turn(user.id, started_at=clock.now()) for user in users])
    with django_assert_num_queries(5):
        as_superuser.get(USERS)


def test_usage_requires_permission_to_view_turns(sam: User) -> None:
    may(sam, "accounts.view_user")
    assert COLUMN not in signed_in(sam).get(USERS).content.decode()
    may(sam, "agents.view_turnrecord")
    assert COLUMN in signed_in(User.objects.get(id=sam.id)).get(USERS).content.decode()
