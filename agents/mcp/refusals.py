"""Errors of the protocol: what a program may not do, what does not exist, and what cannot be reached."""

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
"""Of the revisions before 2026-07-28."""
MISSING_SCOPES: Final = "adiuva.missing_scopes"
"""Where a request's ASGI scope names the scopes that its token lacks, for the endpoint."""


def insufficient(context: ServerRequestContext[Any, Any], wanted: str, missing: Sequence[str]) -> MCPError:
    """A token without the ``missing`` scopes may not do what is ``wanted``, such as ``call list_tasks``."""
    if context.request is not None:
        context.request.scope[MISSING_SCOPES] = list(missing)
    needs = f"the scope {missing[0]}" if len(missing) == 1 else f"the scopes {' and '.join(missing)}"
    said = f"This personal token may not {wanted}: that needs {needs}. The user can make another token."
    return MCPError(REFUSED, said, {"code": "insufficient_scope", "missing": list(missing)})


def not_available() -> MCPError:
    """The database cannot be reached."""
    return MCPError(REFUSED, UNREACHABLE, {"code": "not_available"})


def refused(code: str, message: str) -> MCPError:
    """An error whose ``data.code`` is ``code``."""
    return MCPError(REFUSED, message, {"code": code})


def invalid(message: str) -> MCPError:
    """What the request names does not exist, or its arguments are wrong."""
    return MCPError(mcp_types.INVALID_PARAMS, message)


def check_single_page(params: mcp_types.PaginatedRequestParams | None) -> None:
    """Of a list that has one page. Raises ``MCPError`` for a cursor, as none was given."""
    if params is not None and params.cursor is not None:
        raise unknown_cursor()


def unknown_cursor() -> MCPError:
    """Of no page that was told of (MCP, pagination)."""
    return invalid("There is no such cursor: list from the beginning.")


def unknown_resource(context: ServerRequestContext[Any, Any], message: str) -> MCPError:
    """Of an address at which there is nothing. The older revisions have a code for that."""
    is_older = context.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS
    return MCPError(RESOURCE_NOT_FOUND if is_older else mcp_types.INVALID_PARAMS, message)
