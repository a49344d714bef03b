"""The provenance of the texts in a model's context. Pure."""

from enum import IntEnum
from typing import Final

from agents.calls import NamedRows, Row

FOREIGN_COLUMN: Final = "foreign"
"""The column in which a client marks, with true or 1, a row whose text was imported from elsewhere."""


class Provenance(IntEnum):
    """Where a text came from. The provenance of several texts is the highest of theirs."""

    SAID = 0
    """The user's own words in this conversation."""
    READ = 1
    """Rows, the user's page, images, memories, other people's texts in the user's messages, and earlier answers."""
    FOREIGN = 2
    """Text from outside: another model's answer, and rows that the client marks as foreign."""


def is_foreign(row: Row) -> bool:
    """Whether the client marks ``row`` as foreign."""
    return row.get(FOREIGN_COLUMN) in (True, 1)


def provenance_of(rows: NamedRows) -> Provenance:
    """The provenance of a text that contains ``rows``."""
    marked = any(is_foreign(row) for part in rows.values() for row in part.rows)
    return Provenance.FOREIGN if marked else Provenance.READ
