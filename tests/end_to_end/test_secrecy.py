"""After a week of conversation nothing that was said is stored in plain text."""

import asyncio
import re
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import suppress

import psycopg
import pytest
from cryptography.fernet import Fernet, InvalidToken

from adiuva.database.embedded.paths import DATABASE, ROLE, database_folder, socket_folder
from tests.adiuva.production import manage
from tests.end_to_end.guarded import Guarded, guarded
from tests.end_to_end.week import Week

pytestmark = pytest.mark.end_to_end


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Week]:
    """A week on a server that still runs."""
    # One device of that week is silent: this is how long the server waits for it.
    with guarded(ADIUVA_CLIENT_CALL_TIMEOUT_S="5") as server:
        week = Week(server, folder=tmp_path_factory.mktemp("device"))
        asyncio.run(week.live())
        yield week


@pytest.fixture(scope="module")
def erased(lived: Week) -> Week:
    """The week after Alice's account was erased."""
    with psycopg.connect(host=str(socket_folder(lived.server.data_dir)), user=ROLE, dbname=DATABASE) as session:
        # As autovacuum does in time.
        session.execute("ANALYZE")
    lived.server.manage("forget_user", lived.alice.email, "--yes")
    return lived


def test_a_dump_of_the_database_holds_nothing_that_was_said(lived: Week) -> None:
    dumped = lived.server.dump()
    assert lived.secret.found_in(dumped) == []
    # The search works: it finds words in a plain column.
    assert [found.partition(":")[0] for found in lived.plain.found_in(dumped)] == [
        "latin as it is",
        "cyrillic as it is",
    ]


def test_no_file_of_the_data_folder_holds_anything_that_was_said(lived: Week) -> None:
    assert lived.secret.found_below(lived.server.data_dir) == []
    journal = [found for found in lived.plain.found_below(lived.server.data_dir) if "/pg_wal/" in found]
    assert journal != []


def test_no_file_of_the_data_folder_and_no_line_of_the_log_names_the_user(lived: Week) -> None:
    address = lived.alice.email.encode()
    files = [path for path in database_folder(lived.server.data_dir).rglob("*") if path.is_file()]
    assert [path for path in files if address in path.read_bytes()] == []
    assert address not in "".join(lived.server.said).encode()


def test_no_line_of_the_log_holds_anything_that_was_said(lived: Week) -> None:
    log = "".join(lived.server.said)
    assert lived.secret.found_in(log.encode()) == []
    assert "PUT /api/v1/memory/core/<path:key> 200" in log


TOKEN = re.compile(rb"gAAAA[\w-]{60,}=*", re.ASCII)


def opened(tokens: Iterable[bytes], keys: Iterable[bytes]) -> list[bytes]:
    """The plain texts of those tokens that one of the keys decrypts."""
    fernets, found = [Fernet(key) for key in keys], []
    for token in tokens:
        for fernet in fernets:
            with suppress(InvalidToken):
                found.append(fernet.decrypt(token))
    return found


def test_after_erasure_the_master_keys_open_none_of_the_users_data(lived: Week, request: pytest.FixtureRequest) -> None:
    masters = [key.encode() for key in lived.server.environment["ADIUVA_MASTER_KEYS"].split(",")]

    def keys() -> dict[bytes, bytes]:
        """Every user key that a thief of database and master keys can unwrap, with its owner's id."""
        unwrapped = opened(TOKEN.findall(lived.server.dump()), masters)
        return {key: header for header, _, key in (plain.partition(b"\n") for plain in unwrapped)}

    written = TOKEN.findall(lived.server.dump())
    assert len(keys()) >= 2
    assert lived.secret.found_in(b"".join(opened(written, keys()))) != []

    request.getfixturevalue("erased")
    assert [header for header in keys().values() if lived.user_id.encode() in header] == []
    # Neither what is left (the reasons of audit events) nor what an older copy contains.
    assert lived.secret.found_in(b"".join(opened([*written, *TOKEN.findall(lived.server.dump())], keys()))) == []
    with lived.server.caller(lived.alice.access) as caller:
        assert caller.get("/api/v1/auth/me").status_code == 401


def test_files_are_searched_for_an_erased_user_and_cleaned(erased: Week) -> None:
    server, address = erased.server, erased.alice.email
    # As if a row of the time before addresses were encrypted had been deleted.
    with psycopg.connect(host=str(socket_folder(server.data_dir)), user=ROLE, dbname=DATABASE) as session:
        # No checkpoint removes the write-ahead log before it is searched.
        session.execute("SELECT pg_create_physical_replication_slot('searched', true)")
        session.execute(f"CREATE TABLE older AS SELECT '{address}' AS email")
        session.execute("DELETE FROM older")
        # Once may be across two pages of the log, and is not found then.
        session.execute("SELECT pg_logical_emit_message(true, 'older', %s) FROM generate_series(1, 3)", [address])

    found = verified(server, erased.user_id, "--address", address.upper())
    assert found.returncode == 1, found
    for said in (
        "table accounts_auditevent: the id in ",
        "table accounts_user: ciphertext ",
        "wrapped key ",
        "table older: address 1 time; deleted rows, until VACUUM FULL",
        "; values of deleted rows, for the planner, until ANALYZE",
        "the write-ahead log: address ",
        "Not searched: backups",
    ):
        assert said in found.stdout
    with psycopg.connect(host=str(socket_folder(server.data_dir)), user=ROLE, dbname=DATABASE) as session:
        session.execute("SELECT pg_drop_replication_slot('searched')")

    cleaned = verified(server, erased.user_id, "--address", address, "--clean")
    assert cleaned.returncode == 0, f"{cleaned.stdout}\n{cleaned.stderr[-500:]}"
    assert "nothing else was found" in cleaned.stdout
    folder = database_folder(server.data_dir)
    assert [path for path in folder.rglob("*") if path.is_file() and address.encode() in path.read_bytes()] == []


def verified(server: Guarded, *arguments: str) -> subprocess.CompletedProcess[str]:
    return manage("verify_erasure", *arguments, env=server.environment)
