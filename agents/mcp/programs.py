"""The name of the program that makes a request, as the ledger of disclosures and the device's journal have it."""

import re
from typing import Any, Final

from mcp.server.context import ServerRequestContext

from agents.mcp.calling import UNNAMED

_PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._/()-]{0,63}")
_GENERIC: Final = re.compile(r"(mozilla|python|node|undici|axios|go-http|okhttp|curl|java|ktor|reqwest)", re.IGNORECASE)
"""User agents that name a library or a browser, and no program."""


def ledger_name(context: ServerRequestContext[Any, Any]) -> str:
    """``mcp`` and the name that the program gives itself, such as ``mcp: claude-code``.

    The program chooses it, so it follows ``mcp:`` and cannot pass for one of the models. One that is long
    or odd is left out. Programs of the older revisions name themselves with no call: then their user agent does. What
    the user called the token is not said: that is the user's text.
    """
    said = context.session.client_params
    name = _agent_of(context) if said is None else said.client_info.name
    return f"{UNNAMED}: {name}" if _PLAIN.fullmatch(name) else UNNAMED


def _agent_of(context: ServerRequestContext[Any, Any]) -> str:
    agent = "" if context.request is None else context.request.headers.get("user-agent", "")
    name: str = agent.partition("/")[0]
    return "" if _GENERIC.match(name) else name
