"""Errors of the protocol: what a program may not do, what does not exist, and what is unavailable."""

from collections.abc import Sequence
from typing import Any, Final

import mcp_types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from accounts.database import UNREACHABLE

REFUSED: Final = -32000
"""JSON-RPC's code for errors of the server's own; ``data.code`` says which."""
RESOURCE_NOT_FOUND: Final = -32002
"""The code in revisions before 2026-07-28."""
MISSING_SCOPES: Final = "adiuva.missing_scopes"
"""The key in a request's ASGI scope under which the endpoint finds the scopes that its token lacks."""


def insufficient(context: ServerRequestContext[Any, Any], wanted: str, missing: Sequence[str]) -> MCPError:
    """The error for a token without the ``missing`` scopes. ``wanted`` is what it may not do: ``call list_tasks``."""
    if context.request is not None:
        context.request.scope[MISSING_SCOPES] = list(missing)
    needs = f"the scope {missing[0]}" if len(missing) == 1 else f"the scopes {' and '.join(missing)}"
    said = f"This personal token may not {wanted}: that needs {needs}. The user can make another token."
    return MCPError(REFUSED, said, {"code": "insufficient_scope", "missing": list(missing)})


def not_available() -> MCPError:
    """The error if the database cannot be reached."""
    return MCPError(REFUSED, UNREACHABLE, {"code": "not_available"})


def refused(code: str, message: str) -> MCPError:
    """An error of this server. ``data.code`` is ``code``."""
    return MCPError(REFUSED, message, {"code": code})


def invalid(message: str) -> MCPError:
    """The error for a request that names something that does not exist, or whose arguments are wrong."""
    return MCPError(mcp_types.INVALID_PARAMS, message)


def check_single_page(params: mcp_types.PaginatedRequestParams | None) -> None:
    """Raise ``MCPError`` if a list that has only one page is asked for another one."""
    if params is not None and params.cursor is not None:
        raise unknown_cursor()


def unknown_cursor() -> MCPError:
    """The error for a cursor that the server did not give (MCP, pagination)."""
    return invalid("There is no such cursor: list from the beginning.")


def unknown_resource(context: ServerRequestContext[Any, Any], message: str) -> MCPError:
    """The error for an address without a resource. The older revisions have a code of their own for it."""
    is_older = context.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS
    return MCPError(RESOURCE_NOT_FOUND if is_older else mcp_types.INVALID_PARAMS, message)
