"""Which rows a text names by their titles. Pure."""

import re
from collections.abc import Collection, Sequence
from itertools import groupby
from typing import Final

from agents.titles import plain
from agents.tools.rows import title_of
from chat.formatters.blocks import Row

_MAX_READ: Final = 16_384
"""How many characters of the text are searched."""
_MIN_TITLE: Final = 3
"""In characters. Shorter titles are too often part of something else."""


def named_rows(text: str, rows: Sequence[Row], changed: Collection[str]) -> list[Row]:
    """The rows whose titles are in ``text``, in the order in which it names them, then those with the ids ``changed``.

    Case, accents and spaces are ignored. Words that belong to a longer title do not name a shorter one.
    """
    rest = plain(text[:_MAX_READ])
    positions: list[tuple[int, Row]] = []
    for title, with_title in groupby(sorted(rows, key=_longest_first), key=_title):
        if len(title) < _MIN_TITLE or title not in rest:
            continue
        words = re.compile(rf"(?<![^\W_]){re.escape(title)}(?![^\W_])")
        if match := words.search(rest):
            positions += [(match.start(), row) for row in with_title]
            rest = words.sub("\0" * len(title), rest)
    named = [row for _, row in sorted(positions, key=lambda entry: entry[0])]
    named_ids = {row.get("id") for row in named}
    return [*named, *(row for row in rows if row.get("id") in changed and row.get("id") not in named_ids)]


def _longest_first(row: Row) -> tuple[int, str]:
    title = _title(row)
    return -len(title), title


def _title(row: Row) -> str:
    return plain(title_of(row))
