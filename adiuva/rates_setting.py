"""The setting of the rates of attempts."""

from collections.abc import Callable
from typing import Final

from accounts.rest.rates import Rate

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


def attempt_rates(read: Callable[[str], str]) -> dict[str, Rate]:
    """The rates by name. ``read`` gives a variable's text, if any. Raises ``ImproperlyConfigured``."""
    return {name: Rate.parse(read(variable) or default, name=variable) for name, variable, default in _RATES}
