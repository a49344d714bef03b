"""Authentication, requests refused before the protocol begins, and how abandoned calls end."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from asgiref.testing import ApplicationCommunicator

from accounts.errors import MissingMasterKey
from agents.mcp.calling import Caller
from agents.mcp.endpoint import MAX_BODY_BYTES
from tests.agents.mcp.worlds import HangingClient, World, called, headers, listed, request, serving

LEGACY = {"mcp-protocol-version": "2025-11-25"}
WANTED = 'scope="read write", resource_metadata="http://localhost/.well-known/oauth-protected-resource/mcp"'


async def refusal(world: World, **changed: Any) -> tuple[int, str]:
    """The status and code of the response to a valid request that was ``changed``."""
    given = {"json": request(), "headers": headers(), "method": "POST", "url": "/mcp", **changed}
    async with serving(world) as client:
        answer = await client.request(**given)
    return answer.status_code, answer.json()["error"]["data"]["code"]


async def test_valid_request_is_accepted() -> None:
    async with serving(World()) as client:
        assert "list_tasks" in await listed(client)


@pytest.mark.parametrize("token", ["", "nobodys", "alices alices"])
async def test_request_with_invalid_token_is_refused(token: str) -> None:
    async with serving(World()) as client:
        answer = await client.post("/mcp", json=request(), headers=headers(token=token))
    assert (answer.status_code, answer.headers["www-authenticate"]) == (
        401,
        f'Bearer realm="adiuva", error="invalid_token", {WANTED}',
    )
    assert answer.json()["error"] == {
        "code": -32000,
        "message": "The token is not valid.",
        "data": {"code": "unauthorized"},
    }


async def test_request_without_token_gets_challenge_and_is_not_counted_as_failure() -> None:
    """Requests without a token share no limit, and none of them is a guess."""
    world = World(often=True, allowed_failures=1)
    anonymous = {name: value for name, value in headers().items() if name != "authorization"}
    async with serving(world) as client:
        answers = [await client.post("/mcp", json=request(), headers=anonymous) for _ in range(3)]
    assert {(answer.status_code, answer.headers["www-authenticate"]) for answer in answers} == {
        (401, f'Bearer realm="adiuva", {WANTED}')
    }
    assert (world.tokens_checked, world.failures) == ([], [])


class KeylessWorld(World):
    """A server whose master key is missing."""

    async def authenticate(self, token: str) -> Caller:
        raise MissingMasterKey("0" * 16)


async def test_request_is_refused_without_key_of_account() -> None:
    assert await refusal(KeylessWorld()) == (503, "key_unavailable")


async def test_unknown_host_is_refused() -> None:
    """A page of another site whose name resolves to this server (DNS rebinding)."""
    assert await refusal(World(), headers={**headers(), "host": "evil.example"}) == (421, "wrong_host")


@pytest.mark.parametrize("origin", ["https://evil.example", "https://localhost", "http://localhost:1", "null"])
async def test_unknown_origin_is_refused(origin: str) -> None:
    assert await refusal(World(), headers={**headers(), "origin": origin}) == (403, "forbidden")


async def test_allowed_origin_is_accepted() -> None:
    async with serving(World()) as client:
        answer = await client.post("/mcp", json=request(), headers={**headers(), "origin": "https://app.example"})
    assert answer.status_code == 200


async def test_own_origin_is_accepted() -> None:
    async with serving(World()) as client:
        answer = await client.post("/mcp", json=request(), headers={**headers(), "origin": "http://localhost"})
    assert answer.status_code == 200


async def test_cors_headers_are_sent_to_allowed_origin() -> None:
    asking = {"origin": "https://app.example", "access-control-request-method": "POST"}
    async with serving(World()) as client:
        allowed = await client.options("/mcp", headers=asking)
        refused = await client.options("/mcp", headers={**asking, "origin": "https://evil.example"})
        answer = await client.post("/mcp", json=request(), headers={**headers(), "origin": "https://app.example"})
    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (204, "https://app.example")
    assert "Authorization" in allowed.headers["access-control-allow-headers"]
    assert (refused.status_code, refused.headers.get("access-control-allow-origin")) == (403, None)
    assert answer.headers["access-control-allow-origin"] == "https://app.example"
    assert "access-control-allow-credentials" not in answer.headers


async def test_plain_http_is_refused_if_secure() -> None:
    assert await refusal(World(secure=True)) == (403, "forbidden")


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS"])
async def test_only_post_is_allowed(method: str) -> None:
    async with serving(World()) as client:
        answer = await client.request(method, "/mcp", headers=headers())
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


async def test_requests_are_limited_per_user() -> None:
    assert await refusal(World(allowed=0)) == (429, "busy")


async def test_requests_are_limited_per_token_before_it_is_checked() -> None:
    world = World(often=True)
    assert await refusal(world) == (429, "busy")
    assert world.tokens_checked == []


async def test_tokens_are_not_checked_for_network_with_too_many_failures() -> None:
    world = World(allowed_failures=2)
    async with serving(world) as client:
        for token in ("guess", "another"):
            await client.post("/mcp", json=request(), headers=headers(token=token))
        answer = await client.post("/mcp", json=request(), headers=headers())
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "42")
    assert answer.json()["error"]["data"]["code"] == "rate_limited"
    assert world.tokens_checked == ["guess", "another"]


async def test_valid_tokens_are_not_counted_as_failures() -> None:
    world = World(allowed_failures=1)
    async with serving(world) as client:
        answers = [await client.post("/mcp", json=request(), headers=headers()) for _ in range(3)]
    assert ([answer.status_code for answer in answers], world.failures) == ([200, 200, 200], [])


async def test_body_with_too_many_values_is_refused() -> None:
    values = b"[" + b"0," * 30_000 + b"0]"
    assert await refusal(World(), json=None, content=values) == (413, "too_large")


async def test_body_with_excessive_content_length_is_not_read() -> None:
    changed = {**headers(), "content-length": str(MAX_BODY_BYTES + 1)}
    assert await refusal(World(), json=None, content=b"{}", headers=changed) == (413, "too_large")


async def test_body_without_content_length_is_bounded() -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(10):
            yield b" " * (MAX_BODY_BYTES // 4)

    assert await refusal(World(), json=None, content=endless()) == (413, "too_large")


async def test_body_of_maximum_length_is_accepted() -> None:
    body = json.dumps(request()).ljust(MAX_BODY_BYTES)
    async with serving(World()) as client:
        answer = await client.post("/mcp", content=body, headers=headers())
    assert answer.status_code == 200


@pytest.mark.parametrize("content", ["", "{", "[]", "7", "[" * 10_000, '{"jsonrpc": "2.0", "id": {}}'])
async def test_invalid_message_gets_json_rpc_error(content: str) -> None:
    async with serving(World()) as client:
        answer = await client.post("/mcp", content=content, headers=headers())
    assert (answer.status_code, "error" in answer.json()) == (400, True)


@pytest.mark.parametrize("more", [{}, LEGACY], ids=["modern", "legacy"])
@pytest.mark.parametrize(
    ("changed", "told_id"),
    [
        ({"id": None}, None),
        ({"id": 1.5}, None),
        ({"id": True}, None),
        ({"id": [1]}, None),
        ({"method": 7}, 1),
        ({"method": None}, 1),
        ({"jsonrpc": "1.0"}, 1),
        ({"params": [1]}, 1),
    ],
)
async def test_invalid_envelope_is_an_invalid_request(
    changed: dict[str, Any], told_id: int | None, more: dict[str, str]
) -> None:
    """JSON-RPC 2.0, 5.1; a notification, which is not answered, has no id at all."""
    async with serving(World()) as client:
        answer = await client.post("/mcp", json={**request(), "id": 1, **changed}, headers={**headers(), **more})
    said = answer.json()
    assert (answer.status_code, said["error"]["code"], said["id"]) == (400, -32600, told_id)


async def test_batch_is_refused() -> None:
    async with serving(World()) as client:
        answer = await client.post("/mcp", json=[request(), request()], headers={**headers(), **LEGACY})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32600)


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/of-tomorrow", "params": None},
        {"jsonrpc": "2.0", "id": 1, "result": {}},
        {"jsonrpc": "2.0", "id": None, "error": {"code": 1, "message": "?"}},
    ],
)
async def test_notifications_and_responses_are_accepted(message: dict[str, Any]) -> None:
    async with serving(World()) as client:
        answer = await client.post("/mcp", json=message, headers={**headers(), **LEGACY})
    assert (answer.status_code, answer.text) == (202, "")


@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", ""])
async def test_other_content_type_is_refused(media_type: str) -> None:
    changed = {**headers(), "content-type": media_type}
    assert await refusal(World(), headers=changed) == (415, "unsupported_media_type")


async def test_content_type_may_have_charset() -> None:
    changed = {**headers(), "content-type": "Application/JSON; charset=utf-8"}
    async with serving(World()) as client:
        assert (await client.post("/mcp", json=request(), headers=changed)).status_code == 200


class DisconnectingRequest:
    """A request whose client may disconnect."""

    def __init__(self, world: World, more: dict[str, str]) -> None:
        given = {"host": "localhost", **headers("tools/call", "list_tasks"), **more}
        scope = {
            "type": "http",
            "http_version": "1.1",
            "method": "POST",
            "path": "/mcp",
            "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in given.items()],
        }
        self._communicator = ApplicationCommunicator(world.endpoint, scope)

    async def ask(self) -> None:
        body = json.dumps(request("tools/call", name="list_tasks", arguments={})).encode()
        await self._communicator.send_input({"type": "http.request", "body": body})

    async def leave(self) -> None:
        await self._communicator.send_input({"type": "http.disconnect"})
        await self._communicator.wait(10)


@pytest.mark.parametrize("more", [{}, LEGACY], ids=["modern", "legacy"])
async def test_disconnect_cancels_call(more: dict[str, str]) -> None:
    device = HangingClient()
    world = World(client=device)
    world.endpoint.begin()
    async with asyncio.timeout(10):
        leaver = DisconnectingRequest(world, more)
        await leaver.ask()
        await device.asked.wait()
        await leaver.leave()
        await device.over.wait()
        await world.endpoint.aclose(5)


async def test_disconnect_before_end_of_body_starts_no_call() -> None:
    world = World()
    world.endpoint.begin()
    await DisconnectingRequest(world, {}).leave()
    await world.endpoint.aclose(5)
    assert world.released == []


@pytest.mark.parametrize("more", [{}, LEGACY], ids=["modern", "legacy"])
async def test_shutdown_cancels_calls_after_grace_period(more: dict[str, str]) -> None:
    device = HangingClient()
    world = World(client=device)
    world.endpoint.begin()
    async with asyncio.timeout(10):
        leaver = DisconnectingRequest(world, more)
        await leaver.ask()
        await device.asked.wait()
        await world.endpoint.aclose(0.01)
        assert device.over.is_set()
        await leaver.leave()


async def test_shutdown_waits_for_running_calls() -> None:
    device = HangingClient()
    world = World(client=device)
    async with asyncio.timeout(10), serving(world) as client:
        calling = asyncio.create_task(called(client, "list_tasks", {}))
        await device.asked.wait()
        draining = asyncio.create_task(world.endpoint.aclose(5))
        device.let.set()
        assert (await calling)["result"]["isError"] is False
        await draining


async def test_requests_are_refused_after_shutdown() -> None:
    world = World()
    async with serving(world) as client:
        await world.endpoint.aclose(5)
        answer = await client.post("/mcp", json=request(), headers=headers())
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")


async def test_requests_are_refused_if_endpoint_closed_before_start() -> None:
    world = World()
    await world.endpoint.aclose(5)
    transport = httpx.ASGITransport(world.endpoint)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client, asyncio.timeout(10):
        answer = await client.post("/mcp", json=request(), headers=headers())
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")


async def test_client_of_older_revision_is_served_without_session() -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "tests", "version": "1"},
        },
    }
    plain = {name: value for name, value in headers().items() if not name.startswith("mcp-")}
    async with serving(World()) as client:
        answer: httpx.Response = await client.post("/mcp", json=hello, headers=plain)
    assert answer.json()["result"]["protocolVersion"] == "2025-11-25"
    assert "mcp-session-id" not in answer.headers
