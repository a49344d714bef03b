"""How frequent words are in English and Italian, whoever writes. Pure.

That two texts share a word which everyone uses says little; and what no one writes may be misspelled. ``lexicon.npy``
has for each stem of the frequency lists of pyspellchecker (MIT license) a hash, without the words, and its information.
``./dev generate`` makes it (``tests/lexicon.py``).
"""

from pathlib import Path
from typing import Final

import numpy as np

from memory.search.hashes import HashedValues

PATH: Final = Path(__file__).with_name("lexicon.npy")
ENTRY: Final = np.dtype([("hash", "<u4"), ("information", "u1")])
STEPS: Final = 16
"""Information is stored in steps of a sixteenth of a nat."""
UNKNOWN: Final = 15.4
"""The information of what the lists do not have: more than that of any word of theirs."""

_INFORMATION: Final = HashedValues(PATH, "information")


def information(stem: str) -> float:
    """The negative natural logarithm of its share of all words: about 4 for the most frequent ones, 15.4 at most."""
    found = _INFORMATION.get(stem)
    return UNKNOWN if found is None else found / STEPS


def is_known(stem: str) -> bool:
    """Whether any word of the lists has this stem, by the rules of its language."""
    return _INFORMATION.get(stem) is not None
