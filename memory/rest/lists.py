"""The four tiers as their owner gets them: a page at a time, or all in one export."""

from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final, TypeAlias
from uuid import UUID

from django.http import StreamingHttpResponse
from rest_framework import serializers
from rest_framework.utils import json
from rest_framework.utils.encoders import JSONEncoder

from accounts.cursors import Cursor, encode_cursor
from accounts.database import in_database
from accounts.rest.lists import MAX_LIMIT, CursorField, PageQuerySerializer
from accounts.rest.requests import validated
from memory.facts import FactKind, list_facts
from memory.models import Page
from memory.rest.serializers import AssociativeSerializer, CoreSerializer, EpisodicSerializer, ProactiveSerializer
from memory.tiers import list_core, list_episodes, list_habits

DEFAULT_LIMIT: Final = 50
FILE_NAME: Final = "adiuva-memory.json"
_SEPARATOR: Final = ",\n"

Json: TypeAlias = Mapping[str, object]


class TierQuerySerializer(PageQuerySerializer):
    """The part of a tier that is wanted."""

    limit = serializers.IntegerField(
        min_value=1, max_value=MAX_LIMIT, default=DEFAULT_LIMIT, help_text="How many rows at most."
    )
    after = CursorField(required=False, help_text="Deprecated: the same as `cursor`.")


class AssociativeQuerySerializer(TierQuerySerializer):
    """The part of the associative tier that is wanted."""

    kind = serializers.ChoiceField(
        choices=list(FactKind), required=False, help_text="Only facts, or only the summaries of episodes."
    )
    superseded = serializers.BooleanField(
        required=False,
        allow_null=True,
        default=None,
        help_text="Only what another fact has superseded (true), or only what is current (false).",
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Tier:
    """How the rows of one tier are listed, and their ``shape``. ``lister`` takes what ``query`` has validated."""

    name: str
    lister: Callable[..., Page[object]]
    shape: type[serializers.Serializer[object]]
    query: type[TierQuerySerializer] = TierQuerySerializer

    def page(self, user_id: UUID, query: Mapping[str, str]) -> Json:
        """The page of the user's rows for the ``query`` of an address.

        Raises REST framework's ``ValidationError``, and as ``open_vault``.
        """
        given = validated(self.query(data=query))
        after = given.pop("cursor", None) or given.pop("after", None)
        page = self.lister(user_id, **{**given, "after": after})
        rows = self.shape(page.items, many=True).data
        return {
            "results": rows,
            "items": rows,
            "next": None if page.after is None else encode_cursor(page.after),
        }

    def pages(self, user_id: UUID) -> Iterator[list[Json]]:
        """All of the user's rows, a page at a time. Raises as ``open_vault``."""
        after: Cursor | None = None
        while True:
            page = self.lister(user_id, after=after, limit=MAX_LIMIT)
            yield [*self.shape(page.items, many=True).data]
            after = page.after
            if after is None:
                return


def _all_core(user_id: UUID, *, after: Cursor | None, limit: int) -> Page[object]:  # noqa: ARG001 - never a long list
    return Page(items=list_core(user_id), after=None)


def _facts(
    user_id: UUID,
    *,
    after: Cursor | None,
    limit: int,
    kind: str | None = None,
    superseded: bool | None = None,
) -> Page[object]:
    of_kind = None if kind is None else FactKind(kind)
    return list_facts(user_id, after=after, limit=limit, kind=of_kind, superseded=superseded)


CORE: Final = Tier(name="core", lister=_all_core, shape=CoreSerializer)
ASSOCIATIVE: Final = Tier(
    name="associative", lister=_facts, shape=AssociativeSerializer, query=AssociativeQuerySerializer
)
EPISODIC: Final = Tier(name="episodic", lister=list_episodes, shape=EpisodicSerializer)
PROACTIVE: Final = Tier(name="proactive", lister=list_habits, shape=ProactiveSerializer)
_TIERS: Final = (CORE, ASSOCIATIVE, EPISODIC, PROACTIVE)


async def export(user_id: UUID) -> StreamingHttpResponse:
    """All of the user's memory as one JSON object, sent while it is read: one page of rows is in memory at a time.

    Raises as ``open_vault``, before anything is sent.
    """
    pieces = _written(user_id)
    # Read before the response exists, so that a key that does not open is answered like any other error.
    beginning = await anext(pieces)
    return StreamingHttpResponse(
        _joined(beginning, pieces),
        content_type="application/json",
        headers={"Content-Disposition": f'attachment; filename="{FILE_NAME}"'},
    )


async def _joined(beginning: str, rest: AsyncGenerator[str, None]) -> AsyncGenerator[str, None]:
    async with aclosing(rest):
        yield beginning
        async for piece in rest:
            yield piece


async def _written(user_id: UUID) -> AsyncGenerator[str, None]:
    opening = "{"
    for tier in _TIERS:
        before = f'{opening}"{tier.name}": ['
        pages = tier.pages(user_id)
        while (page := await in_database(next, pages, None)) is not None:
            if page:
                yield before + _SEPARATOR.join(json.dumps(row, cls=JSONEncoder) for row in page)
                before = _SEPARATOR
        yield "]" if before == _SEPARATOR else f"{before}]"
        opening = _SEPARATOR
    yield "}\n"
