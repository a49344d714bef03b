import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from accounts.vault import Vault
from tests.conftest import PASSWORD

USERS = "/admin/accounts/user/"


@pytest.fixture
def as_sam(sam: User) -> Client:
    sam.is_superuser = True
    sam.save(update_fields=["is_superuser"])
    client = Client()
    client.force_login(sam)
    return client


def test_admin_lists_and_finds_users(as_sam: Client, alice: User, bob: User) -> None:
    everybody = as_sam.get(USERS).content.decode()
    assert [email for email in ("alice@example.com", "bob@example.com", "sam@example.com") if email in everybody] == [
        "alice@example.com",
        "bob@example.com",
        "sam@example.com",
    ]
    found = as_sam.get(USERS, {"q": "ALICE"}).content.decode()
    assert ("alice@example.com" in found, "bob@example.com" in found) == (True, False)


@pytest.mark.parametrize("number", [1, 3])
def test_admin_list_costs_the_same_for_any_number_of_users(
    as_sam: Client, django_assert_num_queries: DjangoAssertNumQueries, number: int
) -> None:
    for position in range(number):
        User.objects.create_user(f"user{position}@example.com")
    with django_assert_num_queries(7):
        as_sam.get(USERS)


@pytest.mark.parametrize("page", ["", "{id}/change/", "{id}/history/", "{id}/delete/", "add/"])
def test_admin_shows_no_key(as_sam: Client, alice: User, page: str) -> None:
    shown = as_sam.get(USERS + page.format(id=alice.id))
    assert shown.status_code == 200
    for secret in (alice.encryption_key, alice.master_key_id, alice.password):
        assert secret not in shown.content.decode()


def test_admin_makes_a_user_with_a_key(as_sam: Client) -> None:
    form = {
        "email": "Carol@Example.com",
        "language": "it",
        "timezone": "Europe/Rome",
        "password1": PASSWORD,
        "password2": PASSWORD,
    }
    assert as_sam.post(f"{USERS}add/", form).status_code == 302
    carol = User.objects.get(email="carol@example.com")
    assert (carol.language, carol.timezone, carol.check_password(PASSWORD)) == ("it", "Europe/Rome", True)
    assert Vault.for_user(carol).key.version == 1


def test_admin_refuses_a_taken_address_and_a_weak_password(as_sam: Client, alice: User) -> None:
    form = {
        "email": "ALICE@example.com",
        "language": "en",
        "timezone": "UTC",
        "password1": "12345678",
        "password2": "12345678",
    }
    refused = as_sam.post(f"{USERS}add/", form)
    assert refused.status_code == 200
    errors = refused.context["adminform"].form.errors
    assert errors["email"] == ["This address is taken."]
    assert errors["password2"][0] == "This password is too short. It must contain at least 10 characters."


def test_admin_changes_a_user_and_leaves_the_key(as_sam: Client, alice: User) -> None:
    form = {"email": alice.email, "language": "it", "timezone": "Asia/Tokyo"}
    assert as_sam.post(f"{USERS}{alice.id}/change/", form).status_code == 302
    key = alice.encryption_key
    alice.refresh_from_db()
    assert (alice.language, alice.timezone, alice.is_active, alice.encryption_key) == ("it", "Asia/Tokyo", False, key)


def test_admin_is_for_staff(alice: User) -> None:
    client = Client()
    client.force_login(alice)
    assert client.get(USERS).status_code == 302


def test_staff_sign_in_with_their_address(sam: User) -> None:
    client = Client()
    answer = client.post("/admin/login/?next=/admin/", {"username": "SAM@example.com", "password": PASSWORD})
    assert (answer.status_code, answer["Location"]) == (302, "/admin/")
