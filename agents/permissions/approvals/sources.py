"""The text that may have led to a call, if the user's own words did not. It is shown with the question. Pure."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from accounts.translations import gettext_noop, translations
from agents.calls import Table
from agents.permissions.approvals.passages import Passage, ReadSoFar
from agents.permissions.approvals.quoting import quoted_words, with_visible_turns
from agents.provenance import Provenance

MAX_EXCERPT_CHARACTERS: Final = 300
_BEFORE: Final = 120
"""How many characters of an excerpt precede the words that led to the call."""
_LONGEST_NAME: Final = 80
_TELLING: Final = 12
"""In characters. Shorter texts occur in others by chance."""
_MAX_READ: Final = 20_000
"""How many characters of a text are searched."""
_RUNNING: Final = 40
"""From this number of characters on, a text may contain a request."""
KINDS: Final[Mapping[Table, str]] = {
    Table.TASKS: gettext_noop("the task"),
    Table.PROJECTS: gettext_noop("the project"),
    Table.CHECKPOINTS: gettext_noop("the checkpoint"),
    Table.NOTES: gettext_noop("the note"),
    Table.TASK_COMMENTS: gettext_noop("the comment"),
    Table.CLIENTS: gettext_noop("the client"),
}
_ASKED_BY: Final = gettext_noop("Not in your words: it may be asked for by {source}.")
_BY_PROGRAM: Final = gettext_noop("Asked for by a program that calls itself “{name}”.")
_BY_A_PROGRAM: Final = gettext_noop("Asked for by a program.")
_UNNAMED: Final = gettext_noop("a text that the assistant has read")


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """A text that may have led to a call: its name for the user, and an excerpt on one line."""

    name: str = field(repr=False)
    text: str = field(repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class Wanted:
    """What a call is about: the ids of its rows, which are not its source, and the words by which a text names it."""

    row_ids: frozenset[str] = frozenset()
    words: Sequence[str] = ()


def source_of(wanted: Wanted, read: ReadSoFar, tables: Mapping[str, Table], *, language: str) -> Source | None:
    """The latest text that names what is ``wanted``, or else the latest that is foreign or long enough for a request.

    ``tables`` has the tables of rows by their ids.
    """
    others = [passage for passage in reversed(read.passages) if passage.row_id not in wanted.row_ids]
    needles = [_folded(words) for words in wanted.words if words.strip()]
    for passage in others:
        for words in _parts(passage):
            if (at := _position(needles, _folded(words[:_MAX_READ]))) is not None:
                return _source(passage, words, tables, language, at=at)
    for passage in others:
        for words in _parts(passage) or [""]:
            if _may_ask(passage, words):
                return _source(passage, words, tables, language)
    return None


def _parts(passage: Passage) -> Sequence[str]:
    """The texts of ``passage``, each of which may contain a request."""
    return [words for words in (passage.body, passage.title) if words]


def _may_ask(passage: Passage, words: str) -> bool:
    return passage.provenance is Provenance.FOREIGN or (len(words) >= _RUNNING and not passage.is_beside)


def asked_by(source: Source, *, language: str) -> str:
    """The sentence about ``source`` in a question."""
    return translations(language).gettext(_ASKED_BY).format(source=source.name)


def asked_by_program(program: str, *, language: str) -> str:
    """The sentence about the ``program`` that asks, by the name that it gives itself (``mcp: editor``)."""
    gettext = translations(language).gettext
    name = quoted_words(program.partition(":")[2], longest=_LONGEST_NAME)
    return gettext(_BY_PROGRAM).format(name=name) if name else gettext(_BY_A_PROGRAM)


def telling(words: Iterable[str]) -> list[str]:
    """The ``words`` that are long enough not to occur in a text by chance."""
    return [each for each in words if len(each) >= _TELLING]


def _source(passage: Passage, words: str, tables: Mapping[str, Table], language: str, *, at: int = 0) -> Source:
    """The source with an excerpt of ``words`` around the position ``at``."""
    gettext, table = translations(language).gettext, tables.get(passage.row_id)
    shown = " ".join(words[:_MAX_READ].split())
    start = max(0, at - _BEFORE)
    excerpt = shown[start : start + MAX_EXCERPT_CHARACTERS]
    cut = f"{'…' if start else ''}{excerpt}{'…' if start + len(excerpt) < len(shown) else ''}"
    name = quoted_words(passage.title or passage.body, longest=_LONGEST_NAME)
    named = gettext(_UNNAMED)
    if table is not None and name:
        named = f"{gettext(KINDS[table])} {gettext('“{name}”').format(name=name)}"
    return Source(name=named, text=str(with_visible_turns(cut)))


def _position(needles: Iterable[str], body: str) -> int | None:
    found = [at for needle in needles if (at := body.find(needle)) >= 0]
    return min(found) if found else None


def _folded(words: str) -> str:
    """``words`` on one line, in lower case and normalized letter by letter, so that positions stay valid."""
    return "".join(
        plain if len(plain := unicodedata.normalize("NFKC", letter).lower()) == 1 else letter
        for letter in " ".join(words.split())
    )
