"""A backup's file has its name only when it is whole, and is read only if it is."""

import errno
import fcntl
import hashlib
import os
import stat
import subprocess
import tarfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import pytest
from django.core.management import call_command

from adiuva.database.backup.archive import Manifest, check, drafted, opened
from adiuva.errors import BackupError

MANIFEST = Manifest(
    made_at="2026-03-29T10:00:00+00:00",
    postgresql="18.1",
    tables={"accounts_user": 2, "agents_approval": 0},
    migrations=["accounts.0001_user"],
    master_keys=["0123456789abcdef"],
)
DUMP = bytes(range(256)) * 999


def written(path: Path, dump: bytes | Iterator[bytes] = DUMP, manifest: Manifest = MANIFEST) -> Path:
    with drafted(path) as draft:
        draft.write_dump(iter([dump[:1000], dump[1000:]]) if isinstance(dump, bytes) else dump)
        draft.finish(manifest)
    return path


def no_links(*_: object) -> NoReturn:
    raise PermissionError(errno.EPERM, "Operation not permitted")


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_backup_is_read_as_it_was_written(tmp_path: Path) -> None:
    with opened(written(tmp_path / "a.tar")) as (manifest, pieces):
        assert (manifest, b"".join(pieces)) == (MANIFEST, DUMP)
    assert names_in(tmp_path) == ["a.tar"]
    assert stat.S_IMODE((tmp_path / "a.tar").stat().st_mode) == 0o600


def test_a_backup_is_a_tar_file_whose_sums_any_machine_can_check(tmp_path: Path) -> None:
    written(tmp_path / "a.tar")
    with tarfile.open(tmp_path / "a.tar") as archive:
        archive.extractall(tmp_path, filter="data")
    assert names_in(tmp_path) == ["SHA256SUMS", "a.tar", "database.dump", "manifest.json"]
    assert (tmp_path / "SHA256SUMS").read_text().splitlines() == [
        f"{hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()}  {name}"
        for name in ("database.dump", "manifest.json")
    ]
    subprocess.run(["tar", "tf", tmp_path / "a.tar"], check=True, capture_output=True)


def test_a_file_that_exists_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a.tar").write_text("mine")
    with pytest.raises(BackupError, match="exists already"):
        written(tmp_path / "a.tar")
    assert (tmp_path / "a.tar").read_text() == "mine"


def test_a_draft_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def broken() -> Iterator[bytes]:
        yield b"x"
        raise RuntimeError

    with pytest.raises(RuntimeError), drafted(tmp_path / "a.tar") as draft:
        draft.write_dump(broken())
    assert names_in(tmp_path) == []


def test_what_a_kill_left_is_overwritten_and_becomes_private(tmp_path: Path) -> None:
    left = tmp_path / ".a.tar.partial"
    left.write_bytes(bytes(10**6))
    left.chmod(0o644)
    check(written(tmp_path / "a.tar"))
    assert names_in(tmp_path) == ["a.tar"]
    assert stat.S_IMODE((tmp_path / "a.tar").stat().st_mode) == 0o600


def test_two_at_once_do_not_write_the_same_file(tmp_path: Path) -> None:
    with drafted(tmp_path / "a.tar") as draft:
        with pytest.raises(BackupError, match="Another process is writing"):
            written(tmp_path / "a.tar")
        draft.write_dump(iter([DUMP]))
        draft.finish(MANIFEST)
    check(tmp_path / "a.tar")


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_appears_meanwhile_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    if not links:
        monkeypatch.setattr(os, "link", no_links)

    def pieces() -> Iterator[bytes]:
        yield DUMP
        (tmp_path / "a.tar").write_text("mine")

    with pytest.raises(BackupError, match="exists already"):
        written(tmp_path / "a.tar", dump=pieces())
    assert ((tmp_path / "a.tar").read_text(), names_in(tmp_path)) == ("mine", ["a.tar"])


