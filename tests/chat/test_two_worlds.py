"""The same requests beside a device with never-shared rows and one without them: models are sent the same bytes."""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from agents.adapters.openai import openai_client
from agents.calls import Table
from agents.permissions.sharing import Marks
from memory.embedders.openai import EmbeddingModel, OpenAIEmbedder
from tests.agents.disclosing import KeptDisclosures, KeptMarks
from tests.agents.permissions.sharing.worlds import RowIds
from tests.chat import scopes
from tests.chat.marked_rows import DAY_MS, NOW_MS
from tests.chat.over_http import server
from tests.chat.rows import RowDevice, row_device
from tests.chat.scopes import ask, filtered, go
from tests.chat.sockets import Frame, Server
from tests.model_server.fixtures import model_server
from tests.model_server.scripts import calls, says, wants
from tests.model_server.server import ModelServer

__all__ = ["model_server", "server"]
MARKED = Marks(projects=frozenset({"secret"}))
WORLDS = ("with", "without")


@pytest.fixture
async def devices(
    server: Server, model_server: ModelServer, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[list[RowDevice]]:
    """Two devices of one user; only the first has rows of the marked project."""
    client = openai_client(api_key="sk-test", base_url=model_server.base_url, stall_s=10.0)
    server.run_with(
        disclosures=KeptDisclosures(),
        marks=KeptMarks(MARKED),
        embedder=OpenAIEmbedder(client, EmbeddingModel(model="vectors-1")),
    )
    server.reopen()
    async with client, AsyncExitStack() as stack:
        made = []
        for world in WORLDS:
            device = await stack.enter_async_context(
                row_device(
                    server, tmp_path / f"{world}.sqlite3", device_id=world, capabilities=("ledger", "page_details")
                )
            )
            fill(device, hidden=world == "with")
            made.append(device)
        yield made


def fill(device: RowDevice, *, hidden: bool) -> None:
    ids, device.store.clock = RowIds(), lambda: NOW_MS - DAY_MS
    device.store.new_id = ids
    for project in ("secret", "open") if hidden else ("open",):

        def add(table: Table, name: str, project: str = project, **columns: Any) -> None:
            ids.next = f"{name}-{project}"
            owner = {} if table is Table.TASK_COMMENTS else {"projectId": project}
            device.add(table, **owner, **columns)

        ids.next = project
        device.add(Table.PROJECTS, name=f"The {project} one")
        for number in range(3):
            add(Table.TASKS, f"t{number}", title=f"Task {number} of {project}", dueDate=NOW_MS + (number - 1) * DAY_MS)
        add(Table.NOTES, "n", title=f"Note of {project}", content="Wood")
        add(Table.CHECKPOINTS, "m", title=f"Beta of {project}", date=NOW_MS + DAY_MS)
        add(Table.TASK_COMMENTS, "c", taskId=f"t0-{project}", author="Anna", content=f"Said of {project}")


READS = calls(
    wants("list_tasks", "1", search="of secret"),
    wants("list_projects", "2"),
    wants("search_notes", "3", query="Wood"),
    wants("get_project", "4", project_id="secret"),
    wants("list_task_comments", "5", task_id="t0-secret"),
    wants("update_task", "6", task_id="t0-secret", project_id=None),
    wants("delete_note", "7", note_id="n-secret"),
)
PAGES = calls(
    wants("get_page_details", "1", entity_type="tasks_all"),
    wants("get_page_details", "2", entity_type="timeline_all"),
    wants("get_page_details", "3", entity_type="projects_all"),
    wants("get_page_details", "4", entity_type="project", entity_id="secret"),
    wants("get_page_details", "5", entity_type="task", entity_id="t0-secret"),
    wants("create_task", "6", title="New"),
)
FRAMES: list[tuple[Frame, Any]] = [
    ({"type": "home_request", "message": "My tasks", "session_id": "s"}, READS),
    ({"type": "popup_request", "message": "My tasks", "scope": {"type": "project", "id": "secret"}}, READS),
    ({"type": "brief_request"}, None),
    ({"type": "task_brief_request", "task_id": "t1-open"}, None),
    ({"type": "task_brief_request", "task_id": "t1-secret"}, None),
    *((ask("Is this new?", page), PAGES) for page in (scopes.TASKS, scopes.TIMELINE, scopes.PROJECTS, scopes.NOTES)),
    (ask("Is this new?", scopes.project("secret", "The secret one")), PAGES),
    (ask("Is this new?", scopes.note("n-secret", "Note of secret", project_id="secret")), PAGES),
    (ask("Is this new?", filtered(scopes.TASKS, projectId="secret")), PAGES),
    (ask("Is this new?", scopes.project("open", "The open one")), PAGES),
]


def named(number: int) -> str:
    frame, _ = FRAMES[number]
    return f"{number}-{frame['type']}"


async def test_models_are_sent_the_same_in_the_next_request_of_a_conversation(
    devices: list[RowDevice], model_server: ModelServer
) -> None:
    first: Frame = {"type": "home_request", "message": "My tasks", "session_id": "s"}
    said: Any = [{"role": "user", "content": "My tasks"}, {"role": "assistant", "content": "Done."}]
    then = {**first, "message": "Finish the second task", "conversation_history": said}
    changes = calls(
        wants("update_task", "1", task_id="t2", status="done"),
        wants("update_task", "2", task_id="Task 1 of secret", status="done"),
        wants("create_task", "3", title="New", project_id="The secret one"),
    )
    model_server.otherwise(says("Done."))
    sent = []
    for device in devices:
        before = len(model_server.requests)
        for frame, script in ((first, READS), (then, changes)):
            model_server.reply(script)
            await device.ask(frame)
        sent.append([json.dumps(request.body, sort_keys=True) for request in model_server.requests[before:]])

    with_hidden, without = sent
    assert with_hidden == without
    assert "Task 2 of open" in with_hidden[-1]
    assert not any("0 of secret" in each for each in with_hidden)


@pytest.mark.parametrize("number", range(len(FRAMES)), ids=named)
async def test_models_are_sent_the_same(devices: list[RowDevice], model_server: ModelServer, number: int) -> None:
    frame, script = FRAMES[number]
    model_server.otherwise(says("Done."))
    sent = []
    for world, device in zip(WORLDS, devices, strict=True):
        before, embedded = len(model_server.requests), len(model_server.embedding_requests)
        if frame["type"] == "contextual_request":
            frame = {**frame, "session_id": world}
            await device.send(go(scopes.project("secret", "The secret one"), session=world))
        model_server.reply(*([] if script is None else [script]))
        await device.ask(frame)
        sent.append(
            [json.dumps(request.body, sort_keys=True) for request in model_server.requests[before:]]
            + [json.dumps(request.texts) for request in model_server.embedding_requests[embedded:]]
        )

    with_hidden, without = sent
    assert with_hidden == without
    assert not any(told in each for each in with_hidden for told in ("0 of secret", "Note of secret", "Said of secret"))
