"""Vectors for clients: sharing marks apply, and the ledger records rows before they are embedded."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import compress

from agents.calls import Row, Table
from agents.permissions.disclosures.ledger import DisclosureStore, Occasion, Sent
from agents.permissions.sharing.filter import Marks, MarkStore
from agents.requests import RequestKind, RequestOrigin
from agents.tools.rows import text
from memory.embedders.base import Embedder
from memory.index import Vector


@dataclass(frozen=True, kw_only=True, slots=True)
class Subject:
    """The row that a text belongs to: its id, and its ``projectId`` if the client gives it."""

    table: Table
    row: Row


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnText:
    """A user's text. Without a subject it belongs to no row."""

    text: str
    subject: Subject | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Embedding:
    """Embeds users' texts."""

    embedder: Embedder
    disclosures: DisclosureStore
    marks: MarkStore

    async def vectors(self, origin: RequestOrigin, texts: Sequence[OwnText]) -> list[Vector | None]:
        """A vector for each text, in order; None for a row that the user never shares, with any embedder.

        Raises ``EmbeddingFailed``, ``Unrecorded`` if the ledger cannot record, and ``Withheld`` if the marks cannot be
        read. In the latter two cases nothing was sent.
        """
        marks = await self._marks(origin, texts)
        may_be_sent = [each.subject is None or _is_shared(each.subject, marks) for each in texts]
        shared = list(compress(texts, may_be_sent))
        rows = _rows(shared)
        if rows:
            await self.disclosures.record(
                Occasion(origin=origin, source=RequestKind.VECTORS), Sent(model=self.embedder.name, rows=rows)
            )
        made = iter(await self.embedder.embed([each.text for each in shared]) if shared else ())
        return [next(made) if may else None for may in may_be_sent]

    async def _marks(self, origin: RequestOrigin, texts: Iterable[OwnText]) -> Marks:
        """The marks that apply to ``texts``: none if no text belongs to a row."""
        if all(each.subject is None for each in texts):
            return Marks()
        return await self.marks.marks(origin.user_id)


def _is_shared(subject: Subject, marks: Marks) -> bool:
    return subject.table not in marks.tables and marks.shares(subject.table, subject.row)


def _rows(texts: Iterable[OwnText]) -> dict[Table, frozenset[str]]:
    found: dict[Table, set[str]] = {}
    for each in texts:
        if each.subject is not None:
            found.setdefault(each.subject.table, set()).add(text(each.subject.row, "id"))
    return {table: frozenset(ids) for table, ids in found.items()}
