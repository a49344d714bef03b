"""The present time, time zones by name, and the zone of this machine."""

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo, available_timezones

# Files among the zones that are not zones: a link to the machine's own, and the mark of an unconfigured machine.
_NOT_ZONES = frozenset({"localtime", "Factory"})


def utc_now() -> datetime:
    """The present time, aware."""
    return datetime.now(UTC)


def is_timezone(name: str) -> bool:
    """Whether ``name`` is a zone of the IANA database, such as ``Europe/Rome``."""
    return name in _names()


def zone_named(name: str) -> ZoneInfo:
    """The zone with this name; UTC if there is none."""
    return ZoneInfo(name if is_timezone(name) else "UTC")


@cache
def _names() -> frozenset[str]:
    return frozenset(available_timezones()) - _NOT_ZONES


def machine_timezone(*, environment: Mapping[str, str] = os.environ, root: Path = Path("/")) -> str:
    """The zone this machine is set to: ``TZ``, ``/etc/timezone`` or the link ``/etc/localtime``; else ``UTC``."""
    return next(filter(is_timezone, _candidates(environment, root)), "UTC")


def _candidates(environment: Mapping[str, str], root: Path) -> tuple[str, str, str]:
    return environment.get("TZ", "").removeprefix(":"), _written(root / "etc/timezone"), _linked(root / "etc/localtime")


def _written(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _linked(path: Path) -> str:
    try:
        return str(path.readlink()).partition("zoneinfo/")[2]
    except OSError:
        return ""
