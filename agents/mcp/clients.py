"""What the ledger calls the program that is told of rows."""

import re
from typing import Any, Final

from mcp.server.context import ServerRequestContext

UNNAMED: Final = "mcp"
_PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._/()-]{0,63}")


def ledger_name(context: ServerRequestContext[Any, Any]) -> str:
    """``mcp`` and the name that the program gives itself, such as ``mcp: claude-code``.

    It is the program's word alone, so it stands behind ``mcp`` and cannot pass for one of the models. One that is long
    or odd is left out. What the user called the token is not said: that is the user's text.
    """
    said = context.session.client_params
    name = "" if said is None else said.client_info.name
    return f"{UNNAMED}: {name}" if _PLAIN.fullmatch(name) else UNNAMED
