"""Midnight is kept away from tests that go by days: real servers and browsers have no clock that could be given."""

import time
from datetime import UTC, datetime
from typing import Final

_BY_THE_DAY_S: Final = 86_400
_LONGEST_S: Final = 90
"""No test of a day's quota takes longer."""


def _zone() -> str:
    ahead = 12 - datetime.now(UTC).hour
    # These names say how far UTC is ahead of them.
    return f"Etc/GMT{-ahead:+d}" if ahead else "Etc/GMT"


ZONE: Final = _zone()
"""Where it was midday when the tests began: "today" stays the same day for hours."""


def wait_for_a_new_day() -> None:
    """Wait until midnight in UTC, by which quotas go, if it is so near that it might come in the midst of a test."""
    left = _BY_THE_DAY_S - time.time() % _BY_THE_DAY_S
    if left < _LONGEST_S:
        time.sleep(left)
