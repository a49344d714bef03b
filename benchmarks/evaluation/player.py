"""Plays a task: a new account, a new device with the world's rows, and its messages over the real socket."""

import asyncio
import tempfile
import threading
import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from benchmarks.evaluation.conversation import Conversation, Exchange, Question, ShownBlock
from benchmarks.evaluation.record import LINE, RECORD, Record
from benchmarks.evaluation.task import Approval, Task
from benchmarks.evaluation.world import World, changes, snapshot
from benchmarks.processes import Server, environment
from device.addresses import server_address
from device.client import DeviceClient, HistoryMessage, connected
from device.errors import RequestRejected, ServerGone
from device.executor import Executor
from device.frames import ApprovalRequest, StreamBlock, StreamEnd, StreamText, TurnFrame
from device.hello import Hello
from device.places import Place, find_row, read_place, scope_of
from device.store import Store
from device.tables import TableName
from device.verdicts import Verdict
from tests.adiuva.servers import lines_until_ready, open_data_dir
from tests.forks import forked

_RECORD_S: Final = 30.0
"""How long after its last frame a turn's record may take."""
_PASSWORD: Final = "correct horse battery staple"  # noqa: S105 - of accounts that end with their server


class Records:
    """The records of a server's turns, by request id, as its output brings them."""

    def __init__(self, output: IO[str]) -> None:
        self._output = output
        self._known: dict[str, Record] = {}
        self._over = False
        self._news = threading.Condition()
        threading.Thread(target=self._read, name="records of turns", daemon=True).start()

    def of(self, request_id: str) -> Record:
        """The record of a turn that has ended; an empty one if it does not come."""
        with self._news:
            self._news.wait_for(lambda: request_id in self._known or self._over, _RECORD_S)
            return self._known.pop(request_id, Record(request_id=request_id))

    def _read(self) -> None:
        for line in self._output:
            if line.startswith(LINE):
                record = RECORD.validate_json(line.removeprefix(LINE))
                with self._news:
                    self._known[record.request_id] = record
                    self._news.notify_all()
        with self._news:
            self._over = True
            self._news.notify_all()


@dataclass(frozen=True, kw_only=True, slots=True)
class Stage:
    """A server on which tasks are played. A turn that takes longer than ``patience_s`` is broken off."""

    server: Server
    records: Records
    world: World
    patience_s: float = 600.0


@contextmanager
def stage(
    world: World, settings: Mapping[str, str], *, patience_s: float, prompts: Path | None = None
) -> Iterator[Stage]:
    """A fresh server with a database of its own, with these ``settings`` of models and the texts in ``prompts``."""
    with open_data_dir() as data_dir:
        given = {**environment(data_dir), **settings, "ADIUVA_DEBUG": "1"}
        folder = [] if prompts is None else [str(prompts.resolve())]
        command = ("-m", "benchmarks.evaluation.server", world.now.isoformat(), *folder)
        with forked(*command, env=given, errors_apart=True) as process:
            _, url = lines_until_ready(process)
            server = Server(url=url, pid=process.pid)
            yield Stage(server=server, records=Records(process.stdout), world=world, patience_s=patience_s)
            process.terminate()
            process.wait(60)


async def play(task: Task, stage: Stage) -> Conversation:
    """The whole conversation of ``task``. Raises ``DeviceError`` if the server cannot be reached."""
    access = await asyncio.to_thread(stage.server.register, _account(task, stage.world))
    with (
        tempfile.TemporaryDirectory(prefix="adiuva-evaluation-") as folder,
        closing(stage.world.store(Path(folder) / "device.sqlite3")) as store,
    ):
        before, exchanges = snapshot(store), []
        for messages in filter(None, [task.earlier, task.ask]):
            async with _device(task, stage, store, access) as device:
                exchanges += [await device.say(message) for message in messages if not device.goes(message)]
        return Conversation(exchanges=exchanges, changes=changes(before, snapshot(store)))


def _account(task: Task, world: World) -> dict[str, str]:
    return {
        "email": f"{uuid.uuid4().hex}@example.com",
        "password": _PASSWORD,
        "language": task.language,
        "timezone": world.zone.key,
    }


