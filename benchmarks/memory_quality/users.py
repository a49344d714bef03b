"""Operations on the users of replayed conversations, for a process with Django:
``python -m benchmarks.memory_quality.users NAME ARGUMENTS``.

They use the database in the data folder that the environment names. The arguments are a JSON object, and the result is
written to standard output as JSON.
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
"""Longer than a lease, and than the delay before a failed attempt is repeated."""
_POLL_S: Final = 0.5


def wait_until_idle() -> JsonValue:
    """Wait until the servers have done their background work. Raises ``TimeoutError`` if it stalls."""
    waiting = [tier.objects.filter(next_attempt_at__isnull=False) for tier in (MemoryEpisodic, MemoryAssociative)]
    fewest, until = sys.maxsize, 0.0
    while left := sum(rows.count() for rows in waiting):
        if left < fewest:
            fewest, until = left, time.monotonic() + _STALLED_S
        elif time.monotonic() > until:
            raise TimeoutError(f"the background work has stalled: {left} rows are waiting")
        time.sleep(_POLL_S)
    return None


def set_times(*, times: Mapping[str, Sequence[int]]) -> JsonValue:
    """Set the ``times`` (seconds since 1970) of the exchanges of each user, by e-mail address, in order. Facts get the
    times of their exchanges. Returns new access tokens of the users.

    No running server may have an index of these users. Raises ``ValueError`` if a number of exchanges differs.
    """
    users = [User.objects.get(email=email) for email in times]
    for user, timestamps in zip(users, times.values(), strict=True):
        rows = list(MemoryEpisodic.objects.for_user(user.id).order_by("created_at"))
        if len(rows) != len(timestamps):
            raise ValueError(f"{len(rows)} of {len(timestamps)} exchanges were recorded")
        for row, timestamp in zip(rows, timestamps, strict=True):
            row.created_at = datetime.fromtimestamp(timestamp, UTC)
        MemoryEpisodic.objects.bulk_update(rows, ["created_at"], batch_size=500)
        facts = MemoryAssociative.objects.for_user(user.id).exclude(said_in=None)
        facts.update(created_at=_said_at(id=OuterRef("said_in")))
        superseded = facts.exclude(superseded_by__said_in=None)
        superseded.update(superseded_at=_said_at(facts__supersedes=OuterRef("id")))
    return [issue_tokens(user, announced=True).access for user in users]


def _said_at(**exchange: OuterRef) -> Subquery:
    """The time of this exchange."""
    return Subquery(MemoryEpisodic.objects.filter(**exchange).values("created_at")[:1])


OPERATIONS: Final[Mapping[str, Callable[..., JsonValue]]] = {
    operation.__name__: operation for operation in (wait_until_idle, set_times)
}


if __name__ == "__main__":
    with starting.database():
        json.dump(OPERATIONS[sys.argv[1]](**json.loads(sys.argv[2])), sys.stdout)
