"""Turn records in the admin: read-only figures and outcomes."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from agents.telemetry.models import TurnRecord
from agents.telemetry.recorder import save_turns
from tests.agents.turns import turn, use

TURNS = "/admin/agents/turnrecord/"


@pytest.mark.django_db(transaction=True)
def test_turns_are_listed_with_their_tools_and_cannot_be_changed(as_superuser: Client, alice: User) -> None:
    save_turns([turn(alice.id, tools=(use("list_tasks"), use("list_tasks", ok=False)))])
    listed = as_superuser.get(
        TURNS, {"q": "alice@example.com", "outcome__exact": "done", "kind__exact": "home"}
    ).content.decode()
    assert "alice@example.com" in listed
    assert "1,234\N{NO-BREAK SPACE}ms" in listed
    assert "2, 1\N{NO-BREAK SPACE}failed" in listed
    address = f"{TURNS}{TurnRecord.objects.get().id}/"
    assert "list_tasks" in as_superuser.get(f"{address}change/").content.decode()
    for forbidden in (f"{TURNS}add/", f"{address}delete/"):
        assert as_superuser.get(forbidden).status_code == 403


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("number", [1, 3])
def test_the_list_of_turns_costs_the_same_for_any_number(
    as_superuser: Client, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    users = [User.objects.create_user(f"user-{position}@example.com") for position in range(number)]
    save_turns([turn(user.id) for user in users])
    with django_assert_num_queries(8):
        as_superuser.get(TURNS)
