"""Titles and words as people mean them: without what makes no difference when one compares them. Pure."""

import re
import unicodedata
from typing import Final

_BETWEEN_WORDS: Final = re.compile(r"[\s_-]+")
"""Models write ``buy_milk``."""
_AROUND: Final = " \"'`“”„«»"
_WORD: Final = re.compile(r"\w+")


def plain(text: str) -> str:
    """``text`` without case, accents and repeated spaces."""
    if text.isascii():  # nothing to take apart, letter by letter
        return " ".join(text.casefold().split())
    # Without marks from the start: their order takes time by the square of how many follow each other.
    letters = _without_marks(unicodedata.normalize("NFKD", _without_marks(text.casefold())))
    return " ".join(letters.split())


def _without_marks(text: str) -> str:
    return "".join(letter for letter in text if not unicodedata.combining(letter))


def loosely(title: str) -> str:
    """As ``plain``, also without the marks around and between words, which models leave out or add."""
    words = plain(title)
    return _BETWEEN_WORDS.sub(" ", words).strip(_AROUND) or words


def words_of(text: str) -> str:
    """Nothing but the words of ``text``, as ``loosely``."""
    return " ".join(_WORD.findall(loosely(text)))
