"""The users of lived conversations, in a process that has Django: ``python -m benchmarks.memory_quality.users NAME …``.

It works on the database in the data folder that the environment names. The arguments are a JSON object; what the work
gives is written to standard output as JSON.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

import django
from pydantic import JsonValue

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "adiuva.settings")
django.setup()

from django.db.models import OuterRef, Subquery

from accounts.auth.tokens import issue_tokens
from accounts.models import User
from adiuva.server import starting
from memory.models import MemoryAssociative, MemoryEpisodic

_STALLED_S: Final = 480.0
"""More than a lease lasts, and than a failed attempt waits until a sweep repeats it."""
_LOOK_S: Final = 0.5


def settled() -> JsonValue:
    """Wait until the servers have done their background work. Raises ``TimeoutError`` if that stalls."""
    waiting = [tier.objects.filter(next_attempt_at__isnull=False) for tier in (MemoryEpisodic, MemoryAssociative)]
    fewest, until = sys.maxsize, 0.0
    while left := sum(rows.count() for rows in waiting):
        if left < fewest:
            fewest, until = left, time.monotonic() + _STALLED_S
        elif time.monotonic() > until:
            raise TimeoutError(f"the background work has stalled: {left} rows wait")
        time.sleep(_LOOK_S)
    return None


def dated(*, times: Mapping[str, Sequence[int]]) -> JsonValue:
    """Give the exchanges of the users with these addresses these times, in order, and return new access tokens.

    Times are seconds since 1970. Facts get those of their exchanges.

    No server may be running that has an index of them. Raises ``ValueError`` if a user has another number of exchanges.
    """
    users = [User.objects.get(email=email) for email in times]
    for user, moments in zip(users, times.values(), strict=True):
        rows = list(MemoryEpisodic.objects.for_user(user.id).order_by("created_at"))
        if len(rows) != len(moments):
            raise ValueError(f"{len(rows)} exchanges of {len(moments)} were recorded")
        for row, moment in zip(rows, moments, strict=True):
            row.created_at = datetime.fromtimestamp(moment, UTC)
        MemoryEpisodic.objects.bulk_update(rows, ["created_at"], batch_size=500)
        facts = MemoryAssociative.objects.for_user(user.id).exclude(said_in=None)
        facts.update(created_at=_said_at(id=OuterRef("said_in")))
        superseded = facts.exclude(superseded_by__said_in=None)
        superseded.update(superseded_at=_said_at(facts__supersedes=OuterRef("id")))
    return [issue_tokens(user, announced=True).access for user in users]


def _said_at(**exchange: OuterRef) -> Subquery:
    """When this exchange of a fact took place."""
    return Subquery(MemoryEpisodic.objects.filter(**exchange).values("created_at")[:1])


WORKS: Final[Mapping[str, Callable[..., JsonValue]]] = {work.__name__: work for work in (settled, dated)}


if __name__ == "__main__":
    with starting.database():
        json.dump(WORKS[sys.argv[1]](**json.loads(sys.argv[2])), sys.stdout)
