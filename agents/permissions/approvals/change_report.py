"""The report, at the end of an answer, of changes that neither the user nor the answer has named. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from accounts.translations import gettext_noop, translations
from agents.calls import AnsweredCall, CallAction, ClientCall, Row, Table
from agents.permissions.approvals.naming import COMMON_WORDS, names_in_plain
from agents.permissions.approvals.quoting import (
    MAX_TITLE_CHARS,
    MAX_VALUE_CHARS,
    in_quotes,
    quoted_words,
    show_invisible,
)
from agents.permissions.approvals.sources import KINDS
from agents.titles import plain
from agents.tools.client import renamed_from
from agents.tools.rows import text, title_of
from agents.tools.spec import ToolSpec
from agents.tools.undo import UndoChanges
from memory.search.words import sentences_of

_MAX_NAMED: Final = 20
_ALSO_CHANGED: Final = gettext_noop("Also changed: {rows}.")
_ALSO_UNDONE: Final = gettext_noop("Undone: {rows}.")
_RENAMED: Final = gettext_noop("{row} (now “{name}”)")
_MORE: Final = gettext_noop("{rows} and {count} more")
_MARKED: Final = re.compile(
    r"“([^“”\n]+)”|«([^«»\n]+)»|\"([^\"\n]+)\"|\*\*([^*\n]+)\*\*|`([^`\n]+)`|\[([^\[\]\n]+)\]|\|([^|\n]+)(?=\|)"
)
"""Text of an answer in quotation marks, in bold, as code, in brackets, or in a table cell."""
_ITEM: Final = re.compile(r"^[ \t]*(?:[-*+•]|\d+[.)])[ \t]+(?:\[[ xX]\][ \t]+)?([^\n(:–—]+)", re.MULTILINE)
_SEVERAL_WORDS: Final = re.compile(r"\w\W+\w")
_TITLE: Final = "\ue000"
"""A placeholder for a title."""
_LISTED: Final = re.compile(r"[ \t]*(?:[-*+•|]|\d+[.)])[ \t]*")
"""The beginning of a list item or a table row."""
_CHANGED: Final = re.compile(
    r"\b(?:(?:accept|add|adjust|approv|archiv|assign|attach|cancel|chang|clear|clos|comment|complet|copi|creat|delet"
    r"|duplicat|edit|empti|finish|link|mark|merg|mov|plann|postpon|push|remov|renam|reopen|replac|reschedul|restor"
    r"|revert|sav|schedul|shift|start|tick|unassign|updat)(?:ed|led)|checked off|(?:i|we|have|now) called|set|reset|put"
    r"|made|wrote|written|undid|undone|done|back|(?:is|are|has|have) now"
    r"|(?:accettat|aggiornat|aggiunt|annullat|archiviat|assegnat|cambiat|cancellat|chius|collegat|commentat|completat"
    r"|contrassegnat|copiat|creat|eliminat|fatt|finit|impostat|iniziat|mess|modificat|pianificat|programmat|rimandat"
    r"|rimoss|rinominat|rinviat|riapert|ripristinat|salvat|scritt|segnat|sostituit|spostat|spuntat|svuotat|tornat|unit)"
    r"[oaie]|(?:e|sono) (?:ora|adesso)|(?:ora|adesso) (?:e|sono|si chiama))\b"
)
"""Words by which a ``plain`` sentence reports a change, or the new state."""
_DENIES: Final = re.compile(
    r"\b(?:not|no|never|nothing|none|cannot|\w+n['’]t|still|yet|without|if|could|can|should|would|may|might|remains?"
    r"|non|mai|niente|nulla|nessun\w*|ancora|senza|se|puoi|posso|potre\w+|dovre\w+|vuoi|resta|rimane)\b|\?"
)
"""Words by which a ``plain`` sentence says that a change was not made, or asks for it."""
_FENCE: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_UNSEEN: Final = re.compile(
    r"<!--.*?(?:-->|\Z)|!\[[^\[\]\n]*\](?=\()|(?<=\])\((?:[^()\n]|\([^()\n]*\))*\)|^ {0,3}\[[^\[\]\n]+\]:[^\n]*"
    r"|<[a-zA-Z/][^<>]*>|(?<=```)[^`\n]+$|(?<=~~~)[^\n]+$|[\u202d\u202e][^\n\u202c]*",
    re.MULTILINE | re.DOTALL,
)
"""Parts of an answer that clients do not show as they are: comments and tags, pictures, the targets and definitions of
links, the first line of a block of code, and what is turned around.
"""
_AROUND: Final = " .!?…:;,-*"
_REPLACED: Final = gettext_noop("This replaces what was remembered of “{key}”: “{value}”.")
_ALSO_UNDOABLE: Final = gettext_noop("Also changed: {rows}. You can undo it.")


class _Answer:
    """An answer, and the rows that it names."""

    def __init__(self, answer: str) -> None:
        self._answer = answer
        marked = [each for marks in _MARKED.findall(answer) for each in marks]
        self._marked = frozenset(map(plain, (*marked, *_ITEM.findall(answer))))
        self._sentences = [(each, plain(each).strip(_AROUND)) for each in sentences_of(answer)]

    def reports_change(self, title: str) -> bool:
        """Whether it names the row with this ``title`` in a sentence or a list that reports changes.

        “Water the roses is still open” does not, nor does a plain list of rows. Verbs in the title itself do not count.
        """
        if not self.names(title):
            return False
        masked = re.sub(re.escape(title), _TITLE, self._answer, flags=re.IGNORECASE)
        return _Answer("\n".join(_reports_of_changes(masked)).replace(_TITLE, title)).names(title)

    def names(self, title: str) -> bool:
        """Whether it names the row with this ``title``, and does not merely contain its words.

        A title of one word must be marked, or capitalized and next to another word: “Done, I …” names nothing.
        """
        name = plain(title)
        if not name or name in self._marked:
            return bool(name)
        rest = [(written, words) for written, words in self._sentences if words != name.strip(_AROUND)]
        if _SEVERAL_WORDS.search(name) is not None:
            return names_in_plain(plain(" ".join(written for written, _ in rest)), {"title": title})
        within = re.compile(rf"(?<=\w[ ,]){re.escape(title)}(?!\w)|^{re.escape(title)}(?= \w)")
        is_name = title[:1].isupper() and name not in COMMON_WORDS
        return is_name and any(name in words and within.search(written) for written, words in rest)


def _reports_of_changes(answer: str) -> Iterator[str]:
    """The sentences of ``answer`` that may report a change, and the lists below them."""
    is_list_of_changes = False
    for line in answer.splitlines():
        if _LISTED.match(line):
            if not _DENIES.search(plain(line)) and (is_list_of_changes or _may_report(line)):
                yield line
        elif sentences := sentences_of(line):
            is_list_of_changes = _may_report(sentences[-1])
            yield from filter(_may_report, sentences)


def _may_report(sentence: str) -> bool:
    words = plain(sentence)
    return _CHANGED.search(words) is not None and _DENIES.search(words) is None


def change_report(
    unreported: Sequence[ClientCall],
    results: Sequence[AnsweredCall],
    answer: str,
    *,
    language: str,
    can_undo: bool,
    replaced: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Sentences about the ``unreported`` changes that were made and that ``answer`` does not report; or empty.

    The answer must contain both titles of a renamed row, because the new one can be any word. ``replaced`` has the
    replaced values of preferences by key.
    """
    gettext, parsed = translations(language).gettext, _Answer(_UNSEEN.sub("", answer))
    undone = _undone(results, parsed, language) if any(call.action is CallAction.UNDO for call in unreported) else []
    sentences = [gettext(_ALSO_UNDONE).format(rows=_joined(undone, language))] if undone else []
    fingerprints = {call.fingerprint() for call in unreported}
    made = [each for each in results if each.call.fingerprint() in fingerprints and each.answer.row is not None]
    rows = {(each.call.table, text(each.answer.row or {}, "id")): each for each in made}
    named = [
        _renamed(each.call.table, before, row, language)
        for each in rows.values()
        for row in (each.answer.row or {},)
        for before in (renamed_from(text(row, "id"), results) or row,)
        if not all(parsed.reports_change(_name_of(known)) for known in (before, row))
    ]
    if named:
        sentences.append(gettext(_ALSO_UNDOABLE if can_undo else _ALSO_CHANGED).format(rows=", ".join(named)))
    sentences += [
        gettext(_REPLACED).format(key=_quoted(key), value=_quoted(value))
        for key, value in replaced.items()
        if not all(parsed.names(each) for each in (key, value))
    ]
    return " ".join(sentences)


