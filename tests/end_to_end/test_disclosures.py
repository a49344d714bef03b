"""The disclosures that the real server shows its user, compared with the requests that the model received."""

import asyncio
import uuid
from pathlib import Path
from typing import Any

import httpx
import pytest

from device.tables import TableName
from tests.end_to_end.conftest import Account, Running
from tests.end_to_end.mcp_clients import bearer, mcp_client, personal_token, text_of
from tests.end_to_end.test_device import all_of, device, drawn
from tests.model_server.scripts import calls, says, wants

pytestmark = pytest.mark.end_to_end


def listed(running: Running, account: Account, **query: str) -> list[dict[str, Any]]:
    headers = {"Authorization": f"Bearer {account.access}"}
    answer = httpx.get(f"{running.url}/api/v1/disclosures", headers=headers, params=query, timeout=30)
    assert answer.status_code == 200, answer.text
    results: list[dict[str, Any]] = answer.json()["results"]
    return results


def never_share(running: Running, account: Account, project: str) -> None:
    answer = httpx.put(
        f"{running.url}/api/v1/sharing",
        headers={"Authorization": f"Bearer {account.access}"},
        json={"tables": [], "projects": [project]},
        timeout=30,
    )
    assert answer.status_code == 200, answer.text


async def test_a_user_sees_which_rows_went_to_the_model(
    running: Running, alice: Account, bob: Account, tmp_path: Path
) -> None:
    message, titles = drawn("My tasks and notes"), [drawn("task") for _ in range(3)]
    running.model.when(
        lambda request: request.is_chat and request.asked == message,
        calls(wants("list_tasks", search=titles[0])),
        calls(wants("list_tasks")),
        says("Done."),
    )
    async with device(running, alice, tmp_path / "device.sqlite3") as (client, store):
        ids = [str(store.insert(TableName.TASKS, {"title": title})["id"]) for title in titles]
        await all_of(client, message)

    first, rest = sorted(listed(running, alice), key=lambda entry: entry["row_count"])
    assert (first["rows"], sorted(rest["rows"])) == ([ids[0]], sorted(ids[1:]))
    assert {(entry["table"], entry["source"], entry["left_server"]) for entry in (first, rest)} == {
        ("tasks", "home", True)
    }
    asked = [request for request in running.model.requests if request.is_chat and request.asked == message]
    assert [[title in str(request.messages) for title in titles] for request in asked] == [
        [False, False, False],
        [True, False, False],
        [True, True, True],
    ]
    assert asked[-1].body["model"] == first["model"] == rest["model"]
    assert listed(running, bob) == []
    assert listed(running, alice, request_id=str(uuid.uuid4())) == []


async def test_what_a_user_never_shares_is_not_sent(running: Running, alice: Account, tmp_path: Path) -> None:
    message, secret, shared = drawn("My tasks and notes"), drawn("secret"), drawn("shared")
    running.model.when(
        lambda request: request.is_chat and request.asked == message, calls(wants("list_tasks")), says("Done.")
    )
    async with device(running, alice, tmp_path / "device.sqlite3") as (client, store):
        project = store.insert(TableName.PROJECTS, {"name": "Attic"})["id"]
        store.insert(TableName.TASKS, {"title": secret, "projectId": project})
        store.insert(TableName.TASKS, {"title": shared})
        never_share(running, alice, str(project))
        await all_of(client, message)

    sent = str([request.messages for request in running.model.requests if request.is_chat])
    assert (secret in sent, shared in sent) == (False, True)
    assert [entry["row_count"] for entry in listed(running, alice)] == [1]


async def test_a_user_sees_which_rows_went_to_a_program(running: Running, alice: Account, tmp_path: Path) -> None:
    titles = [drawn("task") for _ in range(2)]
    async with (
        device(running, alice, tmp_path / "device.sqlite3") as (_, store),
        mcp_client(running.url, personal_token(running.url, alice).text) as client,
    ):
        project = str(store.insert(TableName.PROJECTS, {"name": drawn("project")})["id"])
        shown = str(store.insert(TableName.TASKS, {"title": titles[0], "projectId": None})["id"])
        store.insert(TableName.TASKS, {"title": titles[1], "projectId": project})
        never_share(running, alice, project)
        told = await client.call_tool("list_tasks", {})

    assert [title in text_of(told) for title in titles] == [True, False]
    assert text_of(told).startswith("Found 1 task:")
    [entry] = listed(running, alice)
    assert (entry["source"], entry["table"], entry["rows"], entry["left_server"]) == ("mcp", "tasks", [shown], True)
    # The name that the SDK's client gives itself.
    assert entry["model"] == "mcp: mcp"
    assert told.meta is not None
    assert entry["request_id"] == told.meta["adiuva/request_id"]


async def test_what_was_approved_later_is_in_the_ledger_as_the_jobs_it_was(
    running: Running, alice: Account, tmp_path: Path
) -> None:
    async with (
        device(running, alice, tmp_path / "device.sqlite3") as (_, store),
        httpx.AsyncClient(base_url=running.url, headers=bearer(alice.access), timeout=30) as rest,
        mcp_client(running.url, personal_token(running.url, alice).text) as client,
    ):
        task = str(store.insert(TableName.TASKS, {"title": drawn("task")})["id"])
        policies = (await rest.get("/api/v1/policies")).json()
        decided = {**policies, "tools": {**policies["tools"], "list_tasks": "ask"}}
        assert (await rest.put("/api/v1/policies", json=decided)).status_code == 200
        asked = await client.call_tool("list_tasks", {})
        assert listed(running, alice) == []
        [waiting] = (await rest.get("/api/v1/approvals")).json()["results"]
        answer = await rest.post(f"/api/v1/approvals/{waiting['id']}", json={"approved": True})
        assert answer.status_code == 200, answer.text
        async with asyncio.timeout(60):
            while not (entries := listed(running, alice)):
                # A round trip to the device that ends by itself.
                await client.call_tool("list_projects", {})

    assert asked.meta is not None
    assert {(entry["source"], entry["model"], entry["request_id"], *entry["rows"]) for entry in entries} == {
        ("job", "gpt-4.1", asked.meta["adiuva/request_id"], task)
    }
