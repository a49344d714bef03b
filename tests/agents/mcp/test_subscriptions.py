"""``subscriptions/listen``: progress of tasks, changes of rows, and the end of the stream."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import httpx
import httpx2
import mcp_types
import pytest
from channels.db import database_sync_to_async
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ResourceUpdated
from mcp.server.subscriptions import SUBSCRIPTION_ID_META_KEY

from accounts.models import User
from agents.calls import Table
from agents.jobs import service
from agents.mcp import subscriptions
from agents.mcp.job_tasks import EXTENSION
from agents.permissions.sharing import Marks
from tests.agents.jobs.making import LEASE, NOW, done, make
from tests.agents.mcp.worlds import ALICES, World, answered, headers, on_loopback, request

pytestmark = pytest.mark.django_db(transaction=True)
PROGRAM = "mcp: editor"
WAIT_S = 30
TASK, NOTE = "adiuva://task/t1", "adiuva://note/n1"


@pytest.fixture
def world() -> World:
    """An endpoint whose device has a task and a note of the project p1."""
    world = World()
    assert world.client is not None
    world.client.rows[Table.TASKS].append({"id": "t1", "title": "Pay the rent", "status": "todo", "projectId": None})
    world.client.rows[Table.NOTES].append({"id": "n1", "title": "Ideas", "content": "Wood", "projectId": "p1"})
    return world


@asynccontextmanager
async def listening(
    address: str, *, token: str = ALICES, extensions: Sequence[str] = (EXTENSION,), **wanted: object
) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
    """The messages of a stream for what is ``wanted``, or the one message that refuses it."""
    body = request("subscriptions/listen", extensions=extensions, notifications=wanted)
    given = headers("subscriptions/listen", token=token)
    async with (
        asyncio.timeout(WAIT_S),
        httpx.AsyncClient(base_url=address, timeout=WAIT_S) as client,
        client.stream("POST", "/mcp", json=body, headers=given) as answer,
    ):
        yield messages(answer)


async def messages(answer: httpx.Response) -> AsyncIterator[dict[str, Any]]:
    async for line in answer.aiter_lines():
        if line.removeprefix("data: ").startswith("{"):
            yield json.loads(line.removeprefix("data: "))


async def honored(address: str, **wanted: Any) -> dict[str, Any]:
    """What a stream acknowledges."""
    async with listening(address, **wanted) as stream:
        first = await anext(stream)
    assert first["method"] == "notifications/subscriptions/acknowledged"
    told: dict[str, Any] = first["params"]["notifications"]
    return told


@asynccontextmanager
async def sdk_client(address: str) -> AsyncIterator[Client]:
    bearer = {"Authorization": f"Bearer {ALICES}"}
    async with (
        asyncio.timeout(WAIT_S),
        httpx2.AsyncClient(headers=bearer, timeout=WAIT_S, trust_env=False) as http,
        Client(streamable_http_client(f"{address}/mcp", http_client=http)) as client,
    ):
        yield client


async def test_stream_reports_task_from_current_state_to_end(world: World, alice: User) -> None:
    job_id = (await database_sync_to_async(make)(alice, program=PROGRAM)).id
    async with (
        on_loopback(world) as address,
        listening(address, taskIds=[str(job_id), str(uuid4()), "no id"]) as stream,
        httpx.AsyncClient(base_url=address) as client,
    ):
        first, waiting = await anext(stream), await anext(stream)
        await database_sync_to_async(service.claim)(job_id, "run", now=NOW, lease=LEASE)
        running = await anext(stream)
        await database_sync_to_async(service.finish)(job_id, "run", "The garden is planned.", now=NOW)
        ended = await anext(stream)
        asked = await answered(client, "tasks/get", header=str(job_id), extensions=[EXTENSION], taskId=str(job_id))
    assert first["params"]["notifications"] == {"taskIds": [str(job_id)]}
    told = [each["params"] for each in (waiting, running, ended)]
    assert {each["method"] for each in (waiting, running, ended)} == {"notifications/tasks"}
    assert [(each["status"], each.get("statusMessage")) for each in told] == [
        ("working", "The job waits in the queue."),
        ("working", "The job is running."),
        ("completed", None),
    ]
    assert [each.pop("_meta") for each in told] == [{SUBSCRIPTION_ID_META_KEY: 1}] * 3
    polled = {name: value for name, value in asked["result"].items() if name not in {"resultType", "_meta"}}
    for task in (told[-1], polled):
        # The id of the request that asked for it.
        del task["result"]["_meta"]
    assert told[-1] == polled


async def test_completed_task_is_reported_once(world: World, alice: User) -> None:
    job_id = await database_sync_to_async(done)(alice, program=PROGRAM)
    async with on_loopback(world) as address, listening(address, taskIds=[str(job_id)]) as stream:
        first, ended = await anext(stream), await anext(stream)
        world.revoked.add(ALICES)
        last = await anext(stream)
    assert (first["method"], ended["params"]["status"]) == (
        "notifications/subscriptions/acknowledged",
        "completed",
    )
    assert "error" in last


async def test_only_tasks_that_token_may_read_are_reported(world: World, alice: User) -> None:
    own = await database_sync_to_async(done)(alice)
    of_program = await database_sync_to_async(make)(alice, program=PROGRAM, request="another")
    wanted = [str(own), str(of_program.id)]
    async with on_loopback(world) as address:
        assert await honored(address, taskIds=wanted) == {"taskIds": [str(of_program.id)]}
        for scopes in ("jobs:read", "tasks:read,projects:read,checkpoints:read"):
            assert await honored(address, token=f"{ALICES}/{scopes}", taskIds=wanted) == {}


async def test_client_without_tasks_extension_is_refused(world: World) -> None:
    async with on_loopback(world) as address, listening(address, extensions=(), taskIds=[str(uuid4())]) as stream:
        error = (await anext(stream))["error"]
    assert error["code"] == mcp_types.MISSING_REQUIRED_CLIENT_CAPABILITY


async def test_changed_row_is_reported_by_uri(world: World) -> None:
    assert world.client is not None
    tasks = world.client.rows[Table.TASKS]
    wanted = [TASK, "adiuva://task/none", "file:///etc/passwd"]
    async with (
        on_loopback(world) as address,
        sdk_client(address) as client,
        client.listen(resource_subscriptions=wanted) as stream,
    ):
        assert stream.honored.resource_subscriptions == wanted[:2]
        tasks[0] = {**tasks[0], "status": "done"}
        changed = await anext(stream)
        tasks.append({"id": "none", "title": "New", "status": "todo"})
        made = await anext(stream)
        del tasks[0]
        deleted = await anext(stream)
    assert [changed, made, deleted] == [
        ResourceUpdated(uri=TASK),
        ResourceUpdated(uri="adiuva://task/none"),
        ResourceUpdated(uri=TASK),
    ]
    # The rows that are compared are not disclosed.
    assert (world.disclosures.kept, world.turns) == ([], [])


async def test_changes_of_hidden_rows_are_not_reported(world: World) -> None:
    assert world.client is not None
    world.marks.held = Marks(projects=frozenset({"p1"}))
    tasks, notes = world.client.rows[Table.TASKS], world.client.rows[Table.NOTES]
    async with on_loopback(world) as address, listening(address, resourceSubscriptions=[NOTE, TASK]) as stream:
        assert (await anext(stream))["params"]["notifications"] == {"resourceSubscriptions": [NOTE, TASK]}
        notes[0] = {**notes[0], "content": "Stone"}
        tasks[0] = {**tasks[0], "status": "done"}
        assert (await anext(stream))["params"]["uri"] == TASK


async def test_only_kinds_that_token_may_read_are_subscribed(world: World) -> None:
    async with on_loopback(world) as address:
        told = await honored(address, token=f"{ALICES}/notes:read", resourceSubscriptions=[TASK, NOTE])
    assert told == {"resourceSubscriptions": [NOTE]}


async def test_list_changes_are_not_supported(world: World) -> None:
    async with on_loopback(world) as address, httpx.AsyncClient(base_url=address) as client:
        known = (await answered(client, "server/discover"))["result"]["capabilities"]
        told = await honored(address, toolsListChanged=True, promptsListChanged=True, resourcesListChanged=True)
    assert [known[name]["listChanged"] for name in ("tools", "prompts", "resources")] == [False] * 3
    assert (known["resources"]["subscribe"], told) == (True, {})


async def test_stream_ends_when_token_is_revoked(world: World) -> None:
    async with on_loopback(world) as address, listening(address, resourceSubscriptions=[TASK]) as stream:
        await anext(stream)
        world.revoked.add(ALICES)
        assert (await anext(stream))["error"]["data"] == {"code": "unauthorized"}


async def test_stream_without_device_ends_properly_at_shutdown() -> None:
    world = World(client=None)
    async with on_loopback(world) as address, listening(address, resourceSubscriptions=[TASK]) as stream:
        await anext(stream)
        await world.endpoint.aclose(WAIT_S)
        last = await anext(stream)
    assert (last["id"], last["result"]["_meta"][SUBSCRIPTION_ID_META_KEY]) == (1, 1)


async def test_streams_per_user_are_limited(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscriptions, "MAX_STREAMS", 1)
    async with on_loopback(world) as address, listening(address) as one:
        await anext(one)
        async with listening(address) as another:
            assert (await anext(another))["error"]["data"] == {"code": "busy"}
