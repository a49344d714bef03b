"""Tools by which a program reads and cancels the jobs that its calls have started."""

from types import SimpleNamespace
from uuid import UUID, uuid4

import pytest
from channels.db import database_sync_to_async

from accounts.models import User
from agents.calls import Table
from agents.errors import UnknownJob
from agents.jobs import service
from agents.jobs.models import JobState, ToolJob
from agents.permissions.disclosures import Occasion, Sent, record
from agents.requests import RequestKind, RequestOrigin
from tests.agents.jobs.making import LEASE, NOW, done, make, state_of
from tests.agents.mcp.worlds import ALICES, World, called, listed, serving

pytestmark = pytest.mark.django_db(transaction=True)
PROGRAM = "mcp: editor"


async def asked(world: World, tool: str, job_id: UUID, *, token: str = ALICES) -> dict[str, object]:
    async with serving(world) as client:
        result: dict[str, object] = (await called(client, tool, {"job_id": str(job_id)}, token=token))["result"]
        return result


async def test_reading_result_of_job_is_recorded_in_ledger(alice: User) -> None:
    job_id = await database_sync_to_async(done)(alice, program=PROGRAM)
    occasion = Occasion(origin=RequestOrigin(user_id=alice.id, request_id="r"), source=RequestKind.JOB, job_id=job_id)
    read = Sent(model="model", rows={Table.PROJECTS: frozenset({"p1"})})
    await database_sync_to_async(record)(occasion, read, left_server=True)
    world = World()
    answer = await asked(world, "get_job", job_id)
    assert answer["content"] == [{"type": "text", "text": "The garden is planned."}]
    row = await ToolJob.objects.aget(id=job_id)
    assert row.finished_at is not None
    assert answer["structuredContent"] == {
        "job": {
            "id": str(job_id),
            "tool": "plan_project",
            "state": "done",
            "label": "Planning",
            "fraction": 1.0,
            "response": "The garden is planned.",
            "failure": None,
            "createdAt": row.created_at.isoformat(),
            "updatedAt": row.finished_at.isoformat(),
        }
    }
    assert world.disclosures.listed == [("mcp: tests", Table.PROJECTS, "p1")]


async def test_result_that_cannot_be_recorded_is_not_returned(alice: User) -> None:
    job_id = await database_sync_to_async(done)(alice, program=PROGRAM)
    occasion = Occasion(origin=RequestOrigin(user_id=alice.id, request_id="r"), source=RequestKind.JOB, job_id=job_id)
    await database_sync_to_async(record)(
        occasion, Sent(model="model", rows={Table.PROJECTS: frozenset({"p1"})}), left_server=True
    )
    world = World()
    world.disclosures.away = True
    answer = await asked(world, "get_job", job_id)
    assert (answer["isError"], "garden" in str(answer)) == (True, False)


@pytest.mark.parametrize("tool", ["get_job", "cancel_job"])
async def test_jobs_of_users_conversations_are_unknown(alice: User, tool: str) -> None:
    """Their results may contain hidden rows."""
    job_id = await database_sync_to_async(done)(alice)
    own, unknown = await asked(World(), tool, job_id), await asked(World(), tool, uuid4())
    assert (own["isError"], own["content"]) == (True, unknown["content"])


async def test_reading_job_requires_scopes_of_its_tool(alice: User) -> None:
    job_id = await database_sync_to_async(done)(alice, program=PROGRAM)
    answer = await asked(World(), "get_job", job_id, token=f"{ALICES}/jobs:read,tasks:read")
    assert (answer["isError"], "garden" in str(answer)) == (True, False)


async def test_program_cancels_job(alice: User) -> None:
    job_id = (await database_sync_to_async(make)(alice, program=PROGRAM)).id
    answer = await asked(World(), "cancel_job", job_id)
    assert answer["content"] == [{"type": "text", "text": "Cancelled: nothing more is done."}]
    assert await database_sync_to_async(state_of)(job_id) == JobState.CANCELLED
    told = await asked(World(), "get_job", job_id)
    assert told["content"] == [{"type": "text", "text": "The job was cancelled."}]


async def test_running_job_reports_progress(alice: User) -> None:
    job_id = (await database_sync_to_async(make)(alice, program=PROGRAM)).id
    await database_sync_to_async(service.claim)(job_id, "run", now=NOW, lease=LEASE)
    await database_sync_to_async(service.progress)(job_id, "run", fraction=0.4, label="Reading")
    answer = await asked(World(), "get_job", job_id)
    assert answer["content"] == [{"type": "text", "text": "The job is running (40 % done)."}]


async def test_failed_job_reports_reason(alice: User) -> None:
    job_id = (await database_sync_to_async(make)(alice, program=PROGRAM)).id
    await database_sync_to_async(service.claim)(job_id, "run", now=NOW, lease=LEASE)
    await database_sync_to_async(service.fail)(job_id, "run", "The model is away.", now=NOW)
    answer = await asked(World(), "get_job", job_id)
    assert answer["content"] == [{"type": "text", "text": "The job has failed: The model is away."}]


async def test_queued_tool_returns_job_as_structured_content() -> None:
    async with serving(World()) as client:
        answer = (await called(client, "weekly_review", {}))["result"]
        assert "outputSchema" in (await listed(client))["weekly_review"]
    assert answer["structuredContent"]["job"]["id"] == str(UUID(int=7))


async def test_finished_job_is_not_cancelled(alice: User) -> None:
    job_id = await database_sync_to_async(done)(alice, program=PROGRAM)
    answer = await asked(World(), "cancel_job", job_id)
    assert (answer["isError"], "done" in str(answer["content"])) == (True, True)


async def test_job_erased_meanwhile_is_unknown(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    job_id = (await database_sync_to_async(make)(alice, program=PROGRAM)).id

    def gone(*_: object, **_more: object) -> None:
        raise UnknownJob

    monkeypatch.setattr("agents.mcp.job_tools.request_cancel", gone)
    cancelled, unknown = await asked(World(), "cancel_job", job_id), await asked(World(), "cancel_job", uuid4())
    assert (cancelled["isError"], cancelled["content"]) == (True, unknown["content"])


async def test_undecryptable_job_is_reported(alice: User) -> None:
    job_id = await database_sync_to_async(done)(alice, program=PROGRAM)
    await database_sync_to_async(User.objects.filter(id=alice.id).update)(master_key_id="0" * 16)
    answer = await asked(World(), "get_job", job_id)
    assert (answer["isError"], "cannot open the texts" in str(answer["content"])) == (True, True)


async def test_get_job_waits_for_running_job(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    job_id = (await database_sync_to_async(make)(alice, program=PROGRAM)).id
    await database_sync_to_async(service.claim)(job_id, "run", now=NOW, lease=LEASE)
    looks: list[float] = []

    async def look_again(seconds: float) -> None:
        looks.append(seconds)
        await database_sync_to_async(service.finish)(job_id, "run", "The garden is planned.", now=NOW)

    monkeypatch.setattr("agents.mcp.job_tools.asyncio", SimpleNamespace(sleep=look_again))
    async with serving(World()) as client:
        arguments = {"job_id": str(job_id), "wait_s": 50}
        answer = (await called(client, "get_job", arguments, token=ALICES))["result"]
    assert answer["content"] == [{"type": "text", "text": "The garden is planned."}]
    assert len(looks) == 1
