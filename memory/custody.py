"""The four tiers in custody: how their rows are renewed with their owner's key, and exported."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final, TypeVar, cast

import numpy as np
from django.db.models import Model, Q
from numpy.typing import NDArray

from accounts.custody import EncryptedTable, Exported, Opened, Renewal
from accounts.keys import Place
from accounts.vault import Vault
from memory.core import key_index
from memory.embedders.base import DIMENSIONS
from memory.habits import habit_index
from memory.models import MemoryAssociative, MemoryCore, MemoryEpisodic, MemoryProactive
from memory.veil import Vectors, Veil

_HEADER_BYTES: Final = 4
"""Before a vector's numbers stand its dimensions and an unused word, 16 bits each."""
_HEADER: Final = np.array([DIMENSIONS, 0], dtype=">u2").tobytes()
_AT_ONCE: Final = 32
"""So many vectors stay in the processor's cache while they are turned, which takes half the time."""
_R = TypeVar("_R", bound=Model)


def _renewed_keys(rows: Sequence[Opened], vault: Vault) -> list[tuple[str]]:
    return [(key_index(vault.key, row.texts["key_encrypted"]),) for row in rows]


def _renewed_habits(rows: Sequence[Opened], vault: Vault) -> list[tuple[str]]:
    return [(habit_index(vault.key, row.texts["basis_encrypted"]),) for row in rows]


def _renewed_vectors(rows: Sequence[Opened], vault: Vault) -> list[tuple[bytes | None, int | None]]:
    """Each vector out of its veil and into the present one, all of one version together."""
    veil = Veil(vault.key)
    renewed: list[tuple[bytes | None, int | None]] = [(None, None)] * len(rows)
    for version in {row.values["veil_version"] for row in rows} - {None}:
        places = [place for place, row in enumerate(rows) if row.values["veil_version"] == version]
        turned = _vectors([cast("bytes", rows[place].values["embedding"]) for place in places])
        if version != vault.key.version:
            turned = _turned(turned, Veil(vault.key_of(cast("int", version))), veil)
        for place, vector in zip(places, turned.astype(">f2"), strict=True):
            renewed[place] = (_HEADER + vector.tobytes(), vault.key.version)
    return renewed


def _vectors(stored: Sequence[bytes]) -> Vectors:
    words: NDArray[np.float16] = np.frombuffer(b"".join(stored), dtype=">f2").reshape(len(stored), -1)
    return words[:, _HEADER_BYTES // 2 :].astype(np.float32)


def _turned(vectors: Vectors, old: Veil, new: Veil) -> Vectors:
    parts = range(0, len(vectors), _AT_ONCE)
    return np.concatenate([new.apply(old.invert(vectors[start : start + _AT_ONCE])) for start in parts])


def _veiled_otherwise(version: int) -> Q:
    return Q(veil_version__isnull=False) & ~Q(veil_version=version)


def _core(row: MemoryCore, texts: Mapping[str, str]) -> Exported:
    return {
        "key": texts["key_encrypted"],
        "value": texts["value_encrypted"],
        "created_at": _moment(row.created_at),
        "updated_at": _moment(row.updated_at),
    }


def _associative(row: MemoryAssociative, texts: Mapping[str, str]) -> Exported:
    return {
        "content": texts["content_encrypted"],
        "entity_type": row.entity_type,
        "entity_id": row.entity_id,
        "episode_id": str(row.episode_id) if row.episode_id else None,
        "created_at": _moment(row.created_at),
        "updated_at": _moment(row.updated_at),
    }


def _episodic(row: MemoryEpisodic, texts: Mapping[str, str]) -> Exported:
    return {
        "summary": texts["summary_encrypted"],
        "exchange": texts["exchange_encrypted"],
        "session_id": row.session_id,
        "created_at": _moment(row.created_at),
    }


def _proactive(row: MemoryProactive, texts: Mapping[str, str]) -> Exported:
    return {
        "pattern": texts["pattern_encrypted"],
        "basis": texts["basis_encrypted"],
        "confidence": row.confidence,
        "source": row.source,
        "created_at": _moment(row.created_at),
        "updated_at": _moment(row.updated_at),
        "dismissed_at": _moment(row.dismissed_at),
    }


def _moment(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()


def _exporting(
    columns: Sequence[str], told: Callable[[_R, Mapping[str, str]], Exported]
) -> Callable[[Model, Vault], Exported]:
    """What ``told`` says of a row and its decrypted columns, empty where there is no text."""

    def export(row: Model, vault: Vault) -> Exported:
        table = row._meta.db_table  # noqa: SLF001 - Django's public name for it
        texts = {}
        for column in columns:
            token = getattr(row, column)
            place = Place(table=table, column=column, row_id=row.pk)
            texts[column] = vault.decrypt(place, token) if token else ""
        return {"id": str(row.pk), **told(cast("_R", row), texts)}

    return export


_CORE: Final = ("key_encrypted", "value_encrypted")
_ASSOCIATIVE: Final = ("content_encrypted",)
_EPISODIC: Final = ("summary_encrypted", "exchange_encrypted")
_PROACTIVE: Final = ("basis_encrypted", "pattern_encrypted")

TABLES: Final = (
    EncryptedTable(
        model=MemoryCore,
        columns=_CORE,
        rows_of=MemoryCore.objects.for_user,
        export=_exporting(_CORE, _core),
        # An index is always made with the key that its text was encrypted with, so that one shows the other's age.
        renewal=Renewal(writes=("key_index",), renewed=_renewed_keys),
    ),
    EncryptedTable(
        model=MemoryAssociative,
        columns=_ASSOCIATIVE,
        rows_of=MemoryAssociative.objects.for_user,
        export=_exporting(_ASSOCIATIVE, _associative),
        renewal=Renewal(
            reads=("embedding", "veil_version"),
            writes=("embedding", "veil_version"),
            renewed=_renewed_vectors,
            stale=_veiled_otherwise,
        ),
    ),
    EncryptedTable(
        model=MemoryEpisodic,
        columns=_EPISODIC,
        rows_of=MemoryEpisodic.objects.for_user,
        export=_exporting(_EPISODIC, _episodic),
    ),
    EncryptedTable(
        model=MemoryProactive,
        columns=_PROACTIVE,
        rows_of=MemoryProactive.objects.for_user,
        export=_exporting(_PROACTIVE, _proactive),
        renewal=Renewal(writes=("pattern_index",), renewed=_renewed_habits),
    ),
)
