"""Keeps tests that depend on the day away from midnight: the clock of real servers and browsers cannot be set."""

import time
from datetime import UTC, datetime
from typing import Final

_BY_THE_DAY_S: Final = 86_400
_TIMEOUT_S: Final = 90
"""No test of a day's quota takes longer."""


def _zone() -> str:
    ahead = 12 - datetime.now(UTC).hour
    # The sign in these zones' names is inverted, as in POSIX.
    return f"Etc/GMT{-ahead:+d}" if ahead else "Etc/GMT"


ZONE: Final = _zone()
"""Where it was midday when the tests began: "today" stays the same day for hours."""


def wait_for_a_new_day() -> None:
    """Wait until midnight in UTC, when quotas reset, if it is so near that it could fall within a test."""
    left = _BY_THE_DAY_S - time.time() % _BY_THE_DAY_S
    if left < _TIMEOUT_S:
        time.sleep(left)
