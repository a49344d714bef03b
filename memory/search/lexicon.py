"""How frequent words are in English and Italian in general. Pure.

A frequent word in two texts says little about a common topic, and a word that no one uses may be misspelled.
``lexicon.npy`` has a hash of each stem in the frequency lists of pyspellchecker (MIT license), with its information
content. ``./dev generate`` makes it (``tests/lexicon.py``).
"""

from pathlib import Path
from typing import Final

import numpy as np

from memory.search.hashes import HashedValues

PATH: Final = Path(__file__).with_name("lexicon.npy")
ENTRY: Final = np.dtype([("hash", "<u4"), ("information", "u1")])
STEPS: Final = 16
"""Information is stored in sixteenths of a nat."""
UNKNOWN: Final = 15.4
"""The information of a word that is not in the lists; no word in the lists has more."""

_INFORMATION: Final = HashedValues(PATH, "information")


def information(stem: str) -> float:
    """The information content in nats: about 4 for the most frequent words, 15.4 at most."""
    found = _INFORMATION.get(stem)
    return UNKNOWN if found is None else found / STEPS


def is_known(stem: str) -> bool:
    """Whether any word in the lists has this stem by the rules of its language."""
    return _INFORMATION.get(stem) is not None
