"""What the user's own words name: rows by id, by exact title, or by looking at them; and what they say themselves."""

import re
from collections.abc import Iterator
from typing import Final

from agents.calls import Row, Table
from agents.permissions.withholding import HiddenRow
from agents.scopes import AnyScope, viewed_project, viewed_row
from agents.titles import plain
from agents.tools.rows import text, title_of

_WORD: Final = re.compile(r"\w{3,}")
_START: Final = 3
_LONGEST_ENDING: Final = 3
"""How many letters of a word may differ at its end, since a model changes the form of words."""
_COMMON: Final = frozenset(
    {
        *("and", "are", "but", "for", "from", "has", "have", "her", "him", "his", "its", "not", "that", "the", "them"),
        *("their", "they", "this", "user", "was", "who", "with", "she", "you", "your"),
        *("agli", "alla", "alle", "che", "chi", "con", "dal", "dalla", "degli", "dei", "del", "della", "delle", "gli"),
        *("nel", "nella", "non", "per", "sua", "sue", "sul", "sulla", "suo", "suoi", "una", "uno", "utente"),
    }
)
"""Words that a model adds when it repeats what the user has said of themselves, in English and Italian."""


def is_named(hidden: HiddenRow, *, said: str, scope: AnyScope | None) -> bool:
    """Whether ``said``, what the user wrote in this request, names the row, or it is the one in front of them.

    Case, accents and white space make no difference to a title. A part of a longer word names nothing.
    """
    return viewed_row(scope) == (hidden.table, text(hidden.row, "id")) or names(said, hidden.row)


def names(said: str, row: Row) -> bool:
    """Whether ``said`` has the id or the exact title of ``row``, as ``is_named``."""
    return any(_occurs(each, said) for each in (text(row, "id"), title_of(row)))


def is_on_page(table: Table, row: Row, scope: AnyScope | None) -> bool:
    """Whether the user looks at ``row``, or at the project that it belongs to."""
    viewed = viewed_project(scope)
    return viewed_row(scope) == (table, text(row, "id")) or (viewed is not None and text(row, "projectId") == viewed)


def repeats(words: str, said: str) -> bool:
    """Whether each word of ``words`` that means something is in ``said``, perhaps with another ending."""
    wanted = {word for word in _words(words) if word not in _COMMON}
    if not wanted:
        return _occurs(words, said)
    known: dict[str, set[str]] = {}
    for word in _words(said):
        known.setdefault(word[:_START], set()).add(word)
    return all(any(_is_form(word, other) for other in known.get(word[:_START], ())) for word in wanted)


def _is_form(word: str, other: str) -> bool:
    """Whether the two words begin alike up to an ending."""
    alike = max(_START, min(len(word), len(other)) - _LONGEST_ENDING + 1)
    return abs(len(word) - len(other)) <= _LONGEST_ENDING and word[:alike] == other[:alike]


def _words(said: str) -> Iterator[str]:
    yield from _WORD.findall(plain(said))


def _occurs(name: str, said: str) -> bool:
    words = plain(name)
    return bool(words) and re.search(rf"(?<![\w-]){re.escape(words)}(?![\w-])", plain(said)) is not None
