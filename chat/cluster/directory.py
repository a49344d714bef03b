"""Which process writes which turn, and the frames of turns for readers on other processes."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Protocol
from uuid import UUID

from chat.errors import FramesLost
from chat.turns.replay import FrameLog
from chat.turns.supervisor import TurnKey


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnRecord:
    """Who writes a turn, for which device, and what was asked, as a keyed fingerprint."""

    process: str
    device_id: str
    fingerprint: str
    ended: bool = False


class TurnDirectory(Protocol):
    """The turns of all processes, known while they run and ten minutes longer.

    A turn whose process has died is still known: who reads it finds that its frames do not go on. Unless it says
    otherwise, a method raises ``NeighboursAway``.
    """

    async def claim(self, key: TurnKey, record: TurnRecord, log: FrameLog) -> TurnRecord | None:
        """Take the id for this turn; gives the record of who has taken it before. Atomic over all processes.

        When it is taken, readers on other processes get what ``log`` gets, to its end. While the directory is away
        every claim holds, on this process; raises nothing.
        """

    async def find(self, key: TurnKey) -> TurnRecord | None:
        """The record of the turn."""

    async def running(self, device_id: str, *, user_id: UUID) -> Mapping[str, int]:
        """The turns of a device that have not ended: the number of the last published frame, by request id."""

    def read(self, key: TurnKey, *, after_seq: int, pause_s: float) -> AsyncGenerator[Sequence[str], None]:
        """As ``FrameLog.read`` of a published log, with an empty batch after each ``pause_s`` seconds without a frame.

        Raises ``FramesLost`` when what comes next is not there any more. Does not end for a writer that died.
        """

    def forget(self, key: TurnKey, log: FrameLog) -> None:
        """This process keeps ``log`` no longer. Never waits, never raises."""

    async def restore(self) -> None:
        """Publish again what this process has published: it may have been forgotten."""

    async def renew(self) -> None:
        """The turns that this process publishes still run."""

    async def aclose(self) -> None:
        """Publish what is left and stop."""


@dataclass(kw_only=True)
class MemoryDirectory:
    """The ``TurnDirectory`` in this process's memory: the logs themselves, as long as they are kept."""

    _records: dict[TurnKey, TurnRecord] = field(default_factory=dict, init=False)
    _logs: dict[TurnKey, FrameLog] = field(default_factory=dict, init=False)

    async def claim(self, key: TurnKey, record: TurnRecord, log: FrameLog) -> TurnRecord | None:
        known = await self.find(key)
        if known is None:
            self._records[key], self._logs[key] = record, log
        return known

    async def find(self, key: TurnKey) -> TurnRecord | None:
        record, log = self._records.get(key), self._logs.get(key)
        return None if record is None or log is None else replace(record, ended=log.closed)

    async def running(self, device_id: str, *, user_id: UUID) -> Mapping[str, int]:
        mine = {
            key: record for key, record in self._records.items() if (key[0], record.device_id) == (user_id, device_id)
        }
        logs = {key[1]: self._logs[key] for key in mine}
        return {request_id: log.last_seq for request_id, log in logs.items() if not log.closed}

    async def read(self, key: TurnKey, *, after_seq: int, pause_s: float) -> AsyncGenerator[Sequence[str], None]:
        log = self._logs.get(key)
        if log is None:
            raise FramesLost
        async with aclosing(log.read(after_seq=after_seq, pause_s=pause_s)) as batches:
            async for batch in batches:
                yield batch

    def forget(self, key: TurnKey, log: FrameLog) -> None:
        if self._logs.get(key) is log:
            del self._records[key], self._logs[key]

    async def restore(self) -> None:
        """Memory forgets nothing by itself."""

    async def renew(self) -> None:
        """Memory forgets nothing by itself."""

    async def aclose(self) -> None:
        """There is nothing left to publish."""
