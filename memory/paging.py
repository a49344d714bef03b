"""Pages of a list that stay true while rows come and go: each begins after the last row of the one before."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar
from uuid import UUID

from django.db.models import Model, Q, QuerySet

_Item = TypeVar("_Item", covariant=True)
_M = TypeVar("_M", bound=Model)


@dataclass(frozen=True, kw_only=True, slots=True)
class Mark:
    """Where a page ends: the time that orders the list, newest first, and the row's id."""

    at: datetime
    id: UUID


@dataclass(frozen=True, kw_only=True, slots=True)
class Page(Generic[_Item]):
    """Some rows, and where the next page begins; None at the end."""

    items: Sequence[_Item]
    after: Mark | None


def page_of(rows: "QuerySet[_M]", field: str, *, after: Mark | None, limit: int) -> tuple[list[_M], Mark | None]:
    """At most ``limit`` of ``rows``, newest by ``field`` first, from ``after`` on, and the mark for the next page."""
    if after is not None:
        rows = rows.filter(Q(**{f"{field}__lt": after.at}) | Q(**{field: after.at, "id__gt": after.id}))
    found = list(rows.order_by(f"-{field}", "id")[: limit + 1])
    kept = found[:limit]
    more = len(found) > limit
    return kept, Mark(at=getattr(kept[-1], field), id=kept[-1].pk) if more else None
