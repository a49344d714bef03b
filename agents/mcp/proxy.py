"""MCP over standard input and output, for clients that speak nothing else: each request goes on to a server's ``/mcp``.

It knows neither settings nor a database. What the server offers is listed as the server lists it. Each request is an
HTTP request of its own, so a server that restarts costs the requests of that moment and no session.
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
from pydantic import BaseModel

from agents.addresses import is_this_machine
from agents.errors import NoMcpServer

Context: TypeAlias = ServerRequestContext[Any, Any]
R = TypeVar("R", bound=BaseModel)

_PATH: Final = "/mcp"
_REVISION: Final = mcp_types.LATEST_PROTOCOL_VERSION
_ACCEPT: Final = {"Accept": "application/json, text/event-stream"}
_OURSELVES: Final = mcp_types.Implementation(name="mcp_stdio", version="1")
_TIMEOUT_S: Final = 30.0
_LONGEST_CALL_S: Final = 120.0
"""A call waits for the user's device, several times at worst."""


def mcp_address(server: str) -> str:
    """Where the server with the address ``server``, such as ``https://adiuva.example``, is spoken to.

    Raises ``NoMcpServer``, also for one on another machine that is not encrypted: everyone on the way could read the
    token.
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
    path = parts.path.rstrip("/").removesuffix(_PATH)
    return f"{parts.scheme}://{parts.netloc}{path}{_PATH}"


_Result = dict[str, Any]
_NONE: Final[Mapping[str, Any]] = {}


class RemoteServer:
    """The server at ``address``, asked over ``http``, which carries the token."""

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

        Raises ``MCPError``, also when the server is away.
        """
        meta = {
            mcp_types.PROTOCOL_VERSION_META_KEY: _REVISION,
            mcp_types.CLIENT_INFO_META_KEY: client.model_dump(by_alias=True, exclude_none=True, mode="json"),
            mcp_types.CLIENT_CAPABILITIES_META_KEY: {"extensions": dict(extensions)},
        }
        body = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": {**params, "_meta": meta}}
        headers = {**_ACCEPT, "mcp-protocol-version": _REVISION, "mcp-method": method}
        if name:
            headers["mcp-name"] = name
        try:
            answer = await self._http.post(self._address, json=body, headers=headers)
        except httpx2.HTTPError as error:
            raise MCPError(
                mcp_types.INTERNAL_ERROR,
                f"{self._address} cannot be reached ({type(error).__name__}). Whether the request was carried out is "
                "unknown. Try again when the server runs.",
            ) from None
        return _result(answer)


def _result(answer: httpx2.Response) -> _Result:
    try:
        said = answer.json()
    except ValueError:
        said = None
    if not isinstance(said, dict) or not isinstance(said.get("result", said.get("error")), dict):
        raise MCPError(mcp_types.INTERNAL_ERROR, f"The server answers with {answer.status_code} and no MCP message.")
    if "result" in said:
        result: _Result = said["result"]
        return result
    error = mcp_types.ErrorData.model_validate(said["error"])
    raise MCPError(error.code, error.message, error.data)


async def serve_stdio(address: str, token: str) -> None:
    """Pass on what comes in until it ends. Raises ``NoMcpServer`` when there is no server, or it refuses the token."""
    headers, timeout = {"Authorization": f"Bearer {token}"}, httpx2.Timeout(_TIMEOUT_S, read=_LONGEST_CALL_S)
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

    def passing_on(method: str, result: type[R], name_of: str = "") -> Callable[[Context, Any], Awaitable[R]]:
        """A handler of ``method``; ``name_of`` is the parameter that a header repeats."""

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
        on_list_tools=passing_on("tools/list", mcp_types.ListToolsResult),
        on_call_tool=passing_on("tools/call", mcp_types.CallToolResult, "name"),
        on_list_resources=passing_on("resources/list", mcp_types.ListResourcesResult),
        on_list_resource_templates=passing_on("resources/templates/list", mcp_types.ListResourceTemplatesResult),
        on_read_resource=passing_on("resources/read", mcp_types.ReadResourceResult, "uri"),
        on_list_prompts=passing_on("prompts/list", mcp_types.ListPromptsResult),
        on_get_prompt=passing_on("prompts/get", mcp_types.GetPromptResult, "name"),
        on_completion=passing_on("completion/complete", mcp_types.CompleteResult),
    )
    server.extensions = {APPS: {}}
    return server


def _extensions_of(context: Context) -> Mapping[str, Any]:
    """Those of the program's extensions that change nothing but what results hold: no task is passed on."""
    capabilities = context.session.client_capabilities
    known = {} if capabilities is None else capabilities.extensions or {}
    return {name: settings for name, settings in known.items() if name == APPS}


def _client_of(context: Context) -> mcp_types.Implementation:
    """The program at the other end of the pipe, by whose name the server's ledger knows it."""
    params = context.session.client_params
    return _OURSELVES if params is None else params.client_info


async def _check(http: httpx2.AsyncClient, address: str) -> None:
    """Raises ``NoMcpServer`` that says what is wrong: the address, or the token."""
    ping = {"jsonrpc": "2.0", "id": 0, "method": "ping"}
    try:
        answer = await http.post(address, json=ping, headers=_ACCEPT)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise NoMcpServer(f"{address} cannot be reached ({type(error).__name__}). Is the server running?") from None
    if answer.status_code == httpx2.codes.UNAUTHORIZED:
        raise NoMcpServer(
            f"{address} does not accept the token: it was revoked, its time is over, or it is none. Make another one "
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
