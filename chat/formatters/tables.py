"""Leaves columns of ids out of the markdown tables of a text, as it comes. Pure."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from agents.titles import plain
from chat.formatters.ids import ROW_NOUN, SHORT_ID, UUID

MAX_TABLE: Final = 20_000
"""Characters of a table. A longer one stays as it is, so that no more is held back."""
_PIECE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_ROW_BEGINS: Final = re.compile(r" {0,3}\|")
_DELIMITERS: Final = re.compile(r" {0,3}\|(?:\s*:?-+:?\s*\|)+\s*")
_CELL_ENDS: Final = re.compile(r"(?<!\\)\|")
_ID: Final = re.compile(rf"[\[(`]*(?:(?:id|ID):? ?)?(?P<id>{SHORT_ID}|{UUID})[\])`]*")
"""In small letters, as models are told it: T1 may be anything."""
_SAYS_ID: Final = re.compile(r"(?:\b|[\s_-])ids?\Z", re.IGNORECASE)
_HEADS_IDS: Final = re.compile(rf"{_SAYS_ID.pattern}|\A{ROW_NOUN}\Z", re.IGNORECASE)
"""Other columns may have the same short texts: P1 is also a priority."""
_FENCE: Final = "```"
_MAX_SPACES: Final = 3
"""Of more before them, neither a row nor a fence begins."""
_MAX_COLUMNS: Final = 50


class TableFilter:
    """``title`` tells which row a text is the id of, in short or in full: None for none, empty if it has no title.

    A column of ids becomes one of titles where no other cell of a row has its title; else it goes. A table is held back
    until it has ended; other lines pass as they come.
    """

    def __init__(self, title: Callable[[str], str | None]) -> None:
        self._title = title
        self._line = ""
        """The beginning of a line that may be a row."""
        self._rows: list[str] = []
        self._size = 0
        self._passes = False
        """Whether the line that is being read is no row."""
        self._in_fence = False

    def feed(self, text: str) -> str:
        """``text`` as far as it belongs to no table that goes on."""
        is_plain = not (self._line or self._rows or self._in_fence or "|" in text or _FENCE[0] in text)
        if is_plain and text.rpartition("\n")[2].strip():
            self._passes = True
            return text
        return "".join(told for piece in _PIECE.findall(text) for told in self._read(piece))

    def flush(self) -> str:
        """What is held back, because nothing follows."""
        if self._line:
            self._rows.append(self._line)
        told = self._ended()
        self._line, self._passes, self._in_fence = "", False, False
        return told

    def _read(self, piece: str) -> Iterator[str]:
        if self._passes:
            self._passes = not piece.endswith("\n")
            yield piece
            return
        line = self._line + piece
        is_whole = line.endswith("\n")
        begun = line.lstrip(" ")
        may_begin = len(line) - len(begun) <= _MAX_SPACES
        if not is_whole and may_begin and _FENCE.startswith(begun) and begun != _FENCE:
            self._line = line
            return
        if may_begin and begun.startswith(_FENCE):
            self._in_fence = not self._in_fence
        is_row = not self._in_fence and _ROW_BEGINS.match(line) is not None
        if is_row and self._size + len(line) <= MAX_TABLE:
            if is_whole:
                yield from self._added(line)
            self._line = "" if is_whole else line
            return
        yield self._ended(is_too_long=is_row)
        self._line, self._passes = "", not is_whole
        yield line

    def _added(self, row: str) -> Iterator[str]:
        """Take a whole row. What was held back before a second one that begins no table is told."""
        self._rows.append(row)
        self._size += len(row)
        if len(self._rows) == 2 and not _DELIMITERS.fullmatch(row.rstrip("\n")):
            yield self._rows.pop(0)
            self._size = len(row)

    def _ended(self, *, is_too_long: bool = False) -> str:
        rows, self._rows, self._size = self._rows, [], 0
        return "".join(rows if is_too_long or len(rows) < 3 else self._without_ids(rows))

    def _without_ids(self, rows: Sequence[str]) -> Sequence[str]:
        cells = [_cells(row) for row in rows]
        width = len(cells[0])
        if width > _MAX_COLUMNS or any(len(row) != width for row in cells):
            return rows
        columns = [list(column) for column in zip(*cells, strict=True)]
        told = [self._titles(column[2:]) if _HEADS_IDS.search(column[0]) else None for column in columns]
        if all(titles is None for titles in told):
            return rows
        kept = []
        for at, (column, titles) in enumerate(zip(columns, told, strict=True)):
            if titles is None:
                kept.append(column)
                continue
            others = [{plain(cell) for cell in row[:at] + row[at + 1 :]} for row in cells[2:]]
            if all(titles) and not any(plain(title) in other for title, other in zip(titles, others, strict=True)):
                kept.append([_SAYS_ID.sub("", column[0]) or column[0], column[1], *titles])
        return [f"| {' | '.join(row)} |\n" for row in zip(*kept, strict=True)] if kept else rows

    def _titles(self, cells: Sequence[str]) -> list[str] | None:
        """The titles of the rows whose ids the ``cells`` are; None if they are no ids."""
        found = [_ID.fullmatch(cell) for cell in cells]
        titles = [None if each is None else self._title(each["id"]) for each in found]
        known = [title for title in titles if title is not None]
        return known if len(known) == len(cells) else None


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in _CELL_ENDS.split(row.strip().removeprefix("|").removesuffix("|"))]
