"""What a job sends a model, against what the model was asked, on a device with rows in a file."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from uuid import UUID

import pytest
from channels.db import database_sync_to_async

from accounts.models import User
from agents.adapters.base import AssistantMessage
from agents.calls import CallAction, ClientAnswer, ClientCall, Table
from agents.errors import ModelUnavailable
from agents.jobs.running import JobKit, JobRun, Outcome, Ran
from agents.jobs.store import DatabaseJobs
from agents.kinds import RequestKind
from agents.permissions.sharing.marks import Marks
from agents.tools.client import OnLate
from device.store import Store
from tests.agents.disclosing import KeptDisclosures, KeptMarks
from tests.agents.jobs.making import claim, make
from tests.agents.jobs.workshop import Workshop
from tests.agents.scripts import Reply, ScriptedAdapter, says
from tests.agents.stores import StoredClient

pytestmark = pytest.mark.django_db(transaction=True)
PLAN = '{"tasks": [{"title": "Fresh"}], "checkpoints": []}'


@dataclass(frozen=True)
class Away:
    """A device that knows a call again."""

    client: StoredClient

    def supports(self, action: CallAction) -> bool:
        return self.client.supports(action)

    async def execute(self, call: ClientCall, *, on_late: OnLate, repeated: bool) -> ClientAnswer:
        return await self.client.execute(call, on_late=on_late)


@dataclass
class Bench:
    """One job of one user, and what was written down of it."""

    user: User
    device: StoredClient
    ledger: KeptDisclosures
    marks: KeptMarks
    adapter: ScriptedAdapter

    @asynccontextmanager
    async def client(self, user_id: UUID, device_id: str, job_id: UUID) -> AsyncIterator[Away]:
        yield Away(self.device)

    async def connected(self, user_id: UUID, device_id: str) -> bool:
        return True

    async def begin(self, tool: str, **arguments: str) -> JobRun:
        job = await database_sync_to_async(make)(self.user, tool=tool, arguments=arguments)
        claimed = await database_sync_to_async(claim)(job.id)
        assert claimed is not None
        kit: JobKit = Workshop(self.adapter).worker().kit
        return JobRun(
            kit=replace(kit, devices=self, disclosures=self.ledger, marks=self.marks), job=claimed, owner="run"
        )

    async def run(self, tool: str, *replies: Reply, **arguments: str) -> Ran:
        self.adapter.replies.extend(replies)
        return await (await self.begin(tool, **arguments)).run()

    def sent(self) -> set[tuple[str, Table, str]]:
        """The rows whose titles stand in what the model was asked."""
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
def bench(alice: User, tmp_path: Path) -> Iterator[Bench]:
    with closing(Store(tmp_path / "rows.sqlite3")) as store:
        yield Bench(alice, StoredClient(store), KeptDisclosures(), KeptMarks(), ScriptedAdapter([]))


@pytest.fixture
def website(bench: Bench) -> str:
    website, attic = (bench.device.add(Table.PROJECTS, name=name) for name in ("Website", "Attic"))
    for project in (website, attic):
        for number in range(40):
            bench.device.add(Table.TASKS, title=f"Task {number} of {project}", projectId=project)
        bench.device.add(Table.CHECKPOINTS, title=f"Beta of {project}", projectId=project, date=1)
        bench.device.add(Table.NOTES, title=f"Note of {project}", content="text", projectId=project)
    return website


async def test_a_summary_discloses_the_rows_that_the_model_was_asked_with(bench: Bench, website: str) -> None:
    ran = await bench.run("summarize_project", says("Well."), says("Done."), project_id=website)

    assert ran.outcome is Outcome.ANSWERED
    bench.check()
    assert {(occasion.source, occasion.job_id is None) for occasion, _ in bench.ledger.kept} == {
        (RequestKind.JOB, False)
    }
    assert len(bench.ledger.listed) < 40  # the section is bounded


async def test_a_plan_discloses_what_it_added_with_the_answer(bench: Bench, website: str) -> None:
    await bench.run("plan_project", says(PLAN), says("Done."), project_id=website, goal="Launch")

    bench.check()
    [fresh] = [row["id"] for row in bench.device.rows(Table.TASKS) if row["title"] == "Fresh"]
    assert ("scripted", Table.TASKS, fresh) in bench.ledger.listed


async def test_a_second_run_sends_nothing_that_is_not_in_the_ledger(bench: Bench, website: str) -> None:
    run = await bench.begin("plan_project", project_id=website, goal="Launch")
    bench.adapter.replies = [says(PLAN), [ModelUnavailable()], says("Done.")]

    assert (await run.run()).outcome is Outcome.FAILED
    assert (await run.run()).outcome is Outcome.ANSWERED

    bench.check()


class _Mortal(DatabaseJobs):
    """Is killed once, when the outcome of the tool has been written down."""

    killed = False

    async def step(self, job_id: UUID, owner: str, name: str, content: str, *, now: datetime) -> str:
        written = await super().step(job_id, owner, name, content, now=now)
        if name == "outcome" and not self.killed:
            self.killed = True
            raise asyncio.CancelledError
        return written


async def test_rows_in_an_outcome_are_in_the_ledger_whoever_sends_it(bench: Bench, website: str) -> None:
    run = await bench.begin("plan_project", project_id=website, goal="Launch")
    run = replace(run, kit=replace(run.kit, store=_Mortal()))
    bench.adapter.replies = [says(PLAN), says("Done.")]

    with pytest.raises(asyncio.CancelledError):
        await run.run()
    assert (await run.run()).outcome is Outcome.ANSWERED

    bench.check()


async def test_what_cannot_be_written_down_is_not_sent(bench: Bench, website: str) -> None:
    bench.ledger.away = True

    ran = await bench.run("summarize_project", says("Well."), project_id=website)

    assert ran.outcome is Outcome.FAILED
    assert bench.adapter.requests == []


async def test_a_marked_project_is_not_summarised(bench: Bench, website: str) -> None:
    bench.marks.held = Marks(projects=frozenset({website}))

    await bench.run("summarize_project", says("Sorry."), project_id=website)

    [request] = bench.adapter.requests
    assert "The user never shares this project" in str(request.messages[-1])
    assert (bench.ledger.kept, bench.sent()) == ([], set())


async def test_a_review_is_written_without_marked_projects(bench: Bench, website: str) -> None:
    bench.marks.held = Marks(projects=frozenset({website}))

    await bench.run("weekly_review", says("Well."), says("Done."))

    assert not any(website in str(request.messages) for request in bench.adapter.requests)
    assert "left out: the user never shares them" in str(bench.adapter.requests[-1].messages[-1])
