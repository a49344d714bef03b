"""Text for a terminal: nothing in it can move the cursor, and dates are said the same everywhere. Pure."""

import re
from datetime import datetime, tzinfo
from typing import Final

# Escape sequences begin with one of the first; new lines and tabs are text. The last turn the text that follows.
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def printable(text: str) -> str:
    """``text`` without control characters and overrides of its direction.

    What a model or a row says must not speak to the terminal, nor disguise what is around it.
    """
    return _CONTROL.sub("", text)


def one_line(value: object) -> str:
    """``value`` on one line; empty for None."""
    return "" if value is None else " ".join(printable(str(value)).split())


def said_date(moment_ms: object, zone: tzinfo) -> str:
    """``21 Nov 2026``, with the time of day unless it is midnight; empty for what is no moment."""
    if not isinstance(moment_ms, int | float):
        return ""
    try:
        moment = datetime.fromtimestamp(moment_ms / 1000, zone)
    except (ValueError, OverflowError, OSError):
        return ""
    day = f"{moment.day} {_MONTHS[moment.month - 1]} {moment.year}"
    return f"{day} {moment:%H:%M}" if moment.hour or moment.minute else day


def counted(number: int, one: str) -> str:
    """``1 task``, ``2 tasks``."""
    return f"{number} {one}" if number == 1 else f"{number} {one}s"
