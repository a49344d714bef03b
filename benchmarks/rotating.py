"""Rotations of keys, in a process of its own: ``python -m benchmarks.rotating NAME ARGUMENTS``.

It works on the database in the data folder that the environment names, with users that it makes. The arguments are a
JSON object; what the work gives is written to standard output as JSON.
"""

import gc
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import count
from threading import Event
from typing import Final
from uuid import UUID

import django
import numpy as np
from cryptography.fernet import Fernet
from pydantic import JsonValue

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adiuva.settings")
django.setup()

from django.db import connections, transaction

from accounts.cipher import Place
from accounts.erasure import forget
from accounts.errors import EncryptionError
from accounts.keys.custody import ENCRYPTED_TABLES, EncryptedTable
from accounts.keys.rotation import (
    Rotation,
    rotate_users,
    workers,
)
from accounts.keys.vault import Vault, open_vault, vault_for_writing
from accounts.models import User
from accounts.process_pool import processors
from adiuva.server import starting
from benchmarks.users_with_memories import sentence, user_with_texts, user_with_tiers
from memory.index import Vectors, Veil
from memory.models import MemoryAssociative, MemoryEpisodic
from tests.adiuva.servers import kill_and_wait
from tests.forks import ROOT

_HEADER_CHARS: Final = 90
"""A text is encrypted after a line that names its place; this is about how long it is."""
_FERNET: Final = Fernet(Fernet.generate_key())
_THOUSANDTH: Final = 1e-3


def speed(*, users: int, rows: int, tiers: bool, rounds: int) -> JsonValue:
    """Seconds, in turn, of bare Fernet for the texts and of a rotation, for ``users`` with ``rows`` rows each."""
    made = dict(user_with_tiers(rows)[:2] if tiers else user_with_texts(rows) for _ in range(users))
    texts = (text for of_user in made.values() for row in of_user.values() for text in row)
    tokens = [_FERNET.encrypt(b"x" * _HEADER_CHARS + text.encode()) for text in texts]
    gc.freeze()  # what is compared with later is not looked through for garbage meanwhile
    measured: list[JsonValue] = []
    for _ in range(rounds):
        floor, floor_cpu = _timed(partial(_by_bare_fernet, tokens))
        seconds, cpu = _timed(partial(_rotate_all, dict.fromkeys(made, rows)))
        measured.append({"floor": floor, "floor_cpu": floor_cpu, "seconds": seconds, "cpu": cpu})
    for user_id in made:
        forget(user_id)
    return measured


def _by_bare_fernet(tokens: list[bytes]) -> None:
    new = Fernet(Fernet.generate_key())
    for token in tokens:
        new.encrypt(_FERNET.decrypt(token))


def _rotate_all(rows: Mapping[UUID, int]) -> None:
    with workers(sum(rows.values()), processes=processors()) as executor:
        done = list(rotate_users(rows, executor=executor))
    assert {each.user_id: each.renewed for each in done if isinstance(each, Rotation) and each.finished} == rows


def _timed(work: Callable[[], None]) -> tuple[float, float]:
    """The seconds by the clock, and of the CPU of this process and of those that it had for it."""
    cpu, started = _cpu_seconds(), time.perf_counter()
    work()
    return time.perf_counter() - started, _cpu_seconds() - cpu


def _cpu_seconds() -> float:
    return time.process_time() + os.times().children_user + os.times().children_system


def kills(*, rows: int, kills: int) -> JsonValue:
    """How many of a user's ``rows`` are lost or unreadable when ``rotate_keys`` is killed so often and others write."""
    user_id, texts, vectors = user_with_tiers(rows)
    email = User.objects.get(id=user_id).email
    whole = _whole_run(email)
    half_way = 0
    with _writers(user_id) as writers:
        for _ in range(kills):
            half_way += _killed_run(email, random.uniform(0, whole))  # noqa: S311 - not a secret
        _whole_run(email)
    for writer in writers:
        texts.update(writer.result())
    lost = _not_as_written(user_id, texts) + _turned_away(user_id, vectors)
    forget(user_id)
    return {"rows": len(texts), "lost": lost, "killed": half_way}


