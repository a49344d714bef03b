"""Disclosures as values."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from agents.calls import Table
from agents.kinds import RequestKind
from agents.permissions.approvals.questions import Origin


@dataclass(frozen=True, kw_only=True, slots=True)
class Occasion:
    """In which request, and by what of it, rows are sent to models. ``job_id`` is None outside of jobs."""

    origin: Origin
    source: RequestKind
    job_id: UUID | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Sent:
    """Ids of rows, by table, that ``model`` is about to be sent. No table is without rows."""

    model: str
    rows: Mapping[Table, frozenset[str]]
