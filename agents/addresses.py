"""Where a server is. Pure."""

from ipaddress import ip_address


def is_this_machine(host: str | None) -> bool:
    """Whether ``host``, of an address, names the machine that this process runs on."""
    try:
        return host == "localhost" or ip_address(host or "").is_loopback
    except ValueError:
        return False
