"""Vectors that a client asks for: what is marked gets none, and what is embedded is written down before."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import compress

from agents.calls import Row, Table
from agents.kinds import RequestKind
from agents.permissions.approvals.questions import Origin
from agents.permissions.disclosures.records import Occasion, Sent
from agents.permissions.disclosures.store import DisclosureStore
from agents.permissions.sharing.marks import Marks
from agents.permissions.sharing.store import MarkStore
from agents.tools.rows import text
from memory.embedders.base import Embedder, Vector


@dataclass(frozen=True, kw_only=True, slots=True)
class Subject:
    """The row that a text is of: its id, and its ``projectId`` where the client says it."""

    table: Table
    row: Row


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnText:
    """A text of the user's. Without a subject it is the client's own words, and belongs to no row."""

    text: str
    subject: Subject | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Embedding:
    """Makes vectors of users' texts."""

    embedder: Embedder
    disclosures: DisclosureStore
    marks: MarkStore

    async def vectors(self, origin: Origin, texts: Sequence[OwnText]) -> list[Vector | None]:
        """A vector for each text, in order; none of a row that the user never shares, with whatever embedder.

        Raises ``EmbeddingFailed``, ``Unrecorded`` when it cannot be written down what would be sent, and ``Withheld``
        when it cannot be known what is marked. In the latter two cases nothing was sent.
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

    async def _marks(self, origin: Origin, texts: Iterable[OwnText]) -> Marks:
        """Those that concern ``texts``: none where all are the client's own words."""
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
