"""Workers on one database with a scripted model and a device that has a single project."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID

from pydantic import JsonValue

from agents.adapters.base import ModelAdapter
from agents.calls import CallAction, ClientAnswer, ClientCall
from agents.engine.run import RunDependencies
from agents.errors import ClientAbsent
from agents.jobs.dispatch import JobDispatch
from agents.jobs.memory import MemoryQueue
from agents.jobs.queue import ToolResult
from agents.jobs.records import JobStatus
from agents.jobs.running import JobDependencies
from agents.jobs.worker import ToolWorker
from agents.permissions.approvals.policies import Policies
from agents.telemetry.turns import Observers
from agents.tools.client import OnLate
from tests.agents.approving import NoApprovals
from tests.agents.embedding import RecordingEmbedder
from tests.agents.memories import InMemoryRecollection


@dataclass
class RecordingDevice:
    """A device that records every effect and recognises repeated calls by their ids."""

    project: dict[str, JsonValue] = field(default_factory=lambda: {"id": "p1", "name": "Garden", "status": "active"})
    effects: list[ClientCall] = field(default_factory=list)
    ledger: dict[str, ClientAnswer] = field(default_factory=dict)
    repeated: list[ClientCall] = field(default_factory=list)
    here: asyncio.Event = field(default_factory=asyncio.Event)
    before_answer: Callable[[ClientCall], None] = lambda _: None

    def __post_init__(self) -> None:
        self.here.set()

    def supports(self, action: CallAction) -> bool:
        return action is not CallAction.PAGE_DETAILS

    async def execute(self, call: ClientCall, *, on_late: OnLate, repeated: bool) -> ClientAnswer:
        await asyncio.sleep(0)
        if not self.here.is_set():
            raise ClientAbsent
        answer = self._done(call, repeated=repeated) if call.is_write else self._read(call)
        self.before_answer(call)
        await asyncio.sleep(0)
        return answer

    def _read(self, call: ClientCall) -> ClientAnswer:
        return ClientAnswer(row=self.project) if call.action is CallAction.GET else ClientAnswer()

    def _done(self, call: ClientCall, *, repeated: bool) -> ClientAnswer:
        if repeated:
            self.repeated.append(call)
        if call.id not in self.ledger:
            self.effects.append(call)
            if call.action is CallAction.DELETE:
                self.ledger[call.id] = ClientAnswer(deleted=True)
                return self.ledger[call.id]
            data = dict(call.data or {})
            changes = data.get("updates", data)
            assert isinstance(changes, dict)
            self.ledger[call.id] = ClientAnswer(row={"id": f"new-{len(self.effects)}", **self.project, **changes})
        return self.ledger[call.id]


@dataclass
class OneDevice:
    """``Devices`` for workers whose users all have the same device."""

    device: RecordingDevice

    @asynccontextmanager
    async def client(self, user_id: UUID, device_id: str, job_id: UUID) -> AsyncIterator[RecordingDevice]:
        yield self.device

    async def connected(self, user_id: UUID, device_id: str) -> bool:
        return self.device.here.is_set()


class KilledWorker(ToolWorker):
    """A worker that hands nothing back when it is cancelled, as if its process was killed."""

    async def _hand_back(self, job_id: UUID, owner: str) -> None:
        pass


@dataclass
class WorkerHarness:
    """The dependencies that workers share, the progress they report, and the answers they mark."""

    adapter: ModelAdapter
    device: RecordingDevice = field(default_factory=RecordingDevice)
    queue: MemoryQueue = field(default_factory=MemoryQueue)
    progress: list[tuple[float | None, str]] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    policies: Policies = field(default_factory=Policies)
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    observers: Observers = field(default_factory=Observers)
    kind: type[ToolWorker] = KilledWorker
    memory: InMemoryRecollection = field(default_factory=InMemoryRecollection)

    def __post_init__(self) -> None:
        self.dispatch = JobDispatch(queue=self.queue, clock=lambda: self.now())
        self._names = itertools.count(1)

    def worker(self, **timings: float) -> ToolWorker:
        dependencies = JobDependencies(
            run=RunDependencies(
                adapter=self.adapter,
                embedder=RecordingEmbedder(),
                approvals=NoApprovals(policies=self._policies),
                recollection=lambda _user_id: self.memory,
                observers=self.observers,
                clock=lambda: self.now(),
            ),
            devices=OneDevice(self.device),
            on_progress=self._moved,
            mark_foreign=self._marked,
        )
        defaults = {"pause_s": 0.01, "sweep_every_s": 0.05, "beat_s": 0.02}
        name = f"worker {next(self._names)}"
        return self.kind(dependencies=dependencies, dispatch=self.dispatch, name=name, **(defaults | timings))  # type: ignore[arg-type]

    async def _policies(self, _user_id: UUID) -> Policies:
        return self.policies

    async def _marked(self, _status: JobStatus, answer: str) -> None:
        self.foreign.append(answer)

    async def _moved(self, status: JobStatus) -> None:
        self.progress.append((status.fraction, status.label))

    @asynccontextmanager
    async def working(self, **timings: float) -> AsyncIterator[ToolWorker]:
        """A running worker. It is killed at the end and reports nothing more."""
        worker = self.worker(**timings)
        task = asyncio.ensure_future(worker.run())
        try:
            yield worker
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def told(self, job_id: UUID, times: int = 1) -> None:
        """Return after ``times`` results of the job have been published."""
        async with asyncio.timeout(30), self.queue.consume(ToolResult, slots=1) as deliveries:
            async for delivery in deliveries:
                await delivery.ack()
                times -= delivery.message.job_id == job_id
                if not times:
                    return
