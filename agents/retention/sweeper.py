"""Deletes what is old, in short transactions that wait for nobody: what somebody has locked is left for the next time.

So any number of processes may do it at once, and what is killed goes on by being done again.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction

from accounts.progress import SILENT, Progress
from agents.retention.kinds import KINDS, Kept, Kind

BATCH: Final = 1000
"""Rows of one transaction."""


def cutoffs(kept: Kept, *, now: datetime) -> Iterator[tuple[Kind, datetime]]:
    """Each kind that grows old at all, and the moment before which it is."""
    for kind in KINDS:
        if days := kind.days(kept):
            yield kind, now - timedelta(days=days)


def count_old(kept: Kept, *, now: datetime) -> dict[str, int]:
    """How many rows ``forget_old`` would delete, by kind."""
    return {kind.name: kind.old(moment).count() for kind, moment in cutoffs(kept, now=now)}


def forget_old(kept: Kept, *, now: datetime, batch: int = BATCH, progress: Progress = SILENT) -> dict[str, int]:
    """Delete what is old; how many rows went, by kind. Not inside a transaction."""
    progress.expect(sum(count_old(kept, now=now).values()))
    gone = {}
    for kind, moment in cutoffs(kept, now=now):
        gone[kind.name] = 0
        while some := forget_some(kind, moment, batch=batch):
            gone[kind.name] += some
            progress.advance(some)
    return gone


@transaction.atomic(durable=True)
def forget_some(kind: Kind, moment: datetime, *, batch: int = BATCH) -> int:
    """Delete the oldest ``batch`` rows of a kind that are older than ``moment``; how many there were."""
    locked = kind.due(moment).select_for_update(skip_locked=True, of=("self",))
    ids: list[UUID | int] = list(locked.values_list("pk", flat=True)[:batch])
    if ids:
        locked.model._default_manager.filter(pk__in=ids).only("pk").delete()  # noqa: SLF001 - Django's public name
    return len(ids)


def listed(counts: Mapping[str, int]) -> str:
    """Such as "jobs 2, turns 1,000": what there is any of."""
    return ", ".join(f"{name} {count:,}" for name, count in counts.items() if count)
