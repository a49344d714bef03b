"""The machine's time zone, from every place that configures it."""

from collections.abc import Callable
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from device.machine import machine_platform, machine_timezone

_ROME = ZoneInfo("Europe/Rome")


def _write_name(root: Path) -> None:
    (root / "etc/timezone").write_text("Europe/Rome\n")


def _link_zone(root: Path) -> None:
    (root / "etc/localtime").symlink_to("/usr/share/zoneinfo/Europe/Rome")


def _write_rubbish_and_link_zone(root: Path) -> None:
    (root / "etc/timezone").write_bytes(b"\xff")
    _link_zone(root)


def _nothing(_root: Path) -> None:
    return


@pytest.mark.parametrize(
    ("environment", "prepare", "zone"),
    [
        ({"TZ": "Europe/Rome"}, _nothing, _ROME),
        ({"TZ": ":Europe/Rome"}, _nothing, _ROME),
        ({"TZ": "Asia/Tokyo"}, _write_name, ZoneInfo("Asia/Tokyo")),
        ({"TZ": "CET-1CEST"}, _write_name, _ROME),
        ({"TZ": "../../etc/passwd"}, _write_name, _ROME),
        ({"TZ": "Europe"}, _write_name, _ROME),
        ({"TZ": "localtime"}, _write_name, _ROME),
        ({}, _write_name, _ROME),
        ({}, _link_zone, _ROME),
        ({}, _write_rubbish_and_link_zone, _ROME),
        ({}, _nothing, None),
    ],
)
def test_timezone_is_the_first_that_names_one(
    tmp_path: Path, environment: dict[str, str], prepare: Callable[[Path], None], zone: ZoneInfo | None
) -> None:
    (tmp_path / "etc").mkdir()
    prepare(tmp_path)
    assert machine_timezone(environment=environment, root=tmp_path) == zone


def test_platform_names_system_and_processor() -> None:
    system, _, processor = machine_platform().partition(" ")
    assert system.islower()
    assert processor
