"""“Undo that”, from the user's words to the rows of a device with a journal."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agents.adapters.base import ModelAdapter
from agents.offline import OfflineAdapter
from device.tables import TableName
from tests.chat import scopes
from tests.chat.memories import ScriptedMemory, with_memory
from tests.chat.over_http import server
from tests.chat.rows import RowDevice, row_device
from tests.chat.scopes import ask
from tests.chat.sockets import NOW, Frame, Server
from tests.model_server.fixtures import model_server
from tests.model_server.scripts import Status, calls, says, wants
from tests.model_server.server import ModelServer

__all__ = ["model_server", "server"]


@dataclass
class Talk:
    """A device, and the home page's conversation on it."""

    device: RowDevice
    history: list[Frame] = field(default_factory=list)

    async def say(self, message: str, *, session: str | None = "s1") -> str:
        asked: Frame = {"type": "home_request", "message": message, "conversation_history": list(self.history)}
        answered = await self.device.ask({**asked, **({} if session is None else {"session_id": session})})
        self.history += [{"role": "user", "content": message}, {"role": "assistant", "content": answered.text}]
        return answered.text

    def titles(self) -> list[object]:
        return [row["title"] for row in self.device.store.select(TableName.TASKS, {})]


async def talk_on(server: Server, file: Path, *capabilities: str) -> AsyncIterator[Talk]:
    async with row_device(server, file, capabilities=("ledger", *capabilities)) as device:
        yield Talk(device)


@pytest.fixture
async def talk(server: Server, tmp_path: Path) -> AsyncIterator[Talk]:
    with_memory(server, ScriptedMemory())
    server.reopen()
    async for talk in talk_on(server, tmp_path / "rows.sqlite3", "undo"):
        yield talk


async def offline(tmp_path: Path, *capabilities: str) -> AsyncIterator[Talk]:
    adapter: ModelAdapter = OfflineAdapter()
    async for talk in talk_on(Server(model=adapter), tmp_path / "rows.sqlite3", *capabilities):
        yield talk


CREATED = (calls(wants("create_task", "1", title="Buy milk")), says("Done."))
POPUP: Frame = {"type": "popup_request", "scope": {"type": "tasks"}}
UNDOES = (calls(wants("undo_changes", "2")), says("It is undone."))


async def test_the_last_change_of_the_conversation_is_undone(talk: Talk, model_server: ModelServer) -> None:
    talk.device.add("tasks", title="Mine")
    model_server.reply(*CREATED, says("You are welcome."), *UNDOES)
    await talk.say("Create a task Buy milk")
    assert talk.titles() == ["Mine", "Buy milk"]
    await talk.say("Thanks")
    await talk.say("Undo that")

    assert talk.titles() == ["Mine"]
    sent = next(frame for frame in talk.device.calls if frame["action"] == "undo")
    created = next(frame for frame in talk.device.calls if frame["action"] == "insert")
    assert sent["data"] == {"what": {"request": created["request_id"]}, "partial": False}
    assert created["by"] == "task_agent"
    end: Any = talk.device.answered(str(sent["request_id"])).end
    assert [mutation["action"] for mutation in end["mutations"]] == ["delete"]


async def test_another_conversation_has_nothing_to_undo(talk: Talk, model_server: ModelServer) -> None:
    model_server.reply(*CREATED, *UNDOES)
    await talk.say("Create a task Buy milk")
    await talk.say("Undo that", session="s2")

    assert talk.titles() == ["Buy milk"]
    told = [message for message in model_server.requests[-1].messages if message["role"] == "tool"]
    assert told[-1]["content"] == "There is nothing to undo. Nothing was changed in this conversation."


async def test_beside_a_page_the_last_change_of_the_device_is_undone(talk: Talk, model_server: ModelServer) -> None:
    for request in (POPUP, ask("", scopes.TASKS, session="side")):
        model_server.reply(*CREATED, *UNDOES)
        await talk.say("Create a task Buy milk")
        await talk.device.ask({**request, "message": "Undo that task"})

        assert talk.titles() == []


async def test_what_a_popup_changed_is_undone_in_the_next(talk: Talk, model_server: ModelServer) -> None:
    model_server.reply(*CREATED, *UNDOES, *UNDOES)
    await talk.device.ask({**POPUP, "message": "Create a task Buy milk"})
    await talk.device.ask({**POPUP, "message": "Undo that task"})
    assert talk.titles() == []
    await talk.device.ask({**POPUP, "message": "No, do the task again"})
    assert talk.titles() == ["Buy milk"]


async def test_what_a_broken_answer_changed_can_be_undone(talk: Talk, model_server: ModelServer) -> None:
    model_server.reply(calls(wants("create_task", "1", title="Buy milk")), [Status(400)], *UNDOES)
    await talk.say("Create a task Buy milk")
    assert talk.titles() == ["Buy milk"]
    await talk.say("Undo that")
    assert talk.titles() == []


@pytest.mark.parametrize(
    ("create", "undo", "said", "nothing"),
    [
        (
            "Create a task called “Buy milk”",
            "undo that",
            "I have undone what was changed:\n- “Buy milk”",
            "There is nothing to undo.",
        ),
        (
            "Crea un'attività «Compra il latte»",
            "annulla",
            "Ho annullato le modifiche:\n- «Compra il latte»",
            "Non c’è nulla da annullare.",
        ),
    ],
)
async def test_the_offline_assistant_undoes(tmp_path: Path, create: str, undo: str, said: str, nothing: str) -> None:
    async for talk in offline(tmp_path, "undo"):
        assert await talk.say(undo) == nothing
        await talk.say(create)
        assert len(talk.titles()) == 1
        assert await talk.say(undo) == said
        assert talk.titles() == []


async def test_the_offline_assistant_leaves_what_was_changed_since(tmp_path: Path) -> None:
    async for talk in offline(tmp_path, "undo"):
        talk.device.store.clock = lambda: round(NOW.timestamp() * 1000)
        await talk.say("Create a task called “Buy milk”")
        [task] = talk.device.store.select(TableName.TASKS, {})
        talk.device.store.update(TableName.TASKS, str(task["id"]), {"title": "Buy bread"})
        assert (
            await talk.say("undo everything you did today")
            == "I have undone nothing, because what was changed has been changed again since."
        )
        assert talk.titles() == ["Buy bread"]


async def test_a_device_without_a_journal_is_told_of(tmp_path: Path) -> None:
    async for talk in offline(tmp_path):
        await talk.say("Create a task called “Buy milk”")
        said = await talk.say("undo")
        assert said == "That did not work. The user's device refused: this device cannot undo changes."
        sent: list[Any] = [frame for frame in talk.device.calls if frame["action"] in ("undo", "insert")]
        assert [("by" in frame, frame["action"]) for frame in sent] == [(False, "insert")]
