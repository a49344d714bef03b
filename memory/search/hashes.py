"""Values of texts in a file that has sorted hashes in place of the texts. Pure."""

import zlib
from collections.abc import Collection
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


def hash_of(text: str) -> int:
    return zlib.crc32(text.encode())


class HashedValues:
    """The values in ``field`` of the array in ``path``, read on first use; its other field is ``hash``."""

    def __init__(self, path: Path, field: str) -> None:
        self._path = path
        self._field = field

    def get(self, text: str) -> float | None:
        """The value of ``text``; None if the file has none."""
        hashes, wanted = self._hashes, np.uint32(hash_of(text))
        place = int(hashes.searchsorted(wanted))
        return float(self._values[place]) if place < len(hashes) and hashes[place] == wanted else None

    def of(self, texts: Collection[str]) -> NDArray[Any]:
        """The values of those of ``texts`` that the file has."""
        wanted = np.fromiter(map(hash_of, texts), np.uint32, len(texts))
        places = np.minimum(self._hashes.searchsorted(wanted), len(self._hashes) - 1)
        found: NDArray[Any] = self._values[places[self._hashes[places] == wanted]]
        return found

    @cached_property
    def _entries(self) -> NDArray[np.void]:
        entries: NDArray[np.void] = np.load(self._path)
        return entries

    # Side by side, they are found faster.
    @cached_property
    def _hashes(self) -> NDArray[np.uint32]:
        return np.ascontiguousarray(self._entries["hash"])

    @cached_property
    def _values(self) -> NDArray[Any]:
        return np.ascontiguousarray(self._entries[self._field])
