"""Going over rows until all of them are renewed, while others go on reading and writing them."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol
from uuid import UUID

from django.db import connections

from accounts.crews import in_crew
from accounts.progress import Progress

BATCH: Final = 1000
"""Rows in one transaction: so many are locked at once, for some tens of milliseconds."""
_AT_ONCE: Final = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Unreadable:
    """A row that cannot be opened, and why: it is left as it is. Nothing here tells what stands in it."""

    table: str
    row_id: UUID
    reason: str

    def __str__(self) -> str:
        return f"{self.table} {self.row_id}: {self.reason}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Batch:
    """What became of some rows: how many were renewed, which cannot be opened, which are locked by others or gone."""

    renewed: int = 0
    unreadable: Sequence[Unreadable] = ()
    missed: Sequence[UUID] = ()


class Renew(Protocol):
    """Renews the rows with these ids in a transaction of its own, passing over locked ones or waiting for them."""

    def __call__(self, ids: Sequence[UUID], *, wait: bool) -> Batch: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Deadline:
    """Until when new batches may be begun (seconds of ``clock``)."""

    at: float = float("inf")
    clock: Callable[[], float] = time.monotonic

    @classmethod
    def after(cls, seconds: float | None) -> "Deadline":
        """``None``: never."""
        return cls() if seconds is None else cls(at=time.monotonic() + seconds)

    @property
    def over(self) -> bool:
        return self.clock() >= self.at


NEVER: Final = Deadline()


def renew_all(
    pending: Callable[[], Sequence[UUID]],
    renew: Renew,
    progress: Progress,
    *,
    deadline: Deadline = NEVER,
    executor: Executor | None = None,
) -> Batch:
    """Has ``renew`` take every pending row, many at a time, then, one by one, those that were locked.

    It works in the ``executor``, or in two threads, so that one encrypts while the database writes for the other. Where
    this process is itself one of a crew, the others do so meanwhile.
    Many rows are never waited for, so nobody can wait in a circle. Raises what ``renew`` raises.
    """
    done: list[Batch] = []
    ids = pending()
    _each(_batched(ids, BATCH), partial(_unless_late, renew, deadline, wait=False), progress, done, executor)
    if any(batch.missed for batch in done) and not deadline.over:
        unreadable = {row.row_id for batch in done for row in batch.unreadable}
        ids = [row_id for row_id in pending() if row_id not in unreadable]
        _each(_batched(ids, 1), partial(_unless_late, renew, deadline, wait=True), progress, done, executor)
    return Batch(
        renewed=sum(batch.renewed for batch in done), unreadable=[row for batch in done for row in batch.unreadable]
    )


def _unless_late(renew: Renew, deadline: Deadline, ids: Sequence[UUID], *, wait: bool) -> Batch:
    return Batch() if deadline.over else renew(ids, wait=wait)


def _each(
    batches: Sequence[Sequence[UUID]],
    renew: Callable[[Sequence[UUID]], Batch],
    progress: Progress,
    done: list[Batch],
    executor: Executor | None,
) -> None:
    """Renews every batch; what became of it is put to ``done``."""

    def take(batch: Batch) -> None:
        done.append(batch)
        progress.advance(batch.renewed + len(batch.unreadable))

    if executor is not None and len(batches) > 1:
        _side_by_side(batches, renew, take, executor)
    elif in_crew() or len(batches) == 1:
        for ids in batches:
            take(renew(ids))
    else:
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            _side_by_side(batches, partial(_with_its_own_connection, renew), take, threads)


def _side_by_side(
    batches: Sequence[Sequence[UUID]],
    renew: Callable[[Sequence[UUID]], Batch],
    take: Callable[[Batch], None],
    executor: Executor,
) -> None:
    begun = [executor.submit(renew, ids) for ids in batches]
    try:
        for batch in begun:
            take(batch.result())
    except BaseException:
        # Ctrl-C, too: what is being done is finished, and nothing else is begun.
        for batch in begun:
            batch.cancel()
        wait(begun)
        raise


def _with_its_own_connection(renew: Callable[[Sequence[UUID]], Batch], ids: Sequence[UUID]) -> Batch:
    try:
        return renew(ids)
    finally:
        connections.close_all()


def _batched(ids: Sequence[UUID], size: int) -> list[Sequence[UUID]]:
    return [ids[start : start + size] for start in range(0, len(ids), size)]
