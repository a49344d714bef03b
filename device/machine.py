"""What this machine says of itself."""

import os
import platform
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from zoneinfo import ZoneInfo


def machine_timezone(*, environment: Mapping[str, str] = os.environ, root: Path = Path("/")) -> ZoneInfo | None:
    """The zone that ``TZ``, ``/etc/timezone`` or the link ``/etc/localtime`` names; None when none of them does."""
    return next((zone for name in _candidates(environment, root) if (zone := _zone(name)) is not None), None)


def machine_platform() -> str:
    """The operating system and its kind of processor, such as ``linux x86_64``."""
    return f"{platform.system().lower()} {platform.machine()}".strip()


def _candidates(environment: Mapping[str, str], root: Path) -> Iterator[str]:
    yield environment.get("TZ", "").removeprefix(":")
    with suppress(OSError, UnicodeDecodeError):
        yield (root / "etc/timezone").read_text(encoding="utf-8").strip()
    with suppress(OSError):
        yield str((root / "etc/localtime").readlink()).partition("zoneinfo/")[2]


def _zone(name: str) -> ZoneInfo | None:
    # Beside the zones there is a copy of the machine's own, whose name would mean another zone on another machine.
    if not name or name == "localtime":
        return None
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # no such zone, no name of a zone, the name of a folder of zones
        return None