@asynccontextmanager
async def _device(task: Task, stage: Stage, store: Store, access: str) -> AsyncIterator["_Device"]:
    device = _Device(stage, store, approves=task.approval is Approval.YES)
    hello = Hello(device_id=str(uuid.uuid4()), platform="evaluation", timezone=stage.world.zone.key)
    address = server_address(stage.server.url)
    async with connected(address, access, executor=Executor(store), hello=hello, approve=device.decide) as client:
        device.client = client
        yield device


@dataclass(kw_only=True, slots=True)
class _Heard:
    """The answer so far."""

    text: list[str] = field(default_factory=list)
    blocks: list[ShownBlock] = field(default_factory=list)
    ended: str = ""


class _Device:
    """The user's side of one conversation."""

    client: DeviceClient

    def __init__(self, stage: Stage, store: Store, *, approves: bool) -> None:
        self._stage, self._store, self._approves = stage, store, approves
        self._session_id = str(uuid.uuid4())
        self._history: list[HistoryMessage] = []
        self._place: Place | None = None
        self._questions: list[Question] = []

    def goes(self, message: str) -> bool:
        """Whether ``message`` opens a page, which is nothing that is answered."""
        if not message.startswith("/page "):
            return False
        self._place = read_place(self._store, message.removeprefix("/page "))
        return True

    async def decide(self, asked: ApprovalRequest) -> Verdict:
        """The user's answer to the server's question."""
        self._questions.append(Question(tool=asked.tool, summary=asked.summary, approved=self._approves))
        return Verdict(approved=self._approves)

    async def say(self, message: str) -> Exchange:
        """Send ``message``; everything up to the end of its answer."""
        self._questions.clear()
        before, began = snapshot(self._store), time.monotonic()
        request_id, heard = str(uuid.uuid4()), _Heard()
        try:
            async with asyncio.timeout(self._stage.patience_s):
                await self._hear(self._asked(message, request_id), heard)
        except TimeoutError:
            heard.ended = f"no end within {self._stage.patience_s:g} s"
            with suppress(ServerGone):
                await self.client.cancel(request_id)
        except (RequestRejected, ServerGone) as failed:
            heard.ended = f"{type(failed).__name__}: {failed}"
        seconds = time.monotonic() - began
        record = await asyncio.to_thread(self._stage.records.of, request_id)
        text = "".join(heard.text)
        self._history.append(HistoryMessage(role="user", content=message))
        if text:
            self._history.append(HistoryMessage(role="assistant", content=text))
        return Exchange(
            asked=message,
            ended=heard.ended,
            seconds=seconds,
            text=text,
            blocks=heard.blocks,
            questions=tuple(self._questions),
            changes=changes(before, snapshot(self._store)),
            agent=record.agent,
            requests=record.requests,
            tools=record.tools,
            seen=record.seen,
        )

    async def _hear(self, frames: AsyncGenerator[TurnFrame, None], heard: _Heard) -> None:
        async with aclosing(frames):
            async for frame in frames:
                match frame:
                    case StreamText():
                        heard.text.append(frame.chunk)
                    case StreamBlock():
                        heard.blocks.append(ShownBlock(type=frame.block_type, data=dict(frame.data)))
                    case StreamEnd():
                        error = frame.error
                        heard.ended = frame.finish_reason if error is None else f"{error.code}: {error.message}"

    def _asked(self, message: str, request_id: str) -> AsyncGenerator[TurnFrame, None]:
        command, _, rest = message.partition(" ")
        match command:
            case "/popup":
                scope_type, _, asked = rest.partition(" ")
                return self.client.popup(asked, scope_type=scope_type, request_id=request_id)
            case "/brief" if rest:
                task = find_row(self._store, TableName.TASKS, rest)
                return self.client.task_brief(str(task["id"]), request_id=request_id)
            case "/brief":
                return self.client.brief(date=self._stage.world.now.date().isoformat(), request_id=request_id)
            case _ if self._place is not None:
                scope = scope_of(self._store, self._place)
                return self.client.contextual(message, session_id=self._session_id, scope=scope, request_id=request_id)
            case _:
                return self.client.home(
                    message, request_id=request_id, session_id=self._session_id, history=self._history
                )
