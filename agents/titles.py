"""Titles and words as people mean them: without what makes no difference when one compares them. Pure."""

import re
from typing import Final

from memory.search.words import folded, loosely

_WORD: Final = re.compile(r"\w+")


def plain(text: str) -> str:
    """``text`` without case, accents and repeated spaces."""
    return " ".join(folded(text).split())


def has_words(text: str, phrase: str) -> bool:
    """Whether ``text`` contains the words of ``phrase``, in this order and with none between; False if it has none."""
    words = words_of(phrase)
    return bool(words) and f" {words} " in f" {words_of(text)} "


def words_of(text: str) -> str:
    """Nothing but the words of ``text``, as ``loosely``."""
    return " ".join(_WORD.findall(loosely(text)))
