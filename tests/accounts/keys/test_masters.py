"""A server whose master keys are not those of its database serves nothing that needs a key, and says so."""

import logging

import pytest
from cryptography.fernet import Fernet
from django.test import Client
from pytest_django import Settings
from rest_framework.test import APIClient

from accounts.auth.registration import log_in, register
from accounts.errors import LoginFailed, MissingMasterKey
from accounts.keys.masters import CHECKED_EVERY_S, KeyWatch, key_problem, missing_master_keys
from accounts.keys.rotation import rewrap
from accounts.models import RetiredKey, User
from adiuva.checks import check_keys_in_database
from tests.conftest import PASSWORD

pytestmark = pytest.mark.django_db
NEW = {"email": "carol@example.com", "password": PASSWORD}


@pytest.fixture
def other_key(alice: User, settings: Settings) -> str:
    """The master key is another than the one that wrapped Alice's key."""
    key = Fernet.generate_key().decode()
    settings.MASTER_KEYS = key
    return key


def test_no_one_registers_or_signs_in_under_another_master_key(other_key: str) -> None:
    with pytest.raises(MissingMasterKey):
        register(**NEW)
    with pytest.raises(MissingMasterKey):
        log_in("alice@example.com", PASSWORD)
    assert User.objects.count() == 1


@pytest.mark.parametrize("path", ["register", "token"])
def test_rest_refuses_under_another_master_key(other_key: str, path: str) -> None:
    answer = APIClient().post(f"/api/v1/auth/{path}", NEW, format="json")
    assert (answer.status_code, answer.json()["code"]) == (503, "key_unavailable")


def test_admin_says_why_it_cannot_sign_anyone_in(other_key: str) -> None:
    answer = Client().post("/admin/login/", {"username": "alice@example.com", "password": PASSWORD})
    assert (answer.status_code, "cannot open its keys" in answer.content.decode()) == (503, True)


def test_user_whose_key_alone_cannot_be_opened_is_refused(alice: User, bob: User) -> None:
    User.objects.filter(id=alice.id).update(master_key_id="0" * 16)
    with pytest.raises(MissingMasterKey):
        log_in(alice.email, PASSWORD)
    with pytest.raises(LoginFailed):
        log_in(alice.email, "wrong")
    assert log_in(bob.email, PASSWORD) == bob


def test_first_user_of_an_empty_database_is_taken_in_with_any_master_key(db: None, settings: Settings) -> None:
    settings.MASTER_KEYS = Fernet.generate_key().decode()
    assert log_in(register(**NEW).email, PASSWORD).email == NEW["email"]
    assert not missing_master_keys()


def test_every_wrapped_key_counts(alice: User, bob: User, other_key: str) -> None:
    RetiredKey.objects.create(user=bob, version=1, encryption_key="x", master_key_id="f" * 16)
    User.objects.filter(id=bob.id).update(encryption_key="", master_key_id="")  # being erased
    assert missing_master_keys() == {alice.master_key_id: 2, "f" * 16: 1}
    assert key_problem() == (
        "Keys in the database are wrapped with master keys that ADIUVA_MASTER_KEYS does not contain: "
        f"{alice.master_key_id} (2 keys), ffffffffffffffff (1 key)."
    )


def test_rotation_of_the_master_key_refuses_no_one_at_any_time(alice: User, settings: Settings) -> None:
    older, newer = settings.MASTER_KEYS, Fernet.generate_key().decode()
    settings.MASTER_KEYS = f"{newer},{older}"
    assert (key_problem(), log_in(alice.email, PASSWORD)) == (None, alice)
    rewrap()
    settings.MASTER_KEYS = newer
    assert (key_problem(), log_in("alice@example.com", PASSWORD).email) == (None, "alice@example.com")


def test_watch_asks_once_a_minute_and_logs_each_change(caplog: pytest.LogCaptureFixture) -> None:
    answers, now = [None, "wrong key", "wrong key", None], [0.0]
    watch = KeyWatch(lambda: answers.pop(0), clock=lambda: now[0])
    caplog.set_level(logging.INFO, "accounts")
    assert [watch.problem(), watch.problem()] == [None, None]
    now[0] = CHECKED_EVERY_S
    assert [watch.problem() for _ in range(3)] == ["wrong key", "wrong key", None]
    assert [record.getMessage() for record in caplog.records] == [
        "What needs these keys is refused: wrong key",
        "All keys in the database can be opened again.",
    ]


@pytest.mark.django_db(transaction=True)
def test_deployment_check_names_a_missing_master_key(alice: User, settings: Settings) -> None:
    assert check_keys_in_database() == []
    settings.MASTER_KEYS = Fernet.generate_key().decode()
    [found] = check_keys_in_database()
    assert (found.id, alice.master_key_id in found.msg) == ("adiuva.E007", True)
