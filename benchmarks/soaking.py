"""Devices that ask for hours while their connections are cut and processes are killed, and what came of all they asked.

Each device writes rows in turns and has projects planned by jobs. What was answered is there exactly once; an answer
that a killed process was writing is told as lost, asked for again as a new request, and has left no row twice.
"""

import asyncio
import random
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from benchmarks.job_scripts import answer_about_jobs, asking_in, plan_my_project, titles
from device.addresses import server_address
from device.errors import AnswerLost, RequestRejected
from device.executor import Executor
from device.frames import JobUpdate, StreamEnd
from device.hello import Hello
from device.link import Account, Backoff, Link
from device.resuming import LastingAnswer
from device.store import Store, new_uuid
from device.tables import TableName
from tests.faults.proxy import FaultProxy, fault_proxy
from tests.faults.spreading import spread_over
from tests.model_server.scripts import Script, calls, says, wants
from tests.model_server.server import ModelServer

_WRITES: Final = 2
"""Of each turn."""
_JOBS_ONE_IN: Final = 6
"""Every so many requests, a job is one."""
_PAUSE_S: Final = 2.0
"""The longest between two requests of a device."""
_FARTHEST_BYTES: Final = 4000
"""A cut comes at most this many bytes after its time."""
_ENDS_WITHIN_S: Final = 180.0
"""After the last request, for jobs to end."""


@dataclass(frozen=True, kw_only=True)
class Person:
    """An account, which can sign in again when its token has expired."""

    email: str
    password: str
    access: str


