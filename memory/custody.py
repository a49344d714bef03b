"""How the rows of the four tiers are encrypted with a new key of their owner, and how they are exported."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final, cast

import numpy as np
from django.db.models import Q
from numpy.typing import NDArray

from accounts.keys.custody import DecryptedRow, EncryptedTable, Renewal
from accounts.keys.vault import Vault
from memory.index import Vectors, Veil
from memory.models import MemoryAssociative, MemoryCore, MemoryEpisodic, MemoryProactive
from memory.tiers import habit_index, key_index

_HEADER_BYTES: Final = 4
"""A stored vector begins with its length and an unused number, of 16 bits each."""
_AT_ONCE: Final = 32
"""The number of vectors that are rotated at once: these fit into the processor's cache, which halves the time."""


def _renewed_vectors(rows: Sequence[DecryptedRow], vault: Vault) -> list[tuple[bytes | None, int | None]]:
    """The vectors, hidden by the present key. Those of one key version and length are turned together."""
    renewed: list[tuple[bytes | None, int | None]] = [(None, None)] * len(rows)
    alike: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        if (version := row.values["veil_version"]) is not None:
            alike[cast("int", version), len(cast("bytes", row.values["embedding"]))].append(place)
    for (version, _), places in alike.items():
        stored = b"".join(cast("bytes", rows[place].values["embedding"]) for place in places)
        words: NDArray[np.float16] = np.frombuffer(stored, dtype=">f2").reshape(len(places), -1)
        turned: Vectors = words[:, _HEADER_BYTES // 2 :].astype(np.float32)
        if version != vault.key.version:
            dimensions = turned.shape[-1]
            old, veil = Veil(vault.key_of(version), dimensions), Veil(vault.key, dimensions)
            parts = [turned[start : start + _AT_ONCE] for start in range(0, len(turned), _AT_ONCE)]
            turned = np.concatenate([veil.apply(old.invert(part)) for part in parts])
        for place, vector in zip(places, turned.astype(">f2"), strict=True):
            renewed[place] = (stored[:_HEADER_BYTES] + vector.tobytes(), vault.key.version)
    return renewed


TABLES: Final = (
    EncryptedTable(
        model=MemoryCore,
        exported=("id", "key_encrypted", "value_encrypted", "created_at", "updated_at"),
        # An index is made with the key that encrypts its text, so both have the same version.
        renewal=Renewal(
            writes=("key_index",),
            renewed=lambda rows, vault: [(key_index(vault.key, row.texts["key_encrypted"]),) for row in rows],
        ),
    ),
    EncryptedTable(
        model=MemoryAssociative,
        exported=(
            *("id", "content_encrypted", "details_encrypted", "evidence_encrypted", "entity_type", "entity_id"),
            *("episode_id", "said_in_id", "superseded_by_id", "superseded_as", "superseded_at", "corrected_at"),
            *("created_at", "updated_at"),
        ),
        renewal=Renewal(
            reads=("embedding", "veil_version"),
            writes=("embedding", "veil_version"),
            renewed=_renewed_vectors,
            stale=lambda version: Q(veil_version__isnull=False) & ~Q(veil_version=version),
        ),
    ),
    EncryptedTable(
        model=MemoryEpisodic,
        exported=("id", "summary_encrypted", "exchange_encrypted", "touched_encrypted", "session_id", "created_at"),
    ),
    EncryptedTable(
        model=MemoryProactive,
        exported=(
            *("id", "pattern_encrypted", "basis_encrypted", "confidence", "source"),
            *("created_at", "updated_at", "dismissed_at"),
        ),
        renewal=Renewal(
            writes=("pattern_index",),
            renewed=lambda rows, vault: [(habit_index(vault.key, row.texts["basis_encrypted"]),) for row in rows],
        ),
    ),
)
