"""The real server, the real device with its own SQLite file, and a scripted model between them."""

import json
import random
import sqlite3
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest

from chat.protocol.frames.codec import CLIENT_FRAMES, SERVER_FRAMES
from device.addresses import server_address
from device.client import DeviceClient, connected
from device.connection import Direction
from device.executor import Executor
from device.frames import StreamBlock, StreamEnd, StreamText, TurnFrame
from device.hello import Hello
from device.store import Store
from device.tables import TableName
from tests.end_to_end.conftest import Account, Running
from tests.model_server.scripts import Script, calls, says, wants

pytestmark = pytest.mark.end_to_end


def drawn(*words: str) -> str:
    """``words`` with a random one, so that they occur nowhere else."""
    return " ".join([*words, uuid.uuid4().hex[:10]])


def check(direction: Direction, text: str) -> None:
    """Every frame that passes is one of the served models."""
    (CLIENT_FRAMES if direction is Direction.TO_SERVER else SERVER_FRAMES).validate_json(text)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "device.sqlite3"


@asynccontextmanager
async def device(running: Running, account: Account, data: Path) -> AsyncIterator[tuple[DeviceClient, Store]]:
    store = Store(data)
    hello = Hello(device_id=str(uuid.uuid4()), timezone="Europe/Rome")
    try:
        async with connected(
            server_address(running.url), account.access, executor=Executor(store), hello=hello, tap=check
        ) as client:
            yield client, store
    finally:
        store.close()


async def all_of(client: DeviceClient, message: str) -> list[TurnFrame]:
    return [frame async for frame in client.home(message)]


def text_of(frames: list[TurnFrame]) -> str:
    return "".join(frame.chunk for frame in frames if isinstance(frame, StreamText))


def end_of(frames: list[TurnFrame]) -> StreamEnd:
    end = frames[-1]
    assert isinstance(end, StreamEnd)
    return end


def in_file(data: Path, sql: str) -> list[tuple[Any, ...]]:
    """Rows of the device's file, read on a second connection."""
    with closing(sqlite3.connect(data)) as file:
        return file.execute(sql).fetchall()


def requests_about(running: Running, word: str) -> list[Any]:
    return [request for request in running.model.requests if word in request.asked]


def blocks(*wanted: dict[str, object]) -> Script:
    """An answer of blocks, cut at places where no server would cut it."""
    text = "".join(json.dumps(block) for block in wanted)
    pieces, cuts = [], random.Random(text)
    while text:
        size = cuts.randint(1, 9)
        pieces.append(text[:size])
        text = text[size:]
    return says(*pieces)


async def test_drawn_rows_are_in_the_models_second_request_and_on_the_cards(
    running: Running, alice: Account, data: Path
) -> None:
    asked, titles = drawn("which tasks"), [drawn("Paint the fence"), drawn("Água & “quotes”")]
    running.model.when(
        lambda request: asked in request.asked,
        calls(wants("list_tasks", status="todo")),
        blocks({"type": "text", "content": "Two 🎨."}, {"type": "entity_ref", "entity": "task"}),
    )
    async with device(running, alice, data) as (client, store):
        for title in titles:
            store.insert(TableName.TASKS, {"title": title, "priority": "high"})
        store.insert(TableName.TASKS, {"title": drawn("Done already"), "status": "done"})
        frames = await all_of(client, asked)

    [_, second] = requests_about(running, asked)
    [told] = second.told
    assert [title in json.dumps(told) or json.dumps(title, ensure_ascii=False) in told for title in titles] == [
        True
    ] * 2
    assert "Done already" not in told
    [card] = [frame for frame in frames if isinstance(frame, StreamBlock)]
    items = card.data["items"]
    assert isinstance(items, list)
    assert sorted(str(item["title"]) for item in items if isinstance(item, dict)) == sorted(titles)
    assert text_of(frames) == "Two 🎨."
    assert end_of(frames).mutations == ()


