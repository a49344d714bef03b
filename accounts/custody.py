"""The register of every table that holds ciphertext: rotation, export and erasure reach them all through it.

An app registers its tables in ``ready()``, so this floor knows none of those above it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from uuid import UUID

from django.db.models import Model, Q, QuerySet

from accounts.keys import Place
from accounts.vault import Vault

Exported: TypeAlias = Mapping[str, object]
"""One row for its owner: names and values that JSON can hold, every text decrypted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Opened:
    """A row in the middle of a rotation. ``texts`` are decrypted, by column, empty where there is none.

    ``values`` are what ``Renewal.reads`` names, by column. A value of a type that the database's driver does not know,
    such as a vector, comes as the bytes of PostgreSQL's binary form, and goes back as such.
    """

    id: UUID
    texts: Mapping[str, str]
    values: Mapping[str, object]


@dataclass(frozen=True, kw_only=True, slots=True)
class Renewal:
    """What of a table changes with the user's key besides ciphertext: an index made with it, a vector turned by it.

    ``reads`` and ``writes`` are columns. ``renewed`` gives the new values of ``writes``, in that order, for each row;
    it gets many rows at once, and may raise ``EncryptionError`` when one of them cannot be renewed: then it is asked
    again for each alone. ``stale(version)`` finds rows that are tied to another key than ``version`` by these columns,
    where their ciphertext does not show it.
    """

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...]
    renewed: Callable[[Sequence[Opened], Vault], Sequence[Sequence[object]]]
    stale: Callable[[int], Q] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class EncryptedTable:
    """A model some columns of which only the owner's key opens. Its primary key is a UUID called ``id``.

    ``columns`` are text columns of ciphertext, empty or null where there is none. ``rows_of`` gives a user's rows.
    ``export`` is one row in the owner's own words; it may raise ``EncryptionError``. Rows of a table that
    ``outlives_owner`` stay when the owner is erased; nobody can read their ciphertext then.
    """

    model: type[Model]
    columns: tuple[str, ...]
    rows_of: Callable[[UUID], QuerySet[Model]]
    export: Callable[[Model, Vault], Exported]
    renewal: Renewal | None = None
    outlives_owner: bool = False

    @property
    def name(self) -> str:
        """The table's name in the database."""
        return self.model._meta.db_table  # noqa: SLF001 - Django's public name for it

    @property
    def app(self) -> str:
        """The label of the app it belongs to."""
        return self.model._meta.app_label  # noqa: SLF001 - Django's public name for it

    def place(self, row_id: UUID, column: str) -> Place:
        return Place(table=self.name, column=column, row_id=row_id)

    def stale(self, user_id: UUID, version: int) -> QuerySet[Model]:
        """The user's rows that hold anything not made with key ``version``."""
        wanted = Q()
        for column in self.columns:
            empty = Q(**{f"{column}__isnull": True}) | Q(**{column: ""})
            wanted |= ~(empty | Q(**{f"{column}__startswith": f"v{version}:"}))
        if self.renewal is not None and self.renewal.stale is not None:
            wanted |= self.renewal.stale(version)
        return self.rows_of(user_id).filter(wanted)


@dataclass(frozen=True, kw_only=True, slots=True)
class PlainTable:
    """A model without ciphertext, whose rows are a user's all the same: counts and times, never a text.

    They are exported and erased beside those that are encrypted; a rotation has nothing to do with them.
    """

    model: type[Model]
    rows_of: Callable[[UUID], QuerySet[Model]]
    export: Callable[[Model], Exported]

    @property
    def name(self) -> str:
        """The table's name in the database."""
        return self.model._meta.db_table  # noqa: SLF001 - Django's public name for it


class Register:
    """The tables, by name."""

    def __init__(self) -> None:
        self._tables: dict[str, EncryptedTable] = {}

    def add(self, table: EncryptedTable) -> None:
        """Raises ``ValueError`` for a table that is there already."""
        if table.name in self._tables:
            raise ValueError(f"{table.name} is registered already.")
        self._tables[table.name] = table

    def __getitem__(self, name: str) -> EncryptedTable:
        """Raises ``KeyError``."""
        return self._tables[name]

    def of_app(self, label: str) -> tuple[EncryptedTable, ...]:
        """The tables of one app."""
        return tuple(table for table in self if table.app == label)

    def __iter__(self) -> Iterator[EncryptedTable]:
        return iter(self._tables.values())


ENCRYPTED_TABLES = Register()
PLAIN_TABLES: dict[str, PlainTable] = {}
"""By name."""


def register(tables: Iterable[EncryptedTable]) -> None:
    """Take ``tables`` into custody."""
    for table in tables:
        ENCRYPTED_TABLES.add(table)


def register_plain(tables: Iterable[PlainTable]) -> None:
    """Have ``tables`` exported and erased with the others. Raises ``ValueError`` for one that is there already."""
    for table in tables:
        if table.name in PLAIN_TABLES:
            raise ValueError(f"{table.name} is registered already.")
        PLAIN_TABLES[table.name] = table
