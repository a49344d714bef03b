"""What the user's own words name: rows by id, by exact title, or by looking at them; and what they say themselves."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from agents.calls import Row, Table
from agents.permissions.withholding import HiddenRow
from agents.scopes import AnyScope, viewed_project, viewed_row
from agents.titles import plain
from agents.tools.rows import text, title_of

_WORD: Final = re.compile(r"\w+n['’]t\b|\w+")
_SHORT_NOT: Final = re.compile(r"\w+n['’]t")
_START: Final = 3
_LONGEST_ENDING: Final = 3
"""How many letters of a word may differ at its end, since a model changes the form of words."""
_COMMON: Final = frozenset(
    {
        *("and", "are", "but", "for", "from", "has", "have", "her", "him", "his", "its", "that", "the", "them"),
        *("their", "they", "this", "user", "was", "who", "with", "she", "you", "your"),
        *("agli", "alla", "alle", "che", "chi", "con", "dal", "dalla", "degli", "dei", "del", "della", "delle", "gli"),
        *("nel", "nella", "per", "sua", "sue", "sul", "sulla", "suo", "suoi", "una", "uno", "utente"),
    }
)
"""Words that a model adds when it repeats what the user has said of themselves, in English and Italian."""

_DENIALS: Final = frozenset(
    {
        *("cannot", "neither", "never", "no", "none", "nor", "not", "nothing", "without"),
        *("mai", "neanche", "nemmeno", "neppure", "nessun", "nessuna", "nessuno", "niente", "non", "nulla", "senza"),
    }
)
_DENIED_WITHIN: Final = 3
"""How many words before the first may deny what follows."""
_MOST_STARTS: Final = 50


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
    """Whether ``said`` has the words of ``words`` that mean something, in their order and close to each other.

    They may have other endings. Words like "not" are in both or in none: else the rest says the opposite.
    """
    wanted = [word for word in _words(words) if _means_something(word)]
    if not wanted:
        return _occurs(words, said)
    known = list(_words(said))
    starts = (at for at, word in enumerate(known) if _is_form(wanted[0], word))
    return any(
        (end := _end_of(wanted, known[at : at + _reach(wanted)])) is not None
        and _denies(known[max(0, at - _DENIED_WITHIN) : at + end]) == _denies(_words(words))
        for at in islice(starts, _MOST_STARTS)
    )


def _end_of(wanted: Sequence[str], known: Sequence[str]) -> int | None:
    """Where the words of ``wanted`` end that are in ``known`` in this order; None if they are not."""
    left = iter(enumerate(known, 1))
    end = 0
    for word in wanted:
        end = next((at for at, other in left if _is_form(word, other)), 0)
        if not end:
            return None
    return end


def _reach(wanted: Sequence[str]) -> int:
    return 4 * len(wanted) + 12


def _means_something(word: str) -> bool:
    return len(word) >= _START and word not in _COMMON and word not in _DENIALS


def _denies(words: Iterable[str]) -> bool:
    return any(word in _DENIALS for word in words)


def _is_form(word: str, other: str) -> bool:
    """Whether the two words begin alike up to an ending."""
    if len(other) < _START:
        return False
    alike = max(_START, min(len(word), len(other)) - _LONGEST_ENDING + 1)
    return abs(len(word) - len(other)) <= _LONGEST_ENDING and word[:alike] == other[:alike]


def _words(said: str) -> Iterator[str]:
    yield from ("not" if _SHORT_NOT.fullmatch(word) else word for word in _WORD.findall(plain(said)))


def _occurs(name: str, said: str) -> bool:
    words = plain(name)
    return bool(words) and re.search(rf"(?<![\w-]){re.escape(words)}(?![\w-])", plain(said)) is not None
