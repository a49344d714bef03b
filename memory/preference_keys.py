"""Which texts are the same key of a preference. Pure.

Models write the keys, and write the same one in different ways: “favourite_tea”, “"Favourite tea"”.
"""

import unicodedata
from collections.abc import Iterable

from memory.search.words import loosely


def printable_line(key: str) -> str:
    """``key`` on one line without invisible characters, so that a person can write it in an address."""
    return "".join(mark for mark in " ".join(key.split()) if mark.isprintable())


def normal_key(key: str) -> str:
    """The same text for every case, spacing and Unicode composition of ``key``."""
    return " ".join(unicodedata.normalize("NFKC", key).casefold().split())


def key_meant(key: str, known: Iterable[str]) -> str:
    """The one of the ``known`` keys that ``key`` means; empty if there is none.

    That is the key itself, or else the first that differs from it only as ``loosely`` allows.
    """
    wanted = _compared(key)
    alike = [each for each in known if wanted and _compared(each) == wanted]
    return next((each for each in alike if normal_key(each) == normal_key(key)), next(iter(alike), ""))


def _compared(key: str) -> str:
    return loosely(printable_line(key))
