"""Dates as a model writes them (ISO, in the user's time zone) and as the wire carries them (milliseconds, UTC)."""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from agents.errors import ModelRetry


def to_ms(text: str, timezone: ZoneInfo) -> int:
    """Milliseconds of ``2026-11-24`` (midnight) or ``2026-11-24T18:00`` in ``timezone``; an offset given is honoured.

    Raises ``ModelRetry`` for anything else.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=timezone)
        return _milliseconds(moment)
    except (ValueError, OverflowError):
        raise ModelRetry(f"{text!r} is not a date: write it as 2026-11-24 or 2026-11-24T18:00.") from None


def to_iso(milliseconds: int, timezone: ZoneInfo) -> str:
    """``2026-11-24``, with the time (``2026-11-24 18:00``) unless it is midnight in ``timezone``."""
    try:
        moment = datetime.fromtimestamp(milliseconds / 1000, timezone)
    except (ValueError, OverflowError, OSError):
        return "an unreadable date"
    if (moment.hour, moment.minute) == (0, 0):
        return moment.date().isoformat()
    return f"{moment.date().isoformat()} {moment:%H:%M}"


def day_range(day: date, timezone: ZoneInfo) -> tuple[int, int]:
    """The first and the last millisecond of ``day`` in ``timezone``, however long clock changes make it."""
    start = datetime.combine(day, time.min, timezone)
    end = datetime.combine(day + timedelta(days=1), time.min, timezone)
    return _milliseconds(start), _milliseconds(end) - 1


def _milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
