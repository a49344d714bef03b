"""What went wrong, in words for the person at the terminal. Pure."""

from datetime import datetime, tzinfo
from typing import Final

from device.errors import DeviceError, RequestRejected
from device.wording import said_date

_USED_UP: Final = {"turns": "requests", "tokens": "tokens"}


def refusal_of(error: DeviceError, zone: tzinfo) -> str:
    """The error's own sentence; of a quota that is used up one that says the time of renewal in ``zone``."""
    if not isinstance(error, RequestRejected) or (renews_at := _renewal(error)) is None:
        return str(error)
    used_up = " and ".join(word for name, word in _USED_UP.items() if name in error.details) or "requests"
    again = said_date(renews_at.timestamp() * 1000, zone)
    return f"Your {used_up} of the day are used up. There will be new ones on {again}."


def _renewal(rejection: RequestRejected) -> datetime | None:
    if rejection.code != "quota_exceeded":
        return None
    try:
        moment = datetime.fromisoformat(rejection.details.get("renews_at", ""))
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None
