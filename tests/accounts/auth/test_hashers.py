"""Passwords are hashed by few threads, with parameters that leave memory and processors to others."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.utils.module_loading import import_string

from accounts.auth.hashers import BoundedArgon2Hasher
from adiuva.settings import PASSWORD_HASHERS


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
