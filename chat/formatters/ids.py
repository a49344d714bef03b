"""Leaves rows' ids out of a text, as it comes: they are for models and tools, not for the user. Pure."""

import re
from collections.abc import Callable
from typing import Final

_UUID: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_SHORT: Final = r"(?:tc|cl|[tpcn])\d{1,5}"
_MARKED: Final = re.compile(
    rf" ?[\[(]`?(?:(?:id:? ?`?(?:{_UUID}|{_SHORT}))|{_UUID}|(?P<short>{_SHORT}))`?[\])]", re.IGNORECASE
)
"""An id in brackets, as tools write it, and as models copy it, with the space before it."""
_BEGUN: Final = re.compile(
    r"(?: | ?[\[(]`?(?:i|id:? ?`?[0-9a-z-]{0,36}|[0-9a-f-]{0,36}|(?:tc?|cl?|[pn])\d{0,5})`?)\Z", re.IGNORECASE
)
"""The beginning of one, which more may follow."""


class IdFilter:
    """``is_short_id`` tells whether a short text such as ``t1`` is the id of a row."""

    def __init__(self, is_short_id: Callable[[str], bool]) -> None:
        self._is_short_id = is_short_id
        self._held = ""
        self._last = ""
        self._removed = False

    def feed(self, text: str) -> str:
        """``text`` without ids, and without what may be the beginning of one."""
        text = self._held + text
        begun = _BEGUN.search(text)
        self._held = text[begun.start() :] if begun else ""
        return self._without(text[: len(text) - len(self._held)])

    def flush(self) -> str:
        """What is held back, because nothing follows."""
        held, self._held, self._last, self._removed = self._held, "", "", False
        return held

    def _without(self, text: str) -> str:
        kept: list[str] = []
        at = 0
        for found in _MARKED.finditer(text):
            if not found["short"] or self._is_short_id(found["short"]):
                kept.append(self._kept(text[at : found.start()]))
                self._removed = found[0][0] != " "
                at = found.end()
        kept.append(self._kept(text[at:]))
        return "".join(kept)

    def _kept(self, text: str) -> str:
        """``text``; the space after an id that was left out before it goes, too, if there is one before that."""
        if not text:
            return text
        if self._removed and (self._last or " ").isspace():
            text = text.removeprefix(" ")
        self._removed = False
        self._last = text[-1:] or self._last
        return text