@dataclass(frozen=True, kw_only=True)
class Plan:
    """For how many seconds, with how many cuts and kills. They come at random times, the same for the same ``seed``."""

    seconds: float
    cuts: int
    kills: int
    seed: int


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What came of everything that was asked."""

    answered: int
    asked_again: int
    """Answers that were told as lost."""
    refused: Counter[str]
    """Other errors, by their code: there should be none."""
    jobs: int
    jobs_without_end: int
    jobs_ended_twice: int
    rows: int
    wrong_rows: int
    """Missing, double, or of no request."""
    cuts: int


def teach(model: ModelServer) -> None:
    """Make the model write rows one a round, and plan projects."""

    def answer(body: dict[str, Any]) -> Script:
        asked, done = _asked(body)
        if done == _WRITES:
            return says("It ", "is ", "done.")
        return calls(wants("create_task", f"call_{done}", title=_title(asked.rpartition(" ")[2], done)))

    def plan(body: dict[str, Any]) -> Script:
        said = answer_about_jobs(*_asked(body))
        assert said is not None
        return said[0]

    model.when(lambda request: "tasks, turn" in request.asked, answer)
    model.when(lambda request: answer_about_jobs(request.asked, 0) is not None, plan)


def _asked(body: dict[str, Any]) -> tuple[str, int]:
    """The latest question of a request to the model, and the rounds of calls since."""
    asked = next(each["content"] for each in reversed(body["messages"]) if each["role"] == "user")
    done = sum(1 for each in body["messages"] if each["role"] == "assistant" and each.get("tool_calls"))
    return str(asked), done


async def soak(
    plan: Plan, people: Sequence[Person], ports: Sequence[int], *, kill: Callable[[int], None], folder: Path
) -> Outcome:
    """Have a device of each person ask until ``plan.seconds`` are over.

    Connections go to the servers at ``ports`` in turn. ``kill`` is called in a thread with the number of each kill, and
    brings back what it has killed.
    """
    chance = random.Random(plan.seed)  # noqa: S311 - not a secret
    async with spread_over(ports) as port, AsyncExitStack() as entered:
        devices = [
            await entered.enter_async_context(_device(person, port, folder / f"{number}.sqlite3"))
            for number, person in enumerate(people)
        ]
        until = time.monotonic() + plan.seconds
        async with asyncio.TaskGroup() as working:
            for device in devices:
                working.create_task(device.ask_until(until, random.Random(chance.random())))  # noqa: S311
            working.create_task(_cut(plan, devices, chance))
            working.create_task(_kill(plan, kill, random.Random(chance.random())))  # noqa: S311
        await _until_jobs_end(devices)
        return _outcome(devices)


async def _cut(plan: Plan, devices: Sequence["_Device"], chance: random.Random) -> None:
    for at in _times(plan.cuts, plan.seconds, chance):
        await at
        chance.choice(devices).proxy.cut_after(chance.randint(1, _FARTHEST_BYTES))


async def _kill(plan: Plan, kill: Callable[[int], None], chance: random.Random) -> None:
    for number, at in enumerate(_times(plan.kills, plan.seconds * 0.8, chance)):
        await at
        await asyncio.to_thread(kill, number)


def _times(count: int, seconds: float, chance: random.Random) -> Sequence[Any]:
    """As many waits, one after the other, for random moments from now until ``seconds`` are over."""
    began = time.monotonic()
    moments = sorted(chance.uniform(0, seconds) for _ in range(count))
    return [_wait_until(began + moment) for moment in moments]


async def _wait_until(moment: float) -> None:
    await asyncio.sleep(max(0.0, moment - time.monotonic()))


@dataclass(kw_only=True, eq=False)
class _Ends:
    """The ``JobWatcher`` that notes how the jobs of each request ended."""

    told: defaultdict[str, set[tuple[str, str]]] = field(default_factory=lambda: defaultdict(set))
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def note(self, update: JobUpdate) -> None:
        if update.tells_end:
            self.told[update.request_id].add((update.job_id, update.state))
            self.news.set()

    async def deliver(self, _update: JobUpdate) -> bool:
        return True


@dataclass(kw_only=True)
class _Device:
    link: Link
    store: Store
    proxy: FaultProxy
    ends: _Ends
    written: list[str] = field(default_factory=list)
    """The words of turns that were answered."""
    lost: list[str] = field(default_factory=list)
    planned: dict[str, str] = field(default_factory=dict)
    """The project of each request for a plan that was answered, by request id."""
    lost_plans: list[str] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)

    async def ask_until(self, until: float, chance: random.Random) -> None:
        while time.monotonic() < until:
            if chance.randrange(_JOBS_ONE_IN):
                await self._write()
            else:
                await self._have_planned()
            await asyncio.sleep(chance.uniform(0, _PAUSE_S))

    async def _write(self) -> None:
        word = new_uuid()
        answered = await self._answered(f"Create my tasks, turn {word}", new_uuid())
        (self.written if answered else self.lost).append(word)

    async def _have_planned(self) -> None:
        project, request_id = str(self.store.insert(TableName.PROJECTS, {"name": "Garden"})["id"]), new_uuid()
        if await self._answered(plan_my_project(project), request_id):
            self.planned[request_id] = project
        else:
            self.lost_plans.append(project)

    async def _answered(self, message: str, request_id: str) -> bool:
        """Whether a request was answered to its end; otherwise its answer was told as lost."""
        answer = LastingAnswer(
            self.link,
            lambda client, request_id: client.home(message, request_id=request_id),
            request_id=request_id,
            on_lost=lambda: None,
        )
        try:
            frames = [frame async for frame in answer.frames()]
        except AnswerLost:
            return False
        except RequestRejected as error:
            # Rejected when it was lost before its first frame.
            if error.code != "turn_lost":
                self.refused[error.code] += 1
            return False
        end = frames[-1]
        if not isinstance(end, StreamEnd) or end.finish_reason != "done":
            self.refused[str(getattr(end, "finish_reason", end))] += 1
            return False
        assert [frame.seq for frame in frames] == list(range(len(frames)))
        return True

    def wrong_rows(self) -> tuple[int, int]:
        """The rows that there should be at least, and how many are missing, double, or of no request."""
        found = Counter((str(row["project"] or ""), str(row["title"])) for row in self.store.run(_WRITTEN))
        wrong = wanted = 0
        for word, done in [*((word, True) for word in self.written), *((word, False) for word in self.lost)]:
            counts = [found.pop(("", _title(word, write)), 0) for write in range(_WRITES)]
            wanted += _WRITES * done
            wrong += sum(count != 1 if done else count > 1 for count in counts)
        plans = {project: "done" in self._states(request_id) for request_id, project in self.planned.items()}
        for project, done in {**dict.fromkeys(self.lost_plans, False), **plans}.items():
            rows = Counter({key[1]: found.pop(key) for key in [each for each in found if each[0] == project]})
            askings = Counter(asking_in(title)[1] for title in rows.elements())
            complete = Counter(titles(project, askings.most_common(1)[0][0] if askings else ""))
            wanted += complete.total() * done
            wrong += (rows - complete).total() + ((complete - rows).total() if done else 0)
        return wanted, wrong + found.total()

    def _states(self, request_id: str) -> set[str]:
        return {state for _, state in self.ends.told[request_id]}


_WRITTEN: Final = "SELECT project, title FROM written"


@asynccontextmanager
async def _device(person: Person, port: int, data: Path) -> AsyncIterator[_Device]:
    ends = _Ends()
    async with fault_proxy(port) as proxy:
        with closing(Store(data)) as store:
            # Every insert has a line here, and nothing keeps two lines apart.
            store.run("CREATE TABLE written (project TEXT, title TEXT)")
            store.run(
                "CREATE TRIGGER writes AFTER INSERT ON tasks"
                " BEGIN INSERT INTO written VALUES (new.projectId, new.title); END"
            )
            address = server_address(f"http://127.0.0.1:{proxy.port}")
            async with Link(
                Account(address, email=person.email, password=person.password),
                person.access,
                executor=Executor(store),
                hello=Hello(device_id=new_uuid()),
                jobs=ends,
                backoff=Backoff(first_s=0.1, most_s=2.0),
            ) as link:
                await link.client()
                yield _Device(link=link, store=store, proxy=proxy, ends=ends)


async def _until_jobs_end(devices: Sequence[_Device]) -> None:
    with suppress(TimeoutError):  # what has not ended by then is counted
        async with asyncio.timeout(_ENDS_WITHIN_S):
            for device in devices:
                while device.planned.keys() - device.ends.told.keys():
                    device.ends.news.clear()
                    await device.ends.news.wait()


def _outcome(devices: Sequence[_Device]) -> Outcome:
    rows = [device.wrong_rows() for device in devices]
    ends = [device.ends.told[request_id] for device in devices for request_id in device.planned]
    return Outcome(
        answered=sum(len(device.written) + len(device.planned) for device in devices),
        asked_again=sum(len(device.lost) + len(device.lost_plans) for device in devices),
        refused=sum((device.refused for device in devices), Counter()),
        jobs=len(ends),
        jobs_without_end=sum(not told for told in ends),
        jobs_ended_twice=sum(len(told) > 1 for told in ends),
        rows=sum(wanted for wanted, _ in rows),
        wrong_rows=sum(wrong for _, wrong in rows),
        cuts=sum(device.proxy.cuts for device in devices),
    )


def _title(word: str, write: int) -> str:
    return f"turn {word}, write {write}"
