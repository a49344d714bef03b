"""Time spans in words. Pure."""

from datetime import timedelta
from typing import Final

_SPACE: Final = "\N{NO-BREAK SPACE}"
_UNITS: Final = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))


def span_text(length: timedelta) -> str:
    """``length`` in its two largest units, such as ``2 min 5 s``, with no-break spaces. Negative counts as zero."""
    left = max(0, int(length.total_seconds()))
    if not left:
        return f"under{_SPACE}1{_SPACE}s"
    counts = []
    for seconds, unit in _UNITS:
        count, left = divmod(left, seconds)
        counts.append((count, unit))
    first = next(place for place, (count, _) in enumerate(counts) if count)
    return _SPACE.join(f"{count}{_SPACE}{unit}" for count, unit in counts[first : first + 2] if count)
