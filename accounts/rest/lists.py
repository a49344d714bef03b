"""The one shape of lists, ``{results, next}``: ``next`` is the ``cursor`` of the next page.

A list that is always short comes whole, and its ``next`` is null.
"""

from collections.abc import Iterable
from typing import Any, Final

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.response import Response

from accounts.cursors import decode_cursor

MAX_LIMIT: Final = 100


@extend_schema_field({"type": "string", "pattern": r"^[0-9]{1,17}\.[0-9a-f]{32}$"})
class CursorField(serializers.CharField):
    """The ``next`` of an earlier page."""

    def to_internal_value(self, data: str) -> Any:
        try:
            return self.decoded(super().to_internal_value(data))
        except ValueError:
            raise serializers.ValidationError("This is not the `next` of an earlier page.") from None

    def decoded(self, text: str) -> object:
        """What ``text`` stands for. Raises ``ValueError`` if it is no cursor of this list."""
        return decode_cursor(text)


class PageQuerySerializer(serializers.Serializer[object]):
    """The part of a list that is wanted."""

    limit = serializers.IntegerField(
        min_value=1, max_value=MAX_LIMIT, default=20, help_text=f"How many rows, at most {MAX_LIMIT}."
    )
    cursor = CursorField(required=False, help_text="The `next` of the page before.")


class PageSerializer(serializers.Serializer[object]):
    """Part of a list, in order."""

    next = serializers.CharField(allow_null=True, help_text="The `cursor` of the next page; null on the last.")


def whole(shape: type[serializers.BaseSerializer[Any]], rows: Iterable[Any], **context: Any) -> Response:
    """A list that comes in one page."""
    return Response({"next": None, "results": [shape(row, context=context).data for row in rows]})
