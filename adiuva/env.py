"""Typed readers of environment variables, and checks of their values.

Each stops the start with one sentence that says which variable is wrong and what to set. A secret ``NAME`` may also
come from a file named by ``NAME_FILE``, as container platforms provide secrets. Sentences never repeat a secret.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from ipaddress import IPv6Address, ip_network
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured
from django.http.request import split_domain_port
from redis.asyncio.connection import ConnectionPool
from yarl import URL

from agents.addresses import host_of

_AMQP_SCHEMES: Final = ("amqp", "amqps")
_AMQP_NUMBERS: Final = ("heartbeat", "timeout")
"""Parameters of a broker's address. A value that is not a number would turn them off silently."""
_REDIS_SCHEMES: Final = ("redis://", "rediss://", "unix://")
_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})
_HOST_NAME: Final = re.compile(
    r"(?=.{1,253}\Z)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?",
    re.ASCII | re.IGNORECASE,
)
"""The last label begins with a letter, unlike that of an IPv4 address."""
_ADDRESS: Final = re.compile(r"(?:\[(?P<v6>[0-9a-fA-F:.]+)\]|(?P<host>[^\s:\[\]]+)):(?P<port>[0-9]{1,5})", re.ASCII)
_LAST_PORT: Final = 65_535
_MAX_DAYS = 36_500
"""A hundred years: dates that long ago exist."""
_MAX_SECONDS: Final = 31_536_000
"""A year: timers of the event loop and of libraries overflow with far longer times."""
_MAX_INTEGER: Final = 2**31 - 1
"""The largest number that queries and libraries take."""


