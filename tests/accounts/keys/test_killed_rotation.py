"""``rotate_keys`` in its own process, killed with SIGKILL while others write, then run again."""

import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from random import randrange
from threading import Event
from uuid import UUID

import pytest
from django.conf import settings
from django.db import connection, transaction

from accounts.keys import rotation
from accounts.keys.vault import open_vault
from accounts.locks import try_lock
from accounts.models import AuditEvent, User
from tests.accounts.events import event_about, made_events, reasons_about, rewrite_one, versions_of
from tests.accounts.threads import alone
from tests.adiuva.production import environment, manage_by_command
from tests.adiuva.servers import wait_for_end
from tests.databases import url_of
from tests.effort import tries
from tests.forks import Fork, forked

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.end_to_end]

ROWS = 5200
"""Enough rows that the command uses a process pool."""

COMMAND = ("rotate_keys", "--processes", "2")


def test_keys_of_everybody_are_rotated_by_a_pool(alice: User, bob: User) -> None:
    reasons = {user: made_events(user, number) for user, number in ((alice, 5500), (bob, 10))}
    ran = manage_by_command(*COMMAND, "--all", env=_environment())
    assert (ran.returncode, ran.stdout) == (0, "Encrypted 5,510 rows again, for 2 users.\n"), ran.stderr
    assert {user: reasons_about(user) for user in reasons} == reasons
    assert [open_vault(user.id).versions for user in reasons] == [(2,), (2,)]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_rotation_that_is_told_to_stop_says_how_to_go_on(alice: User, number: signal.Signals, code: int) -> None:
    reasons = made_events(alice, ROWS)
    with _rotating(alice) as process:
        with _never_done(next(iter(reasons))):
            _wait_for(alice, process, renewed=0)
            process.send_signal(number)
        said, _ = process.communicate(timeout=300)
    assert (process.returncode, said.splitlines()[-1]) == (
        code,
        "CommandError: Stopped. Nothing is lost: run the command again, and it goes on.",
    )
    assert "Traceback" not in said
    assert reasons_about(alice) == reasons


@pytest.mark.parametrize("kill", range(tries(1, long=10)))
def test_rotation_that_is_killed_loses_no_row_and_goes_on(alice: User, kill: int) -> None:
    reasons = made_events(alice, ROWS)
    held_back = event_about(alice, "held back").id
    killed_after = randrange(ROWS * 3 // 4)
    with _writers(alice, reasons) as writers:
        with _rotating(alice) as process, _never_done(held_back):
            _wait_for(alice, process, renewed=killed_after)
            process_pool = _children(process.pid)
            process.kill()
            process.wait(30)
        for pid in process_pool:  # their parent is gone
            wait_for_end(pid)
        _wait_for_database(alice)
        half_way = reasons_about(alice)
        assert half_way.keys() >= reasons.keys()
        with _rotating(alice) as process:
            said, _ = process.communicate(timeout=300)
    assert process.returncode == 0, said
    assert "again, for 1 user." in said

    written = {row_id: reason for writer in writers for row_id, reason in writer.result(timeout=1).items()}
    opened = reasons_about(alice)
    assert opened.pop(held_back) == "held back"
    assert opened.keys() == reasons.keys() | written.keys()
    assert {row_id: opened[row_id] for row_id in written} == written
    assert all(opened[row_id] == reason or opened[row_id].startswith("again ") for row_id, reason in reasons.items())
    [version] = open_vault(alice.id).versions
    assert versions_of(opened) == {f"v{version}"}


@contextmanager
def _rotating(user: User) -> Iterator[Fork]:
    """The command for this user, with standard error merged into the output."""
    with forked("manage.py", *COMMAND, "--user", user.email, env=_environment()) as process:
        yield process


def _environment() -> dict[str, str]:
    return environment(
        settings.DATA_DIR,
        ADIUVA_DEBUG="1",
        ADIUVA_MASTER_KEYS=settings.MASTER_KEYS,
        DATABASE_URL=url_of(str(connection.settings_dict["NAME"])),
    )


@contextmanager
def _writers(user: User, reasons: dict[UUID, str]) -> Iterator[list[Future[dict[UUID, str]]]]:
    """Two threads that rewrite reasons until the block ends; their result is the reasons they wrote."""
    over = Event()

    def write(number: int) -> dict[UUID, str]:
        written: dict[UUID, str] = {}
        while not over.is_set():
            reason = f"writer {number} wrote {len(written)}"
            written[event_about(user, reason).id] = reason
            rewrite_one(user, f"again {reason}", list(reasons))
        return written

    with ThreadPoolExecutor(2) as pool:
        try:
            yield [pool.submit(alone, lambda number=number: write(number)) for number in range(2)]
        finally:
            over.set()


@contextmanager
def _never_done(row_id: UUID) -> Iterator[None]:
    """Until the block ends, a rotation waits for this row."""
    with transaction.atomic():
        AuditEvent.objects.select_for_update().get(id=row_id)
        yield


def _wait_for(user: User, process: Fork, *, renewed: int) -> None:
    """Return when this many rows have the new key or the process has ended."""
    while _renewed(user) < renewed and process.poll() is None:
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.02)  # polls slowly and leaves the CPU to the rotation


def _wait_for_database(user: User) -> None:
    """Return when the database has noticed that the process which rotated this user's key is gone."""
    free = False
    while not free:
        with try_lock(rotation.rotation_lock(user.id)) as free:
            pass


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _renewed(user: User) -> int:
    version = User.objects.values_list("encryption_key_version", flat=True).get(id=user.id)
    rows = AuditEvent.objects.for_user(user.id).filter(reason_encrypted__startswith=f"v{version}:")
    return rows.count() if version > 1 else -1
