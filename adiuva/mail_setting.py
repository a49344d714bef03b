"""``ADIUVA_SMTP_URL`` and ``ADIUVA_MAIL_FROM``: the server that takes e-mail, and the sender's address."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from email.headerregistry import Address, HeaderRegistry
from typing import Any, Final
from urllib.parse import SplitResult, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from agents.addresses import host_of, is_this_machine

VARIABLE: Final = "ADIUVA_SMTP_URL"
TIMEOUT_S: Final = 20
"""For each step of the conversation with the mail server."""
_PORTS: Final[Mapping[str, int]] = {"smtp": 587, "smtps": 465}


@dataclass(frozen=True, kw_only=True, slots=True)
class MailServer:
    """A mail server. ``starttls`` and ``tls``: the connection is encrypted after its beginning, or from there."""

    host: str
    port: int
    user: str = ""
    password: str = field(default="", repr=False)
    starttls: bool = True
    tls: bool = False


def mail_server(url: str) -> MailServer | None:
    """The mail server at ``url``, None without one.

    ``smtps://`` is TLS from the beginning. ``smtp://`` is STARTTLS, which must succeed, except to this machine, where
    the connection is plain. Raises ``ImproperlyConfigured``, without repeating the password.
    """
    if not url:
        return None
    if not (host := host_of(url)):
        raise _unreadable()
    parts = urlsplit(url)
    if parts.scheme not in _PORTS or not _is_bare(parts):
        raise _unreadable()
    if not unquote(parts.username or "").isascii() or not unquote(parts.password or "").isascii():
        raise ImproperlyConfigured(f"The user or the password in {VARIABLE} has letters that are not ASCII.")
    plain = parts.scheme == "smtp" and is_this_machine(host)
    return MailServer(
        host=host,
        port=parts.port or _PORTS[parts.scheme],
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        starttls=parts.scheme == "smtp" and not plain,
        tls=parts.scheme == "smtps",
    )


def sender(text: str, *, public_url: str) -> str:
    """The sender of all e-mail, such as ``Adiuva <no-reply@example.com>``; by default at the server's own host.

    Raises ``ImproperlyConfigured``.
    """
    if not text:
        return str(Address("Adiuva", "no-reply", urlsplit(public_url).hostname or "localhost"))
    try:
        parsed: Any = HeaderRegistry()("from", text)  # a header of addresses, which its type does not say
        known = not parsed.defects and len(parsed.addresses) == 1
    except ValueError:  # a line break
        known = False
    if not known:
        raise ImproperlyConfigured(
            f"ADIUVA_MAIL_FROM is {text!r}: set it to one address, such as Adiuva <no-reply@example.com>."
        )
    return text


def public_url(given: str, hosts: list[str], *, debug: bool) -> str:
    """The address of this server in links: ``given``, or else the first host name. Raises ``ImproperlyConfigured``."""
    if not given:
        host = next((host for host in hosts if "*" not in host and not host.startswith(".")), "localhost")
        return "http://127.0.0.1:8000" if debug else f"https://{host}"
    parts = _origin(given)
    if parts is None:
        raise ImproperlyConfigured(
            f"ADIUVA_PUBLIC_URL is {given!r}: write the origin of this server, such as https://adiuva.example.com."
        )
    if parts.scheme != "https" and not debug and not is_this_machine(parts.hostname):
        raise ImproperlyConfigured("ADIUVA_PUBLIC_URL must begin with https://: links in e-mail contain secrets.")
    return f"{parts.scheme}://{parts.netloc}"


def _origin(url: str) -> SplitResult | None:
    if not host_of(url):
        return None
    parts = urlsplit(url)
    fits = parts.scheme in {"http", "https"} and _is_bare(parts) and "@" not in parts.netloc
    return parts if fits else None


def _is_bare(parts: SplitResult) -> bool:
    return parts.path in {"", "/"} and not parts.query and not parts.fragment


def _unreadable() -> ImproperlyConfigured:
    return ImproperlyConfigured(
        f"{VARIABLE} cannot be read: write smtps://user:password@host:465, or smtp://user:password@host:587 for "
        "STARTTLS, with special characters percent-encoded."
    )
