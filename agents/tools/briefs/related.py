"""The notes that come close in meaning to a text."""

from collections.abc import Sequence
from typing import Final

from agents.calls import CallAction, Row, Table
from agents.errors import ClientRefused
from agents.together import together
from agents.tools.client import execute_on_client
from memory.embedders.base import Embedder
from memory.errors import EmbeddingFailed

_MOST: Final = 5
_NEAR: Final = 0.2
"""Cosine similarity from which a note is worth mentioning; below it, texts have little to do with each other."""
_EMBEDDED_CHARACTERS: Final = 4_000


async def related_notes(about: str, embedder: Embedder, *, known: Sequence[Row] = ()) -> list[Row]:
    """The nearest notes, nearest first; none when notes cannot be searched by meaning.

    ``known`` are rows that need not be read again. Raises ``ClientAbsent`` and ``ClientSilent``.
    """
    try:
        [vector] = await embedder.embed([about[:_EMBEDDED_CHARACTERS]])
        hits = await execute_on_client(CallAction.VECTOR_SEARCH, Table.NOTES, vector=vector.tolist(), limit=_MOST)
    except (EmbeddingFailed, ClientRefused):
        return []
    near = [str(hit.get("id")) for hit in hits.results[:_MOST] if _score(hit) >= _NEAR]
    rows = {str(row.get("id")): row for row in known}
    unknown = [row_id for row_id in near if row_id not in rows]
    rows |= dict(zip(unknown, await together(_note(row_id) for row_id in unknown), strict=True))
    return [row for row_id in near if (row := rows[row_id])]


async def _note(row_id: str) -> Row:
    """The row; an empty one when the device has it no more."""
    try:
        return (await execute_on_client(CallAction.GET, Table.NOTES, {"id": row_id})).row or {}
    except ClientRefused:
        return {}


def _score(hit: Row) -> float:
    score = hit.get("score")
    return float(score) if isinstance(score, int | float) else 0.0
