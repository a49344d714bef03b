"""MCP over standard input and output, for clients that know no other transport: a proxy for a server's ``/mcp``.

It needs neither settings nor a database, and offers exactly what the server offers. Each request becomes an HTTP
request of its own, so if the server restarts, only the requests of that moment fail, and no session is lost.
"""

import itertools
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeAlias, TypeVar
from urllib.parse import urlsplit

import httpx2
import mcp_types
from mcp.server.apps import EXTENSION_ID as APPS
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    encode_header_value,
)
from pydantic import BaseModel

from agents.addresses import is_this_machine
from agents.errors import NoMcpServer
from agents.mcp.addresses import MCP_PATH

Context: TypeAlias = ServerRequestContext[Any, Any]
R = TypeVar("R", bound=BaseModel)

_REVISION: Final = mcp_types.LATEST_PROTOCOL_VERSION
_ACCEPT: Final = {"Accept": "application/json, text/event-stream"}
_OURSELVES: Final = mcp_types.Implementation(name="mcp_stdio", version="1")
_TIMEOUT_S: Final = 30.0
_CALL_TIMEOUT_S: Final = 120.0
"""A call may wait for the user's device several times."""


def mcp_address(server: str) -> str:
    """The address of ``/mcp`` on ``server``, such as ``https://adiuva.example``.

    Raises ``NoMcpServer``, also for plain HTTP to another machine: anyone on the way could read the token.
    """
    try:
        parts = urlsplit(server)
        named = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        named = False
    if not named or parts.query or parts.fragment:
        raise NoMcpServer(f"{server!r} is not the address of a server, such as https://adiuva.example.")
    if parts.scheme != "https" and not is_this_machine(parts.hostname):
        raise NoMcpServer(f"{server!r} is not encrypted: use https://. Only a server on this machine may do without.")
    path = parts.path.rstrip("/").removesuffix(MCP_PATH)
    return f"{parts.scheme}://{parts.netloc}{path}{MCP_PATH}"


_Result = dict[str, Any]
_NONE: Final[Mapping[str, Any]] = {}


class RemoteServer:
    """The server at ``address``. Requests use ``http``, which adds the token."""

    def __init__(self, http: httpx2.AsyncClient, address: str) -> None:
        self._http = http
        self._address = address
        self._ids = itertools.count(1)

    async def ask(
        self,
        method: str,
        params: Mapping[str, Any],
        *,
        client: mcp_types.Implementation,
        extensions: Mapping[str, Any] = _NONE,
        name: str = "",
    ) -> _Result:
        """The result of a request that ``client`` makes, which has these ``extensions``.

        ``name`` is what the request is about, such as a tool; a header repeats it. Raises ``MCPError``, also if the
        server cannot be reached.
        """
        meta = {
            mcp_types.PROTOCOL_VERSION_META_KEY: _REVISION,
            mcp_types.CLIENT_INFO_META_KEY: client.model_dump(by_alias=True, exclude_none=True, mode="json"),
            mcp_types.CLIENT_CAPABILITIES_META_KEY: {"extensions": dict(extensions)},
        }
        body = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": {**params, "_meta": meta}}
        headers = {**_ACCEPT, MCP_PROTOCOL_VERSION_HEADER: _REVISION, MCP_METHOD_HEADER: method}
        if name:
            headers[MCP_NAME_HEADER] = encode_header_value(name)
        try:
            answer = await self._http.post(self._address, json=body, headers=headers)
        except httpx2.HTTPError as error:
            raise MCPError(
                mcp_types.INTERNAL_ERROR,
                f"{self._address} cannot be reached ({type(error).__name__}). It is unknown whether the request was "
                "carried out. Try again when the server is running.",
            ) from None
        return _result(answer)


def _result(answer: httpx2.Response) -> _Result:
    try:
        said = answer.json()
    except ValueError:
        said = None
    if not isinstance(said, dict) or not isinstance(said.get("result", said.get("error")), dict):
        raise MCPError(
            mcp_types.INTERNAL_ERROR, f"The server answers with {answer.status_code}, but not with an MCP message."
        )
    if "result" in said:
        result: _Result = said["result"]
        return result
    error = mcp_types.ErrorData.model_validate(said["error"])
    raise MCPError(error.code, error.message, error.data)


