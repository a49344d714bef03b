"""Typed readers of environment variables.

Every reader stops the start with one sentence that says which variable is wrong and what to set. A secret ``NAME``
may also come from a file named by ``NAME_FILE``, the way container platforms hand secrets over.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})
_MOST_DAYS = 36_500
"""A hundred years: there are dates so long ago."""


@dataclass(frozen=True)
class Environment:
    """Reads settings out of ``variables``, usually ``os.environ``."""

    variables: Mapping[str, str]

    def text(self, name: str, default: str = "") -> str:
        return self.variables.get(name, "").strip() or default

    def flag(self, name: str, *, default: bool = False) -> bool:
        value = self.text(name)
        if not value:
            return default
        folded = value.casefold()
        if folded in _TRUE:
            return True
        if folded in _FALSE:
            return False
        raise ImproperlyConfigured(f"{name} is {value!r}: set it to 1 or 0.")

    def integer(self, name: str, default: int, *, minimum: int = 0) -> int:
        value = self.text(name)
        if not value:
            return default
        try:
            number = int(value)
        except ValueError:
            raise ImproperlyConfigured(f"{name} is {value!r}: set it to a whole number.") from None
        if number < minimum:
            raise ImproperlyConfigured(f"{name} is {number}: set it to {minimum} or more.")
        return number

    def days(self, name: str, default: int, *, least: int = 1) -> int:
        """For how many days something is kept: ``least`` or more, or 0 for as long as its user is there."""
        number = self.integer(name, default)
        if number > _MOST_DAYS:
            raise ImproperlyConfigured(f"{name} is {number}: set it to {_MOST_DAYS} or less, or to 0 for no end.")
        if 0 < number < least:
            raise ImproperlyConfigured(f"{name} is {number}: set it to {least} or more, or to 0 for no end.")
        return number

    def seconds(self, name: str, default: float) -> float:
        """A positive duration in seconds."""
        value = self.text(name)
        if not value:
            return default
        try:
            number = float(value)
        except ValueError:
            raise ImproperlyConfigured(f"{name} is {value!r}: set it to a number of seconds.") from None
        if not 0 < number < float("inf"):
            raise ImproperlyConfigured(f"{name} is {value!r}: set it to a positive number of seconds.")
        return number

    def listing(self, name: str, default: tuple[str, ...] = ()) -> list[str]:
        """The comma-separated items of ``name``, without white space or empty items."""
        value = self.variables.get(name)
        if value is None:
            return list(default)
        return [item.strip() for item in value.split(",") if item.strip()]

    def origins(self, name: str) -> list[str]:
        """The comma-separated origins of web pages (RFC 6454): a scheme, a host and perhaps a port, nothing after."""
        found = self.listing(name)
        for origin in found:
            scheme, separator, host = origin.partition("://")
            if not (scheme and separator and host) or "/" in host or "*" in host:
                raise ImproperlyConfigured(
                    f"{name} holds {origin!r}: write each origin as https://app.example.com, without a path or a star."
                )
        return found

    def choice(self, name: str, default: str, choices: tuple[str, ...]) -> str:
        """One of ``choices``, whatever its case."""
        value = self.text(name, default).upper()
        if value not in choices:
            raise ImproperlyConfigured(f"{name} is {value!r}: set it to one of {', '.join(choices)}.")
        return value

    def path(self, name: str, default: Path) -> Path:
        value = self.text(name)
        return Path(value).expanduser().resolve() if value else default

    def url(self, name: str, default: str = "", *, schemes: tuple[str, ...]) -> str:
        value = self.text(name, default)
        beginnings = tuple(f"{scheme}://" for scheme in schemes)
        if value and not value.startswith(beginnings):
            # The value may carry a password, so it is not repeated.
            raise ImproperlyConfigured(f"{name} is not an address: start it with {' or '.join(beginnings)}.")
        return value

    def secret(self, name: str) -> str:
        """The secret ``name``, or the content of the file that ``name_FILE`` points to; empty when neither is set."""
        file_name = self.text(f"{name}_FILE")
        value = self.text(name)
        if not file_name:
            return value
        if value:
            raise ImproperlyConfigured(f"Both {name} and {name}_FILE are set: keep one of them.")
        try:
            return Path(file_name).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ImproperlyConfigured(
                f"{name}_FILE names a file that cannot be read ({type(error).__name__}): "
                "set it to a readable text file."
            ) from None
