"""Rates of attempts."""

import re
from dataclasses import dataclass
from typing import Self

from django.core.exceptions import ImproperlyConfigured

_RATE = re.compile(r"([1-9][0-9]{0,8})/([smhd])", re.ASCII)
_PERIODS_S = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


@dataclass(frozen=True, kw_only=True, slots=True)
class Rate:
    """At most ``limit`` attempts in any one period of ``period_s`` seconds."""

    limit: int
    period_s: int

    @classmethod
    def parse(cls, text: str, *, name: str) -> Self:
        """Reads ``20/m``: 20 per second (s), minute (m), hour (h) or day (d).

        Raises ``ImproperlyConfigured`` with the name of the setting.
        """
        parts = _RATE.fullmatch(text)
        if parts is None:
            raise ImproperlyConfigured(f"{name} is {text!r}: set it to a rate such as 20/m (s, m, h or d).")
        return cls(limit=int(parts[1]), period_s=_PERIODS_S[parts[2]])

    @property
    def per_minute(self) -> int:
        """Rounded up, so at least 1 unless the limit is 0."""
        return -(-60 * self.limit // self.period_s)
