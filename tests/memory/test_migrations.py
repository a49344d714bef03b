"""Migrations of the memory, on rows that an earlier release has written."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from accounts.models import User
from memory.embedders.hashing import hashed
from memory.facts import store_fact
from memory.index import Embedding
from memory.models import MemoryAssociative

pytestmark = pytest.mark.django_db(transaction=True)

FIXED_LENGTH = [("memory", "0002_words_kept")]


def migrate(nodes: list[tuple[str, str]]) -> None:
    MigrationExecutor(connection).migrate(nodes)


def latest() -> list[tuple[str, str]]:
    return [node for node in MigrationExecutor(connection).loader.graph.leaf_nodes() if node[0] == "memory"]


@pytest.fixture
def migrations() -> Iterator[Callable[[list[tuple[str, str]]], None]]:
    yield migrate
    migrate(latest())


def column() -> tuple[str, str, int]:
    """The type and the storage of vectors, and the file of their table."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT format_type(atttypid, atttypmod), attstorage, pg_relation_filenode(attrelid) FROM pg_attribute"
            " WHERE attrelid = 'memory_memoryassociative'::regclass AND attname = 'embedding'"
        )
        [(type_name, storage, file)] = cursor.fetchall()
    return type_name, storage, file


def test_vectors_keep_their_numbers_and_their_place_when_any_length_is_allowed(
    alice: User, migrations: Callable[[list[tuple[str, str]]], None]
) -> None:
    store_fact(alice.id, "The shop closes at six.", Embedding(vector=hashed("shop"), model="hashing-v1"))
    before = np.array(MemoryAssociative.objects.get().embedding)
    migrations(FIXED_LENGTH)
    fixed = column()

    migrations(latest())

    free = column()
    assert (fixed[:2], free[:2]) == (("halfvec(1536)", "p"), ("halfvec", "m"))
    assert fixed[2] == free[2]  # the table was not written again
    assert np.array_equal(np.array(MemoryAssociative.objects.get().embedding), before)
