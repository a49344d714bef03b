from pathlib import Path

import pytest

from accounts.timezones import is_timezone, machine_timezone, zone_named


@pytest.mark.parametrize("name", ["UTC", "Europe/Rome", "America/Argentina/Ushuaia"])
def test_iana_name_is_timezone(name: str) -> None:
    assert is_timezone(name)


@pytest.mark.parametrize("name", ["", "Europe/Roma", "europe/rome", "../../etc/passwd", "localtime", "Factory", "\0"])
def test_other_name_is_not_timezone_and_falls_back_to_utc(name: str) -> None:
    assert not is_timezone(name)
    assert zone_named(name).key == "UTC"


def test_known_zone_name_returns_its_zone() -> None:
    assert zone_named("Europe/Rome").key == "Europe/Rome"


@pytest.mark.parametrize("tz", ["Asia/Tokyo", ":Asia/Tokyo"])
def test_machine_timezone_prefers_tz_variable(tmp_path: Path, tz: str) -> None:
    _set_up(tmp_path, written="Europe/Rome")
    assert machine_timezone(environment={"TZ": tz}, root=tmp_path) == "Asia/Tokyo"


def test_machine_timezone_uses_etc_timezone_when_tz_names_no_zone(tmp_path: Path) -> None:
    _set_up(tmp_path, written="Europe/Rome\n", linked="/usr/share/zoneinfo/Asia/Tokyo")
    assert machine_timezone(environment={"TZ": "CET-1CEST"}, root=tmp_path) == "Europe/Rome"


def test_machine_timezone_falls_back_to_localtime_link(tmp_path: Path) -> None:
    _set_up(tmp_path, linked="../usr/share/zoneinfo/Asia/Tokyo")
    assert machine_timezone(environment={}, root=tmp_path) == "Asia/Tokyo"


def test_machine_timezone_is_utc_without_any_source(tmp_path: Path) -> None:
    assert machine_timezone(environment={}, root=tmp_path) == "UTC"


def test_machine_timezone_is_utc_when_sources_are_unreadable(tmp_path: Path) -> None:
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
