"""What a user never shares with a model: whole tables, and projects with all that belongs to them. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from agents.calls import Row, Table
from agents.errors import Withheld
from agents.scopes import AnyScope, NoteScope, ProjectScope

_WORDS: Final[Mapping[Table, str]] = {
    Table.TASKS: "tasks",
    Table.PROJECTS: "projects",
    Table.CHECKPOINTS: "checkpoints",
    Table.NOTES: "notes",
    Table.TASK_COMMENTS: "comments",
    Table.CLIENTS: "clients",
}
_SETTING: Final = "They have set it so; tell them when it matters, and do not look for another way to it."


@dataclass(frozen=True, kw_only=True, slots=True)
class Marks:
    """The marked tables, and the ids of the marked projects."""

    tables: frozenset[Table] = field(default_factory=frozenset)
    projects: frozenset[str] = field(default_factory=frozenset)

    def __bool__(self) -> bool:
        return bool(self.tables or self.projects)

    def check_tables(self, tables: Iterable[Table]) -> None:
        """Raises ``Withheld`` when one of them is marked."""
        marked = [_WORDS[table] for table in Table if table in self.tables and table in set(tables)]
        if marked:
            raise Withheld(f"The user never shares their {' and '.join(marked)}, so this was not read. {_SETTING}")

    def check_project(self, project_id: object) -> None:
        """Raises ``Withheld`` when it is marked."""
        if project_id in self.projects:
            raise Withheld(f"The user never shares this project, so this was not read. {_SETTING}")

    def shares(self, table: Table, row: Row) -> bool:
        """Whether the row belongs to no marked project; not when its table has projects and it does not say which.

        Of a comment it cannot be told without its task.
        """
        if not self.projects or table is Table.CLIENTS:
            return True
        column = "id" if table is Table.PROJECTS else "projectId"
        return column in row and row[column] not in self.projects

    def shares_page(self, scope: AnyScope | None) -> bool:
        """Whether the row whose page is ``scope`` may be named."""
        match scope:
            case ProjectScope():
                return Table.PROJECTS not in self.tables and scope.entityId not in self.projects
            case NoteScope():
                return Table.NOTES not in self.tables and scope.projectId not in self.projects
            case _:
                return True


def withheld_words(count: int) -> str:
    """What a model is told of rows that are left out of what it reads; empty when there are none."""
    rows = "1 row is" if count == 1 else f"{count} rows are"
    return f"[{rows} left out: the user never shares them.]" if count else ""
