"""The user's rows as resources, such as ``adiuva://task/{id}``: lists of them, reading one, and completing ids.

They are read as a tool reads rows: on the device in the current context, behind the sharing filter. Texts contain the
ids of their rows, as those of tools do, so that the ledger knows what a program was sent.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Generic, TypeVar
from urllib.parse import quote, unquote
from zoneinfo import ZoneInfo

import mcp_types

from accounts.auth.token_scopes import Access, group_scope
from agents.adapters.reading import mended
from agents.calls import Row, Table
from agents.errors import ClientRefused, Withheld
from agents.mcp.refusals import invalid, unknown_cursor
from agents.titles import words_of
from agents.tools import client
from agents.tools.client import lines_of
from agents.tools.rows import LINES, NOUNS, item, list_rows, text, title_of

MIME_TYPE: Final = "text/markdown"
PAGE_ROWS: Final = 50
"""The number of rows on one page of a list."""
MAX_COMPLETED: Final = 100
"""The maximum number of values in a completion (MCP, completion)."""
_ADDRESS: Final = re.compile(r"adiuva://([a-z]+)/([^/?#]+)")
_CURSOR: Final = re.compile(r"([a-z]+):([0-9]{1,4})")

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, slots=True)
class Told(Generic[T]):
    """What a program is sent, and a text with the ids of the rows in it, for the ledger."""

    value: T
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ResourceKind:
    """The rows of ``table``. ``body`` is the column whose text follows the row's line; empty if there is none."""

    table: Table
    body: str = ""

    @property
    def name(self) -> str:
        """Its name in addresses."""
        return NOUNS[self.table]

    @property
    def scope(self) -> str:
        """The scope that a token needs to read them."""
        return group_scope(self.table, Access.READ)

    @property
    def template(self) -> str:
        """The template of their addresses (RFC 6570)."""
        return f"adiuva://{self.name}/{{id}}"

    def address(self, row_id: str) -> str:
        """The address of a row."""
        return f"adiuva://{self.name}/{quote(row_id, safe='')}"


KINDS: Final = (
    ResourceKind(table=Table.TASKS, body="description"),
    ResourceKind(table=Table.PROJECTS, body="aiSummary"),
    ResourceKind(table=Table.NOTES, body="content"),
    ResourceKind(table=Table.CHECKPOINTS),
)


def parse_address(address: str) -> tuple[ResourceKind, str] | None:
    """The kind and the id in ``address``; None if it is not the address of a resource."""
    match = _ADDRESS.fullmatch(address)
    kind = None if match is None else kind_named(match[1])
    return None if match is None or kind is None else (kind, unquote(match[2]))


def kind_named(name: str) -> ResourceKind | None:
    """The kind with this name; None if there is none."""
    return next((kind for kind in KINDS if kind.name == name), None)


def templates(kinds: Sequence[ResourceKind]) -> list[mcp_types.ResourceTemplate]:
    """The templates of ``kinds``."""
    return [
        mcp_types.ResourceTemplate(
            name=kind.name,
            title=kind.name.capitalize(),
            uri_template=kind.template,
            description=f"A {kind.name} of the user's.",
            mime_type=MIME_TYPE,
        )
        for kind in kinds
    ]


async def page_of(kinds: Sequence[ResourceKind], cursor: str | None) -> Told[mcp_types.ListResourcesResult]:
    """A page of the rows of ``kinds``, one kind after the other, the newest rows of each first.

    At most ``SELECT_LIMIT`` rows of each kind are listed. Raises ``MCPError`` for an unknown cursor, and
    ``ClientError``.
    """
    kind, start = _position(kinds, cursor)
    for number, each in enumerate(kinds[kind:], kind):
        rows, has_more = await _rows_from(each, start)
        following = f"{each.name}:{start + PAGE_ROWS}" if has_more else _first_of(kinds[number + 1 :])
        if rows:
            listed = [_listed(each, row) for row in rows]
            result = mcp_types.ListResourcesResult(resources=listed, next_cursor=following)
            return Told(value=result, text=_named(rows))
        start = 0
    return Told(value=mcp_types.ListResourcesResult(resources=[]), text="")


def _position(kinds: Sequence[ResourceKind], cursor: str | None) -> tuple[int, int]:
    if cursor is None:
        return 0, 0
    match = _CURSOR.fullmatch(cursor)
    found = [number for number, kind in enumerate(kinds) if match is not None and kind.name == match[1]]
    if match is None or not found or int(match[2]) >= client.SELECT_LIMIT:
        raise unknown_cursor()
    return found[0], int(match[2])


