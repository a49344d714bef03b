"""Errors of the protocol: what a program may not do, what does not exist, and what cannot be reached."""

from collections.abc import Sequence
from typing import Any, Final

import mcp_types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from accounts.database import UNREACHABLE

REFUSED: Final = -32000
"""JSON-RPC's code for errors of the server's own; ``data.code`` says which."""
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
