"""What benchmarks run with: a model, servers with a database, and the amounts to measure."""

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import processes
from benchmarks.processes import Server
from tests.adiuva.servers import open_data_dir


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """How much is measured: rounds of floor and figure in turn, and what happens in each.

    ``people`` have 500 remembered facts each, and one has as many as ``facts``.
    """

    rounds: int
    turns: int
    paced_turns: int
    crowd: int
    crowd_s: float
    idle: int
    returning: int
    """Devices that come back to a server."""
    devices: int
    """On each of two processes, which are watched for ``devices_s``; each ``stalls`` in turn."""
    devices_s: float
    stalls: int
    ended: int
    """Turns whose frames are kept."""
    answers: int
    cut_turns: int
    cuts: int
    people: int
    facts: int
    conversations: int
    """Of each corpus, at most."""
    rotated: int
    kills: int
    killed: int
    """Turns during which a process is killed."""
    counted: int
    """Turns that the admin's first page counts."""
    jobs_beside: int
    """That run beside turns."""
    jobs: int
    """During which workers are killed, ``job_kills`` times."""
    job_kills: int
    messages: int
    """About jobs, through the queue and back."""
    tasks: int
    """In the workspace's list."""
    openings: int
    """Of a conversation."""
    attacks: int
    """Kinds of them that are tried, each for ``attack_s``."""
    attack_s: float
    soak_s: float
    """How long a soak takes, with ``soak_cuts`` and ``soak_kills`` in it."""
    soak_cuts: int
    soak_kills: int


FULL = Sizes(
    rounds=3,
    turns=60,
    paced_turns=10,
    crowd=50,
    crowd_s=20.0,
    idle=1000,
    returning=5_000,
    devices=2_500,
    devices_s=120.0,
    stalls=4,
    ended=1000,
    answers=8,
    cut_turns=40,
    cuts=200,
    people=200,
    facts=20_000,
    conversations=100,
    rotated=100_000,
    kills=20,
    killed=20,
    counted=100_000,
    jobs_beside=20,
    jobs=1_000,
    job_kills=10,
    messages=1_000,
    tasks=10_000,
    openings=20,
    attacks=17,
    attack_s=30.0,
    soak_s=300.0,
    soak_cuts=40,
    soak_kills=4,
)
QUICK = Sizes(
    rounds=2,
    turns=20,
    paced_turns=3,
    crowd=20,
    crowd_s=5.0,
    idle=200,
    returning=500,
    devices=500,
    devices_s=20.0,
    stalls=2,
    ended=200,
    answers=8,
    cut_turns=8,
    cuts=40,
    people=20,
    facts=2_000,
    conversations=1,
    rotated=10_000,
    kills=3,
    killed=8,
    counted=10_000,
    jobs_beside=20,
    jobs=100,
    job_kills=3,
    messages=300,
    tasks=1_000,
    openings=5,
    attacks=17,
    attack_s=5.0,
    soak_s=60.0,
    soak_cuts=10,
    soak_kills=2,
)

LONG = replace(FULL, soak_s=7200.0, soak_cuts=200, soak_kills=10, devices=5_000, devices_s=600.0, stalls=10)


@dataclass(frozen=True, kw_only=True, slots=True)
class Environment:
    """What one run uses.

    ``frameworks`` is the Python interpreter whose environment has the agent frameworks, ``conversations`` a folder with
    those that the memory is measured with.
    """

    sizes: Sizes
    model_url: str
    data_dir: Path
    frameworks: Path
    conversations: Path | None = None

    def server(
        self, *, memory: bool = False, model_url: str | None = None, settings: Mapping[str, str] | None = None
    ) -> AbstractContextManager[Server]:
        """A fresh server process; it remembers only with ``memory``."""
        return processes.server(self.data_dir, model_url or self.model_url, memory=memory, settings=settings)

    @contextmanager
    def timed_server(self) -> Iterator[tuple[Server, dict[str, list[float]]]]:
        """A fresh server process with a stopwatch; the seconds of its calls, by action, are there once it has ended."""
        trips: dict[str, list[float]] = {}
        with tempfile.TemporaryDirectory(prefix="adiuva-bench-") as folder:
            kept = Path(folder) / "trips.json"
            with processes.server(
                self.data_dir, self.model_url, module="benchmarks.timed_server", arguments=[str(kept)]
            ) as server:
                yield server, trips
            trips.update(json.loads(kept.read_text()))

    def say(self, sentence: str) -> None:
        """Tell how far it is."""
        sys.stderr.write(f"{sentence}\n")
        sys.stderr.flush()


@contextmanager
def opened(sizes: Sizes, frameworks: Path, conversations: Path | None = None) -> Iterator[Environment]:
    """The environment of a run, until the block ends."""
    with open_data_dir() as data_dir, processes.model() as model_url:
        with processes.server(data_dir, model_url, debug=True):
            pass  # it has made the tables
        yield Environment(
            sizes=sizes,
            model_url=model_url,
            data_dir=data_dir,
            frameworks=frameworks,
            conversations=conversations,
        )
