"""Clients of ``/mcp`` that call ``list_tasks`` again and again: bare HTTP, and the SDK's."""

import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from pydantic import JsonValue

_WARM: Final = 10
_VERSION: Final = "2026-07-28"
_META: Final = {
    "io.modelcontextprotocol/protocolVersion": _VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "benchmarks", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
_CALL: Final = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "list_tasks", "arguments": {"status": "todo"}, "_meta": _META},
}
_OF_THE_CALL: Final = {
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": _VERSION,
    "mcp-method": "tools/call",
    "mcp-name": "list_tasks",
}


class CallFailed(Exception):
    """A call did not end well: the answer is the message."""


async def calls_by_http(url: str, token: str, times: int) -> JsonValue:
    """Seconds of each call, over one connection that is kept. Raises ``CallFailed``."""
    async with _http(token) as http:

        async def call() -> None:
            answer = await http.post(f"{url}/mcp", json=_CALL, headers=_OF_THE_CALL)
            if answer.status_code != httpx2.codes.OK or answer.json()["result"]["isError"]:
                raise CallFailed(answer.text)

        return await _timed(call, times)


async def calls_by_sdk(url: str, token: str, times: int) -> JsonValue:
    """As ``calls_by_http``, of the SDK's own client."""
    async with _http(token) as http, Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client:

        async def call() -> None:
            result = await client.call_tool("list_tasks", {"status": "todo"})
            if result.is_error:
                raise CallFailed(str(result.content))

        return await _timed(call, times)


def _http(token: str) -> httpx2.AsyncClient:
    # In production a proxy on this machine takes the secure connections, and says so.
    headers = {"Authorization": f"Bearer {token}", "X-Forwarded-Proto": "https"}
    return httpx2.AsyncClient(headers=headers, timeout=30, trust_env=False)


async def _timed(call: Callable[[], Awaitable[Any]], times: int) -> JsonValue:
    taken: list[JsonValue] = []
    for number in range(_WARM + times):
        started = time.monotonic()
        await call()
        if number >= _WARM:
            taken.append(time.monotonic() - started)
    return taken
