"""Worker processes that are killed, each replaced at once."""

import random
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from benchmarks.processes import tool_worker


@dataclass(kw_only=True, eq=False)
class WorkerPool:
    """``workers`` processes with ``slots`` slots each, while the context is open. Any thread may kill them."""

    data_dir: Path
    model_url: str
    settings: Mapping[str, str]
    workers: int
    slots: int
    killed: int = 0
    _at_work: list[ExitStack] = field(default_factory=list, init=False)
    _changing: threading.Lock = field(default_factory=threading.Lock, init=False)

    def __enter__(self) -> Self:
        self._at_work = [self._started() for _ in range(self.workers)]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._changing:
            for worker in self._at_work:
                worker.close()
            self._at_work = []

    def kill_one(self, chance: random.Random) -> None:
        """Kill any one of them with -9 and start another in its place."""
        self._kill([chance.randrange(self.workers)])

    def kill_all(self) -> None:
        """Kill all with -9, and have others in their place."""
        self._kill(range(self.workers))

    def _kill(self, numbers: Sequence[int]) -> None:
        with self._changing:
            if not self._at_work:
                return  # it is over
            for number in numbers:
                self._at_work[number].close()
            for number in numbers:
                self._at_work[number] = self._started()
            self.killed += 1

    def _started(self) -> ExitStack:
        worker = ExitStack()
        # Leaving its block kills it with -9.
        worker.enter_context(tool_worker(self.data_dir, self.model_url, slots=self.slots, settings=self.settings))
        return worker
