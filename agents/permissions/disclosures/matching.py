"""Which of the device's rows stand in what a model is sent. Pure.

Every row that is told to a model ends with its id in brackets (``agents/tools/wording.py``), so the texts themselves
say which rows they hold: what a tool read and did not tell, or what was cut off, is not among them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from agents.calls import CallAction, Exchange, Row, Table
from agents.tools.page_rows import rows_on_page
from agents.tools.rows import text

TableRow: TypeAlias = tuple[Table, Row]

_SHOWN: Final = re.compile(r"\[id ([^\]\n]*)\]")
_EMBEDDED_CHARACTERS: Final = 4_000
"""By how much of its beginning a text that is embedded is known."""


def rows_of(exchange: Exchange) -> Iterator[TableRow]:
    """Every row in what the device answered, and its table."""
    call, answer = exchange.call, exchange.answer
    if call.action is CallAction.PAGE_DETAILS:
        yield from rows_on_page(answer.row or {})
    elif call.table is not None:
        found = (*answer.rows, *answer.results, *([] if answer.row is None else [answer.row]))
        yield from ((call.table, row) for row in found)


def told(texts: Iterable[str], ids: Mapping[Table, Iterable[str]]) -> dict[Table, frozenset[str]]:
    """Those of the rows, by table and id, that stand in ``texts``; tables without any are left out."""
    texts = list(texts)
    shown = {row_id for each in texts for row_id in _SHOWN.findall(each)}

    def is_told(row_id: str) -> bool:
        # An id that the pattern would end early is looked for as it is.
        return row_id in shown or (not _is_plain(row_id) and any(f"[id {row_id}]" in each for each in texts))

    found = {table: frozenset(filter(is_told, row_ids)) for table, row_ids in ids.items()}
    return {table: row_ids for table, row_ids in found.items() if row_ids}


def _is_plain(row_id: str) -> bool:
    return "]" not in row_id and "\n" not in row_id


def embedded(texts: Iterable[str], rows: Iterable[TableRow]) -> dict[Table, frozenset[str]]:
    """Those of the rows whose own text one of ``texts`` is: a note's content, a task's title and description."""
    beginnings = {each[:_EMBEDDED_CHARACTERS] for each in texts}
    found: dict[Table, set[str]] = {}
    for table, row in rows:
        if _own_text(row)[:_EMBEDDED_CHARACTERS] in beginnings:
            found.setdefault(table, set()).add(text(row, "id"))
    return {table: frozenset(ids) for table, ids in found.items()}


def _own_text(row: Row) -> str:
    return text(row, "content") if "content" in row else f"{text(row, 'title')}\n{text(row, 'description')}"