async def test_a_created_row_is_in_the_devices_file(running: Running, alice: Account, data: Path) -> None:
    title = drawn("Buy milk")
    running.model.when(
        lambda request: title in request.asked,
        calls(wants("create_task", title=title, priority="high", due_date="2026-12-24T18:00", assignees=["Anna"])),
        says("Done."),
    )
    async with device(running, alice, data) as (client, _):
        end = end_of(await all_of(client, f"Create the task {title} for Anna, due 24 December 18:00, high"))

    [row] = in_file(data, "SELECT id, title, status, priority, assignee, dueDate FROM tasks")
    assert row[1:] == (title, "todo", "high", '["Anna"]', 1798131600000)
    assert [(change.action, change.table, change.id) for change in end.mutations] == [("insert", "tasks", row[0])]


async def test_two_tools_in_one_turn_read_together_and_change_one_by_one(
    running: Running, alice: Account, data: Path
) -> None:
    word = drawn("tidy up")
    old, new = drawn("Old"), drawn("New")

    def change(body: dict[str, Any]) -> Script:
        task_id = next(
            message["content"].partition("\n\n")[0].rpartition("[id ")[2].rstrip("]")
            for message in body["messages"]
            if message["role"] == "tool" and old in message["content"]
        )
        return calls(
            wants("update_task", "u", task_id=task_id, title=new, description=None),
            wants("create_note", "n", title=word, content=old),
        )

    running.model.when(
        lambda request: word in request.asked,
        calls(wants("list_tasks", "t"), wants("list_projects", "p")),
        change,
        says("Tidy."),
    )
    async with device(running, alice, data) as (client, store):
        store.insert(TableName.TASKS, {"title": old, "description": "gone soon"})
        store.insert(TableName.PROJECTS, {"name": word})
        end = end_of(await all_of(client, f"tasks and notes: {word}"))

    assert in_file(data, "SELECT title, description FROM tasks") == [(new, None)]
    assert in_file(data, "SELECT title, content FROM notes") == [(word, old)]
    assert [(change.action, change.table) for change in end.mutations] == [("update", "tasks"), ("insert", "notes")]


async def test_a_note_is_found_again_by_its_meaning(running: Running, alice: Account, data: Path) -> None:
    flower, ask = drawn("tulips and roses for the garden"), drawn("find notes")
    running.model.when(
        lambda request: flower in request.asked,
        calls(
            wants("create_note", "a", title="Garden", content=flower),
            wants("create_note", "b", title="Money", content="quarterly figures and taxes"),
        ),
        says("Noted."),
    )
    running.model.when(
        lambda request: ask in request.asked,
        calls(wants("search_notes", query="which tulips for my garden", limit=1)),
        says("Found."),
    )
    async with device(running, alice, data) as (client, _):
        await all_of(client, f"note: {flower}")
        await all_of(client, ask)

    assert in_file(data, "SELECT count(*) FROM _vectors") == [(2,)]
    [_, second] = requests_about(running, ask)
    [told] = second.told
    assert told.startswith("Found 1 note:")
    assert flower in told


async def test_a_popup_and_the_older_chat_answer_too(running: Running, alice: Account, data: Path) -> None:
    word = drawn("how many tasks")
    running.model.when(lambda request: word in request.asked, says("Just ", "one."))
    async with device(running, alice, data) as (client, _):
        popup = [frame async for frame in client.popup(word, scope_type="tasks")]
        chat = [frame async for frame in client.chat(word)]

    assert (popup[0].type, text_of(popup)) == ("popup_domain", "Just one.")
    assert getattr(chat[-1], "response", "") == "Just one."


async def test_a_model_that_errs_gets_the_error_and_corrects_itself(
    running: Running, alice: Account, data: Path
) -> None:
    title = drawn("Call Ada")
    broken = wants("create_task", "broken")
    broken["function"]["arguments"] = '{"title": "Call'
    running.model.when(
        lambda request: title in request.asked,
        calls(
            wants("summon_task", "unknown", name=title), broken, wants("create_task", "wrong", title=title, priority=7)
        ),
        calls(wants("create_task", "right", title=title)),
        says("There."),
    )
    async with device(running, alice, data) as (client, _):
        frames = await all_of(client, f"create task {title}")

    told = requests_about(running, title)[1].told
    assert told[0].startswith("There is no tool named 'summon_task'. The tools are: list_tasks,")
    assert told[1].startswith("The arguments of create_task are not right:\n- Invalid JSON")
    assert "- priority: Input should be 'high', 'medium' or 'low'" in told[2]
    assert in_file(data, "SELECT title FROM tasks") == [(title,)]
    assert end_of(frames).finish_reason == "done"
