"""The journal of a job, as one run of it finds it and goes on with it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol
from uuid import UUID


class StepStore(Protocol):
    """The part of ``agents.jobs.store.JobStore`` that a journal needs."""

    async def step(self, job_id: UUID, owner: str, name: str, content: str, *, now: datetime) -> str:
        """As ``agents.jobs.journal.step``, and raises what it raises."""

    async def steps(self, job_id: UUID) -> Mapping[str, str]:
        """As ``agents.jobs.journal.steps``, and raises what it raises."""


@dataclass(kw_only=True, eq=False)
class Steps:
    """What earlier runs wrote down, by name, and what this one, ``owner``, adds."""

    store: StepStore
    job_id: UUID
    owner: str
    clock: Callable[[], datetime]
    _written: dict[str, str] = field(default_factory=dict, init=False)

    async def read(self) -> None:
        """Take in what earlier runs wrote. Raises ``JobLost`` and ``JobUnreadable``."""
        self._written = dict(await self.store.steps(self.job_id))

    @property
    def empty(self) -> bool:
        """Whether nothing was written down yet: nothing was said or changed."""
        return not self._written

    def written(self, name: str) -> str | None:
        """What stands under ``name``."""
        return self._written.get(name)

    async def write(self, name: str, content: str) -> str:
        """What stands under ``name`` from now on: ``content``, unless something stood there.

        Raises ``JobLost`` and ``JobUnreadable``.
        """
        kept = await self.store.step(self.job_id, self.owner, name, content, now=self.clock())
        self._written[name] = kept
        return kept