@dataclass(frozen=True)
class Environment:
    """Reads settings from ``variables``, usually ``os.environ``."""

    variables: Mapping[str, str]

    def text(self, name: str, default: str = "") -> str:
        return self.variables.get(name, "").strip() or default

    def prefix(self, name: str) -> str:
        """The beginning of a text, with its spaces; ``\\n`` in it is a line's end."""
        return self.variables.get(name, "").replace("\\n", "\n")

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

    def integer(self, name: str, default: int, *, minimum: int = 0, maximum: int = _MAX_INTEGER) -> int:
        value = self.text(name)
        if not value:
            return default
        try:
            number = int(value)
        except ValueError:
            raise ImproperlyConfigured(f"{name} is {value!r}: set it to a whole number.") from None
        if number < minimum:
            raise ImproperlyConfigured(f"{name} is {number}: set it to {minimum} or more.")
        if number > maximum:
            raise ImproperlyConfigured(f"{name} is {number}: set it to {maximum} or less.")
        return number

    def days(self, name: str, default: int, *, least: int = 1) -> int:
        """A number of days to keep something: ``least`` or more, or 0 for as long as its user exists."""
        number = self.integer(name, default)
        if number > _MAX_DAYS:
            raise ImproperlyConfigured(f"{name} is {number}: set it to {_MAX_DAYS} or less, or to 0 for no end.")
        if 0 < number < least:
            raise ImproperlyConfigured(f"{name} is {number}: set it to {least} or more, or to 0 for no end.")
        return number

    def seconds(self, name: str, default: float) -> float:
        """A positive duration in seconds, of a year at most."""
        value = self.text(name)
        if not value:
            return default
        try:
            number = float(value)
        except ValueError:
            raise ImproperlyConfigured(f"{name} is {value!r}: set it to a number of seconds.") from None
        if not 0 < number < float("inf"):
            raise ImproperlyConfigured(f"{name} is {value!r}: set it to a positive number of seconds.")
        if number > _MAX_SECONDS:
            raise ImproperlyConfigured(f"{name} is {value!r}: set it to {_MAX_SECONDS} or less.")
        return number

    def listing(self, name: str, default: tuple[str, ...] = ()) -> list[str]:
        """The comma-separated items of ``name``, without white space and empty items."""
        value = self.variables.get(name)
        if value is None:
            return list(default)
        return [item.strip() for item in value.split(",") if item.strip()]

    def hosts(self, name: str, default: tuple[str, ...] = ()) -> list[str]:
        """The comma-separated names by which the server is called, in the form of Django's ``ALLOWED_HOSTS``."""
        found = self.listing(name, default)
        for host in found:
            if host != "*" and not _can_be_called(host):
                raise ImproperlyConfigured(
                    f"{name} holds {host!r}: write each host name as adiuva.example.com, without a scheme and a port, "
                    "with commas between them."
                )
        return found

    def networks(self, name: str, default: tuple[str, ...] = ()) -> list[str]:
        """The comma-separated addresses and networks of IP; ``*`` is all of them."""
        found = self.listing(name, default)
        for network in found:
            if network != "*" and (example := _network_meant(network)) != network:
                raise ImproperlyConfigured(
                    f"{name} holds {network!r}: write each address or network as {example}, with commas between them."
                )
        return found

    def origins(self, name: str) -> list[str]:
        """The comma-separated origins of web pages (RFC 6454): a scheme, a host, optionally a port, no path."""
        found = self.listing(name)
        for origin in found:
            scheme, separator, host = origin.partition("://")
            if not (scheme and separator and host_of(origin)) or set("/*@?#") & set(host):
                raise ImproperlyConfigured(
                    f"{name} holds {origin!r}: write each origin as https://app.example.com, without a path or a star."
                )
        return found

    def choice(self, name: str, default: str, choices: tuple[str, ...]) -> str:
        """One of ``choices``, in upper or lower case."""
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
        if value and not host_of(value):
            raise ImproperlyConfigured(
                f"{name} cannot be read: write {beginnings[-1]}host or {beginnings[-1]}host:port."
            )
        return value

    def address(self, name: str) -> tuple[str, int] | None:
        """A host and a port to listen on, written ``127.0.0.1:9464`` or ``[::1]:9464``."""
        value = self.text(name)
        if not value:
            return None
        found = _ADDRESS.fullmatch(value)
        if found is None or not 0 < int(found["port"]) <= _LAST_PORT:
            raise ImproperlyConfigured(f"{name} is {value!r}: write a host and a port, such as 127.0.0.1:9464.")
        return found["v6"] or found["host"], int(found["port"])

    def secret(self, name: str) -> str:
        """The secret ``name``, or the content of the file that ``name_FILE`` names; empty if neither is set."""
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

    def token(self, name: str) -> str:
        """As ``secret``, of characters that a header can contain: a copied key may have others, such as quotes."""
        value = self.secret(name)
        if not re.fullmatch(r"[!-~]*", value):
            raise ImproperlyConfigured(f"{name} has spaces, or characters that are not ASCII: copy it again.")
        return value


def _can_be_called(host: str) -> bool:
    """Whether the header ``Host`` of a request can name ``host``, which may begin with a dot for all names below it."""
    domain, _ = split_domain_port(host)  # without a port and a dot at the end
    if domain != host.lower():
        return False
    try:
        return not domain.startswith("[") or bool(IPv6Address(domain[1:-1]))
    except ValueError:
        return False


def _network_meant(text: str) -> str:
    """``text`` if it is an address or a network of IP, else what can be written in its place."""
    for strict in (True, False):
        try:
            network = ip_network(text, strict=strict)
        except ValueError:
            continue
        return text if strict else str(network)
    return "10.0.0.5 or 10.0.0.0/8"


def checked_amqp_url(url: str) -> str:
    """``url`` if it is an address of a broker. Raises ``ImproperlyConfigured``."""
    try:
        parsed = URL(url)
        known = parsed.scheme in _AMQP_SCHEMES and bool(parsed.host) and parsed.port != 0
        known = known and all(parsed.query.get(name, "0").isdecimal() for name in _AMQP_NUMBERS)
    except ValueError:
        known = False
    if not known:
        raise ImproperlyConfigured(
            "AMQP_URL cannot be read: write amqp://user:password@host:port/vhost, or amqps:// for TLS, with special "
            "characters percent-encoded."
        )
    return url


