"""All that is remembered, as one JSON object that is written while it is read."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing
from functools import partial
from typing import Final
from uuid import UUID

from channels.db import database_sync_to_async
from django.http import StreamingHttpResponse
from rest_framework.utils import json
from rest_framework.utils.encoders import JSONEncoder

from memory.rest.tiers import TIERS, Shown, Tier

FILE_NAME: Final = "adiuva-memory.json"
_BETWEEN: Final = ",\n"


async def exported(user_id: UUID) -> StreamingHttpResponse:
    """The user's memory as a file; a page of rows is held at a time.

    Raises as ``accounts.vault.open_vault``, before anything is sent.
    """
    pieces = _written(user_id)
    # Begun before the response exists, so that a key that does not open is an error like any other.
    beginning = await anext(pieces)
    return StreamingHttpResponse(
        _joined(beginning, pieces),
        content_type="application/json",
        headers={"Cache-Control": "no-store", "Content-Disposition": f'attachment; filename="{FILE_NAME}"'},
    )


async def _joined(beginning: str, rest: AsyncGenerator[str, None]) -> AsyncGenerator[str, None]:
    async with aclosing(rest):
        yield beginning
        async for piece in rest:
            yield piece


async def _written(user_id: UUID) -> AsyncGenerator[str, None]:
    opening = "{"
    for tier in TIERS:
        before = f'{opening}"{tier.name}": ['
        async for page in _pages(tier, user_id):
            yield before + _BETWEEN.join(json.dumps(row, cls=JSONEncoder) for row in page)
            before = _BETWEEN
        yield "]" if before == _BETWEEN else f"{before}]"
        opening = _BETWEEN
    yield "}\n"


async def _pages(tier: Tier, user_id: UUID) -> AsyncIterator[list[Shown]]:
    """The rows of a tier, a page at a time; none where it holds nothing."""
    pages = tier.rows(user_id)
    while (page := await database_sync_to_async(partial(_next_of, pages), thread_sensitive=False)()) is not None:
        if page:
            yield page


def _next_of(pages: Iterator[list[Shown]]) -> list[Shown] | None:
    return next(pages, None)