async def serve_stdio(address: str, token: str) -> None:
    """Forward requests from standard input until it ends.

    Raises ``NoMcpServer`` if the server cannot be reached or refuses the token.
    """
    headers, timeout = {"Authorization": f"Bearer {token}"}, httpx2.Timeout(_TIMEOUT_S, read=_CALL_TIMEOUT_S)
    async with httpx2.AsyncClient(headers=headers, timeout=timeout) as http:
        await _check(http, address)
        try:
            server = await proxy(RemoteServer(http, address))
        except MCPError as error:
            raise NoMcpServer(f"{address}: {error.message}") from None
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())


async def proxy(remote: RemoteServer) -> Server[dict[str, Any]]:
    """A server that offers what ``remote`` offers, and forwards each request to it. Raises as ``RemoteServer.ask``."""

    def forwarding(method: str, result: type[R], name_of: str = "") -> Callable[[Context, Any], Awaitable[R]]:
        """A handler of ``method``; ``name_of`` is the parameter that says what the request is about."""

        async def handle(context: Context, params: BaseModel | None) -> R:
            said = {} if params is None else params.model_dump(by_alias=True, exclude_none=True, mode="json")
            said.pop("_meta", None)
            answer = await remote.ask(
                method,
                said,
                client=_client_of(context),
                extensions=_extensions_of(context),
                name=str(said.get(name_of, "")),
            )
            return result.model_validate(answer)

        return handle

    known = await remote.ask("server/discover", {}, client=_OURSELVES)
    info = mcp_types.Implementation.model_validate(known["_meta"][mcp_types.SERVER_INFO_META_KEY])
    server = Server[dict[str, Any]](
        info.name,
        title=info.title,
        instructions=known.get("instructions"),
        on_list_tools=forwarding("tools/list", mcp_types.ListToolsResult),
        on_call_tool=forwarding("tools/call", mcp_types.CallToolResult, "name"),
        on_list_resources=forwarding("resources/list", mcp_types.ListResourcesResult),
        on_list_resource_templates=forwarding("resources/templates/list", mcp_types.ListResourceTemplatesResult),
        on_read_resource=forwarding("resources/read", mcp_types.ReadResourceResult, "uri"),
        on_list_prompts=forwarding("prompts/list", mcp_types.ListPromptsResult),
        on_get_prompt=forwarding("prompts/get", mcp_types.GetPromptResult, "name"),
        on_completion=forwarding("completion/complete", mcp_types.CompleteResult),
    )
    server.extensions = {APPS: {}}
    return server


def _extensions_of(context: Context) -> Mapping[str, Any]:
    """The program's extensions that only add to results. So no call becomes a task, which cannot be forwarded."""
    capabilities = context.session.client_capabilities
    known = {} if capabilities is None else capabilities.extensions or {}
    return {name: settings for name, settings in known.items() if name == APPS}


def _client_of(context: Context) -> mcp_types.Implementation:
    """The program at the other end of the pipe. The server's ledger records its name."""
    params = context.session.client_params
    return _OURSELVES if params is None else params.client_info


async def _check(http: httpx2.AsyncClient, address: str) -> None:
    """Raise ``NoMcpServer`` if there is no such server, or it refuses the token."""
    ping = {"jsonrpc": "2.0", "id": 0, "method": "ping"}
    try:
        answer = await http.post(address, json=ping, headers=_ACCEPT)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise NoMcpServer(f"{address} cannot be reached ({type(error).__name__}). Is the server running?") from None
    if answer.status_code == httpx2.codes.UNAUTHORIZED:
        raise NoMcpServer(
            f"{address} does not accept the token: it was revoked, has expired, or is not a token. Make another one "
            "(POST /api/v1/auth/tokens)."
        )
    if answer.status_code == httpx2.codes.NOT_FOUND:
        raise NoMcpServer(f"{address} answers with 404: is this the address of an Adiuva server?")
    if answer.status_code != httpx2.codes.OK:
        reason = "not as an Adiuva server does."
        try:
            _result(answer)
        except MCPError as error:
            reason = error.message
        raise NoMcpServer(f"{address} answers with {answer.status_code}: {reason}")
