"""Where the texts in a model's context came from. Pure."""

from enum import IntEnum
from typing import Final

from agents.calls import NamedRows, Row

FOREIGN_COLUMN: Final = "foreign"
"""The column in which a client marks a row whose text was imported from elsewhere, with true or 1."""


class Provenance(IntEnum):
    """Where a text came from; of several texts the highest counts."""

    SAID = 0
    """The user's own words in this conversation."""
    READ = 1
    """Rows, the user's page, pictures, what is remembered, others' texts in messages, and earlier answers."""
    FOREIGN = 2
    """From outside: another model's answer, and rows that the client marks as foreign."""


def is_foreign(row: Row) -> bool:
    """Whether the client marks ``row``."""
    return row.get(FOREIGN_COLUMN) in (True, 1)


def provenance_of(rows: NamedRows) -> Provenance:
    """The provenance of a text with ``rows`` in it."""
    marked = any(is_foreign(row) for part in rows.values() for row in part.rows)
    return Provenance.FOREIGN if marked else Provenance.READ
