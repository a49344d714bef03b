"""What a job discloses, compared with the model's requests, on a device with rows in a file."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from uuid import UUID

import pytest
from channels.db import database_sync_to_async
from pydantic import JsonValue

from accounts.models import User
from agents.adapters.base import AssistantMessage
from agents.adapters.catalogue import ModelCatalogue, OfferedModel
from agents.calls import CallAction, ClientAnswer, ClientCall, Table
from agents.errors import ModelUnavailable
from agents.jobs import running
from agents.jobs.journal import Steps
from agents.jobs.running import Outcome, RunResult, run_job
from agents.permissions.disclosures import Occasion, Sent, record
from agents.permissions.sharing import Marks
from agents.requests import RequestKind
from agents.tools.client import OnLate
from device.store import Store
from device.tables import TableName
from tests.agents.disclosing import KeptDisclosures, KeptMarks
from tests.agents.jobs.making import ASKED, claim, make
from tests.agents.jobs.worker_harness import WorkerHarness
from tests.agents.scripts import Reply, ScriptedAdapter, says
from tests.agents.stores import StoredClient

pytestmark = pytest.mark.django_db(transaction=True)
PLAN = '{"tasks": [{"title": "Fresh"}], "checkpoints": []}'


@dataclass(frozen=True)
class ConnectedDevice:
    """A device that accepts a repeated call."""

    client: StoredClient

    def supports(self, action: CallAction) -> bool:
        return self.client.supports(action)

    async def execute(self, call: ClientCall, *, on_late: OnLate, repeated: bool) -> ClientAnswer:
        return await self.client.execute(call, on_late=on_late)


@dataclass
class JobHarness:
    """One job of one user and its disclosures."""

    user: User
    device: StoredClient
    ledger: KeptDisclosures
    marks: KeptMarks
    adapter: ScriptedAdapter
    models: ModelCatalogue = field(default_factory=ModelCatalogue)

    @asynccontextmanager
    async def client(self, user_id: UUID, device_id: str, job_id: UUID) -> AsyncIterator[ConnectedDevice]:
        yield ConnectedDevice(self.device)

    async def connected(self, user_id: UUID, device_id: str) -> bool:
        return True

    async def begin(
        self, tool: str, *, shown: JsonValue = None, **arguments: str
    ) -> Callable[[], Awaitable[RunResult]]:
        asked = replace(ASKED, shown=shown)
        job = await database_sync_to_async(make)(self.user, tool=tool, arguments=arguments, asked=asked)
        claimed = await database_sync_to_async(claim)(job.id)
        assert claimed is not None
        dependencies = WorkerHarness(self.adapter).worker().dependencies
        run = replace(dependencies.run, disclosures=self.ledger, marks=self.marks, models=self.models)
        return partial(run_job, replace(dependencies, run=run, devices=self), claimed, "run")

    async def run(self, tool: str, *replies: Reply, **arguments: str) -> RunResult:
        self.adapter.replies.extend(replies)
        return await (await self.begin(tool, **arguments))()

    def sent(self) -> set[tuple[str, Table, str]]:
        """The rows whose titles are in the model's requests."""
        told = "\n".join(
            message.text
            for request in self.adapter.requests
            for message in request.messages
            if not isinstance(message, AssistantMessage)
        )
        return {
            (self.adapter.name, table, str(row["id"]))
            for table in (Table.PROJECTS, Table.TASKS, Table.CHECKPOINTS, Table.NOTES)
            for row in self.device.rows(table)
            if f'"{row.get("title") or row.get("name")}"' in told
        }

    def check(self) -> None:
        assert self.ledger.listed == sorted(self.sent())
        assert self.ledger.kept


@pytest.fixture
def harness(alice: User, tmp_path: Path) -> Iterator[JobHarness]:
    with closing(Store(tmp_path / "rows.sqlite3")) as store:
        yield JobHarness(alice, StoredClient(store), KeptDisclosures(), KeptMarks(), ScriptedAdapter([]))


@pytest.fixture
def website(harness: JobHarness) -> str:
    website, attic = (harness.device.add(Table.PROJECTS, name=name) for name in ("Website", "Attic"))
    for project in (website, attic):
        for number in range(40):
            harness.device.add(Table.TASKS, title=f"Task {number} of {project}", projectId=project)
        harness.device.add(Table.CHECKPOINTS, title=f"Beta of {project}", projectId=project, date=1)
        harness.device.add(Table.NOTES, title=f"Note of {project}", content="text", projectId=project)
    return website


async def test_summary_discloses_rows_in_request_to_model(harness: JobHarness, website: str) -> None:
    ran = await harness.run("summarize_project", says("Well."), says("Done."), project_id=website)

    assert ran.outcome is Outcome.ANSWERED
    harness.check()
    assert {(occasion.source, occasion.job_id is None) for occasion, _ in harness.ledger.kept} == {
        (RequestKind.JOB, False)
    }
    assert len(harness.ledger.listed) < 40  # the section is bounded


async def test_plan_discloses_added_rows_with_answer(harness: JobHarness, website: str) -> None:
    await harness.run("plan_project", says(PLAN), says("Done."), project_id=website, goal="Launch")

    harness.check()
    [fresh] = [row["id"] for row in harness.device.rows(Table.TASKS) if row["title"] == "Fresh"]
    assert ("scripted", Table.TASKS, fresh) in harness.ledger.listed


