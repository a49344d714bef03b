"""The sentence at the end of an answer about changes that neither the user nor the answer has named. Pure."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from accounts.translations import gettext_noop, translations
from agents.calls import AnsweredCall, CallAction, ClientCall, Row, Table
from agents.permissions.approvals.naming import COMMON_WORDS, names_in_plain, sentences
from agents.permissions.approvals.quoting import quoted_words, with_visible_signs
from agents.permissions.approvals.sources import KINDS
from agents.titles import plain
from agents.tools.client import renamed_from
from agents.tools.rows import text, title_of
from agents.tools.spec import ToolSpec
from agents.tools.undo import UndoChanges

_LONGEST_NAME: Final = 80
_LONGEST_VALUE: Final = 2_000
"""Enough for any remembered value, which is stored nowhere else any more."""
_MAX_NAMED: Final = 20
_ALSO_CHANGED: Final = gettext_noop("Also changed: {rows}.")
_ALSO_UNDONE: Final = gettext_noop("Undone: {rows}.")
_RENAMED: Final = gettext_noop("{row} (now “{name}”)")
_MARKED: Final = re.compile(
    r"“([^“”\n]+)”|«([^«»\n]+)»|\"([^\"\n]+)\"|\*\*([^*\n]+)\*\*|`([^`\n]+)`|\[([^\[\]\n]+)\]|\|([^|\n]+)(?=\|)"
)
"""Text of an answer in quotation marks, in bold, in brackets, or in a cell of a table."""
_ITEM: Final = re.compile(r"^[ \t]*(?:[-*+•]|\d+[.)])[ \t]+(?:\[[ xX]\][ \t]+)?([^\n(:–—]+)", re.MULTILINE)
_WORDS: Final = re.compile(r"\w\W+\w")
_AROUND: Final = " .!?…:;,-*"
_REPLACED: Final = gettext_noop("This replaces what was remembered of “{key}”: “{value}”.")
_ALSO_UNDOABLE: Final = gettext_noop("Also changed: {rows}. You can undo it.")


class _Answer:
    """What an answer names."""

    def __init__(self, answer: str) -> None:
        marked = [each for marks in _MARKED.findall(answer) for each in marks]
        self._marked = frozenset(map(plain, (*marked, *_ITEM.findall(answer))))
        self._sentences = [(each, plain(each).strip(_AROUND)) for each in sentences(answer)]

    def names(self, title: str) -> bool:
        """Whether it names the row with this ``title``, and does not just contain its words.

        “Done.” names nothing, nor does “Done, I …” or a word without a capital letter, unless it is marked.
        """
        name = plain(title)
        if not name or name in self._marked:
            return bool(name)
        rest = [(written, words) for written, words in self._sentences if words != name.strip(_AROUND)]
        if _WORDS.search(name) is not None:
            return names_in_plain(plain(" ".join(written for written, _ in rest)), {"title": title})
        within = re.compile(rf"(?<=\w[ ,]){re.escape(title)}(?!\w)|^{re.escape(title)}(?= \w)")
        is_name = title[:1].isupper() and name not in COMMON_WORDS
        return is_name and any(name in words and within.search(written) for written, words in rest)


def also_changed(
    untold: Sequence[ClientCall],
    results: Sequence[AnsweredCall],
    answer: str,
    *,
    language: str,
    can_undo: bool,
    replaced: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Sentences about the ``untold`` changes that were made and that ``answer`` does not name; empty if none.

    A renamed row is named by both titles, because the new one may be any word of the answer. ``replaced`` has the
    replaced values of preferences by key.
    """
    gettext, told = translations(language).gettext, _Answer(answer)
    undone = _undone(results, told, language) if any(call.action is CallAction.UNDO for call in untold) else []
    said = [gettext(_ALSO_UNDONE).format(rows=", ".join(undone))] if undone else []
    wanted = {call.fingerprint() for call in untold}
    made = [each for each in results if each.call.fingerprint() in wanted and each.answer.row is not None]
    rows = {(each.call.table, text(each.answer.row or {}, "id")): each for each in made}
    named = [
        _renamed(each.call.table, before, row, language)
        for each in rows.values()
        for row in (each.answer.row or {},)
        for before in (renamed_from(text(row, "id"), results) or row,)
        if not all(told.names(_shown(known)) for known in (before, row))
    ]
    if named:
        said.append(gettext(_ALSO_UNDOABLE if can_undo else _ALSO_CHANGED).format(rows=", ".join(named)))
    said += [
        gettext(_REPLACED).format(key=_quoted(key), value=_quoted(value))
        for key, value in replaced.items()
        if not all(told.names(each) for each in (key, value))
    ]
    return " ".join(said)


def undo_by(tool: ToolSpec) -> ClientCall | None:
    """The call to add to the ``untold`` if ``tool`` undoes changes. Only the device knows which ones."""
    return ClientCall(id="", action=CallAction.UNDO) if isinstance(tool, UndoChanges) else None


def _undone(results: Sequence[AnsweredCall], told: _Answer, language: str) -> list[str]:
    """The rows that an undo has restored and that the answer does not name."""
    rows = {(undone.table, undone.id): undone for each in results for undone in each.answer.undone}
    return [
        _named(undone.table, undone.row, language) for undone in rows.values() if not told.names(_shown(undone.row))
    ][:_MAX_NAMED]


def _shown(row: Row) -> str:
    """The name of ``row`` for the user: its title, or the text of a comment."""
    return title_of(row) or text(row, "content")


def _renamed(table: Table | None, before: Row, row: Row, language: str) -> str:
    if title_of(before) in ("", title_of(row)):
        return _named(table, row, language)
    name = quoted_words(title_of(row), longest=_LONGEST_NAME)
    return translations(language).gettext(_RENAMED).format(row=_named(table, before, language), name=name)


def _quoted(written: str) -> str:
    return quoted_words(with_visible_signs(written), longest=_LONGEST_VALUE)


def _named(table: Table | None, row: Row, language: str) -> str:
    gettext = translations(language).gettext
    kind = gettext(KINDS[table]) if table is not None else ""
    name = gettext("“{name}”").format(name=quoted_words(_shown(row), longest=_LONGEST_NAME))
    return f"{kind} {name}"
