"""The ledger and the marks at their ports: in memory."""

from dataclasses import dataclass, field
from uuid import UUID

from agents.calls import Table
from agents.errors import Unrecorded, Withheld
from agents.permissions.disclosures.records import Occasion, Sent
from agents.permissions.sharing.marks import Marks


@dataclass
class KeptDisclosures:
    """Keeps what it is told; ``away`` makes it fail."""

    kept: list[tuple[Occasion, Sent]] = field(default_factory=list)
    away: bool = False

    async def record(self, occasion: Occasion, sent: Sent) -> None:
        if self.away:
            raise Unrecorded
        self.kept.append((occasion, sent))

    @property
    def listed(self) -> list[tuple[str, Table, str]]:
        """Model, table and id of every row in the ledger, as often as it stands there."""
        return sorted(
            (sent.model, table, row_id) for _, sent in self.kept for table, ids in sent.rows.items() for row_id in ids
        )


@dataclass
class KeptMarks:
    """What everybody has marked; ``away`` makes it fail. ``asked`` are those who were looked up."""

    held: Marks = field(default_factory=Marks)
    away: bool = False
    asked: list[UUID] = field(default_factory=list)

    async def marks(self, user_id: UUID) -> Marks:
        self.asked.append(user_id)
        if self.away:
            raise Withheld
        return self.held
