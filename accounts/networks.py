"""Where requests come from: IP addresses, and the networks by which clients are counted."""

from ipaddress import IPv6Network, ip_address

from django.http import HttpRequest


def ip_of(request: HttpRequest) -> str:
    """The IP address that a request comes from; empty over a Unix socket."""
    return str(request.META.get("REMOTE_ADDR") or "")


def network_of(ip: str) -> str:
    """The network of one customer: an IPv4 address, or the /64 of an IPv6 address. Other texts stay as they are.

    A server that listens on IPv6 sees IPv4 addresses as ``::ffff:192.0.2.1``.
    """
    try:
        address = ip_address(ip)
    except ValueError:
        return ip
    if address.version == 4:
        return str(address)
    return str(address.ipv4_mapped or IPv6Network((int(address), 64), strict=False))
