"""Sharing marks: the tables and projects that a user never shares with a model, and their storage."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol
from uuid import UUID

from django.db import transaction

from accounts.cipher import Place
from accounts.keys.vault import Vault, open_vault
from accounts.locks import lock_user
from agents.calls import Row, Table
from agents.errors import Withheld
from agents.permissions.models import SharingMarks
from agents.scopes import AnyScope, ListScope, NoteScope, ProjectScope, texts_in
from agents.tools.rows import NOUNS

_ADVICE: Final = "They have set it so; tell them when it matters, and do not look for another way to it."


@dataclass(frozen=True, kw_only=True, slots=True)
class Marks:
    """The marked tables, and the ids of the marked projects."""

    tables: frozenset[Table] = field(default_factory=frozenset)
    projects: frozenset[str] = field(default_factory=frozenset)

    def __bool__(self) -> bool:
        return bool(self.tables or self.projects)

    def shares_table(self, table: Table) -> bool:
        """Whether ``table`` is not marked. Marking tasks also marks comments."""
        return table not in self.tables and (table is not Table.TASK_COMMENTS or Table.TASKS not in self.tables)

    def check_table(self, table: Table, done: str = "read") -> None:
        """Raises ``Withheld`` if ``table`` is not shared. ``done`` is the participle for the error message."""
        if not self.shares_table(table):
            named = table if table in self.tables else Table.TASKS
            raise Withheld(f"The user never shares their {NOUNS[named]}s, so this was not {done}. {_ADVICE}")

    def shares(self, table: Table, row: Row) -> bool:
        """Whether ``row`` is in no marked project. False if its table has projects, and the row's is unknown.

        For a comment, pass its task.
        """
        if not self.projects or table is Table.CLIENTS:
            return True
        project_id = row.get("id" if table is Table.PROJECTS else "projectId", "")
        return project_id is None or (isinstance(project_id, str) and project_id not in {"", *self.projects})

    def shares_page(self, scope: AnyScope | None) -> bool:
        """Whether a model may read about the page: its row is not marked, and its filters name no marked project."""
        match scope:
            case ProjectScope():
                return Table.PROJECTS not in self.tables and scope.entityId not in self.projects
            case NoteScope():
                return Table.NOTES not in self.tables and scope.projectId not in self.projects
            case ListScope(filters=filters):
                return not self.has_project_in(texts_in(filters))
            case _:
                return True

    def has_project_in(self, texts: Iterable[str]) -> bool:
        """Whether one of ``texts`` is the id of a marked project, or a comma-separated list that contains it."""
        return not self.projects.isdisjoint(
            part for text in texts for part in (text, *(part.strip() for part in text.split(",")))
        )


class MarkStore(Protocol):
    """Looks up marks."""

    async def marks(self, user_id: UUID) -> Marks:
        """The user's marks. Raises ``Withheld`` if they cannot be read."""


class NoMarks:
    """A ``MarkStore`` without marks."""

    async def marks(self, user_id: UUID) -> Marks:  # noqa: ARG002 - the port's
        return Marks()


def marks_of(user_id: UUID) -> Marks:
    """The user's marks. One query if nothing is marked.

    Raises ``AccountGone`` or ``EncryptionError``. The caller must then treat nothing as shared.
    """
    row = SharingMarks.objects.for_user(user_id).first()
    return Marks() if row is None else marks_in(row, open_vault(user_id))


def replace_marks(user_id: UUID, marks: Marks) -> None:
    """Replace all of the user's marks. Raises as ``marks_of``."""
    with transaction.atomic():
        # The lock serializes concurrent changes, and prevents a rotation of the key.
        lock_user(user_id)
        rows = SharingMarks.objects.for_user(user_id)
        if not marks:
            rows.delete()
            return
        row = rows.first() or SharingMarks(user_id=user_id)
        stored = json.dumps({"tables": sorted(marks.tables), "projects": sorted(marks.projects)})
        row.marks_encrypted = open_vault(user_id).encrypt(_place(row.id), stored)
        row.save()


def marks_in(row: SharingMarks, vault: Vault) -> Marks:
    """Raises ``EncryptionError``."""
    stored: Mapping[str, Sequence[str]] = json.loads(vault.decrypt(_place(row.id), row.marks_encrypted))
    return Marks(tables=frozenset(Table(name) for name in stored["tables"]), projects=frozenset(stored["projects"]))


def _place(row_id: UUID) -> Place:
    return Place(table="agents_sharingmarks", column="marks_encrypted", row_id=row_id)
