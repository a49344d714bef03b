"""Inverses of ``item`` and ``write_sections``: rows and sections parsed from a tool's text."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from agents.calls import Row, Rows
from agents.tools.rows import LineContext, listed, text

_ITEM = re.compile(r'("(?:[^"\\]|\\.)*")(?: \(([^()\n]*)\))? \[id ([^\]\s]+)\]')
_TITLE = re.compile(r"== (.+) ==")


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """One row as written by a tool: its title, its facts in order, its id."""

    title: str
    facts: tuple[str, ...]
    id: str


def read_items(said: str) -> list[Item]:
    """Every item in ``said``, in order."""
    return [
        Item(title=json.loads(title), facts=tuple(facts.split(", ")) if facts else (), id=row_id)
        for title, facts, row_id in _ITEM.findall(said)
    ]


def read_sections(said: str) -> dict[str, str]:
    """The bodies in ``said`` by title, without what comes before the first title."""
    found: dict[str, list[str]] = {}
    body: list[str] = []
    for line in said.split("\n"):
        if title := _TITLE.fullmatch(line):
            body = found.setdefault(title[1], [])
        else:
            body.append(line)
    return {title: "\n".join(lines).strip() for title, lines in found.items()}


def listing(items: Sequence[str], *, one: str, many: str, omitted: int = 0, uncounted: bool = False) -> str:
    """The text of a listing with the lines ``items``."""
    found = Rows(rows=tuple({"line": item} for item in items), omitted=omitted, uncounted=uncounted)
    return listed("rows", found, _line, LineContext(timezone=ZoneInfo("UTC")), one=one, many=many).text


def _line(row: Row, _context: LineContext) -> str:
    return text(row, "line")