async def test_second_run_sends_only_rows_in_ledger(harness: JobHarness, website: str) -> None:
    run = await harness.begin("plan_project", project_id=website, goal="Launch")
    harness.adapter.replies = [says(PLAN), [ModelUnavailable()], says("Done.")]

    assert (await run()).outcome is Outcome.FAILED
    assert (await run()).outcome is Outcome.ANSWERED

    harness.check()


class _KilledOnceSteps(Steps):
    """Is killed once, right after the outcome of the tool has been recorded."""

    killed = False

    async def write(self, name: str, content: str) -> str:
        written = await super().write(name, content)
        if name == "outcome" and not _KilledOnceSteps.killed:
            _KilledOnceSteps.killed = True
            raise asyncio.CancelledError
        return written


async def test_rows_in_outcome_are_in_ledger_when_second_run_sends_it(
    harness: JobHarness, website: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_KilledOnceSteps, "killed", False)
    monkeypatch.setattr(running, "Steps", _KilledOnceSteps)
    run = await harness.begin("plan_project", project_id=website, goal="Launch")
    harness.adapter.replies = [says(PLAN), says("Done.")]

    with pytest.raises(asyncio.CancelledError):
        await run()
    assert (await run()).outcome is Outcome.ANSWERED

    harness.check()


class _StoredDisclosures(KeptDisclosures):
    """In the database, too."""

    async def record(self, occasion: Occasion, sent: Sent) -> None:
        await super().record(occasion, sent)
        await database_sync_to_async(record)(occasion, sent, left_server=True)


async def test_rows_in_outcome_are_in_ledger_when_fallback_model_reads_it(harness: JobHarness, website: str) -> None:
    away = ScriptedAdapter([says(PLAN), [ModelUnavailable()], [ModelUnavailable()]], name="away")
    harness.ledger = _StoredDisclosures()
    harness.models = ModelCatalogue(
        offered=[
            OfferedModel(name=each.name, display_name=each.name, adapter=each) for each in (away, harness.adapter)
        ],
        fallback=["away", "scripted"],
    )
    run = await harness.begin("plan_project", project_id=website, goal="Launch")
    harness.adapter.replies = [says("Done.")]

    # What one model has begun, another does not go on with in the same run.
    assert (await run()).outcome is Outcome.FAILED
    assert (await run()).outcome is Outcome.ANSWERED

    assert [row for row in harness.ledger.listed if row[0] == "scripted"] == sorted(harness.sent())
    assert harness.sent()


async def test_rows_that_cannot_be_recorded_are_not_sent(harness: JobHarness, website: str) -> None:
    harness.ledger.away = True

    ran = await harness.run("summarize_project", says("Well."), project_id=website)

    assert ran.outcome is Outcome.FAILED
    assert harness.adapter.requests == []


async def test_marked_project_is_not_summarized(harness: JobHarness, website: str) -> None:
    harness.marks.held = Marks(projects=frozenset({website}))

    await harness.run("summarize_project", says("Sorry."), project_id=website)

    [request] = harness.adapter.requests
    assert f"There is no project with the id {website}." in str(request.messages[-1])
    assert (harness.ledger.kept, harness.sent()) == ([], set())


async def test_review_excludes_marked_projects(harness: JobHarness, website: str) -> None:
    harness.marks.held = Marks(projects=frozenset({website}))

    await harness.run("weekly_review", says("Well."), says("Done."))

    assert not any(website in str(request.messages) for request in harness.adapter.requests)
    assert "never shares" not in str(harness.adapter.requests)


@pytest.fixture
def task(harness: JobHarness, website: str) -> str:
    """A task of the marked project."""
    harness.marks.held = Marks(projects=frozenset({website}))
    return harness.device.add(Table.TASKS, title="Hidden", projectId=website)


async def test_approved_change_of_hidden_row_is_made_even_by_second_run(
    harness: JobHarness, website: str, task: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_KilledOnceSteps, "killed", False)
    monkeypatch.setattr(running, "Steps", _KilledOnceSteps)
    before = harness.device.store.get(TableName.TASKS, task)
    shown: JsonValue = {"before": dict(before or {}), "after": {**(before or {}), "title": "New"}}
    run = await harness.begin("update_task", shown=shown, task_id=task, title="New")
    harness.adapter.replies = [says("Done.")]

    with pytest.raises(asyncio.CancelledError):
        await run()
    assert (await run()).outcome is Outcome.ANSWERED

    changed = harness.device.store.get(TableName.TASKS, task) or {}
    assert (changed["title"], changed["projectId"]) == ("New", website)
    [request] = harness.adapter.requests
    assert f'Updated the task "New" [id {task}].' in str(request.messages)
    assert (website in str(request.messages), "Hidden" in str(request.messages)) == (False, False)


async def test_hidden_row_without_approval_is_unknown_to_job(harness: JobHarness, task: str) -> None:
    await harness.run("update_task", says("Sorry."), task_id=task, title="New")

    [request] = harness.adapter.requests
    assert f"There is no task with the id {task}." in str(request.messages)
    assert (harness.device.store.get(TableName.TASKS, task) or {})["title"] == "Hidden"
