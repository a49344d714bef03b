"""Users with memories, made in bulk. Django must be set up before this is imported."""

import random
from collections.abc import Mapping
from typing import Final
from uuid import UUID, uuid4

import numpy as np
from django.db.models import Model
from pgvector import HalfVector

from accounts.cipher import Place
from accounts.keys.vault import Vault, open_vault
from accounts.models import User
from memory.index import DIMENSIONS, Vectors, Veil
from memory.models import MemoryAssociative, MemoryCore, MemoryEpisodic, MemoryProactive
from memory.tiers import habit_index, key_index

_SAID: Final = "The fence is painted, the milk is bought, and nothing else is due before Friday morning in the garden."
_AT_ONCE: Final = 1000


def user_with_texts(rows: int) -> tuple[UUID, dict[UUID, list[str]]]:
    """A user with this many episodes; returns their content, by row."""
    user, vault = _user()
    texts: dict[UUID, list[str]] = {}
    _insert([_episode(user, vault, texts) for _ in range(rows)])
    return user.id, texts


def user_with_tiers(rows: int) -> tuple[UUID, dict[UUID, list[str]], dict[UUID, Vectors]]:
    """A user with rows in all four tiers, 45 % of them with a vector; returns texts and vectors, by row."""
    user, vault = _user()
    veil = Veil(vault.key)
    texts: dict[UUID, list[str]] = {}
    vectors: dict[UUID, Vectors] = {}
    made: list[Model] = []
    for number in range(rows):
        if number % 20 == 0:
            made.append(_preference(user, vault, texts))
        elif number % 20 == 1:
            made.append(_habit(user, vault, texts))
        elif number % 2 == 0:
            made.append(_episode(user, vault, texts))
        else:
            made.append(_fact(user, vault, veil, texts, vectors))
    for tier in (MemoryCore, MemoryProactive, MemoryEpisodic, MemoryAssociative):
        _insert([row for row in made if isinstance(row, tier)])
    return user.id, texts, vectors


def sentence() -> str:
    """Some hundred characters, never the same."""
    return f"{' '.join(random.choices(_SAID.split(), k=20))} {uuid4().hex[:8]}"  # noqa: S311 - not a secret


def new_user() -> User:
    """A user without a password."""
    user = User(email=f"{uuid4().hex}@example.com")
    user.set_unusable_password()
    user.save()
    return user


def _user() -> tuple[User, Vault]:
    user = new_user()
    return user, open_vault(user.id)


def _insert(rows: list[Model]) -> None:
    for start in range(0, len(rows), _AT_ONCE):
        type(rows[0])._default_manager.bulk_create(rows[start : start + _AT_ONCE])  # noqa: SLF001 - public


def _seal(row: Model, vault: Vault, said: Mapping[str, str], texts: dict[UUID, list[str]]) -> None:
    table = row._meta.db_table  # noqa: SLF001 - Django's public name for it
    for column, text in said.items():
        setattr(row, column, vault.encrypt(Place(table=table, column=column, row_id=row.pk), text))
    texts[row.pk] = list(said.values())


def _episode(user: User, vault: Vault, texts: dict[UUID, list[str]]) -> MemoryEpisodic:
    row = MemoryEpisodic(user=user, session_id="session")
    _seal(row, vault, {"summary_encrypted": sentence()}, texts)
    return row


def _preference(user: User, vault: Vault, texts: dict[UUID, list[str]]) -> MemoryCore:
    key = sentence()[:40]
    row = MemoryCore(user=user, key_index=key_index(vault.key, f"{key} {uuid4()}"))
    _seal(row, vault, {"key_encrypted": f"{key} {row.id}", "value_encrypted": sentence()}, texts)
    return row


def _habit(user: User, vault: Vault, texts: dict[UUID, list[str]]) -> MemoryProactive:
    basis = sentence()
    row = MemoryProactive(user=user, pattern_index=habit_index(vault.key, basis), confidence=0.7, source="benchmark")
    _seal(row, vault, {"basis_encrypted": basis, "pattern_encrypted": sentence()}, texts)
    return row


def _fact(
    user: User, vault: Vault, veil: Veil, texts: dict[UUID, list[str]], vectors: dict[UUID, Vectors]
) -> MemoryAssociative:
    row = MemoryAssociative(user=user, embedding_model="benchmark", veil_version=vault.key.version)
    vector = np.random.default_rng(row.id.int).normal(size=DIMENSIONS).astype(np.float32)
    vectors[row.id] = (vector / np.linalg.norm(vector)).astype(np.float32)
    row.embedding = HalfVector(veil.apply(vectors[row.id]))
    _seal(row, vault, {"content_encrypted": sentence()}, texts)
    return row
