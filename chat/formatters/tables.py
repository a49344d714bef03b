"""Removes columns of ids from the markdown tables of a text while it arrives. Pure."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from agents.titles import plain
from chat.formatters.ids import ROW_NOUN, SHORT_ID, UUID

MAX_TABLE: Final = 20_000
"""In characters. A longer table is not changed, so that no more than this is held back."""
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_ROW_BEGINS: Final = re.compile(r" {0,3}\|")
_DELIMITERS: Final = re.compile(r" {0,3}\|(?:\s*:?-+:?\s*\|)+\s*")
_CELL_ENDS: Final = re.compile(r"(?<!\\)\|")
_ID: Final = re.compile(rf"[\[(`]*(?:(?:id|ID):? ?)?(?P<id>{SHORT_ID}|{UUID})[\])`]*")
"""Lower case, as in the prompts of models: ``T1`` can be anything."""
_ID_SUFFIX: Final = re.compile(r"(?:\b|[\s_-])ids?\Z", re.IGNORECASE)
_ID_HEADER: Final = re.compile(rf"{_ID_SUFFIX.pattern}|\A{ROW_NOUN}\Z", re.IGNORECASE)
"""The header of a column of ids. Other columns can contain the same short texts: ``P1`` is also a priority."""
_FENCE: Final = "```"
_MAX_INDENT: Final = 3
"""In spaces. After more of them, neither a row nor a fence begins."""
_MAX_COLUMNS: Final = 50


class TableFilter:
    """``title`` returns the title of the row with an id, short or full.

    It returns "" if the row has no title, and None if there is no such row.

    A column of ids is replaced by the titles of the rows, unless another column has these titles or a row has none.
    Then it is removed. A table is held back until its end; other lines are not.
    """

    def __init__(self, title: Callable[[str], str | None]) -> None:
        self._title = title
        self._line = ""
        """The beginning of a line that may be a row or a fence."""
        self._rows: list[str] = []
        self._size = 0
        self._is_prose = False
        """Whether the line that is being read is known not to be a row."""
        self._in_fence = False

    def feed(self, text: str) -> str:
        """``text``, except for a table that has not ended."""
        is_plain = not (self._line or self._rows or self._in_fence or "|" in text or _FENCE[0] in text)
        if is_plain and text.rpartition("\n")[2].strip():
            self._is_prose = True
            return text
        return "".join(shown for line in _LINE.findall(text) for shown in self._read(line))

    def flush(self) -> str:
        """The rest of the text, which was held back."""
        if self._line:
            self._rows.append(self._line)
        text = self._end_table()
        self._line, self._is_prose, self._in_fence = "", False, False
        return text

    def _read(self, text: str) -> Iterator[str]:
        """Read a line, or a part of one."""
        if self._is_prose:
            self._is_prose = not text.endswith("\n")
            yield text
            return
        line = self._line + text
        is_whole = line.endswith("\n")
        unindented = line.lstrip(" ")
        may_be_fence = len(line) - len(unindented) <= _MAX_INDENT
        if not is_whole and may_be_fence and _FENCE.startswith(unindented) and unindented != _FENCE:
            self._line = line
            return
        if may_be_fence and unindented.startswith(_FENCE):
            self._in_fence = not self._in_fence
        is_row = not self._in_fence and _ROW_BEGINS.match(line) is not None
        if is_row and self._size + len(line) <= MAX_TABLE:
            if is_whole:
                yield from self._add_row(line)
            self._line = "" if is_whole else line
            return
        yield self._end_table(is_too_long=is_row)
        self._line, self._is_prose = "", not is_whole
        yield line

    def _add_row(self, row: str) -> Iterator[str]:
        """Hold back a whole row. If a second row is not that of the delimiters, the first one is not of a table."""
        self._rows.append(row)
        self._size += len(row)
        if len(self._rows) == 2 and not _DELIMITERS.fullmatch(row.rstrip("\n")):
            yield self._rows.pop(0)
            self._size = len(row)

    def _end_table(self, *, is_too_long: bool = False) -> str:
        rows, self._rows, self._size = self._rows, [], 0
        return "".join(rows if is_too_long or len(rows) < 3 else self._without_ids(rows))

    def _without_ids(self, rows: Sequence[str]) -> Sequence[str]:
        cells = [_cells(row) for row in rows]
        width = len(cells[0])
        if width > _MAX_COLUMNS or any(len(row) != width for row in cells):
            return rows
        columns = [list(column) for column in zip(*cells, strict=True)]
        titles_of = [self._titles(column[2:]) if _ID_HEADER.search(column[0]) else None for column in columns]
        if all(titles is None for titles in titles_of):
            return rows
        kept = []
        for index, (column, titles) in enumerate(zip(columns, titles_of, strict=True)):
            if titles is None:
                kept.append(column)
                continue
            others = [{plain(cell) for cell in row[:index] + row[index + 1 :]} for row in cells[2:]]
            if all(titles) and not any(plain(title) in other for title, other in zip(titles, others, strict=True)):
                kept.append([_ID_SUFFIX.sub("", column[0]) or column[0], column[1], *titles])
        return [f"| {' | '.join(row)} |\n" for row in zip(*kept, strict=True)] if kept else rows

    def _titles(self, cells: Sequence[str]) -> list[str] | None:
        """The titles of the rows with these ids; None if a cell is not the id of a row."""
        matches = [_ID.fullmatch(cell) for cell in cells]
        titles = [None if match is None else self._title(match["id"]) for match in matches]
        known = [title for title in titles if title is not None]
        return known if len(known) == len(cells) else None


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in _CELL_ENDS.split(row.strip().removeprefix("|").removesuffix("|"))]
