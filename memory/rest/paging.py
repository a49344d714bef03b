"""Which part of a long list a request wants, and how it is told where the list goes on."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from rest_framework import serializers

from memory.paging import Mark

DEFAULT_LIMIT: Final = 50
MAX_LIMIT: Final = 100

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_CURSOR: Final = re.compile(r"(\d{1,17})\.([0-9a-f]{32})", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """At most ``limit`` rows, those after ``after``."""

    limit: int
    after: Mark | None = None


class MarkField(serializers.CharField):
    """Where an earlier page ended, as it was told there."""

    def to_internal_value(self, data: str) -> Mark:  # type: ignore[override] # the base's gives the text itself
        try:
            return mark_of(super().to_internal_value(data))
        except ValueError:
            raise serializers.ValidationError("This is not the `next` of an earlier page.") from None


class PartSerializer(serializers.Serializer[object]):
    """The part of a list that is wanted."""

    limit = serializers.IntegerField(
        min_value=1, max_value=MAX_LIMIT, default=DEFAULT_LIMIT, help_text="How many rows at most."
    )
    after = MarkField(required=False, help_text="The `next` of the page before.")


def part_of(query: Mapping[str, str]) -> Part:
    """What the query of an address asks for. Raises REST framework's ``ValidationError``."""
    asked = PartSerializer(data=query)
    asked.is_valid(raise_exception=True)
    return Part(**asked.validated_data)


def cursor_of(mark: Mark) -> str:
    """``mark`` as a client gets it: microseconds since 1970 and the id."""
    return f"{(mark.at - _EPOCH) // timedelta(microseconds=1)}.{mark.id.hex}"


def mark_of(cursor: str) -> Mark:
    """What ``cursor_of`` was given. Raises ``ValueError`` for anything else."""
    parts = _CURSOR.fullmatch(cursor)
    if parts is None:
        raise ValueError("No cursor.")
    return Mark(at=_EPOCH + timedelta(microseconds=int(parts[1])), id=UUID(hex=parts[2]))
