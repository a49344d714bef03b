"""What ran beside what the user had named, in a sentence at the end of an answer that does not say it itself. Pure."""

from collections.abc import Sequence
from typing import Final

from accounts.translations import gettext_noop, translations
from agents.calls import AnsweredCall, ClientCall, Row
from agents.permissions.approvals.naming import names
from agents.permissions.approvals.quoting import quoted_words
from agents.permissions.approvals.sources import KINDS
from agents.tools.rows import text, title_of

_LONGEST_NAME: Final = 80
_ALSO_CHANGED: Final = gettext_noop("Also changed: {rows}.")
_ALSO_UNDOABLE: Final = gettext_noop("Also changed: {rows}. You can undo it.")


def also_changed(
    untold: Sequence[ClientCall], results: Sequence[AnsweredCall], answer: str, *, language: str, can_undo: bool
) -> str:
    """The sentence about those of the ``untold`` changes that were made and that ``answer`` does not name; or empty."""
    wanted = {call.fingerprint() for call in untold}
    made = [each for each in results if each.call.fingerprint() in wanted and each.answer.row is not None]
    rows = {(each.call.table, text(each.answer.row or {}, "id")): each for each in made}
    named = [_named(each, language) for each in rows.values() if not _is_in(answer, each)]
    if not named:
        return ""
    sentence = _ALSO_UNDOABLE if can_undo else _ALSO_CHANGED
    return translations(language).gettext(sentence).format(rows=", ".join(named))


def _is_in(answer: str, made: AnsweredCall) -> bool:
    return names(answer, _shown(made))


def _shown(made: AnsweredCall) -> Row:
    """What people know the row by; a comment by its text."""
    row = made.answer.row or {}
    return {"title": title_of(row) or text(row, "content")}


def _named(made: AnsweredCall, language: str) -> str:
    gettext, table = translations(language).gettext, made.call.table
    kind = gettext(KINDS[table]) if table is not None else ""
    name = gettext("“{name}”").format(name=quoted_words(text(_shown(made), "title"), longest=_LONGEST_NAME))
    return f"{kind} {name}"
