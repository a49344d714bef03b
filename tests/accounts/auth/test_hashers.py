"""Passwords are hashed by few threads, with parameters that leave memory and processors to others."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.utils.module_loading import import_string
from pytest_django import DjangoCaptureOnCommitCallbacks

from accounts.auth.hashers import BoundedArgon2Hasher
from accounts.auth.personal_tokens import issue_personal_token, personal_tokens_of
from accounts.auth.registration import log_in
from accounts.auth.sessions import sessions_of
from accounts.auth.tokens import bearer_of, grant_of, issue_tokens, revoked, rotate_refresh_token
from accounts.models import User
from adiuva.settings import PASSWORD_HASHERS
from tests.conftest import PASSWORD
from tests.hashers import CheapArgon2


def test_production_uses_it() -> None:
    assert [import_string(name) for name in PASSWORD_HASHERS] == [BoundedArgon2Hasher]


def test_a_password_is_verified_and_another_is_not() -> None:
    hasher = BoundedArgon2Hasher()
    encoded = hasher.encode("correct horse", hasher.salt())

    assert encoded.startswith("argon2$argon2id$v=19$m=47104,t=3,p=1$")
    assert (hasher.verify("correct horse", encoded), hasher.verify("wrong", encoded)) == (True, False)
    assert not hasher.must_update(encoded)


def test_a_hash_with_djangos_parameters_is_renewed_with_the_next_sign_in() -> None:
    assert BoundedArgon2Hasher().must_update(Argon2PasswordHasher().encode("correct horse", "s" * 22))


class EarlierArgon2(CheapArgon2):
    """As an earlier release hashed."""

    time_cost = 2


@pytest.fixture
def earlier(alice: User) -> User:
    """Alice, whose password was hashed by an earlier release."""
    hasher = EarlierArgon2()
    alice.password = hasher.encode(PASSWORD, hasher.salt())
    alice.save(update_fields=["password"])
    return alice


def test_a_hash_that_is_renewed_ends_nothing(
    earlier: User, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    pair, token = issue_tokens(earlier), issue_personal_token(earlier, name="Editor")
    grant = bearer_of(pair.access).grant

    with django_capture_on_commit_callbacks() as announced:
        alice = log_in(earlier.email, PASSWORD)

    assert (alice.password != earlier.password, announced) == (True, [])
    assert (bearer_of(pair.access).user, revoked([grant])) == (alice, set())
    assert [session.id for session in sessions_of(alice)] == [grant.family]
    assert [each.id for each in personal_tokens_of(alice)] == [token.id]
    assert bearer_of(rotate_refresh_token(pair.refresh).access).grant == grant_of(alice, family=grant.family)
    alice.set_password("another fine passphrase")
    alice.save(update_fields=["password"])
    assert revoked([grant]) == {grant}


def test_of_two_sign_ins_at_once_one_renews_the_hash(earlier: User) -> None:
    first, second = User.objects.get(), User.objects.get()
    assert first.check_password(PASSWORD)
    assert second.check_password(PASSWORD)
    assert earlier.password != first.password == second.password == User.objects.get().password


def test_renewing_a_hash_brings_no_older_password_back(earlier: User) -> None:
    signing_in = User.objects.get()
    earlier.set_password("another fine passphrase")
    earlier.save(update_fields=["password"])
    assert signing_in.check_password(PASSWORD)
    assert User.objects.get().password == earlier.password != signing_in.password


def test_many_sign_ins_at_once_are_hashed_by_few_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []

    def verify(*_arguments: Any) -> bool:
        names.append(threading.current_thread().name)
        return True

    monkeypatch.setattr(Argon2PasswordHasher, "verify", verify)
    monkeypatch.setattr("accounts.auth.hashers.os.cpu_count", lambda: 2)
    hasher = BoundedArgon2Hasher()
    with ThreadPoolExecutor(8) as sign_ins:
        assert all(sign_ins.map(lambda _: hasher.verify("correct horse", "x"), range(32)))

    assert {name.rpartition("_")[0] for name in names} == {"hashing"}
