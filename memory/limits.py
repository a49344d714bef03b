"""How much is remembered, in characters and rows."""

from typing import Final

from memory.errors import Unfit

MAX_KEY_CHARS: Final = 100
MAX_VALUE_CHARS: Final = 2_000
MAX_CORE_ROWS: Final = 200
MAX_FACT_CHARS: Final = 4_000
MAX_SUMMARY_CHARS: Final = 1_000
MAX_PATTERN_CHARS: Final = 500


def fitting(text: str, *, what: str, limit: int) -> str:
    """``text`` without white space around it. Raises ``Unfit`` when nothing is left, or more than ``limit``."""
    trimmed = text.strip()
    if not trimmed:
        raise Unfit(f"The {what} is empty.")
    if len(trimmed) > limit:
        raise Unfit(f"The {what} is too long: {len(trimmed)} characters, of {limit} at most.")
    return trimmed


def storable(identifier: str, *, limit: int) -> str:
    """A client's name for something as a plain column takes it: without null characters and halves of a character."""
    return identifier.replace("\0", "").encode("utf-8", "replace").decode()[:limit]
