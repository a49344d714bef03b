"""MCP over standard input and output, for clients that speak nothing else: each request goes on to a server's ``/mcp``.

It knows neither settings nor a database. What the server offers is listed as the server lists it.
"""

from typing import Any, Final
from urllib.parse import urlsplit

import httpx2
import mcp_types
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from agents.errors import NoMcpServer

_PATH: Final = "/mcp"
_TIMEOUT_S: Final = 30.0
_LONGEST_CALL_S: Final = 120.0
"""A call waits for the user's device, several times at worst."""


def mcp_address(server: str) -> str:
    """Where the server with the address ``server``, such as ``https://adiuva.example``, is spoken to.

    Raises ``NoMcpServer``.
    """
    try:
        parts = urlsplit(server)
        named = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        named = False
    if not named or parts.query or parts.fragment:
        raise NoMcpServer(f"{server!r} is no server's address: it looks like https://adiuva.example.")
    path = parts.path.rstrip("/").removesuffix(_PATH)
    return f"{parts.scheme}://{parts.netloc}{path}{_PATH}"


async def serve_stdio(address: str, token: str) -> None:
    """Pass on what comes in until it ends. Raises ``NoMcpServer`` when there is no server, or it refuses the token."""
    headers, timeout = {"Authorization": f"Bearer {token}"}, httpx2.Timeout(_TIMEOUT_S, read=_LONGEST_CALL_S)
    async with httpx2.AsyncClient(headers=headers, timeout=timeout) as http:
        await _check(http, address)
        # Without a cache: whoever lists the tools again wants to know what there is now.
        async with Client(streamable_http_client(address, http_client=http), cache=None) as client:
            server = proxy(client)
            async with stdio_server() as (incoming, outgoing):
                await server.run(incoming, outgoing, server.create_initialization_options())


def proxy(client: Client) -> Server[dict[str, Any]]:
    """A server that offers what ``client``'s server offers, and has it done there."""

    async def list_tools(
        context: ServerRequestContext[Any, Any],  # noqa: ARG001
        params: mcp_types.PaginatedRequestParams | None,
    ) -> mcp_types.ListToolsResult:
        return await client.list_tools(cursor=None if params is None else params.cursor)

    async def call_tool(
        context: ServerRequestContext[Any, Any],  # noqa: ARG001
        params: mcp_types.CallToolRequestParams,
    ) -> mcp_types.CallToolResult:
        return await client.call_tool(params.name, params.arguments)

    beyond = client.server_info
    return Server(
        "adiuva" if beyond is None else beyond.name,
        title=None if beyond is None else beyond.title,
        instructions=client.instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def _check(http: httpx2.AsyncClient, address: str) -> None:
    """Raises ``NoMcpServer`` that says what is wrong: the address, or the token."""
    ping = {"jsonrpc": "2.0", "id": 0, "method": "ping"}
    try:
        answer = await http.post(address, json=ping, headers={"Accept": "application/json, text/event-stream"})
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise NoMcpServer(f"{address} cannot be reached ({type(error).__name__}). Is the server running?") from None
    if answer.status_code == httpx2.codes.UNAUTHORIZED:
        raise NoMcpServer(
            f"{address} does not accept the token: it was revoked, its time is over, or it is none. Make another one "
            "(POST /api/v1/auth/tokens)."
        )
    if answer.status_code != httpx2.codes.OK:
        raise NoMcpServer(f"{address} answers with {answer.status_code}: is this the address of an Adiuva server?")
