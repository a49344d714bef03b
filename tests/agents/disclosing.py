"""The ledger and the marks in memory, at their ports."""

from dataclasses import dataclass, field
from uuid import UUID

from agents.calls import Table
from agents.errors import Unrecorded, Withheld
from agents.permissions.disclosures import Occasion, Sent
from agents.permissions.sharing import Marks


@dataclass
class KeptDisclosures:
    """A ``DisclosureStore`` in memory; ``away`` makes it fail."""

    kept: list[tuple[Occasion, Sent]] = field(default_factory=list)
    away: bool = False

    async def record(self, occasion: Occasion, sent: Sent) -> None:
        if self.away:
            raise Unrecorded
        self.kept.append((occasion, sent))

    @property
    def listed(self) -> list[tuple[str, Table, str]]:
        """Model, table and id of every recorded row, duplicates included."""
        return sorted(
            (sent.model, table, row_id) for _, sent in self.kept for table, ids in sent.rows.items() for row_id in ids
        )


@dataclass
class KeptMarks:
    """A ``MarkStore`` with the same marks for all users; ``away`` makes it fail. ``asked`` records the users."""

    held: Marks = field(default_factory=Marks)
    away: bool = False
    asked: list[UUID] = field(default_factory=list)

    async def marks(self, user_id: UUID) -> Marks:
        self.asked.append(user_id)
        if self.away:
            raise Withheld
        return self.held
