"""Jobs whose workers are killed and whose broker dies: the devices that have them, and what came of each job."""

import asyncio
import random
import threading
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from benchmarks.job_scripts import asking_in, plan_my_project, titles
from device.addresses import server_address
from device.entries import Answer
from device.executor import MAX_ANSWER_BYTES, Executor
from device.frames import JobUpdate, StreamEnd
from device.hello import Hello
from device.link import Account, Link
from device.store import Store, new_uuid
from device.tables import TableName

_TURNS_AT_ONCE: Final = 2
"""Of each device."""


class TurnFailed(Exception):
    """A turn that was to make a job did not end well: its last frame is the message."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of the jobs, as their devices saw it. ``ends`` counts the jobs by how they ended."""

    ends: Mapping[str, int]
    lost: int
    """Jobs whose end was not reported."""
    ended_twice: int
    """Jobs that ended in two ways, or with two answers."""
    wrong_rows: int
    """Rows of done jobs that are not there exactly once, rows of others that are there twice, and rows of no job."""
    repeated: int
    """Writes that came again after they had been done."""


@dataclass(kw_only=True)
class Faults:
    """What happens when writes have been done on a device, before it has answered: ``at`` their numbers."""

    at: Mapping[int, Callable[[], None]]
    writes: int = 0
    repeated: int = 0
    _known: set[str] = field(default_factory=set)
    _counting: threading.Lock = field(default_factory=threading.Lock)

    def written(self, call_id: str) -> None:
        """A write is done; the device has not answered yet."""
        with self._counting:
            self.repeated += call_id in self._known
            self._known.add(call_id)
            self.writes += 1
            fault = self.at.get(self.writes)
        if fault is not None:
            fault()


def moments(chance: random.Random, *, of: int, among: int) -> Sequence[int]:
    """``of`` different numbers of writes, from the first to the last but a tenth of ``among``."""
    return sorted(chance.sample(range(1, max(among * 9 // 10, of + 1)), of))


async def have_planned(
    url: str, accesses: Sequence[str], *, jobs: int, faults: Faults, within_s: float, folder: Path
) -> Outcome:
    """Have these users' devices ask for this many jobs in all, and wait until they have ended."""
    async with AsyncExitStack() as entered:
        devices = [
            await entered.enter_async_context(_device(url, access, faults, folder / f"{number}.sqlite3"))
            for number, access in enumerate(accesses)
        ]
        with suppress(TimeoutError):  # what has not ended by then is lost
            async with asyncio.timeout(within_s), asyncio.TaskGroup() as having:
                for number, device in enumerate(devices):
                    having.create_task(device.have_planned(len(range(number, jobs, len(devices)))))
        return _outcome(devices, faults)


class _FaultyExecutor(Executor):
    def __init__(self, store: Store, faults: Faults) -> None:
        super().__init__(store)
        self._faults = faults

    def execute(self, frame: Mapping[str, JsonValue], *, max_bytes: int = MAX_ANSWER_BYTES) -> Answer:
        answer = super().execute(frame, max_bytes=max_bytes)
        if frame["action"] == "insert":
            self._faults.written(str(frame["id"]))
        return answer


@dataclass(kw_only=True, eq=False)
class _Ends:
    """The ``JobWatcher`` that notes how the jobs of each request ended."""

    told: defaultdict[str, set[tuple[str, str, str | None]]] = field(default_factory=lambda: defaultdict(set))
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def note(self, update: JobUpdate) -> None:
        if update.tells_end:
            self.told[update.request_id].add((update.job_id, update.state, update.response))
            self.news.set()

    async def deliver(self, _update: JobUpdate) -> bool:
        return True


@dataclass(kw_only=True)
class _Device:
    link: Link
    store: Store
    ends: _Ends
    requests: dict[str, str] = field(default_factory=dict)
    """The project that each request is to have planned."""

    async def have_planned(self, jobs: int) -> None:
        for _ in range(jobs):
            project = self.store.insert(TableName.PROJECTS, {"name": "Garden"})
            self.requests[new_uuid()] = str(project["id"])
        left = iter(self.requests.items())

        async def ask() -> None:
            for request_id, word in left:
                await self._ask(request_id, word)

        async with asyncio.TaskGroup() as asking:
            for _ in range(_TURNS_AT_ONCE):
                asking.create_task(ask())
        while self.requests.keys() - self.ends.told.keys():
            self.ends.news.clear()
            await self.ends.news.wait()

    async def _ask(self, request_id: str, word: str) -> None:
        client = await self.link.client()
        async for frame in client.home(plan_my_project(word), request_id=request_id):
            if isinstance(frame, StreamEnd) and frame.finish_reason != "done":
                raise TurnFailed(str(frame))


@asynccontextmanager
async def _device(url: str, access: str, faults: Faults, data: Path) -> AsyncIterator[_Device]:
    ends = _Ends()
    with closing(Store(data)) as store:
        # Every insert leaves a line here, and nothing keeps two lines apart.
        store.run("CREATE TABLE written (project TEXT, title TEXT)")
        store.run(
            "CREATE TRIGGER writes AFTER INSERT ON tasks"
            " BEGIN INSERT INTO written VALUES (new.projectId, new.title); END"
        )
        async with Link(
            Account(server_address(url), email="", password=""),
            access,
            executor=_FaultyExecutor(store, faults),
            hello=Hello(device_id=new_uuid()),
            jobs=ends,
        ) as link:
            await link.client()
            yield _Device(link=link, store=store, ends=ends)


def _outcome(devices: Sequence[_Device], faults: Faults) -> Outcome:
    ends = [device.ends.told[request] for device in devices for request in device.requests]
    return Outcome(
        ends=Counter(state for told in ends for _, state, _ in told),
        lost=sum(not told for told in ends),
        ended_twice=sum(len(told) > 1 for told in ends),
        wrong_rows=sum(_wrong_rows(device) for device in devices),
        repeated=faults.repeated,
    )


def _wrong_rows(device: _Device) -> int:
    written: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in device.store.run("SELECT project, title FROM written"):
        written[str(row["project"])][str(row["title"])] += 1
    return sum(
        wrong_rows(
            word, written.pop(word, Counter()), done="done" in {state for _, state, _ in device.ends.told[request]}
        )
        for request, word in device.requests.items()
    ) + sum(rows.total() for rows in written.values())


def wrong_rows(word: str, rows: Counter[str], *, done: bool) -> int:
    """Of one job, whose rows are counted by their titles: those that are too many, or missing once it is done.

    All must come from one request to the model, which suggests others each time.
    """
    askings = Counter(asking_in(title)[1] for title in rows.elements())
    wanted = Counter(titles(word, askings.most_common(1)[0][0] if askings else ""))
    return (rows - wanted).total() + ((wanted - rows).total() if done else 0)
