"""Counting the rows that are withheld from whatever reads, so that it can say so."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from agents.calls import Row, Table
from agents.permissions.sharing.marks import withheld_words
from agents.tools.rows import text


@dataclass(frozen=True, slots=True)
class Count:
    """The rows that were withheld, each once."""

    rows: set[tuple[Table, str]] = field(default_factory=set)

    def told(self, said: str) -> str:
        """``said``, and in a last line how many rows are left out of it."""
        return "\n".join(part for part in (said, withheld_words(len(self.rows))) if part)


_count: ContextVar[Count | None] = ContextVar("withheld_count", default=None)


@contextmanager
def counting() -> Iterator[Count]:
    """What is withheld from reads that are made inside, also by tasks that are started there."""
    count = Count()
    token = _count.set(count)
    try:
        yield count
    finally:
        _count.reset(token)


def withhold(table: Table, row: Row) -> None:
    """Count ``row`` where somebody counts."""
    count = _count.get()
    if count is not None:
        count.rows.add((table, text(row, "id")))
