"""Titles and words as people mean them: without what makes no difference when one compares them. Pure."""

import re
from typing import Final

from memory.search.words import folded

_BETWEEN_WORDS: Final = re.compile(r"[\s_-]+")
"""Models write ``buy_milk``."""
_AROUND: Final = " \"'`“”„«»"
_WORD: Final = re.compile(r"\w+")


def plain(text: str) -> str:
    """``text`` without case, accents and repeated spaces."""
    return " ".join(folded(text).split())


def loosely(title: str) -> str:
    """As ``plain``, also without the marks around and between words, which models leave out or add."""
    words = plain(title)
    return _BETWEEN_WORDS.sub(" ", words).strip(_AROUND) or words


def words_of(text: str) -> str:
    """Nothing but the words of ``text``, as ``loosely``."""
    return " ".join(_WORD.findall(loosely(text)))
