"""How frequent words are in English and Italian, whoever writes. Pure.

That two texts share a word which everyone uses says little; and what no one writes may be misspelled. ``lexicon.npy``
has for each stem of the frequency lists of pyspellchecker (MIT license) a hash, without the words, and its information.
``./dev generate`` makes it (``tests/lexicon.py``).
"""

import zlib
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

PATH: Final = Path(__file__).with_name("lexicon.npy")
ENTRY: Final = np.dtype([("hash", "<u4"), ("information", "u1")])
STEPS: Final = 16
"""Information is stored in steps of a sixteenth of a nat."""
UNKNOWN: Final = 15.4
"""The information of what the lists do not have: more than that of any word of theirs."""


def hash_of(stem: str) -> int:
    return zlib.crc32(stem.encode())


def information(stem: str) -> float:
    """The negative natural logarithm of its share of all words: about 4 for the most frequent ones, 15.4 at most."""
    found = _place(stem)
    return UNKNOWN if found is None else float(_entries()["information"][found]) / STEPS


def is_known(stem: str) -> bool:
    """Whether any word of the lists has this stem, by the rules of its language."""
    return _place(stem) is not None


def _place(stem: str) -> int | None:
    hashes, wanted = _hashes(), np.uint32(hash_of(stem))
    place = int(hashes.searchsorted(wanted))
    return place if place < len(hashes) and hashes[place] == wanted else None


@cache
def _entries() -> NDArray[np.void]:
    entries: NDArray[np.void] = np.load(PATH)
    return entries


@cache
def _hashes() -> NDArray[np.uint32]:
    # Side by side, they are found faster.
    return np.ascontiguousarray(_entries()["hash"])
