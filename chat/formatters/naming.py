"""Which rows a text names by their titles. Pure."""

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from typing import Final, TypeAlias

from agents.titles import plain
from agents.tools.rows import title_of

Row: TypeAlias = Mapping[str, object]

_MAX_READ: Final = 16_384
"""Characters of the text that are searched."""
_SHORTEST: Final = 3
"""Characters of a title that is looked for. Shorter ones are too often something else."""


def named_rows(text: str, rows: Sequence[Row], changed: Collection[str]) -> list[Row]:
    """The rows whose titles are in ``text``, in the order in which it names them, then those with the ids ``changed``.

    Case, accents and spaces are ignored. Words that belong to a longer title do not name a shorter one.
    """
    left = plain(text[:_MAX_READ])
    places: list[tuple[int, Row]] = []
    for title, called in groupby(sorted(rows, key=_longest_first), key=_title):
        if len(title) < _SHORTEST or title not in left:
            continue
        whole = re.compile(rf"(?<![^\W_]){re.escape(title)}(?![^\W_])")
        if found := whole.search(left):
            places += [(found.start(), row) for row in called]
            left = whole.sub("\0" * len(title), left)
    named = [row for _, row in sorted(places, key=lambda place: place[0])]
    known = {row.get("id") for row in named}
    return [*named, *(row for row in rows if row.get("id") in changed and row.get("id") not in known)]


def _longest_first(row: Row) -> tuple[int, str]:
    title = _title(row)
    return -len(title), title


def _title(row: Row) -> str:
    return plain(title_of(row))
