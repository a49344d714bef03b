"""Hosts in the addresses of servers. Pure."""

import re
from ipaddress import ip_address
from urllib.parse import urlsplit


def is_this_machine(host: str | None) -> bool:
    """Whether ``host`` is a loopback address or ``localhost``."""
    try:
        return host == "localhost" or ip_address(host or "").is_loopback
    except ValueError:
        return False


def host_of(url: str) -> str:
    """The host of ``url``; empty if it has none, or if its port is invalid."""
    try:
        parts = urlsplit(url)
        return "" if parts.port == 0 or re.search(r"\s", url) else parts.hostname or ""
    except ValueError:
        return ""
