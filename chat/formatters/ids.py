"""Removes the ids of rows from a text while it arrives: they are for models and tools, not for the user. Pure.

An id in brackets is removed, and so is “with the id t1” after a title. An id that the sentence needs, as in “the task
id `t1`”, is replaced by the title of its row.
"""

import re
from collections.abc import Callable
from typing import Final

UUID: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
SHORT_ID: Final = r"(?:tc|cl|[tpcn])\d{1,5}"
ROW_NOUN: Final = (
    r"(?:task|project|note|checkpoint|milestone|comment|client|"
    r"attività|progetto|nota|traguardo|commento|cliente)"
)
_SHORT_PREFIX: Final = r"(?:tc?|cl?|[pn])\d{0,5}"
_BRACKETED: Final = rf" ?[\[(<]`?(?:(?:id:? ?`?(?:{UUID}|{SHORT_ID}))|{UUID}|(?P<short>{SHORT_ID}))`?[\])>]"
"""An id in brackets, as tools write it, and as models copy it, with the space before it."""
_MENTIONED: Final = (
    r"(?:(?<![\w`])|['’]s (?=id\b))(?P<marked>id(?::| is)? ?)?"
    rf"(?P<tick>`)?(?P<mentioned>{SHORT_ID})`?(?![\w`])"
)
_QUOTED: Final = rf"(?<=[\"“])(?P<quoted>{SHORT_ID})(?=[\"”])"
_WITH: Final = r" (?:with|under|con)(?: (?:the|its|an?|new|unique|il suo|un)){0,4}"
_WITH_ID: Final = rf"{_WITH} (?:l['’])?id:? ?[`\"“]?(?P<with_id>{SHORT_ID})(?:[`\"”]|(?![\w`]))"
_AFTER_NAME: Final = re.compile(
    r"(?:[\"”»*)\]]|\b(?:created|added|saved|updated|made|(?:creat|aggiunt|salvat|aggiornat)[oa]))\Z", re.IGNORECASE
)
"""The end of a text that has named a row. “With the id t1” adds nothing to it."""
_ID: Final = re.compile(f"{_WITH_ID}|{_BRACKETED}|{_QUOTED}|{_MENTIONED}", re.IGNORECASE)
_ID_PREFIX: Final = re.compile(
    rf"(?: | (?:wi?t?h?|un?d?e?r?|co?n?)|{_WITH} ?[a-z'’]{{0,10}}"
    rf"|{_WITH} (?:l['’])?id:? ?[`\"“]?(?:{_SHORT_PREFIX})?[`\"”]?"
    rf"| ?[\[(<]`?(?:i|id:? ?`?[0-9a-z-]{{0,36}}|[0-9a-f-]{{0,36}}|{_SHORT_PREFIX})`?"
    rf"|(?<=[\"“]){_SHORT_PREFIX}"
    rf"|(?<=\w)['’](?:s(?: (?:i|id(?::| is?)? ?`?|id(?::| is)? ?`?{_SHORT_PREFIX}`?)?)?)?"
    rf"|(?<![\w`])(?:i|id(?::| is?)? ?|(?:id(?::| is)? ?)?`|(?:id(?::| is)? ?`?|`){_SHORT_PREFIX}`?"
    rf"|(?P<bare>{_SHORT_PREFIX}`?)))\Z",
    re.IGNORECASE,
)
"""The beginning of an id at the end of a text."""
_NOUN: Final = rf"\b{ROW_NOUN}:? "
_AFTER_NOUN: Final = re.compile(rf"{_NOUN}\Z", re.IGNORECASE)
"""After this, a bare ``t1`` is an id. Elsewhere it may be part of the text."""
_BEFORE_QUOTED: Final = re.compile(
    rf"(?:{_NOUN}|\bids? (?:(?:is|as|of|or title|or name|è|come|o titolo|o nome|o il titolo) )?)[\"“]\Z", re.IGNORECASE
)
"""After this, a short text between quotes is an id."""
_CONTEXT: Final = 20
"""How many characters before an id are examined."""


class IdFilter:
    """``title`` returns the title of the row with a short id such as ``t1``.

    It returns "" if the row has no title, and None if there is no such row.
    """

    def __init__(self, title: Callable[[str], str | None]) -> None:
        self._title = title
        self._held = ""
        self._before = ""
        self._last = ""
        self._removed = False

    def feed(self, text: str) -> str:
        """``text`` without ids. An end that may be the beginning of an id is held back."""
        text = self._held + text
        context = self._before + text
        prefix = _ID_PREFIX.search(context, len(self._before))
        held = prefix is not None and not (prefix["bare"] and not _AFTER_NOUN.search(context, 0, prefix.start()))
        self._held = context[prefix.start() :] if prefix and held else ""
        return self._without_ids(text[: len(text) - len(self._held)])

    def flush(self) -> str:
        """The rest of the text, which was held back."""
        text = self._without_ids(self._held)
        self._held, self._before, self._last, self._removed = "", "", "", False
        return text

    def _without_ids(self, text: str) -> str:
        context, position = self._before + text, len(self._before)
        kept: list[str] = []
        for match in _ID.finditer(context, position):
            replacement = self._replacement(match)
            if replacement is not None:
                kept += [self._joined(context[position : match.start()]), self._joined(replacement)]
                self._removed = not replacement and match[0][0] != " "
                position = match.end()
        kept.append(self._joined(context[position:]))
        self._before = context[-_CONTEXT:]
        return "".join(kept)

    def _replacement(self, match: re.Match[str]) -> str | None:
        """The text that replaces the match; None if it is not an id."""
        if match["with_id"]:
            title = self._title(match["with_id"])
            is_needless = not title or _follows(_AFTER_NAME, match)
            return None if title is None else "" if is_needless else f" “{title}”"
        if match["quoted"]:
            is_id = _follows(_BEFORE_QUOTED, match) and match["quoted"].islower()
            return (self._title(match["quoted"]) or None) if is_id else None
        if not match["mentioned"]:
            return "" if not match["short"] or self._title(match["short"]) is not None else None
        if not match["marked"] and not match["tick"] and not _follows(_AFTER_NOUN, match):
            return None
        title = self._title(match["mentioned"])
        # “The task's id is t1” becomes “The task “Buy milk””.
        space = " " if match[0][0] in "'’" else ""
        return f"{space}“{title}”" if title else title

    def _joined(self, text: str) -> str:
        """``text`` as it follows the text so far. A space on both sides of a removed id becomes one space."""
        if not text:
            return text
        if self._removed and (self._last or " ").isspace():
            text = text.removeprefix(" ")
        self._removed = False
        self._last = text[-1:] or self._last
        return text


def _follows(pattern: re.Pattern[str], match: re.Match[str]) -> bool:
    """Whether the text before ``match`` ends with ``pattern``."""
    return pattern.search(match.string, 0, match.start()) is not None
