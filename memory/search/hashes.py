"""Values by text, in a file that has sorted hashes instead of the texts. Pure."""

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
    """The ``field`` of the array in ``path``, by the field ``hash``. The file is read on first use."""

    def __init__(self, path: Path, field: str) -> None:
        self._path = path
        self._field = field

    def get(self, text: str) -> float | None:
        """The value of ``text``; None if the file has none."""
        hashes, wanted = self._hashes, np.uint32(hash_of(text))
        position = int(hashes.searchsorted(wanted))
        return float(self._values[position]) if position < len(hashes) and hashes[position] == wanted else None

    def get_all(self, texts: Collection[str]) -> NDArray[Any]:
        """The values of the ``texts`` that the file has."""
        wanted = np.fromiter(map(hash_of, texts), np.uint32, len(texts))
        positions = np.minimum(self._hashes.searchsorted(wanted), len(self._hashes) - 1)
        found: NDArray[Any] = self._values[positions[self._hashes[positions] == wanted]]
        return found

    @cached_property
    def _entries(self) -> NDArray[np.void]:
        entries: NDArray[np.void] = np.load(self._path)
        return entries

    # A contiguous array is searched faster than a field of records.
    @cached_property
    def _hashes(self) -> NDArray[np.uint32]:
        return np.ascontiguousarray(self._entries["hash"])

    @cached_property
    def _values(self) -> NDArray[Any]:
        return np.ascontiguousarray(self._entries[self._field])
