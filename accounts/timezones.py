"""The present time, time zones by name, and the zone of this machine."""

import os
from collections.abc import Mapping
from contextlib import suppress
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
    names = [environment.get("TZ", "").removeprefix(":")]
    with suppress(OSError, UnicodeDecodeError):
        names.append((root / "etc/timezone").read_text(encoding="utf-8").strip())
    with suppress(OSError):
        names.append(str((root / "etc/localtime").readlink()).partition("zoneinfo/")[2])
    return next(filter(is_timezone, names), "UTC")
