"""Jobs as tasks, for clients with the tasks extension."""

from typing import Any
from uuid import UUID, uuid4

import httpx
import mcp_types
import pytest
from channels.db import database_sync_to_async

from accounts.models import User
from agents.jobs import service
from agents.jobs.models import JobState
from agents.mcp.job_tasks import EXTENSION
from agents.permissions.approvals.policies import Policies
from agents.permissions.models import Decision
from tests.agents.jobs.making import LEASE, NOW, done, make, state_of
from tests.agents.mcp.worlds import ALICES, World, answered, serving

pytestmark = pytest.mark.django_db(transaction=True)
PROGRAM = "mcp: editor"


async def started(client: httpx.AsyncClient, *, token: str = ALICES, extension: str = EXTENSION) -> dict[str, Any]:
    """The result of a call of a queued tool."""
    answer = await answered(
        client,
        "tools/call",
        header="weekly_review",
        extensions=[extension],
        name="weekly_review",
        arguments={},
        token=token,
    )
    result: dict[str, Any] = answer["result"]
    return result


async def asked(method: str, job_id: object, *, extension: str = EXTENSION, **params: Any) -> dict[str, Any]:
    async with serving(World()) as client:
        return await answered(client, method, header=str(job_id), extensions=[extension], taskId=str(job_id), **params)


async def test_server_announces_tasks_extension() -> None:
    async with serving(World()) as client:
        known = (await answered(client, "server/discover"))["result"]
    assert known["capabilities"]["extensions"][EXTENSION] == {}


async def test_queued_tool_returns_task() -> None:
    async with serving(World()) as client:
        task = await started(client)
    del task["_meta"]
    assert task == {
        "resultType": "task",
        "taskId": str(UUID(int=7)),
        "status": "working",
        "statusMessage": "Reviewing the week",
        "createdAt": NOW.isoformat(),
        "lastUpdatedAt": NOW.isoformat(),
        "ttlMs": None,
        "pollIntervalMs": 5000,
    }


@pytest.mark.parametrize(
    ("token", "extension"),
    [(ALICES, "com.example/other"), (f"{ALICES}/tasks:read,checkpoints:read,projects:read", EXTENSION)],
    ids=["no extension", "no scope for jobs"],
)
async def test_client_without_extension_or_scopes_gets_job_instead_of_task(token: str, extension: str) -> None:
    async with serving(World()) as client:
        result = await started(client, token=token, extension=extension)
    assert (result["resultType"], "It is job" in result["content"][0]["text"]) == ("complete", True)


async def test_refused_call_is_not_a_task() -> None:
    world = World(policies=Policies(tools={"weekly_review": Decision.DENY}))
    async with serving(world) as client:
        result = await started(client)
    assert (result["resultType"], result["isError"]) == ("complete", True)


async def test_completed_task_has_result_of_tool(alice: User) -> None:
    job_id = await database_sync_to_async(done)(alice, program=PROGRAM)
    task = (await asked("tasks/get", job_id))["result"]
    assert (task["resultType"], task["taskId"], task["status"]) == ("complete", str(job_id), "completed")
    result = task["result"]
    assert result["content"] == [{"type": "text", "text": "The garden is planned."}]
    assert (result["isError"], result["structuredContent"]["job"]["state"]) == (False, "done")


async def test_failed_task_has_error_result(alice: User) -> None:
    job_id = (await database_sync_to_async(make)(alice, program=PROGRAM)).id
    await database_sync_to_async(service.claim)(job_id, "run", now=NOW, lease=LEASE)
    await database_sync_to_async(service.fail)(job_id, "run", "The model is away.", now=NOW)
    task = (await asked("tasks/get", job_id))["result"]
    assert (task["status"], task["result"]["isError"]) == ("completed", True)
    assert "The model is away." in task["result"]["content"][0]["text"]


async def test_working_task_has_status_and_can_be_cancelled(alice: User) -> None:
    job_id = (await database_sync_to_async(make)(alice, program=PROGRAM)).id
    working = (await asked("tasks/get", job_id))["result"]
    cancelled = (await asked("tasks/cancel", job_id))["result"]
    assert (working["status"], working["statusMessage"]) == ("working", "The job waits in the queue.")
    assert "result" not in working
    assert set(cancelled) == {"resultType", "_meta"}
    assert await database_sync_to_async(state_of)(job_id) == JobState.CANCELLED
    assert (await asked("tasks/get", job_id))["result"]["status"] == "cancelled"


async def test_cancelling_completed_task_has_no_effect(alice: User) -> None:
    job_id = await database_sync_to_async(done)(alice, program=PROGRAM)
    assert "result" in await asked("tasks/cancel", job_id)
    assert await database_sync_to_async(state_of)(job_id) == JobState.DONE


async def test_unrequested_input_is_ignored(alice: User) -> None:
    job_id = await database_sync_to_async(done)(alice, program=PROGRAM)
    assert set((await asked("tasks/update", job_id, inputResponses={"name": {}}))["result"]) == {"resultType", "_meta"}


@pytest.mark.parametrize("method", ["tasks/get", "tasks/update", "tasks/cancel"])
async def test_jobs_of_users_conversations_are_not_tasks(alice: User, method: str) -> None:
    own = await database_sync_to_async(done)(alice)
    answers = [await asked(method, job_id, inputResponses={}) for job_id in (own, uuid4(), "no id")]
    assert {answer["error"]["code"] for answer in answers} == {mcp_types.INVALID_PARAMS}
    assert answers[0]["error"] == answers[1]["error"]


@pytest.mark.parametrize("method", ["tasks/get", "tasks/update", "tasks/cancel"])
async def test_client_without_tasks_extension_is_refused(method: str) -> None:
    error = (await asked(method, uuid4(), extension="com.example/other", inputResponses={}))["error"]
    assert error["code"] == mcp_types.MISSING_REQUIRED_CLIENT_CAPABILITY
    assert error["data"] == {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}


async def test_undecryptable_result_is_an_error(alice: User) -> None:
    job_id = await database_sync_to_async(done)(alice, program=PROGRAM)
    await database_sync_to_async(User.objects.filter(id=alice.id).update)(master_key_id="0" * 16)
    assert (await asked("tasks/get", job_id))["error"]["code"] == mcp_types.INTERNAL_ERROR
