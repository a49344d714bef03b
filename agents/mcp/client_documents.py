"""Programs whose id is the address of a document that describes them (CIMD).

Anyone can send such an address. So documents are fetched only over HTTPS, only from public IP addresses, without
redirects, and within a few seconds and kilobytes. A host is resolved once, and then connected to by IP address, so a
name that resolves differently the second time gains nothing. Results are cached, failures for a shorter time.
"""

import asyncio
import ipaddress
import json
import socket
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

import httpx2

MAX_ADDRESS_CHARS: Final = 500
MAX_BYTES: Final = 16 * 1024
WITHIN_S: Final = 5.0
KEPT_S: Final = 3600.0
MISSED_S: Final = 60.0
MAX_KEPT: Final = 500
_AT_ONCE: Final = 4
_ALLOCATED: Final = ipaddress.ip_network("2000::/3")
"""The public IPv6 addresses that IANA has allocated."""
_TRANSLATED: Final = tuple(map(ipaddress.ip_network, ("2002::/16", "2001::/32")))
"""Those among them that lead to IPv4 addresses, which may be private."""

Resolve = Callable[[str], Awaitable[Sequence[str]]]


async def resolved(host: str) -> Sequence[str]:
    """The IP addresses of a host. Raises ``OSError``."""
    found = await asyncio.get_running_loop().getaddrinfo(host, 443, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


class ClientDocuments:
    """Fetches and caches documents. ``resolve`` and ``transport`` use the network unless tests replace them."""

    def __init__(
        self,
        *,
        resolve: Resolve = resolved,
        transport: httpx2.AsyncBaseTransport | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._resolve, self._transport, self._clock = resolve, transport, clock
        self._kept: OrderedDict[str, tuple[float, dict[str, Any] | None]] = OrderedDict()
        self._places = asyncio.Semaphore(_AT_ONCE)

    async def document(self, address: str) -> dict[str, Any] | None:
        """What the program at ``address`` says of itself; None if there is no valid document."""
        kept = self._kept.get(address)
        if kept is not None and kept[0] > self._clock():
            return kept[1]
        try:
            async with asyncio.timeout(WITHIN_S) as waiting, self._places:
                waiting.reschedule(None)
                return self._keep(address, await self._fetched(address))
        except TimeoutError:
            # Not cached: it is other documents that are slow.
            return None

    def _keep(self, address: str, said: dict[str, Any] | None) -> dict[str, Any] | None:
        self._kept[address] = (self._clock() + (MISSED_S if said is None else KEPT_S), said)
        self._kept.move_to_end(address)
        while len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        return said

    async def _fetched(self, address: str) -> dict[str, Any] | None:
        if (host := host_of(address)) is None:
            return None
        try:
            async with asyncio.timeout(WITHIN_S):
                numbers = await self._resolve(host)
                if not numbers or not all(map(is_public, numbers)):
                    return None
                said = json.loads(await self._read(address, host, numbers[0]))
        except (OSError, TimeoutError, ValueError, RecursionError, httpx2.HTTPError, httpx2.InvalidURL):
            return None
        return said if isinstance(said, dict) and said.get("client_id") == address else None

    async def _read(self, address: str, host: str, number: str) -> bytes:
        """The body. Raises ``ValueError`` for any status but 200, and for a body that is too long or compressed."""
        at = httpx2.URL(address).copy_with(host=number)
        # Without a proxy from the environment, which would resolve the name again.
        async with httpx2.AsyncClient(
            transport=self._transport, trust_env=False, follow_redirects=False, timeout=WITHIN_S
        ) as client:
            headers = {"Host": host, "Accept": "application/json", "Accept-Encoding": "identity"}
            request = client.stream("GET", at, headers=headers, extensions={"sni_hostname": host})
            async with request as answer:
                # A server may compress in spite of the header, and such a body could grow.
                if answer.status_code != httpx2.codes.OK or "content-encoding" in answer.headers:
                    raise ValueError(answer.status_code)
                body = bytearray()
                async for part in answer.aiter_bytes():
                    body += part
                    if len(body) > MAX_BYTES:
                        raise ValueError("too long")
                return bytes(body)


def host_of(address: str) -> str | None:
    """The host of ``address`` if it can be a program's id; None otherwise."""
    try:
        parts = urlsplit(address)
        usual = parts.port in (None, 443)
    except ValueError:
        return None
    plain = not (parts.username or parts.password or parts.fragment or parts.query)
    segments = parts.path.split("/")
    well_formed = len(address) <= MAX_ADDRESS_CHARS and address.isascii() and address.isprintable()
    if parts.scheme != "https" or not plain or not usual or parts.path in ("", "/") or not well_formed:
        return None
    return None if {".", ".."} & set(segments) else parts.hostname


def is_public(number: str) -> bool:
    """Whether an IP address is public."""
    address = ipaddress.ip_address(number.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(str(address.ipv4_mapped))
        if address not in _ALLOCATED or any(address in network for network in _TRANSLATED):
            return False
    return address.is_global and not address.is_multicast
