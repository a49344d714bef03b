"""The view of MCP Apps: a page that a host shows in a frame. It draws a tool's rows as the blocks of an answer.

The page itself contains no user data. What it draws is in the ``_meta`` of the tool's result, which goes to the page
but not to the model, and contains nothing that is not in the result's text.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, Protocol
from zoneinfo import ZoneInfo

import mcp_types
from mcp.server.apps import APP_MIME_TYPE
from pydantic import JsonValue

from accounts.translations import gettext_noop, translations
from agents.calls import NamedRows

VIEW: Final = "ui://adiuva/blocks"
BLOCKS: Final = "adiuva/blocks"
"""The key in a result's ``_meta`` for the blocks, each ``{block_type, data}`` as in an answer."""
QUESTION: Final = "adiuva/question"
"""The key for the address at which the user answers whether the tool may run."""
_PAGE: Final = Path(__file__).parent / "views" / "blocks.html"
_WORDS: Final = {
    "todo": gettext_noop("to do"),
    "in_progress": gettext_noop("in progress"),
    "done": gettext_noop("done"),
    "active": gettext_noop("active"),
    "archived": gettext_noop("archived"),
    "high priority": gettext_noop("high priority"),
    "medium priority": gettext_noop("medium priority"),
    "low priority": gettext_noop("low priority"),
    "overdue": gettext_noop("overdue"),
    "cancelled": gettext_noop("This was cancelled."),
    "asked": gettext_noop("This needs your approval. You give it in Adiuva."),
    "answer": gettext_noop("Open Adiuva"),
}


class BlocksOf(Protocol):
    """Makes the blocks that show rows."""

    def __call__(self, rows: NamedRows, language: str, timezone: ZoneInfo) -> Sequence[Mapping[str, JsonValue]]: ...


def no_blocks(
    rows: NamedRows,  # noqa: ARG001
    language: str,  # noqa: ARG001
    timezone: ZoneInfo,  # noqa: ARG001
) -> Sequence[Mapping[str, JsonValue]]:
    """The ``BlocksOf`` of a server without blocks."""
    return ()


def view_at(address: str, language: str) -> mcp_types.ReadResourceResult | None:
    """The page at this address, in ``language``; None if there is no page."""
    if address != VIEW:
        return None
    contents = mcp_types.TextResourceContents(
        uri=VIEW, mime_type=APP_MIME_TYPE, text=_page(language), _meta={"ui": {"prefersBorder": True}}
    )
    return mcp_types.ReadResourceResult(contents=[contents])


def view_meta() -> dict[str, Any]:
    """The ``_meta`` of a tool whose results the page draws."""
    return {"ui": {"resourceUri": VIEW}}


@cache
def _page(language: str) -> str:
    gettext = translations(language).gettext
    words = json.dumps({word: gettext(text) for word, text in _WORDS.items()}, ensure_ascii=False)
    page = _PAGE.read_text(encoding="utf-8")
    return page.replace("{{ words }}", words).replace("{{ language }}", language)
