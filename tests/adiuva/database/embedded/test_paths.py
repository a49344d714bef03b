import os
from pathlib import Path

import pytest

from adiuva.database.embedded import django_database
from adiuva.database.embedded.paths import make_socket_folder, socket_folder
from adiuva.errors import EmbeddedPostgresError


def test_socket_of_a_long_path_lies_under_a_short_one_of_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1234)
    assert socket_folder(Path("/srv/adiuva")) == Path("/srv/adiuva/postgres/socket")
    long = socket_folder(Path("/srv") / ("a" * 90))
    assert long.parent == Path("/tmp/adiuva-1234")
    assert long != socket_folder(Path("/srv") / ("b" * 90))


def test_socket_folder_of_another_user_is_refused(data_dir: Path) -> None:
    folder = socket_folder(data_dir)
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    try:
        with pytest.raises(EmbeddedPostgresError, match="belongs to another user or is open to others"):
            make_socket_folder(data_dir, uid=os.geteuid(), gid=os.getegid())
    finally:
        folder.rmdir()


def test_short_socket_folder_is_private_from_its_parent_on(monkeypatch: pytest.MonkeyPatch, data_dir: Path) -> None:
    uid = os.geteuid()
    private = data_dir.parent / f"adiuva-{uid}"
    monkeypatch.setattr("adiuva.database.embedded.paths.socket_folder", lambda _data_dir: private / "abc")
    assert make_socket_folder(data_dir, uid=uid, gid=os.getegid()) == private / "abc"
    assert [folder.stat().st_mode & 0o777 for folder in (private, private / "abc")] == [0o700, 0o700]


def test_django_settings_name_the_socket_and_start_nothing(data_dir: Path) -> None:
    database = django_database(data_dir)
    assert (database["NAME"], database["USER"], database["HOST"]) == ("adiuva", "adiuva", str(socket_folder(data_dir)))
    assert not data_dir.exists()
