"""``/mcp`` next to everything else served over HTTP."""

import logging
import uuid

import httpx
import pytest
from pytest_django import Settings
from structlog.contextvars import get_contextvars

from adiuva.server.asgi import Application
from adiuva.wiring.composition import Parts
from tests.chat.sockets import Server


async def asked(path: str, *, method: str = "POST", **headers: str) -> httpx.Response:
    application = Application(Parts(services=Server().services, memory=None))
    try:
        transport = httpx.ASGITransport(application)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.request(method, path, headers=headers)
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


async def test_the_callers_id_of_the_request_is_kept_or_replaced() -> None:
    given = await asked("/mcp", **{"x-request-id": "5b9f2a4e-7c1d"})
    odd = await asked("/mcp", **{"x-request-id": "what I said to my lawyer"})
    assert given.headers["x-request-id"] == "5b9f2a4e-7c1d"
    assert uuid.UUID(odd.headers["x-request-id"]).version == 4


async def test_the_line_of_the_log_is_of_that_request(caplog: pytest.LogCaptureFixture) -> None:
    seen: list[object] = []

    def watching(_: logging.LogRecord) -> bool:
        seen.append(get_contextvars().get("request_id"))
        return True

    logger = logging.getLogger("adiuva.access")
    logger.addFilter(watching)
    try:
        with caplog.at_level(logging.INFO, logger="adiuva.access"):
            await asked("/mcp", **{"x-request-id": "5b9f2a4e-7c1d"})
    finally:
        logger.removeFilter(watching)
    assert seen == ["5b9f2a4e-7c1d"]


async def test_the_log_has_a_line_for_each_request(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="adiuva.access"):
        await asked("/mcp?token=quincunx")
        await asked("/mcp", method="MARMALADE")
    lines = [record.getMessage() for record in caplog.records if record.name == "adiuva.access"]
    assert ["POST /mcp 401" in lines[0], "(unknown method) /mcp 401" in lines[1]] == [True, True]
    assert "quincunx" not in "".join(lines)
    assert "MARMALADE" not in "".join(lines)
