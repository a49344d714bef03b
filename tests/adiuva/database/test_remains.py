"""The search of files for an erased user."""

from pathlib import Path
from uuid import UUID, uuid4

import pytest

from accounts.cipher import MasterKeys, Place, encrypt, new_user_key
from accounts.encryption import master_keys
from accounts.erasure import forget
from accounts.erasure_traces import ErasureTrace, drop_old_traces, traces_of
from accounts.models import User
from adiuva.database import remains
from adiuva.database.remains import WAL, Evidence, evidence_of, search
from tests.accounts.device_rows import stored_device

USER = UUID("0f8fad5b-d9cb-469f-a165-70867728950e")


@pytest.fixture(autouse=True)
def _tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remains, "_table_names", lambda: {("5", "16400"): "accounts_user"})


def evidence(*addresses: str, masters: MasterKeys | None = None) -> Evidence:
    is_key = (lambda token: masters.opens_key_of(USER, token)) if masters else (lambda _: False)
    return evidence_of(USER, addresses=addresses, digests=frozenset(), is_key=is_key)


def written(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_each_form_of_the_id_and_the_address_is_found_by_place(tmp_path: Path) -> None:
    written(tmp_path, "base/5/16400", b"..".join([USER.bytes, str(USER).encode(), USER.hex.encode(), b"a@b.example"]))
    written(tmp_path, "base/5/16400.1", USER.bytes)
    written(tmp_path, "base/5/99", USER.bytes)
    written(tmp_path, "pg_wal/000000010000000000000001", b"a@b.example" * 2)
    written(tmp_path, "server.log", b"nothing")
    found = search(tmp_path, evidence("a@b.example"))
    assert found.places == {
        "table accounts_user": {"id": 4, "address": 1},
        "files of tables that are gone, or of another database": {"id": 1},
        WAL: {"address": 2},
    }
    assert (found.tables, found.unread) == (["accounts_user"], 0)


@pytest.mark.parametrize("at", [0, 30, 90, 100])
def test_what_is_split_between_two_blocks_is_found_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    monkeypatch.setattr(remains, "_CHUNK", 100)
    monkeypatch.setattr(remains, "_OVERLAP", 50)
    written(tmp_path, "pg_wal/1", b"." * at + USER.bytes + b"." * 300)
    assert search(tmp_path, evidence()).places == {WAL: {"id": 1}}


def test_wrapped_key_is_recognized_by_opening_it_and_no_one_elses(tmp_path: Path) -> None:
    masters, key = master_keys(), new_user_key(version=3)
    own, others = (masters.wrap(key, user_id=user_id).token.encode() for user_id in (USER, uuid4()))
    text = encrypt(key, Place(table="t", column="c", row_id=USER), "words").encode()
    written(tmp_path, "base/5/16400", b"\0".join([own, others, text, b"gAAAA" + b"x" * 500]))
    assert search(tmp_path, evidence(masters=masters)).places == {"table accounts_user": {"wrapped key": 1}}


@pytest.mark.django_db(transaction=True)
def test_erasing_keeps_digests_of_every_ciphertext_for_some_days(alice: User) -> None:
    device = stored_device(alice)
    tokens = [alice.encryption_key, alice.email_encrypted, device.device_id_encrypted, device.platform_encrypted]
    forget(alice.id)
    digests = traces_of(alice.id)
    looking = Evidence(texts=(), digests=digests)
    for token in tokens:
        assert list(looking.found_in(b"\0" + token.encode() + b"\0")) == ["ciphertext"]
    assert len(digests) == len(tokens)
    ErasureTrace.objects.update(erased_at="2020-01-01T00:00:00Z")
    drop_old_traces()
    assert not traces_of(alice.id)
