"""Leaves rows' ids out of a text, as it comes: they are for models and tools, not for the user. Pure.

An id in brackets goes, as does “with the id t1” after a title. One that the sentence needs, as in “the task id `t1`”,
becomes the title of its row.
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
_SHORT_BEGUN: Final = r"(?:tc?|cl?|[pn])\d{0,5}"
_BRACKETED: Final = rf" ?[\[(]`?(?:(?:id:? ?`?(?:{UUID}|{SHORT_ID}))|{UUID}|(?P<short>{SHORT_ID}))`?[\])]"
"""An id in brackets, as tools write it, and as models copy it, with the space before it."""
_SAID: Final = rf"(?<![\w`])(?P<marked>id:? ?)?(?P<tick>`)?(?P<said>{SHORT_ID})`?(?![\w`])"
_QUOTED: Final = rf"(?<=[\"“])(?P<quoted>{SHORT_ID})(?=[\"”])"
_WITH: Final = r" (?:with|under|con)(?: (?:the|its|an?|new|unique|il suo|un)){0,4}"
_ADDED: Final = rf"{_WITH} (?:l['’])?id:? ?`?(?P<added>{SHORT_ID})`?(?![\w`])"
"""What says of a row that it has an id."""
_NEEDLESS: Final = re.compile(
    r"(?:[\"”»*)\]]|\b(?:created|added|saved|updated|made|(?:creat|aggiunt|salvat|aggiornat)[oa]))\Z", re.IGNORECASE
)
"""What comes before it where the row has been named."""
_ID: Final = re.compile(f"{_ADDED}|{_BRACKETED}|{_QUOTED}|{_SAID}", re.IGNORECASE)
_BEGUN: Final = re.compile(
    rf"(?: | (?:wi?t?h?|un?d?e?r?|co?n?)|{_WITH} ?[a-z'’]{{0,10}}|{_WITH} (?:l['’])?id:? ?`?(?:{_SHORT_BEGUN})?`?"
    rf"| ?[\[(]`?(?:i|id:? ?`?[0-9a-z-]{{0,36}}|[0-9a-f-]{{0,36}}|{_SHORT_BEGUN})`?"
    rf"|(?<=[\"“]){_SHORT_BEGUN}"
    rf"|(?<![\w`])(?:i|id:? ?|(?:id:? ?)?`|(?:id:? ?`?|`){_SHORT_BEGUN}`?|(?P<bare>{_SHORT_BEGUN}`?)))\Z",
    re.IGNORECASE,
)
"""The beginning of one, which more may follow."""
_NOUN: Final = rf"\b{ROW_NOUN}:? "
_AFTER_NOUN: Final = re.compile(rf"{_NOUN}\Z", re.IGNORECASE)
"""What makes a short id by itself more than two letters of the text."""
_ID_BEFORE: Final = re.compile(rf"(?:{_NOUN}|\bids? (?:(?:is|as|of|è|come) )?)[\"“]\Z", re.IGNORECASE)
"""What a short id between quotes stands after."""
_CONTEXT: Final = 20
"""Characters before an id that are looked at."""


class IdFilter:
    """``title`` tells which row a short text such as ``t1`` is the id of: None for none, empty if it has no title."""

    def __init__(self, title: Callable[[str], str | None]) -> None:
        self._title = title
        self._held = ""
        self._before = ""
        self._last = ""
        self._removed = False

    def feed(self, text: str) -> str:
        """``text`` without ids, and without what may be the beginning of one."""
        text = self._held + text
        read = self._before + text
        begun = _BEGUN.search(read, len(self._before))
        held = begun is not None and not (begun["bare"] and not _AFTER_NOUN.search(read, 0, begun.start()))
        self._held = read[begun.start() :] if begun and held else ""
        return self._without(text[: len(text) - len(self._held)])

    def flush(self) -> str:
        """What is held back, because nothing follows."""
        text = self._without(self._held)
        self._held, self._before, self._last, self._removed = "", "", "", False
        return text

    def _without(self, text: str) -> str:
        read, at = self._before + text, len(self._before)
        kept: list[str] = []
        for found in _ID.finditer(read, at):
            told = self._told(found, read)
            if told is not None:
                kept += [self._kept(read[at : found.start()]), self._kept(told)]
                self._removed = not told and found[0][0] != " "
                at = found.end()
        kept.append(self._kept(read[at:]))
        self._before = read[-_CONTEXT:]
        return "".join(kept)

    def _told(self, found: re.Match[str], read: str) -> str | None:
        """What is told in the place of what was ``found``; None if that is no id."""
        if found["added"]:
            title = self._title(found["added"])
            is_needless = not title or _NEEDLESS.search(read, 0, found.start())
            return None if title is None else "" if is_needless else f" “{title}”"
        if found["quoted"]:
            is_meant = _ID_BEFORE.search(read, 0, found.start()) and found["quoted"].islower()
            return (self._title(found["quoted"]) or None) if is_meant else None
        if not found["said"]:
            return "" if not found["short"] or self._title(found["short"]) is not None else None
        if not found["marked"] and not found["tick"] and not _AFTER_NOUN.search(read, 0, found.start()):
            return None
        title = self._title(found["said"])
        return f"“{title}”" if title else title

    def _kept(self, text: str) -> str:
        """``text``; the space after an id that was left out before it goes, too, if there is one before that."""
        if not text:
            return text
        if self._removed and (self._last or " ").isspace():
            text = text.removeprefix(" ")
        self._removed = False
        self._last = text[-1:] or self._last
        return text
