from pathlib import Path

import pytest

from accounts.timezones import is_timezone, machine_timezone, zone_named


@pytest.mark.parametrize("name", ["UTC", "Europe/Rome", "America/Argentina/Ushuaia"])
def test_timezone_of_the_iana_database_is_one(name: str) -> None:
    assert is_timezone(name)


@pytest.mark.parametrize("name", ["", "Europe/Roma", "europe/rome", "../../etc/passwd", "localtime", "Factory", "\0"])
def test_other_names_are_no_timezone(name: str) -> None:
    assert not is_timezone(name)
    assert zone_named(name).key == "UTC"


def test_zone_that_exists_is_the_one_of_that_name() -> None:
    assert zone_named("Europe/Rome").key == "Europe/Rome"


@pytest.mark.parametrize("tz", ["Asia/Tokyo", ":Asia/Tokyo"])
def test_machine_timezone_is_that_of_the_environment_first(tmp_path: Path, tz: str) -> None:
    _set_up(tmp_path, written="Europe/Rome")
    assert machine_timezone(environment={"TZ": tz}, root=tmp_path) == "Asia/Tokyo"


def test_machine_timezone_is_the_written_one_next(tmp_path: Path) -> None:
    _set_up(tmp_path, written="Europe/Rome\n", linked="/usr/share/zoneinfo/Asia/Tokyo")
    assert machine_timezone(environment={"TZ": "CET-1CEST"}, root=tmp_path) == "Europe/Rome"


def test_machine_timezone_is_the_linked_one_last(tmp_path: Path) -> None:
    _set_up(tmp_path, linked="../usr/share/zoneinfo/Asia/Tokyo")
    assert machine_timezone(environment={}, root=tmp_path) == "Asia/Tokyo"


def test_machine_timezone_is_utc_when_nothing_says_it(tmp_path: Path) -> None:
    assert machine_timezone(environment={}, root=tmp_path) == "UTC"


def test_machine_timezone_is_utc_when_what_says_it_cannot_be_read(tmp_path: Path) -> None:
    _set_up(tmp_path)
    (tmp_path / "etc/timezone").write_bytes(b"\xff\xfe")
    (tmp_path / "etc/localtime").write_bytes(b"TZif2")
    assert machine_timezone(environment={}, root=tmp_path) == "UTC"


def _set_up(root: Path, *, written: str | None = None, linked: str | None = None) -> None:
    (root / "etc").mkdir()
    if written is not None:
        (root / "etc/timezone").write_text(written)
    if linked is not None:
        (root / "etc/localtime").symlink_to(linked)