def closing_of(answer: str) -> str:
    """The end of a code block or comment that ``answer`` leaves open. Without it, text after the answer is hidden."""
    fence = ""
    for mark, rest in _FENCE.findall(answer):
        if not fence:
            fence = mark
        elif mark.startswith(fence) and not rest.strip():
            fence = ""
    is_comment = answer.rfind("<!--") > answer.rfind("-->")
    return "\n".join([*(["\n-->"] if is_comment else []), *([f"\n{fence}"] if fence else [])])


def undo_call(tool: ToolSpec) -> ClientCall | None:
    """The ``unreported`` change of ``tool`` if it undoes changes. Only the device knows their rows."""
    return ClientCall(id="", action=CallAction.UNDO) if isinstance(tool, UndoChanges) else None


def _undone(results: Sequence[AnsweredCall], parsed: _Answer, language: str) -> list[str]:
    """The rows that an undo has changed and that the answer does not report."""
    rows = {(undone.table, undone.id): undone for each in results for undone in each.answer.undone}
    return [
        _named(undone.table, undone.row, language)
        for undone in rows.values()
        if not parsed.reports_change(_name_of(undone.row))
    ]


def _joined(rows: Sequence[str], language: str) -> str:
    """The first ``_MAX_NAMED`` of ``rows``, and the number of the others."""
    named, more = ", ".join(rows[:_MAX_NAMED]), len(rows) - _MAX_NAMED
    return named if more <= 0 else translations(language).gettext(_MORE).format(rows=named, count=more)


def _name_of(row: Row) -> str:
    """The name of ``row`` for the user: its title, or the text of a comment."""
    return title_of(row) or text(row, "content")


def _renamed(table: Table | None, before: Row, row: Row, language: str) -> str:
    if title_of(before) in ("", title_of(row)):
        return _named(table, row, language)
    name = quoted_words(title_of(row), max_chars=MAX_TITLE_CHARS)
    return translations(language).gettext(_RENAMED).format(row=_named(table, before, language), name=name)


def _quoted(written: str) -> str:
    return quoted_words(show_invisible(written), max_chars=MAX_VALUE_CHARS)


def _named(table: Table | None, row: Row, language: str) -> str:
    kind = translations(language).gettext(KINDS[table]) if table is not None else ""
    return f"{kind} {in_quotes(_name_of(row), language=language)}"
