"""The text that may have led to a call, if the user's own words did not. It is shown with the question. Pure."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from accounts.translations import gettext_noop, translations
from agents.calls import Table
from agents.permissions.approvals.passages import Passage, ReadSoFar
from agents.permissions.approvals.quoting import MAX_TITLE_CHARS, in_quotes, quoted_words, show_controls
from agents.provenance import Provenance

_EXCERPT_CHARS: Final = 300
_CHARS_BEFORE: Final = 120
"""The number of characters of an excerpt before the words that led to the call."""
_MIN_DISTINCTIVE_CHARS: Final = 12
"""Shorter texts occur in unrelated texts, too."""
_SEARCHED_CHARS: Final = 20_000
"""The length of the beginning of a text that is searched."""
_MIN_REQUEST_CHARS: Final = 40
"""From this length on, a text may contain a request."""
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
class CallSubject:
    """The subject of a call: the ids of its rows, which are not its source, and the words that a source contains."""

    row_ids: frozenset[str] = frozenset()
    words: Sequence[str] = ()


def source_of(subject: CallSubject, read: ReadSoFar, tables: Mapping[str, Table], *, language: str) -> Source | None:
    """The latest text that contains words of ``subject``, or else the latest that is foreign or may contain a request.

    ``tables`` has the tables of rows by their ids.
    """
    others = [passage for passage in reversed(read.passages) if passage.row_id not in subject.row_ids]
    needles = [_folded(words) for words in subject.words if words.strip()]
    for passage in others:
        for words in _parts(passage):
            if (at := _position(needles, _folded(words[:_SEARCHED_CHARS]))) is not None:
                return _source(passage, words, tables, language, at=at)
    for passage in others:
        for words in _parts(passage) or [""]:
            if _may_contain_request(passage, words):
                return _source(passage, words, tables, language)
    return None


def _parts(passage: Passage) -> Sequence[str]:
    """The texts of ``passage``."""
    return [words for words in (passage.body, passage.title) if words]


def _may_contain_request(passage: Passage, words: str) -> bool:
    is_long = len(words) >= _MIN_REQUEST_CHARS
    return passage.provenance is Provenance.FOREIGN or (is_long and not passage.is_beside)


def source_notice(source: Source, *, language: str) -> str:
    """The sentence about ``source`` in a question."""
    return translations(language).gettext(_ASKED_BY).format(source=source.name)


def program_notice(program: str, *, language: str) -> str:
    """The sentence about the ``program`` that asks, with the name that it gives itself (``mcp: editor``)."""
    gettext = translations(language).gettext
    name = quoted_words(program.partition(":")[2], max_chars=MAX_TITLE_CHARS)
    return gettext(_BY_PROGRAM).format(name=name) if name else gettext(_BY_A_PROGRAM)


def distinctive(texts: Iterable[str]) -> list[str]:
    """The ``texts`` that are long enough not to occur in unrelated texts."""
    return [each for each in texts if len(each) >= _MIN_DISTINCTIVE_CHARS]


def _source(passage: Passage, words: str, tables: Mapping[str, Table], language: str, *, at: int = 0) -> Source:
    """The source with an excerpt of ``words`` around the position ``at``."""
    gettext, table = translations(language).gettext, tables.get(passage.row_id)
    line = " ".join(words[:_SEARCHED_CHARS].split())
    start = max(0, at - _CHARS_BEFORE)
    excerpt = line[start : start + _EXCERPT_CHARS]
    text = f"{'…' if start else ''}{excerpt}{'…' if start + len(excerpt) < len(line) else ''}"
    title, name = quoted_words(passage.title or passage.body, max_chars=MAX_TITLE_CHARS), gettext(_UNNAMED)
    if table is not None and title:
        name = f"{gettext(KINDS[table])} {in_quotes(title, language=language)}"
    return Source(name=name, text=str(show_controls(text)))


def _position(needles: Iterable[str], body: str) -> int | None:
    return min((at for needle in needles if (at := body.find(needle)) >= 0), default=None)


def _folded(words: str) -> str:
    """``words`` on one line, in lower case, and normalized letter by letter, so that positions do not change."""
    return "".join(
        plain if len(plain := unicodedata.normalize("NFKC", letter).lower()) == 1 else letter
        for letter in " ".join(words.split())
    )
