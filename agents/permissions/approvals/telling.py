"""The sentence at the end of an answer about changes that neither the user nor the answer has named. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from accounts.translations import gettext_noop, translations
from agents.calls import AnsweredCall, CallAction, ClientCall, Row, Table
from agents.permissions.approvals.asking import sentences
from agents.permissions.approvals.naming import COMMON_WORDS, names_in_plain
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
_MORE: Final = gettext_noop("{rows} and {count} more")
_MARKED: Final = re.compile(
    r"“([^“”\n]+)”|«([^«»\n]+)»|\"([^\"\n]+)\"|\*\*([^*\n]+)\*\*|`([^`\n]+)`|\[([^\[\]\n]+)\]|\|([^|\n]+)(?=\|)"
)
"""Text of an answer in quotation marks, in bold, in brackets, or in a cell of a table."""
_ITEM: Final = re.compile(r"^[ \t]*(?:[-*+•]|\d+[.)])[ \t]+(?:\[[ xX]\][ \t]+)?([^\n(:–—]+)", re.MULTILINE)
_WORDS: Final = re.compile(r"\w\W+\w")
_TITLE: Final = "\ue000"
"""Stands for a title."""
_LISTED: Final = re.compile(r"[ \t]*(?:[-*+•|]|\d+[.)])[ \t]*")
"""How an item of a list or a row of a table begins."""
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
"""What a ``plain`` sentence has that says that something was changed, or how it is now."""
_DENIES: Final = re.compile(
    r"\b(?:not|no|never|nothing|none|cannot|\w+n['’]t|still|yet|without|if|could|can|should|would|may|might|remains?"
    r"|non|mai|niente|nulla|nessun\w*|ancora|senza|se|puoi|posso|potre\w+|dovre\w+|vuoi|resta|rimane)\b|\?"
)
"""What a ``plain`` sentence has that says of a change that it was not made."""
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
    """What an answer names."""

    def __init__(self, answer: str) -> None:
        self._answer = answer
        marked = [each for marks in _MARKED.findall(answer) for each in marks]
        self._marked = frozenset(map(plain, (*marked, *_ITEM.findall(answer))))
        self._sentences = [(each, plain(each).strip(_AROUND)) for each in sentences(answer)]

    def says_changed(self, title: str) -> bool:
        """Whether it names what has this ``title`` where it says of it that it was changed.

        “Water the roses is still open” and a list of what there is do not say so, and the title itself says nothing.
        """
        if not self.names(title):
            return False
        masked = re.sub(re.escape(title), _TITLE, self._answer, flags=re.IGNORECASE)
        return _Answer("\n".join(_of_changes(masked)).replace(_TITLE, title)).names(title)

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


def _of_changes(answer: str) -> Iterator[str]:
    """The sentences of ``answer`` that may say of a change that it was made, and the lists below them."""
    is_list_of_changes = False
    for line in answer.splitlines():
        if _LISTED.match(line):
            if not _DENIES.search(plain(line)) and (is_list_of_changes or _says_change(line)):
                yield line
        elif said := sentences(line):
            is_list_of_changes = _says_change(said[-1])
            yield from filter(_says_change, said)


def _says_change(sentence: str) -> bool:
    words = plain(sentence)
    return _CHANGED.search(words) is not None and _DENIES.search(words) is None


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
    gettext, told = translations(language).gettext, _Answer(_UNSEEN.sub("", answer))
    undone = _undone(results, told, language) if any(call.action is CallAction.UNDO for call in untold) else []
    said = [gettext(_ALSO_UNDONE).format(rows=_listed(undone, language))] if undone else []
    wanted = {call.fingerprint() for call in untold}
    made = [each for each in results if each.call.fingerprint() in wanted and each.answer.row is not None]
    rows = {(each.call.table, text(each.answer.row or {}, "id")): each for each in made}
    named = [
        _renamed(each.call.table, before, row, language)
        for each in rows.values()
        for row in (each.answer.row or {},)
        for before in (renamed_from(text(row, "id"), results) or row,)
        if not all(told.says_changed(_shown(known)) for known in (before, row))
    ]
    if named:
        said.append(gettext(_ALSO_UNDOABLE if can_undo else _ALSO_CHANGED).format(rows=", ".join(named)))
    said += [
        gettext(_REPLACED).format(key=_quoted(key), value=_quoted(value))
        for key, value in replaced.items()
        if not all(told.names(each) for each in (key, value))
    ]
    return " ".join(said)


def closing_of(answer: str) -> str:
    """What ends a block of code or a comment in ``answer`` that has no end, in which what follows would not be seen."""
    fence = ""
    for mark, rest in _FENCE.findall(answer):
        if not fence:
            fence = mark
        elif mark.startswith(fence) and not rest.strip():
            fence = ""
    is_comment = answer.rfind("<!--") > answer.rfind("-->")
    return "\n".join([*(["\n-->"] if is_comment else []), *([f"\n{fence}"] if fence else [])])


def undo_by(tool: ToolSpec) -> ClientCall | None:
    """The call to add to the ``untold`` if ``tool`` undoes changes. Only the device knows which ones."""
    return ClientCall(id="", action=CallAction.UNDO) if isinstance(tool, UndoChanges) else None


def _undone(results: Sequence[AnsweredCall], told: _Answer, language: str) -> list[str]:
    """The rows that an undo has restored and that the answer does not name."""
    rows = {(undone.table, undone.id): undone for each in results for undone in each.answer.undone}
    return [
        _named(undone.table, undone.row, language)
        for undone in rows.values()
        if not told.says_changed(_shown(undone.row))
    ]


def _listed(rows: Sequence[str], language: str) -> str:
    """``rows`` beside each other; of very many the number of the others."""
    named, more = ", ".join(rows[:_MAX_NAMED]), len(rows) - _MAX_NAMED
    return named if more <= 0 else translations(language).gettext(_MORE).format(rows=named, count=more)


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
