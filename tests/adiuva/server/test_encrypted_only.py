"""In production no token is accepted that came unencrypted."""

import json
from typing import Any

import pytest
from django.test import AsyncClient
from pytest_django import Settings

from accounts.rest.problems import described
from adiuva.server.asgi import Application
from adiuva.wiring.composition import Parts
from tests.chat.sockets import Server

REFUSAL = described(403, "https_required", "Tokens and passwords are accepted over HTTPS and wss only.")


@pytest.fixture(autouse=True)
def _production(settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["testserver"]
    settings.SECURE_SSL_REDIRECT = True


@pytest.mark.parametrize(
    ("method", "path", "headers"),
    [
        ("GET", "/api/v1/auth/me", {"Authorization": "Bearer abc"}),
        ("GET", "/anything", {"Authorization": "Bearer abc"}),
        ("POST", "/api/v1/auth/token", {}),
        ("DELETE", "/api/v1/devices/laptop", {}),
    ],
)
async def test_a_request_with_secrets_is_refused_and_not_redirected(
    async_client: AsyncClient, method: str, path: str, headers: dict[str, str]
) -> None:
    answer = await async_client.generic(method, path, headers=headers)
    assert (answer.status_code, json.loads(answer.content)) == (403, REFUSAL)
    assert (answer["Cache-Control"], "X-Request-ID" in answer) == ("no-store", True)


async def test_a_page_is_redirected(async_client: AsyncClient) -> None:
    for path in ("/app/", "/api/docs/"):
        assert (await async_client.get(path)).status_code == 301


async def test_over_https_the_request_is_answered(async_client: AsyncClient) -> None:
    answer = await async_client.generic("POST", "/api/v1/nothing", secure=True)
    assert answer.status_code == 404


@pytest.mark.usefixtures("transactional_db")
async def test_in_development_plain_http_will_do(async_client: AsyncClient, settings: Settings) -> None:
    settings.SECURE_SSL_REDIRECT = False
    answer = await async_client.get("/api/v1/auth/me", headers={"Authorization": "Bearer abc"})
    assert answer.status_code == 401


async def handshake(*, scheme: str, extensions: dict[str, Any]) -> list[dict[str, Any]]:
    """What the server answers to a handshake, up to the first answer that ends or accepts it."""
    sent: list[dict[str, Any]] = []
    scope = {
        "type": "websocket",
        "scheme": scheme,
        "path": "/api/v1/ws/device",
        "headers": [(b"host", b"testserver"), (b"authorization", b"Bearer abc")],
        "subprotocols": [],
        "query_string": b"",
        "extensions": extensions,
    }
    coming = iter([{"type": "websocket.connect"}])

    async def receive() -> dict[str, Any]:
        return next(coming, {"type": "websocket.disconnect", "code": 1005})

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await Application(Parts(services=Server(hosts=["testserver"]).services, memory=None))(scope, receive, send)
    return sent


async def test_an_unencrypted_handshake_is_refused_before_its_token_is_read() -> None:
    start, body = await handshake(scheme="ws", extensions={"websocket.http.response": {}})
    assert (start["type"], start["status"]) == ("websocket.http.response.start", 403)
    assert json.loads(body["body"]) == REFUSAL
    assert await handshake(scheme="ws", extensions={}) == [{"type": "websocket.close"}]


async def test_an_encrypted_handshake_is_accepted(settings: Settings) -> None:
    accepted, *_ = await handshake(scheme="wss", extensions={"websocket.http.response": {}})
    assert accepted["type"] == "websocket.accept"