def _first_of(kinds: Sequence[ResourceKind]) -> str | None:
    return f"{kinds[0].name}:0" if kinds else None


async def _rows_from(kind: ResourceKind, start: int) -> tuple[Sequence[Row], bool]:
    """A page of rows, and whether more follow. Empty for a table that is never shared."""
    end = min(start + PAGE_ROWS, client.SELECT_LIMIT)
    try:
        rows = (await client.select(kind.table, end + 1, orderBy="-createdAt")).rows
    except Withheld:
        return (), False
    return rows[start:end], len(rows) > end and end < client.SELECT_LIMIT


def _listed(kind: ResourceKind, row: Row) -> mcp_types.Resource:
    row_id = mended(text(row, "id"))
    title = mended(title_of(row))
    return mcp_types.Resource(uri=kind.address(row_id), name=title or row_id, title=title or None, mime_type=MIME_TYPE)


def _named(rows: Sequence[Row]) -> str:
    """The titles and ids of ``rows``, for the ledger."""
    return "\n".join(item(title_of(row), (), text(row, "id")) for row in rows)


async def read_resource(
    kind: ResourceKind, row_id: str, now: datetime, timezone: ZoneInfo
) -> Told[mcp_types.ReadResourceResult] | None:
    """The row with its text, and for a task its comments; None if there is no such row. Raises ``ClientError``."""
    row = (await client.find(kind.table, row_id)).row
    if row is None:
        return None
    lines = await lines_of([row], now, timezone)
    parts = [LINES[kind.table](row, lines), text(row, kind.body)]
    if kind.table is Table.TASKS:
        try:
            comments = await client.select(Table.TASK_COMMENTS, taskId=row_id)
        except ClientRefused:
            # Comments may be a table that is never shared.
            comments = None
        if comments is not None and comments.rows:
            parts.append(list_rows(Table.TASK_COMMENTS, comments, lines).text)
    told = "\n\n".join(filter(None, parts))
    contents = mcp_types.TextResourceContents(uri=kind.address(mended(row_id)), mime_type=MIME_TYPE, text=mended(told))
    return Told(value=mcp_types.ReadResourceResult(contents=[contents]), text=told)


async def complete_id(kind: ResourceKind, value: str) -> Told[mcp_types.CompleteResult]:
    """The ids that begin with ``value``, or whose row has its words in the title. Raises ``ClientError``."""

    def fits(row: Row) -> bool:
        return text(row, "id").startswith(value) or _has_words(row, value)

    return await _completion(kind, fits, lambda row, _titles: text(row, "id"))


async def complete_title(kind: ResourceKind, value: str) -> Told[mcp_types.CompleteResult]:
    """The titles with the words of ``value``; ids instead of titles that several rows have. Raises ``ClientError``."""

    def shown(row: Row, titles: Counter[str]) -> str:
        return title_of(row) if titles[words_of(title_of(row))] == 1 else text(row, "id")

    return await _completion(kind, lambda row: _has_words(row, value), shown)


def _has_words(row: Row, value: str) -> bool:
    title = words_of(title_of(row))
    return all(word in title for word in words_of(value).split())


async def _completion(
    kind: ResourceKind, fits: Callable[[Row], bool], shown: Callable[[Row, Counter[str]], str]
) -> Told[mcp_types.CompleteResult]:
    try:
        rows = (await client.select(kind.table, orderBy="-createdAt")).rows
    except Withheld:
        rows = ()
    titles = Counter(words_of(title_of(row)) for row in rows)
    fitting = [row for row in rows if fits(row) and title_of(row)]
    offered = fitting[:MAX_COMPLETED]
    completion = mcp_types.Completion(
        values=[mended(shown(row, titles)) for row in offered],
        total=len(fitting),
        has_more=len(fitting) > len(offered),
    )
    return Told(value=mcp_types.CompleteResult(completion=completion), text=_named(offered))


async def row_meant(kind: ResourceKind, said: str) -> str:
    """The id of the row whose id or title is ``said``.

    Raises ``MCPError`` unless there is exactly one such row, and ``ClientError``.
    """
    if (await client.find(kind.table, said)).row is not None:
        return said
    found = (await client.select(kind.table, search=said)).rows
    match [row for row in found if words_of(title_of(row)) == words_of(said)]:
        case [row]:
            return text(row, "id")
        case []:
            raise invalid(f"There is no {kind.name} with this id or title.")
        case _:
            raise invalid(f"Several {kind.name}s have this title: give the id.")
