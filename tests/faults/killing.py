"""An experiment: one of two server processes is killed while it writes answers."""

import asyncio
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from pydantic import JsonValue

from device.addresses import server_address
from device.entries import Answer
from device.errors import AnswerLost, RequestRejected
from device.executor import MAX_ANSWER_BYTES, Executor
from device.frames import StreamEnd
from device.hello import Hello
from device.link import Account, Backoff, Link
from device.resuming import LastingAnswer
from device.store import Store, new_uuid
from tests.faults.spreading import spread_over
from tests.model_server.scripts import Script, calls, says, wants
from tests.model_server.server import ModelServer

WRITES: Final = 4
"""The number of turns of each device, one after another."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The results. ``lost_s`` has the seconds from the kill until each lost turn was reported."""

    turns: int
    finished: int
    lost_s: Sequence[float]
    asked_again: int
    wrong_writes: int
    """Rows of finished turns that are not there exactly once, and duplicated rows of lost ones."""


@dataclass(frozen=True, kw_only=True)
class DeviceAccount:
    """A device's account, which both servers know."""

    email: str
    password: str
    access: str


def teach(model: ModelServer) -> None:
    """Make the model write rows, one per round, and then say that it is done."""

    def answer(body: dict[str, Any]) -> Script:
        asked = next(each["content"] for each in reversed(body["messages"]) if each["role"] == "user")
        done = sum(1 for each in body["messages"] if each["role"] == "assistant" and each.get("tool_calls"))
        if done == WRITES:
            return says("It ", "is ", "done.")
        return calls(wants("create_task", f"call_{done}", title=_title(asked.rpartition(" ")[2], done)))

    model.when(lambda request: "tasks, turn" in request.asked, answer)


async def kill_one_of_two(
    people: Sequence[DeviceAccount], urls: Sequence[str], *, turns: int, kill: Callable[[], None], folder: Path
) -> Outcome:
    """Make each account's device ask, ``turns`` in all; ``kill`` is called during their writes."""
    killing = _Killing(at=turns * WRITES // 2, kill=kill)
    ports = [urlsplit(url).port or 0 for url in urls]
    async with asyncio.timeout(120), spread_over(ports) as port, AsyncExitStack() as entered:
        devices = [
            await entered.enter_async_context(_device(person, port, killing, folder / f"{number}.sqlite3"))
            for number, person in enumerate(people)
        ]
        for device in devices:
            await device.link.client()
        async with asyncio.TaskGroup() as asking:
            for turn in range(turns):
                asking.create_task(devices[turn % len(devices)].ask_until_answered(killing))
        return _outcome(devices, turns)


@dataclass(kw_only=True)
class _Killing:
    """Calls ``kill`` when ``at`` writes have reached devices, before the last of them is applied."""

    at: int
    kill: Callable[[], None]
    came: int = 0
    killed_at: float = 0.0

    def write_came(self) -> None:
        self.came += 1
        if self.came == self.at:
            self.kill()
            self.killed_at = time.monotonic()


class _WatchedExecutor(Executor):
    def __init__(self, store: Store, killing: _Killing) -> None:
        super().__init__(store)
        self._killing = killing
        self._loop = asyncio.get_running_loop()

    def execute(self, frame: Mapping[str, JsonValue], *, max_bytes: int = MAX_ANSWER_BYTES) -> Answer:
        if frame["action"] == "insert":
            self._loop.call_soon_threadsafe(self._killing.write_came)
        return super().execute(frame, max_bytes=max_bytes)


@dataclass(kw_only=True)
class _Device:
    link: Link
    store: Store
    finished: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    lost_s: list[float] = field(default_factory=list)

    async def ask_until_answered(self, killing: _Killing) -> None:
        """Ask; when the answer is lost, ask again, as a new request."""
        while not await self._answered(uuid.uuid4().hex, killing):
            pass

    async def _answered(self, word: str, killing: _Killing) -> bool:
        answer = LastingAnswer(
            self.link,
            lambda client, request_id: client.home(f"Create my tasks, turn {word}", request_id=request_id),
            request_id=new_uuid(),
            on_lost=lambda: None,
        )
        try:
            frames = [frame async for frame in answer.frames()]
        except (AnswerLost, RequestRejected) as error:
            # Rejected when it was lost before its first frame.
            if isinstance(error, RequestRejected) and error.code != "turn_lost":
                raise
            self.lost.append(word)
            self.lost_s.append(time.monotonic() - killing.killed_at)
            return False
        end = frames[-1]
        assert isinstance(end, StreamEnd)
        assert (end.finish_reason, len(end.mutations)) == ("done", WRITES), end
        assert [frame.seq for frame in frames] == list(range(len(frames)))
        self.finished.append(word)
        return True


@asynccontextmanager
async def _device(person: DeviceAccount, port: int, killing: _Killing, data: Path) -> AsyncIterator[_Device]:
    with closing(Store(data)) as store:
        # Every insert has a line here; the table itself has no constraint that would reject a duplicate.
        store.run("CREATE TABLE written (title TEXT)")
        store.run("CREATE TRIGGER writes AFTER INSERT ON tasks BEGIN INSERT INTO written VALUES (new.title); END")
        async with Link(
            Account(server_address(f"http://127.0.0.1:{port}"), email=person.email, password=person.password),
            person.access,
            executor=_WatchedExecutor(store, killing),
            hello=Hello(device_id=new_uuid()),
            backoff=Backoff(first_s=0.02, most_s=0.2),
        ) as link:
            yield _Device(link=link, store=store)


def _outcome(devices: Sequence[_Device], turns: int) -> Outcome:
    wrong = 0
    for device in devices:
        rows = Counter(str(row["title"]) for row in device.store.run("SELECT title FROM written"))
        wrong += sum(rows.pop(_title(word, write), 0) != 1 for word in device.finished for write in range(WRITES))
        wrong += sum(rows.pop(_title(word, write), 0) > 1 for word in device.lost for write in range(WRITES))
        wrong += rows.total()
    return Outcome(
        turns=turns,
        finished=sum(len(device.finished) for device in devices),
        lost_s=[each for device in devices for each in device.lost_s],
        asked_again=sum(len(device.lost) for device in devices),
        wrong_writes=wrong,
    )


def _title(word: str, write: int) -> str:
    return f"turn {word}, write {write}"
