"""A laptop that is closed during a job, and opened again at a time that the test's clock sets."""

import asyncio
import json
import uuid
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agents.adapters.base import ToolMessage
from agents.jobs.models import JobState, ToolJob
from agents.jobs.service import MAX_WAIT
from agents.tools.long import HAS_BEGUN
from device.executor import Executor
from device.store import Store
from device.tables import TableName
from tests.agents.scripts import Reply, Request, ScriptedAdapter, call, calls, says
from tests.chat.devices.test_jobs import served, until
from tests.chat.http import Tokens, sign_in
from tests.chat.sockets import CALL_TIMEOUT_S, WAIT_S, Frame, Server, Socket, leap

pytestmark = pytest.mark.django_db(transaction=True)
TITLES = ("Dig the pond", "Order the roses", "Plant the hedge")
PLAN = json.dumps({"tasks": [{"title": title} for title in TITLES]})
CAPABILITIES = ("ledger", "job_ack")


@dataclass
class Clock:
    """The jobs' clock, which stands still."""

    now: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
async def tokens() -> Tokens:
    return await sign_in()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(tmp_path / "device.sqlite3")) as store:
        yield store


def answers(request: Request) -> Reply:
    """The model's text after its first answer, to the turn or to the job."""
    last = request.messages[-1]
    if not isinstance(last, ToolMessage):
        return says(PLAN)
    return says("It has begun." if last.text.startswith(HAS_BEGUN) else f"Planned: {last.text}")


def planner(project_id: object) -> Reply:
    """The turn's model's first answer."""
    return calls(call("plan_project", json.dumps({"project_id": project_id, "goal": "open the garden"})))


def scripted(server: Server) -> None:
    assert isinstance(server.adapter, ScriptedAdapter)
    server.adapter.replies += [answers] * 6


async def closed_in_the_middle(socket: Socket, store: Store, *, done: bool) -> None:
    """Serve until the second task comes; it may still be ``done``, but its answer is lost."""
    executor, inserts = Executor(store), 0
    question: Frame = {"type": "home_request", "message": "Plan the project Garden", "request_id": str(uuid.uuid4())}
    await socket.send(question)
    while True:
        frame = await socket.receive()
        if frame["type"] != "tool_call":
            continue
        inserts += frame["action"] == "insert"
        if inserts == 2 and not done:
            return
        answer = executor.execute(frame)
        if inserts == 2:
            return
        await socket.send({"type": "tool_result", "id": frame["id"], **answer})


async def until_told(socket: Socket, store: Store) -> tuple[Frame, int]:
    """How the job ended, and how many calls were answered on the way."""
    executor, served_calls = Executor(store), 0
    while True:
        frame = await socket.receive()
        if frame["type"] == "tool_call":
            served_calls += 1
            await socket.send({"type": "tool_result", "id": frame["id"], **executor.execute(frame)})
        elif frame["type"] == "job_update" and frame["state"] in {"done", "failed"}:
            await socket.send({"type": "job_ack", "job_id": frame["job_id"]})
            return frame, served_calls


async def delivered() -> ToolJob:
    """The only job, once its device has acknowledged its end."""
    async with asyncio.timeout(WAIT_S):
        while (job := await ToolJob.objects.aget()).delivered_at is None:  # noqa: ASYNC110 - the database sends no event
            await asyncio.sleep(0.01)
    return job


def titles(store: Store) -> list[object]:
    return [row["title"] for row in store.select(TableName.TASKS, {})]


@pytest.mark.parametrize("done", [False, True], ids=["before the change", "after the change, before its answer"])
async def test_laptop_closed_in_the_middle_and_opened_an_hour_later_finishes_its_job(
    tokens: Tokens, store: Store, done: bool
) -> None:
    project, clock = store.insert(TableName.PROJECTS, {"name": "Garden"}), Clock()
    async with served(planner(project["id"]), clock=clock) as server:
        scripted(server)
        async with server.device(capabilities=CAPABILITIES) as laptop:
            await closed_in_the_middle(laptop, store, done=done)
        leap(CALL_TIMEOUT_S)
        await until(JobState.WAITING_DEVICE)
        assert len(titles(store)) == (2 if done else 1)
        assert server.services.jobs is not None
        for minutes in (20, 40, 60):
            clock.now += timedelta(minutes=20)
            await server.services.jobs.dispatch.sweep()
            assert (await ToolJob.objects.aget()).state == JobState.WAITING_DEVICE, minutes
        async with server.device(capabilities=CAPABILITIES) as laptop:
            told, _ = await until_told(laptop, store)
            await until(JobState.DELIVERED)

    assert [title for title in TITLES if title not in str(told["response"])] == []
    assert sorted(map(str, titles(store))) == sorted(TITLES)
    job = await ToolJob.objects.aget()
    assert job.finished_at == clock.now
    assert job.first_away_at == clock.now - timedelta(hours=1)


async def test_laptop_opened_after_more_than_a_day_is_told_why_its_job_has_failed(tokens: Tokens, store: Store) -> None:
    project, clock = store.insert(TableName.PROJECTS, {"name": "Garden"}), Clock()
    async with served(planner(project["id"]), clock=clock) as server:
        scripted(server)
        async with server.device(capabilities=CAPABILITIES) as laptop:
            await closed_in_the_middle(laptop, store, done=False)
        leap(CALL_TIMEOUT_S)
        await until(JobState.WAITING_DEVICE)
        clock.now += MAX_WAIT
        assert server.services.jobs is not None
        await server.services.jobs.dispatch.sweep()
        async with server.device(capabilities=CAPABILITIES) as laptop:
            told, served_calls = await until_told(laptop, store)
            job = await delivered()

    assert (told["state"], served_calls) == ("failed", 0)
    assert "The device was away for too long" in str(told["error"])
    # Changes made before remain.
    assert titles(store) == [TITLES[0]]
    assert (job.state, job.delivered_at) == (JobState.FAILED, clock.now)
