"""Turn records in the admin: read-only figures and outcomes."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from agents.telemetry.models import TurnRecord
from agents.telemetry.recorder import save_turns
from tests.accounts.admin.conftest import may, signed_in
from tests.agents.turns import turn, use

TURNS = "/admin/agents/turnrecord/"


@pytest.mark.django_db(transaction=True)
def test_turns_are_listed_with_their_tools_and_read_only(as_superuser: Client, alice: User) -> None:
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
def test_staff_without_permission_see_neither_turns_nor_links_to_them(sam: User, alice: User) -> None:
    save_turns([turn(alice.id, tools=(use("list_tasks"),))])
    may(sam, "accounts.view_user", "agents.view_tooljob", "agents.view_disclosure", "agents.view_approval")
    browser, record = signed_in(sam), TurnRecord.objects.get()
    for page in (TURNS, f"{TURNS}{record.id}/change/", f"{TURNS}{record.id}/history/"):
        assert browser.get(page).status_code == 403
    others = ["/admin/", "/admin/agents/", "/admin/agents/tooljob/", f"/admin/accounts/user/{alice.id}/change/"]
    shown = {page: browser.get(page).content.decode() for page in others}
    assert [page for page, text in shown.items() if "turnrecord" in text or "turn record" in text] == []
    filtered = browser.get("/admin/accounts/user/", {"turns__outcome": "done"})
    assert filtered.status_code in {302, 400}

    may(sam, "agents.view_turnrecord")
    browser = signed_in(User.objects.get(id=sam.id))
    assert (browser.get(TURNS).status_code, TURNS in browser.get("/admin/").content.decode()) == (200, True)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("number", [1, 3])
def test_query_count_does_not_depend_on_number_of_turns(
    as_superuser: Client, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    users = [User.objects.create_user(f"user-{position}@example.com") for position in range(number)]
    save_turns([turn(user.id) for user in users])
    with django_assert_num_queries(8):
        as_superuser.get(TURNS)
