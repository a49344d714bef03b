"""``ADIUVA_…_RATE``: how many attempts and requests are allowed in a period (``accounts/auth/attempts.py``)."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Self

from django.core.exceptions import ImproperlyConfigured

_RATE: Final = re.compile(r"([1-9][0-9]{0,8})/([smhd])", re.ASCII)
_PERIODS_S: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_RATES: Final = (
    ("login", "ADIUVA_LOGIN_RATE", "20/m"),
    ("login_address", "ADIUVA_LOGIN_ADDRESS_RATE", "60/m"),
    ("register", "ADIUVA_REGISTER_RATE", "20/h"),
    ("register_address", "ADIUVA_REGISTER_ADDRESS_RATE", "60/h"),
    ("refresh", "ADIUVA_REFRESH_RATE", "120/m"),
    ("rest", "ADIUVA_REST_RATE", "600/m"),  # all requests of a user
    ("link", "ADIUVA_LINK_RATE", "10/h"),
    ("link_address", "ADIUVA_LINK_ADDRESS_RATE", "6/h"),
    ("export", "ADIUVA_EXPORT_RATE", "5/h"),
    ("export_address", "ADIUVA_EXPORT_ADDRESS_RATE", "10/h"),
    ("mail", "ADIUVA_MAIL_RATE", "50/d"),
    ("mcp_failure", "ADIUVA_MCP_FAILURE_RATE", "60/m"),
    ("oauth", "ADIUVA_OAUTH_RATE", "120/m"),
    ("personal_token", "ADIUVA_PERSONAL_TOKEN_RATE", "60/h"),
    ("passkey", "ADIUVA_PASSKEY_RATE", "60/m"),
    ("second_factor", "ADIUVA_SECOND_FACTOR_RATE", "10/m"),
    ("second_factor_address", "ADIUVA_SECOND_FACTOR_ADDRESS_RATE", "50/d"),
)
"""The name, variable and default of each."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rate:
    """At most ``limit`` attempts in each period of ``period_s`` seconds."""

    limit: int
    period_s: int

    @classmethod
    def parse(cls, text: str, *, name: str) -> Self:
        """Reads ``20/m``: 20 per second (s), minute (m), hour (h) or day (d).

        Raises ``ImproperlyConfigured`` with ``name``, the variable.
        """
        parts = _RATE.fullmatch(text)
        if parts is None:
            raise ImproperlyConfigured(f"{name} is {text!r}: set it to a rate such as 20/m (s, m, h or d).")
        return cls(limit=int(parts[1]), period_s=_PERIODS_S[parts[2]])

    @property
    def per_minute(self) -> int:
        """Rounded up, so at least 1 unless the limit is 0."""
        return -(-60 * self.limit // self.period_s)


def attempt_rates(read: Callable[[str], str]) -> dict[str, Rate]:
    """The rates by name. ``read`` gives a variable's text, if any. Raises ``ImproperlyConfigured``."""
    return {name: Rate.parse(read(variable) or default, name=variable) for name, variable, default in _RATES}
