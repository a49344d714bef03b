"""Locks between processes, about a purpose and not about a row. The database frees those of killed processes."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.db import connection


@contextmanager
def held(purpose: str, about: UUID) -> Iterator[bool]:
    """Gives whether this process has the lock, which it keeps until the end of the block, or another one has it."""
    digest = hashlib.sha256(f"adiuva {purpose}\n{about}".encode()).digest()
    number = int.from_bytes(digest[:8], "big", signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [number])
        taken = bool(cursor.fetchone()[0])
    try:
        yield taken
    finally:
        if taken:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [number])
