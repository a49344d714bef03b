"""Every table that holds a user's data: rotation, export and erasure reach them all through this register.

A table with an ``EncryptedTextField`` is found by that field type and needs no registration. An app registers a table
in ``ready()`` to say what field types cannot: other values that change with the key, the form of its export, rows that
outlive their user; and tables of plain values.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias, cast
from uuid import UUID

from django.apps import apps
from django.db.models import Count, Model, Q, QuerySet, Value

from accounts.encryption import encrypted_columns
from accounts.keys.vault import Vault

Exported: TypeAlias = Mapping[str, object]
"""A row for its owner: names and values for JSON, with all texts decrypted."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DecryptedRow:
    """A row during a rotation. ``texts`` are its decrypted columns, empty where there is no text.

    ``values`` are the columns in ``Renewal.reads``. A type that the database driver does not know, such as a vector, is
    given and taken as the bytes of PostgreSQL's binary format.
    """

    id: UUID
    texts: Mapping[str, str]
    values: Mapping[str, object]


@dataclass(frozen=True, kw_only=True, slots=True)
class Renewal:
    """What changes with the user's key besides ciphertext, such as an index or a vector made with the key.

    ``reads`` and ``writes`` are columns. ``renewed`` returns the new values of ``writes``, in that order, for each of
    many rows. It may raise ``EncryptionError`` if one row cannot be renewed, and is then called for each row alone.
    ``stale(version)`` finds rows whose columns depend on a key other than ``version`` when their ciphertext does not
    show it.
    """

    reads: tuple[str, ...] = ()
    writes: tuple[str, ...]
    renewed: Callable[[Sequence[DecryptedRow], Vault], Sequence[Sequence[object]]]
    stale: Callable[[int], Q] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class UserTable:
    """A model whose rows belong to users, by the ``for_user`` of its manager.

    ``exported`` names the columns that an export shows, by default all but the reference to the user.
    """

    model: type[Model]
    exported: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The table's name in the database."""
        return self.model._meta.db_table  # noqa: SLF001 - Django's public name for it

    @property
    def noun(self) -> str:
        """What its rows are called."""
        return str(self.model._meta.verbose_name_plural)  # noqa: SLF001 - Django's public name for it

    @property
    def exported_columns(self) -> Sequence[str]:
        fields = self.model._meta.concrete_fields  # noqa: SLF001 - Django's public name for it
        return self.exported or [field.attname for field in fields if field.name != "user"]

    def rows_of(self, user_id: UUID) -> QuerySet[Model]:
        rows: QuerySet[Model] = cast("Any", self.model._default_manager).for_user(user_id)  # noqa: SLF001 - public
        return rows


@dataclass(frozen=True, kw_only=True, slots=True)
class PlainTable(UserTable):
    """A table without ciphertext: counts and times, never a text. Rotations skip it."""

    def export(self, row: Model) -> Exported:
        """A row for its owner."""
        return exported_values(row, self.exported_columns)


@dataclass(frozen=True, kw_only=True, slots=True)
class EncryptedTable(UserTable):
    """A table with columns that only the owner's key decrypts. Its primary key is a UUID called ``id``.

    ``exporter`` takes the place of ``exported`` when a row's own form differs from its columns; it may raise
    ``EncryptionError``. The rows of a table that ``outlives_owner`` stay after erasure, when no one can decrypt them.
    Those that are ``part_of_account`` are erased and exported with the account itself.
    """

    exporter: Callable[[Model, Vault], Exported] | None = None
    renewal: Renewal | None = None
    outlives_owner: bool = False
    part_of_account: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of ciphertext, each empty or null when there is no text."""
        return encrypted_columns(self.model)

    def export(self, row: Model, vault: Vault) -> Exported:
        """A row for its owner; ``name_encrypted`` becomes ``name``. Raises ``EncryptionError``."""
        if self.exporter is not None:
            return self.exporter(row, vault)
        secret = self.columns
        return {
            name.removesuffix("_encrypted"): vault.open(row, name) if name in secret else _as_json(getattr(row, name))
            for name in self.exported_columns
        }

    def stale(self, user_id: UUID, version: int) -> QuerySet[Model]:
        """The user's rows that hold anything not made with key ``version``."""
        wanted = Q()
        for column in self.columns:
            empty = Q(**{f"{column}__isnull": True}) | Q(**{column: ""})
            wanted |= ~(empty | Q(**{f"{column}__startswith": f"v{version}:"}))
        if self.renewal is not None and self.renewal.stale is not None:
            wanted |= self.renewal.stale(version)
        return self.rows_of(user_id).filter(wanted)


class Register:
    """Tables of ciphertext by name: those that were added, then those found by field type among ``models``."""

    def __init__(self, models: Callable[[], Iterable[type[Model]]] = tuple) -> None:
        self._added: dict[str, EncryptedTable] = {}
        self._models = models

    def add(self, table: EncryptedTable) -> None:
        """Raises ``ValueError`` if the table was added before."""
        if table.name in self._added:
            raise ValueError(f"{table.name} is registered already.")
        self._added[table.name] = table

    def __getitem__(self, name: str) -> EncryptedTable:
        """Raises ``KeyError``."""
        return self._all()[name]

    def __iter__(self) -> Iterator[EncryptedTable]:
        return iter(self._all().values())

    def _all(self) -> dict[str, EncryptedTable]:
        found = [EncryptedTable(model=model) for model in self._models() if encrypted_columns(model)]
        return {**self._added, **{table.name: table for table in found if table.name not in self._added}}


ENCRYPTED_TABLES = Register(apps.get_models)
PLAIN_TABLES: dict[str, PlainTable] = {}
"""By name."""


def register(tables: Iterable[EncryptedTable | PlainTable]) -> None:
    """Add tables, at the start of an app. Raises ``ValueError`` if one was registered before."""
    for table in tables:
        if isinstance(table, EncryptedTable):
            ENCRYPTED_TABLES.add(table)
        elif PLAIN_TABLES.setdefault(table.name, table) is not table:
            raise ValueError(f"{table.name} is registered already.")


def row_counts(user_id: UUID, tables: Sequence[UserTable]) -> dict[str, int]:
    """How many rows of each of ``tables``, by name, are the user's. One query."""
    first, *others = [
        table.rows_of(user_id).order_by().values(table_name=Value(table.name)).annotate(row_count=Count("pk"))
        for table in tables
    ]
    counts = {row["table_name"]: row["row_count"] for row in first.union(*others, all=True)}
    return {table.name: counts.get(table.name, 0) for table in tables}


def exported_values(row: Model, names: Iterable[str]) -> Exported:
    """These plain values of a row, as JSON."""
    return {name: _as_json(getattr(row, name)) for name in names}


def _as_json(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else value
