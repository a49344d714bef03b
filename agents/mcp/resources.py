"""The user's rows as resources: ``adiuva://task/{id}`` and its like, in lists, by their addresses, and completed.

They are read where a tool reads: on the device that the context holds, behind the filter of what is never shared. Each
text names its rows by their ids, as those of tools do, so that the ledger knows what a program is told.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
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
"""Rows of one page of a list."""
MAX_COMPLETED: Final = 100
"""Values of one completion (MCP, completion)."""
_ADDRESS: Final = re.compile(r"adiuva://([a-z]+)/([^/?#]+)")
_CURSOR: Final = re.compile(r"([a-z]+):([0-9]{1,4})")

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, slots=True)
class Told(Generic[T]):
    """What a program gets, and the text by which the ledger knows the rows in it."""

    value: T
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ResourceKind:
    """The rows of ``table``. ``body`` is the column whose text follows the row's line, if there is one."""

    table: Table
    body: str = ""

    @property
    def name(self) -> str:
        """As in addresses."""
        return NOUNS[self.table]

    @property
    def scope(self) -> str:
        """The scope without which a token does not read them."""
        return group_scope(self.table, Access.READ)

    @property
    def template(self) -> str:
        """The addresses as RFC 6570 writes them."""
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
    """The kind and the id in ``address``; None if it is none of ours."""
    match = _ADDRESS.fullmatch(address)
    kind = None if match is None else kind_named(match[1])
    return None if match is None or kind is None else (kind, unquote(match[2]))


def kind_named(name: str) -> ResourceKind | None:
    """The kind of this name."""
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
    """A page of the rows of ``kinds``, kind by kind, each the newest first.

    As many of a kind are listed as of a table by a tool. Raises ``MCPError`` for a cursor of no list, and
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
    """A page of rows, and whether there are more of them; none of a table that is never shared."""
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
    """The rows by their titles and ids, as the ledger reads them."""
    return "\n".join(item(title_of(row), (), text(row, "id")) for row in rows)


async def read_resource(
    kind: ResourceKind, row_id: str, now: datetime, timezone: ZoneInfo
) -> Told[mcp_types.ReadResourceResult] | None:
    """The row with its text, and a task with its comments; None if there is none. Raises ``ClientError``."""
    row = (await client.find(kind.table, row_id)).row
    if row is None:
        return None
    lines = await lines_of([row], now, timezone)
    parts = [LINES[kind.table](row, lines), text(row, kind.body)]
    if kind.table is Table.TASKS:
        try:
            comments = await client.select(Table.TASK_COMMENTS, taskId=row_id)
        except ClientRefused:
            # They may be a table that is never shared.
            comments = None
        if comments is not None and comments.rows:
            parts.append(list_rows(Table.TASK_COMMENTS, comments, lines).text)
    told = "\n\n".join(filter(None, parts))
    contents = mcp_types.TextResourceContents(uri=kind.address(mended(row_id)), mime_type=MIME_TYPE, text=mended(told))
    return Told(value=mcp_types.ReadResourceResult(contents=[contents]), text=told)


async def complete_id(kind: ResourceKind, value: str) -> Told[mcp_types.CompleteResult]:
    """The ids that begin with ``value``, and those of rows with its words in their titles. Raises ``ClientError``."""

    def fits(row: Row) -> bool:
        return text(row, "id").startswith(value) or _has_words(row, value)

    return await _completion(kind, fits, lambda row, _titles: text(row, "id"))


async def complete_title(kind: ResourceKind, value: str) -> Told[mcp_types.CompleteResult]:
    """The titles with the words of ``value``; the id where several have the same. Raises ``ClientError``."""

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
    """The id of the row with the id or the title ``said``.

    Raises ``MCPError`` unless there is exactly one, and ``ClientError``.
    """
    if (await client.find(kind.table, said)).row is not None:
        return said
    called = list(_called(said, (await client.select(kind.table, search=said)).rows))
    match called:
        case [row]:
            return text(row, "id")
        case []:
            raise invalid(f"There is no {kind.name} with this id or title.")
        case _:
            raise invalid(f"Several {kind.name}s have this title: give the id.")


def _called(said: str, rows: Sequence[Row]) -> Iterator[Row]:
    return (row for row in rows if words_of(title_of(row)) == words_of(said))