def _whole_run(email: str) -> float:
    """The seconds that ``rotate_keys`` works once it has begun."""
    with _rotating(email) as process:
        begun = _begins(process)
        _, problems = process.communicate()
        assert process.returncode == 0, problems
    return time.monotonic() - begun


def _killed_run(email: str, after: float) -> bool:
    """Whether the rotation was killed before it was done, ``after`` seconds from its beginning."""
    with _rotating(email) as process:
        _begins(process)
        time.sleep(after)
        if process.poll() is not None:
            return False
        kill_and_wait(process.pid)
        return True


def _begins(process: subprocess.Popen[str]) -> float:
    assert process.stdout is not None
    process.stdout.readline()
    return time.monotonic()


@contextmanager
def _rotating(email: str) -> Iterator[subprocess.Popen[str]]:
    """``manage.py rotate_keys``, that says a line when Django is there and the work begins."""
    code = (
        "import sys, django; django.setup()\n"
        "from django.core.management import call_command\n"
        "print('begins', flush=True)\n"
        "call_command('rotate_keys', '--user', sys.argv[1])"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, email], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def _writers(user_id: UUID) -> Iterator[list[Future[dict[UUID, list[str]]]]]:
    """Two who write new episodes and correct their last one, until the block ends; what they wrote is their result."""
    over = Event()

    def write() -> dict[UUID, list[str]]:
        written: dict[UUID, list[str]] = {}
        latest: UUID | None = None
        for number in count():
            if over.wait(0.001):
                break
            latest = _write(user_id, latest if number % 2 else None, written)
        connections.close_all()
        return written

    with ThreadPoolExecutor(2) as pool:
        try:
            yield [pool.submit(write) for _ in range(2)]
        finally:
            over.set()


@transaction.atomic
def _write(user_id: UUID, row_id: UUID | None, written: dict[UUID, list[str]]) -> UUID:
    vault = vault_for_writing(user_id)
    row = MemoryEpisodic.objects.select_for_update().get(id=row_id) if row_id else MemoryEpisodic(user_id=user_id)
    text = sentence()
    place = Place(table="memory_memoryepisodic", column="summary_encrypted", row_id=row.id)
    row.summary_encrypted = vault.encrypt(place, text)
    row.save()
    written[row.id] = [text]
    return row.id


def _not_as_written(user_id: UUID, texts: Mapping[UUID, list[str]]) -> int:
    vault = open_vault(user_id)
    found = {
        row_id: _texts(vault, table, row_id, tokens)
        for table in ENCRYPTED_TABLES
        for row_id, *tokens in table.rows_of(user_id).values_list("pk", *table.columns)
    }
    return sum(found.get(row_id) != texts.get(row_id) for row_id in found.keys() | texts.keys())


def _texts(vault: Vault, table: EncryptedTable, row_id: UUID, tokens: list[str]) -> list[str] | None:
    """The row's content; ``None`` if it cannot be decrypted."""
    try:
        return [
            vault.decrypt(Place(table=table.name, column=column, row_id=row_id), token)
            for column, token in zip(table.columns, tokens, strict=True)
            if token
        ]
    except EncryptionError:
        return None


def _turned_away(user_id: UUID, vectors: Mapping[UUID, Vectors]) -> int:
    """How many vectors do not come out of their veil as they were, to a thousandth."""
    veil = Veil(open_vault(user_id).key)
    rows = MemoryAssociative.objects.for_user(user_id).values_list("id", "embedding")
    return sum(
        1
        for row_id, veiled in rows.iterator()
        if np.abs(veil.invert(np.array(veiled, dtype=np.float32)) - vectors[row_id]).max() > _THOUSANDTH
    )


WORKS: Final[Mapping[str, Callable[..., JsonValue]]] = {work.__name__: work for work in (speed, kills)}


if __name__ == "__main__":
    with starting.database():
        json.dump(WORKS[sys.argv[1]](**json.loads(sys.argv[2])), sys.stdout)
