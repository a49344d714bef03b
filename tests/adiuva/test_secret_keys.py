import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from adiuva.secret_keys import master_key, secret_key


def test_keys_are_made_once_and_kept(tmp_path: Path) -> None:
    made = secret_key(tmp_path), master_key(tmp_path)
    assert (secret_key(tmp_path), master_key(tmp_path)) == made
    assert len(made[0]) >= 50
    assert Fernet(made[1]).decrypt(Fernet(made[1]).encrypt(b"text")) == b"text"


def test_keys_of_two_folders_differ(tmp_path: Path) -> None:
    assert master_key(tmp_path / "one") != master_key(tmp_path / "two")


def test_only_the_owner_may_read_them(tmp_path: Path) -> None:
    secret_key(tmp_path)
    master_key(tmp_path)
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "keys").rglob("*")}
    assert modes == {"secret_key": 0o600, "master_key": 0o600}
    assert (tmp_path / "keys").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("key", [secret_key, master_key])
def test_callers_at_the_same_time_get_the_same_key(tmp_path: Path, key: Callable[[Path], str]) -> None:
    ready = threading.Barrier(8)

    def ask(_number: int) -> str:
        ready.wait(timeout=10)
        return key(tmp_path)

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(ask, range(8)))) == 1
    assert len(list((tmp_path / "keys").iterdir())) == 1
