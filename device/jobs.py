"""Jobs: tool runs on the server that are independent of any answer, and the port that gets their states."""

from typing import Protocol

from device.frames import JobUpdate
from device.store import Store


class JobWatcher(Protocol):
    """Is told where jobs stand. The same may come twice, at any time, and after a reconnect."""

    def note(self, update: JobUpdate) -> None:
        """Takes the state of a job. Never waits."""

    async def deliver(self, update: JobUpdate) -> bool:
        """Show how a job ended. Whether the server may forget it; it tells again what it may not.

        It is cancelled when the connection on which it came is lost.
        """


class ShownJobs:
    """The jobs whose end was shown, kept in the data file for good: an id holds no words."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __contains__(self, job_id: str) -> bool:
        return bool(self._store.run("SELECT id FROM _jobs WHERE id = ?", (job_id,)))

    def add(self, job_id: str) -> None:
        """Two terminals with the same file may add the same job."""
        self._store.run("INSERT OR IGNORE INTO _jobs (id) VALUES (?)", (job_id,))
