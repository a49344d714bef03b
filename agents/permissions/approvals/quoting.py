"""Texts of rows in sentences by which the user decides. Pure.

A title may come from a web page, an e-mail or a model. It must not change the sentence around it: reverse its
direction, hide letters, strike it out, or end the quotation and continue as if it were the server's own sentence.
"""

import re
import unicodedata
from typing import Final

from pydantic import JsonValue

from accounts.translations import translations

MAX_TITLE_CHARS: Final = 80
"""The length to which a title is cut in a sentence."""
MAX_VALUE_CHARS: Final = 2_000
"""The limit for remembered texts. None is longer, so the user sees all of each."""
_DIRECTIONS: Final = "\u202a-\u202e\u2066-\u2069"
"""These change the direction of the text after them, up to the end of the paragraph."""
_INVISIBLE: Final = re.compile(
    # Unicode's Default_Ignorable_Code_Point; then controls that are no white space, halves of surrogate pairs,
    # annotations, and letters that look like white space.
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff\ufff9-\ufffc\u2800\U0001d159]"
)
_HIDDEN: Final = re.compile("\ufffd+")
_DOUBLES: Final = '"«»“”„‟‹›″‴‶❝❞❠⹂〝〞〟〃《》⟪⟫≪≫＂ʺ˝ˮ״\U0001f676-\U0001f678'
_SINGLES: Final = "'‘’‚‛′‵`´ʹʼˈ＇"
_DOUBLE_QUOTES: Final = re.compile(rf"[{_SINGLES}]*[{_DOUBLES}][{_SINGLES}{_DOUBLES}]*|[{_SINGLES}]{{2,}}")
"""Also matches double quotes made of single ones, and single ones beside them, so that no double quote is left."""
_CONTROLS: Final = re.compile(f"[{_DIRECTIONS}\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_MAX_READ: Final = 4096
"""The number of characters of a text that are read: a row may contain megabytes."""
_MAX_MARKS_PER_LETTER: Final = 4
"""The maximum number of combining marks on a letter of any language. More marks cover their surroundings."""
_ZWNJ, _ZWJ, _EMOJI_STYLE = "\u200c", "\u200d", "\ufe0f"
_VIRAMA: Final = 9
_SYMBOLS: Final = frozenset({"So", "Sk"})
_RIGHT_TO_LEFT: Final = frozenset({"R", "AL", "AN"})
_ISOLATE, _END_OF_ISOLATE = "\u2068", "\u2069"


def quoted_words(text: str, *, max_chars: int) -> str:
    """As ``safe_words``, between Unicode's isolates if it has letters that are written from right to left.

    Otherwise these would move quotation marks, numbers and other titles beside them.
    """
    words = safe_words(text, max_chars=max_chars)
    is_isolated = any(unicodedata.bidirectional(character) in _RIGHT_TO_LEFT for character in words)
    return f"{_ISOLATE}{words}{_END_OF_ISOLATE}" if is_isolated else words


def safe_words(text: str, *, max_chars: int) -> str:
    """``text`` on one line, safe between the quotation marks of any language, with at most ``max_chars`` characters.

    Empty if nothing of it is visible. Its own double quotes become single ones.
    """
    visible = _DOUBLE_QUOTES.sub("'", _with_few_marks(_INVISIBLE.sub(_if_it_joins, text[:_MAX_READ])))
    words = " ".join(visible.split())
    if not words or (len(words) <= max_chars and len(text) <= _MAX_READ):
        return words
    return f"{words[: max_chars - 1].rstrip()}…"


def in_quotes(text: str, *, language: str, max_chars: int = MAX_TITLE_CHARS) -> str:
    """``text`` as ``quoted_words``, in the quotation marks of ``language`` (an IETF tag)."""
    return translations(language).gettext("“{name}”").format(name=quoted_words(text, max_chars=max_chars))


def show_controls(value: JsonValue) -> JsonValue:
    """A value of a row for display beside a question, with ``\ufffd`` in place of characters that change directions.

    They are replaced and not removed, so that a change of only these characters is visible.
    """
    match value:
        case str():
            return _CONTROLS.sub("\ufffd", value)
        case list():
            return [show_controls(item) for item in value]
        case dict():
            return {name: show_controls(item) for name, item in value.items()}
        case _:
            return value


def show_invisible(text: str) -> str:
    """``text`` with ``\ufffd`` in place of invisible characters, which a model reads."""
    return _HIDDEN.sub("\ufffd", _INVISIBLE.sub(lambda found: _if_it_joins(found) or "\ufffd", text))


def _if_it_joins(found: re.Match[str]) -> str:
    """The character if the letters around it need it: in emoji, Arabic and Indic scripts (RFC 5892, A.1, A.2)."""
    character, text = found[0], found.string
    before, after = text[max(0, found.start() - 1) : found.start()], text[found.end() : found.end() + 1]
    if not before:
        return ""
    if character == _EMOJI_STYLE:
        return character if unicodedata.category(before) in _SYMBOLS else ""
    if not after or character not in (_ZWNJ, _ZWJ):
        return ""
    if unicodedata.combining(before) == _VIRAMA:
        return character
    if character == _ZWNJ:
        return character if unicodedata.bidirectional(before) == unicodedata.bidirectional(after) == "AL" else ""
    is_emoji = before == _EMOJI_STYLE or unicodedata.category(before) in _SYMBOLS
    return character if is_emoji and unicodedata.category(after) in _SYMBOLS else ""


def _with_few_marks(text: str) -> str:
    """``text`` without marks that would combine with the character before it, and with at most a few on each letter."""
    kept, room = [], 0
    for character in text:
        if unicodedata.category(character) not in ("Mn", "Me") or character == _EMOJI_STYLE:
            # Marks on white space are removed: without the white space, they would be on the quotation mark.
            room = 0 if character.isspace() else _MAX_MARKS_PER_LETTER
        elif room == 0:
            continue
        else:
            room -= 1
        kept.append(character)
    return "".join(kept)
