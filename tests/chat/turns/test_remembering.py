"""Facts about rows of the device: told while the row is there, recorded with it, and forgotten with it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

import pytest

from agents.permissions.approvals.policies import Policies
from agents.permissions.models import Decision
from agents.permissions.sharing import Marks
from memory.exchange import Exchange, TouchedRow
from memory.recalled import ItemKind, Recalled, RecalledItem
from tests.agents.approving import NoApprovals
from tests.agents.disclosing import KeptMarks
from tests.agents.scripts import Reply, call, calls, says
from tests.chat.accounts import ALICE
from tests.chat.memories import ScriptedMemory, with_memory
from tests.chat.sockets import WAIT_S, Frame, Server, Socket
from tests.chat.turns.test_memory import data_in

APOLLO = Recalled(
    items=[
        RecalledItem(
            id=UUID(int=1), kind=ItemKind.FACT, text="The budget is 5,000", entity_type="project", entity_id="p1"
        ),
        RecalledItem(id=UUID(int=2), kind=ItemKind.FACT, text="The user likes tea"),
    ]
)
HOME: Frame = {"type": "home_request", "message": "Which tasks are due for Apollo?"}


@dataclass
class RowMemory(ScriptedMemory):
    """Records the rows that it gets to know of."""

    touched: list[Sequence[TouchedRow]] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    as_of: list[int | None] = field(default_factory=list)

    async def store(self, user_id: UUID, exchange: Exchange, *, as_of: int | None = None) -> None:
        self.touched.append(exchange.touched)
        self.as_of.append(as_of)

    def begin_forgetting_rows(self, user_id: UUID, entity_ids: Sequence[str]) -> None:
        self.gone += entity_ids


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device on a busy machine has its time to answer."""
    monkeypatch.setattr("chat.turns.remembering.CHECK_S", WAIT_S)


def server_with(memory: ScriptedMemory, *replies: Reply) -> Server:
    return with_memory(Server(list(replies)), memory)


def facts_in(server: Server) -> object:
    [told] = data_in(server.adapter.requests[0].messages)
    assert isinstance(told, dict)
    return told["facts"]


async def answered(device: Socket, answer: Frame) -> None:
    """Answer the call that comes next, and read on to the end."""
    *_, asked = await device.until("tool_call")
    assert (asked["action"], asked["table"], asked["data"]) == ("get", "projects", {"id": "p1"})
    await device.send({"type": "tool_result", "id": asked["id"], **answer})
    await device.until("stream_end")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"row": {"id": "p1", "name": "Apollo"}}, ["The budget is 5,000", "The user likes tea"]),
        ({"row": None}, ["The user likes tea"]),
        ({"error": "The database is locked."}, ["The budget is 5,000", "The user likes tea"]),
    ],
)
async def test_a_fact_about_a_row_that_is_gone_is_left_out(answer: Frame, told: list[str]) -> None:
    server = server_with(ScriptedMemory({ALICE: APOLLO}), says("None."))
    async with server.device() as device, asyncio.timeout(WAIT_S):
        await device.send(HOME)
        await answered(device, answer)
    assert facts_in(server) == told


@pytest.mark.parametrize(("marks", "told"), [(Marks(), 2), (Marks(projects=frozenset({"p9"})), 1)])
async def test_a_device_that_is_slow_has_the_row_unless_it_may_not_be_shared(
    marks: Marks, told: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chat.turns.remembering.CHECK_S", 0.0)
    server = server_with(ScriptedMemory({ALICE: APOLLO}), says("None."))
    server.run_with(marks=KeptMarks(marks))
    async with server.restarted().device() as device, asyncio.timeout(WAIT_S):
        await device.send(HOME)
        await device.until("stream_end")
    assert len(facts_in(server)) == told  # type: ignore[arg-type] # a list


async def test_an_exchange_is_recorded_as_of_what_was_recalled_for_it() -> None:
    memory = RowMemory({ALICE: Recalled(as_of=7)})
    async with server_with(memory, says("None.")).device() as device, asyncio.timeout(WAIT_S):
        await device.send(HOME)
        await device.until("stream_end")
    assert memory.as_of == [7]


async def test_an_exchange_is_recorded_with_the_rows_that_it_names_and_deletions_are_forgotten() -> None:
    memory = RowMemory()
    server = server_with(
        memory, calls(call("list_projects", "{}")), calls(call("delete_project", '{"project_id":"p2"}')), says("Done.")
    )
    server.run_with(approvals=NoApprovals(policies=allowing))
    async with server.restarted().device() as device, asyncio.timeout(WAIT_S):
        await device.send({**HOME, "message": "The budget of Apollo is 5,000. Delete Zeus."})
        while (frame := await device.receive())["type"] != "stream_end":
            if frame["type"] == "tool_call":
                await device.send({"type": "tool_result", "id": frame["id"], **_projects(frame)})

    assert memory.gone == ["p2"]
    [touched] = memory.touched
    assert TouchedRow(entity_type="project", entity_id="p1", title="Apollo") in touched
    assert "Hera" not in [row.title for row in touched]


async def allowing(_: UUID) -> Policies:
    return Policies(tools={"delete_project": Decision.AUTO})


def _projects(asked: Frame) -> Frame:
    rows: list[Frame] = [
        {"id": f"p{number}", "name": name} for number, name in enumerate(("Apollo", "Zeus", "Hera"), 1)
    ]
    match asked["action"]:
        case "select":
            return {"rows": rows if asked["table"] == "projects" else []}  # type: ignore[dict-item] # JSON
        case "get":
            return {"row": rows[1]}
        case _:
            return {"deleted": True}
