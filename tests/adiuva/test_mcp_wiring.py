"""``/mcp`` beside everything else that is served over HTTP."""

import logging

import httpx
import pytest
from pytest_django import Settings

from adiuva.asgi import Application
from adiuva.wiring import Parts
from tests.chat.sockets import Server


async def asked(path: str, *, method: str = "POST") -> httpx.Response:
    application = Application(Parts(services=Server().services, memory=None))
    try:
        transport = httpx.ASGITransport(application)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.request(method, path)
    finally:
        await application.drain()


@pytest.fixture(autouse=True)
def _hosts(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["localhost"]


async def test_the_address_is_the_endpoints_own() -> None:
    answer = await asked("/mcp")
    assert answer.status_code == 401
    assert (answer.headers["cache-control"], answer.headers["x-content-type-options"]) == ("no-store", "nosniff")
    assert answer.json()["jsonrpc"] == "2.0"


@pytest.mark.parametrize("path", ["/mcp/", "/mcp/x", "/mcpx"])
async def test_other_addresses_are_not(path: str) -> None:
    assert (await asked(path)).status_code == 404


async def test_the_log_says_that_somebody_asked(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="adiuva.access"):
        await asked("/mcp?token=quincunx")
        await asked("/mcp", method="MARMALADE")
    lines = [record.getMessage() for record in caplog.records if record.name == "adiuva.access"]
    assert ["POST /mcp 401" in lines[0], "(unknown method) /mcp 401" in lines[1]] == [True, True]
    assert "quincunx" not in "".join(lines)
    assert "MARMALADE" not in "".join(lines)