def checked_redis_url(url: str) -> str:
    """``url`` if it is an address of Redis. Raises ``ImproperlyConfigured``."""
    if not url.startswith(_REDIS_SCHEMES):
        raise ImproperlyConfigured("REDIS_URL is not an address of Redis: start it with redis:// or rediss://.")
    try:
        parts = urlsplit(url)
        if parts.scheme != "unix":
            int(unquote(parts.path).strip("/") or 0)  # redis-py takes the database 0 for what is no number
        # A connection that is made, but not opened, checks the parameters.
        ConnectionPool.from_url(url).make_connection()  # type: ignore[no-untyped-call]
    except (ValueError, TypeError):
        raise ImproperlyConfigured(
            "REDIS_URL cannot be read: write redis://user:password@host:port/number, or rediss:// for TLS, with "
            "special characters percent-encoded."
        ) from None
    return url


def relying_party_id(name: str, given: str, hosts: Sequence[str], *, debug: bool) -> str:
    """The host name that passkeys are bound to: ``given``, or else the first host name of ``hosts``; empty if none is.

    In development it is ``localhost``, since browsers accept no address of a network. Raises ``ImproperlyConfigured``.
    """
    if given and not _HOST_NAME.fullmatch(given):
        raise ImproperlyConfigured(
            f"{name} is {given!r}: set it to a host name such as adiuva.example.com, without a scheme and a port."
        )
    if given or debug:
        return given.lower() or "localhost"
    return next((host.lower() for host in (host.lstrip(".") for host in hosts) if _HOST_NAME.fullmatch(host)), "")


def check_langfuse_access(*, public_key: str, secret_key: str, host: str) -> None:
    """Raises ``ImproperlyConfigured`` if something of it is set, but not both keys."""
    variables = {"LANGFUSE_PUBLIC_KEY": public_key, "LANGFUSE_SECRET_KEY": secret_key, "LANGFUSE_HOST": host}
    given = [name for name, value in variables.items() if value]
    missing = [name for name in ("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY") if name not in given]
    if given and missing:
        raise ImproperlyConfigured(
            f"{' and '.join(given)} alone cannot reach Langfuse: set {' and '.join(missing)}, too, or none of them."
        )


def langfuse_environment(name: str) -> str:
    """``name`` if Langfuse takes it as an environment, or none. Raises ``ImproperlyConfigured``."""
    if name and (name.startswith("langfuse") or not re.fullmatch(r"[a-z0-9_-]{1,40}", name)):
        raise ImproperlyConfigured(
            f"LANGFUSE_TRACING_ENVIRONMENT is {name!r}: it takes at most 40 small letters, digits, - and _, and does "
            "not begin with langfuse."
        )
    return name


def otlp_headers(value: str) -> dict[str, str]:
    """The headers in ``name=value,name=value``. Raises ``ImproperlyConfigured``, without repeating them."""
    headers: dict[str, str] = {}
    for pair in filter(None, (each.strip() for each in value.split(","))):
        name, equals, content = (part.strip() for part in pair.partition("="))
        if not (equals and re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name) and content.isascii() and content):
            raise ImproperlyConfigured("ADIUVA_OTLP_HEADERS cannot be read: set it to name=value,name=value.")
        headers[name] = content
    return headers


def sentry_dsn(value: str) -> str:
    """``value`` if it can be the address of a project, or none.

    Raises ``ImproperlyConfigured``, without repeating it, also where the package is missing that sends the reports.
    """
    try:
        url = URL(value)
    except ValueError:
        url = URL()
    if value and not (url.scheme in ("http", "https") and url.host and url.user and url.name.isdecimal()):
        raise ImproperlyConfigured(
            "ADIUVA_SENTRY_DSN is not the address of a project: set it to https://KEY@sentry.example.com/NUMBER."
        )
    if value and find_spec("sentry_sdk") is None:
        raise ImproperlyConfigured("ADIUVA_SENTRY_DSN needs a package that is missing: pip install sentry-sdk.")
    return value