def test_a_file_system_without_hard_links_is_fine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "link", no_links)
    check(written(tmp_path / "a.tar"))
    assert names_in(tmp_path) == ["a.tar"]


def test_a_name_that_leads_nowhere_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a.tar").symlink_to(tmp_path / "nothing")
    with pytest.raises(BackupError, match="exists already"):
        written(tmp_path / "a.tar")


def test_another_that_ends_just_before_the_lock_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second process has opened the partial file before the first gave it its name, and locks it afterwards."""
    first = drafted(tmp_path / "a.tar")
    draft = first.__enter__()
    draft.write_dump(iter([DUMP]))
    draft.finish(MANIFEST)
    lock = fcntl.flock

    def locked_late(*arguments: Any) -> None:
        monkeypatch.setattr(fcntl, "flock", lock)
        first.__exit__(None, None, None)
        lock(*arguments)

    monkeypatch.setattr(fcntl, "flock", locked_late)
    with pytest.raises(BackupError, match="has just ended"):
        written(tmp_path / "a.tar", dump=b"other")
    with opened(tmp_path / "a.tar") as (_, pieces):
        assert b"".join(pieces) == DUMP


def test_a_kill_just_after_the_naming_does_not_endanger_the_backup(tmp_path: Path) -> None:
    os.link(written(tmp_path / "a.tar"), tmp_path / ".a.tar.partial")
    (tmp_path / "a.tar").rename(tmp_path / "kept.tar")
    written(tmp_path / "a.tar", dump=b"other")
    with opened(tmp_path / "kept.tar") as (_, pieces):
        assert b"".join(pieces) == DUMP


def test_a_partial_name_that_leads_elsewhere_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("mine")
    (tmp_path / ".a.tar.partial").symlink_to(tmp_path / "victim")
    with pytest.raises(BackupError, match="cannot be written"):
        written(tmp_path / "a.tar")
    assert (tmp_path / "victim").read_text() == "mine"


@pytest.mark.parametrize("share", [0.0, 0.001, 0.5, 0.99, 0.995])
def test_a_file_that_was_cut_off_is_refused(tmp_path: Path, share: float) -> None:
    path = written(tmp_path / "a.tar")
    os.truncate(path, int(path.stat().st_size * share))
    with pytest.raises(BackupError, match="cut off"):
        check(path)


def test_a_changed_byte_is_noticed_wherever_it_is(tmp_path: Path) -> None:
    whole = written(tmp_path / "a.tar", dump=b"dump").read_bytes()
    changed, unseen = tmp_path / "b.tar", 0
    for at in range(0, len(whole), 41):
        changed.write_bytes(whole[:at] + bytes([whole[at] ^ 0x15]) + whole[at + 1 :])
        try:
            with opened(changed) as (manifest, pieces):
                unseen += 1
                assert (manifest, b"".join(pieces)) == (MANIFEST, b"dump"), at
        except BackupError:
            continue
    assert unseen < len(whole) // 41, "padding alone may differ"


def test_other_files_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "other"
    with pytest.raises(BackupError, match="cannot be read: No such file"):
        check(other)
    other.write_text("This is no backup.")
    with pytest.raises(BackupError, match="not a complete backup"):
        check(other)
    with tarfile.open(tmp_path / "other.tar", "w") as archive:
        archive.add(other, "other")
    with pytest.raises(BackupError, match="it has no SHA256SUMS"):
        check(tmp_path / "other.tar")


def test_a_backup_of_a_later_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BackupError, match="newer release"):
        written(tmp_path / "a.tar", manifest=replace(MANIFEST, format=2))


def test_checking_says_that_a_backup_is_of_a_newer_release(tmp_path: Path) -> None:
    newer = replace(MANIFEST, migrations=["accounts.9999_later"], master_keys=[])
    with pytest.raises(BackupError, match=r"newer release, which has accounts\.9999_later"):
        call_command("restore", str(written(tmp_path / "a.tar", manifest=newer)), check=True)
