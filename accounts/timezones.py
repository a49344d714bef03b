"""Names of time zones: which exist, and which one this machine is in."""

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo, available_timezones

# Files beside the zones that are none: this machine's own zone, and the mark of a machine that was never set up.
_NOT_ZONES = frozenset({"localtime", "Factory"})


def is_timezone(name: str) -> bool:
    """Whether ``name`` is a zone of the IANA database, such as ``Europe/Rome``."""
    return name in _names()


def zone_named(name: str) -> ZoneInfo:
    """That zone; UTC where there is none of that name."""
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
