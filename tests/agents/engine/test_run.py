"""What the runs of turns, jobs and MCP calls have in common."""

from dataclasses import dataclass, field
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from agents.adapters.base import ModelParams, UserMessage, whole_text
from agents.calls import Table
from agents.engine.run import AgentRun, Requester, RunDependencies, running
from agents.errors import Unrecorded
from agents.permissions.quotas import QuotaService
from agents.permissions.sharing import Marks
from agents.requests import RequestKind
from agents.telemetry.turns import ObservedTurn, Observers, TurnSource
from agents.tools.spec import ToolSpec
from agents.tools.tasks import DeleteTask, ListTasks
from tests.agents.approving import NoApprovals
from tests.agents.conftest import NOW
from tests.agents.disclosing import KeptDisclosures, KeptMarks
from tests.agents.embedding import RecordingEmbedder
from tests.agents.scripts import ScriptedAdapter, call, says
from tests.agents.tables import InMemoryClient

ALICE = UUID(int=1)
KINDS = [
    (RequestKind.HOME, TurnSource.SOCKET),
    (RequestKind.JOB, TurnSource.WORKER),
    (RequestKind.MCP, TurnSource.MCP),
]


@dataclass
class World:
    """A device with two tasks, and what its runs receive and report."""

    client: InMemoryClient = field(default_factory=InMemoryClient)
    adapter: ScriptedAdapter = field(default_factory=lambda: ScriptedAdapter([]))
    disclosures: KeptDisclosures = field(default_factory=KeptDisclosures)
    marks: KeptMarks = field(default_factory=KeptMarks)
    turns: list[ObservedTurn] = field(default_factory=list)
    quotas: QuotaService = field(default_factory=QuotaService)

    def __post_init__(self) -> None:
        self.client.rows[Table.TASKS] = [
            {"id": "t1", "title": "Buy milk", "projectId": None},
            {"id": "t2", "title": "Call Zoe", "projectId": "p1"},
        ]

    @property
    def dependencies(self) -> RunDependencies:
        return RunDependencies(
            adapter=self.adapter,
            embedder=RecordingEmbedder(),
            approvals=NoApprovals(),
            disclosures=self.disclosures,
            marks=self.marks,
            quotas=self.quotas,
            observers=Observers(listeners=(self.turns.append,)),
            clock=lambda: NOW,
        )

    async def dispatch(self, run: AgentRun, tool: type[ToolSpec], arguments: str = "{}") -> tuple[str, bool]:
        device = run.on(self.client)
        with device.active():
            outcome = await device.executor([tool], run.context()).dispatch(call(tool.tool_name, arguments))
        return outcome.text, outcome.ok


def requester(source: TurnSource = TurnSource.SOCKET) -> Requester:
    return Requester(user_id=ALICE, timezone=ZoneInfo("Europe/Rome"), language="en", device_id="laptop", source=source)


PARAMS = ModelParams(now=NOW)


@pytest.mark.parametrize(("kind", "source"), KINDS)
async def test_rows_sent_to_model_are_in_ledger_with_request(kind: RequestKind, source: TurnSource) -> None:
    world = World(adapter=ScriptedAdapter([says("Two.")]))
    job_id = UUID(int=7) if kind is RequestKind.JOB else None
    with running(world.dependencies, requester(source), request_id="r1", kind=kind, job_id=job_id) as run:
        text, ok = await world.dispatch(run, ListTasks)
        await whole_text(run.adapter, [UserMessage(text=text)], PARAMS)

    assert ok
    assert world.disclosures.listed == [("scripted", Table.TASKS, "t1"), ("scripted", Table.TASKS, "t2")]
    [(occasion, _)] = world.disclosures.kept
    assert (occasion.origin.user_id, occasion.origin.request_id, occasion.origin.device_id) == (ALICE, "r1", "laptop")
    assert (occasion.source, occasion.job_id) == (kind, job_id)
    [turn] = world.turns
    assert (turn.origin.kind, turn.origin.source, turn.origin.request_id) == (kind, source, "r1")
    assert [(use.tool, use.ok) for use in turn.tools] == [("list_tasks", True)]


async def test_model_is_sent_nothing_that_ledger_does_not_record() -> None:
    world = World()
    world.disclosures.away = True
    with running(world.dependencies, requester(), request_id="r1", kind=RequestKind.HOME) as run:
        text, _ = await world.dispatch(run, ListTasks)
        with pytest.raises(Unrecorded):
            await whole_text(run.adapter, [UserMessage(text=text)], PARAMS)
    assert world.adapter.requests == []


async def test_never_shared_rows_do_not_reach_tool() -> None:
    world = World()
    world.marks.held = Marks(projects=frozenset({"p1"}))
    with running(world.dependencies, requester(), request_id="r1", kind=RequestKind.MCP) as run:
        text, _ = await world.dispatch(run, ListTasks)
    assert "Buy milk" in text
    assert "Zoe" not in text


async def test_risky_tool_does_not_run_if_user_cannot_be_asked() -> None:
    world = World()
    with running(world.dependencies, requester(), request_id="r1", kind=RequestKind.HOME) as run:
        _, ok = await world.dispatch(run, DeleteTask, '{"task_id": "t1"}')
    assert not ok
    assert [row["id"] for row in world.client.rows[Table.TASKS]] == ["t1", "t2"]
