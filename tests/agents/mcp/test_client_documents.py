"""Client ID metadata documents: fetched only from public addresses, bounded, and cached."""

import asyncio
from collections.abc import Sequence

import httpx2
import pytest

from agents.mcp.client_documents import KEPT_S, MAX_BYTES, MISSED_S, WITHIN_S, ClientDocuments, host_of, is_public
from tests.chat.sockets import leap

ADDRESS = "https://editor.example/client.json"
SAID = {"client_id": ADDRESS, "client_name": "Editor", "redirect_uris": ["http://localhost/back"]}


class Network:
    """Answers every request with ``answer``, and resolves every name to ``numbers``."""

    def __init__(self, answer: httpx2.Response | None = None, numbers: Sequence[str] = ("93.184.216.34",)) -> None:
        self.answer, self.numbers = answer, numbers
        self.requests: list[httpx2.Request] = []
        self.lookups: list[str] = []
        self.now = 0.0
        self.documents = ClientDocuments(
            resolve=self.resolve, transport=httpx2.MockTransport(self.respond), clock=lambda: self.now
        )

    async def resolve(self, host: str) -> Sequence[str]:
        self.lookups.append(host)
        return self.numbers

    def respond(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        return self.answer or httpx2.Response(200, json=SAID)


async def test_document_is_fetched_from_checked_ip_address() -> None:
    """A name that resolves to a private address the second time is not looked up a second time."""
    network = Network()
    assert await network.documents.document(ADDRESS) == SAID
    [request] = network.requests
    assert (str(request.url), request.headers["host"]) == ("https://93.184.216.34/client.json", "editor.example")
    assert request.extensions["sni_hostname"] == "editor.example"
    assert network.lookups == ["editor.example"]


PRIVATE = (
    *("127.0.0.1", "10.1.2.3", "192.168.1.1", "172.16.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1"),  # noqa: S104
    *("::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::"),
    *("::127.0.0.1", "::ffff:0:127.0.0.1", "fec0::1", "2001::1"),
)


@pytest.mark.parametrize("number", PRIVATE)
async def test_nothing_is_fetched_from_private_addresses(number: str) -> None:
    network = Network(numbers=["93.184.216.34", number])
    assert not is_public(number)
    assert await network.documents.document(ADDRESS) is None
    assert network.requests == []


@pytest.mark.parametrize("number", ["93.184.216.34", "2606:2800:220:1::1", "::ffff:93.184.216.34"])
def test_public_addresses_are_accepted(number: str) -> None:
    assert is_public(number)


@pytest.mark.parametrize(
    "answer",
    [
        httpx2.Response(302, headers={"location": "http://127.0.0.1/"}),
        httpx2.Response(404, json=SAID),
        httpx2.Response(200, content=b" " * MAX_BYTES + b"{}"),
        httpx2.Response(200, content=b"<html>"),
        httpx2.Response(200, json=[SAID]),
        httpx2.Response(200, json={**SAID, "client_id": "https://editor.example/other.json"}),
    ],
    ids=["redirect", "missing", "long", "no JSON", "no object", "of another"],
)
async def test_invalid_response_yields_no_document(answer: httpx2.Response) -> None:
    network = Network(answer)
    assert await network.documents.document(ADDRESS) is None
    assert len(network.requests) == 1


@pytest.mark.parametrize(("answer", "kept_s"), [(None, KEPT_S), (httpx2.Response(404), MISSED_S)])
async def test_document_is_fetched_again_after_cache_expires(answer: httpx2.Response | None, kept_s: float) -> None:
    network = Network(answer)
    for moment in (0.0, kept_s - 1, kept_s + 1):
        network.now = moment
        await network.documents.document(ADDRESS)
    assert len(network.requests) == 2


async def test_slow_documents_do_not_mark_waiting_one_as_missing() -> None:
    class Slow(Network):
        async def resolve(self, host: str) -> Sequence[str]:
            if host.startswith("slow"):
                await asyncio.Event().wait()
            return await super().resolve(host)

    documents = Slow().documents
    addresses = [*(f"https://slow{number}.example/x" for number in range(4)), ADDRESS]
    fetching = [asyncio.create_task(documents.document(address)) for address in addresses]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    leap(WITHIN_S + 1)

    assert await asyncio.gather(*fetching) == [None] * 5
    assert await documents.document(ADDRESS) == SAID


@pytest.mark.parametrize(
    "address",
    [
        *(
            "http://editor.example/x",
            "https://editor.example",
            "https://editor.example/",
            "https://u:p@editor.example/x",
        ),
        *("https://editor.example:8443/x", "https://editor.example/a/../x", "https://editor.example/x#y", "made-up"),
        *("https://editor.example/x?y", "https://editor.example/" + "x" * 500, "https://[::1", "https://é.example/x"),
    ],
)
async def test_other_urls_are_not_client_ids(address: str) -> None:
    network = Network()
    assert host_of(address) is None
    assert await network.documents.document(address) is None
    assert network.lookups == []
