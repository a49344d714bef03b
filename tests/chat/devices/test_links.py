import asyncio
import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from pydantic import JsonValue

from agents.calls import (
    MAX_ROWS,
    CallAction,
    ClientAnswer,
    ClientCall,
    Table,
    UndoConflict,
    UndoEffect,
    UndoneRow,
)
from agents.errors import ClientAbsent, ClientRefused, ClientSilent
from chat.devices.links import Attachment, DeviceKey, DeviceLink, OnAnswer, PendingCall
from chat.errors import SocketClosed
from chat.protocol.frames.client import Answer, ToolResult
from chat.protocol.frames.vocabulary import Capability
from tests.chat.accounts import ALICE
from tests.chat.sockets import CALL_TIMEOUT_S, WAIT_S

REQUEST_ID = "0e6b8a3c-1f2d-4c5b-9a7e-3d2c1b0a9f8e"


@dataclass
class Socket:
    """A client's socket as the link sees it."""

    closed: bool = False
    frames: "asyncio.Queue[dict[str, JsonValue]]" = field(default_factory=asyncio.Queue)

    async def put(self, frame: str) -> None:
        if self.closed:
            raise SocketClosed
        self.frames.put_nowait(json.loads(frame))

    async def next(self) -> dict[str, JsonValue]:
        async with asyncio.timeout(WAIT_S):
            return await self.frames.get()


def on(socket: Socket, *capabilities: Capability) -> Attachment:
    return Attachment(sink=socket, capabilities=frozenset(capabilities))


def call(action: CallAction = CallAction.SELECT, **fields: object) -> ClientCall:
    return ClientCall(id=str(uuid.uuid4()), action=action, table=Table.TASKS, **fields)  # type: ignore[arg-type]


class Late(list[ClientAnswer]):
    """Records late answers."""


@dataclass
class Caller:
    """A link, and a way to start calls on it."""

    link: DeviceLink
    late: Late = field(default_factory=Late)

    def start(self, wanted: ClientCall) -> "asyncio.Task[ClientAnswer]":
        return asyncio.create_task(self.link.for_turn(REQUEST_ID).execute(wanted, on_late=self.late.append))


@pytest.fixture
def caller() -> Caller:
    return Caller(DeviceLink(device=(ALICE, "laptop"), timeout_s=CALL_TIMEOUT_S))


def impatient() -> Caller:
    return Caller(DeviceLink(device=(ALICE, "laptop"), timeout_s=0.02))


async def test_a_call_goes_out_and_its_answer_comes_back(caller: Caller) -> None:
    socket = Socket()
    caller.link.attach(on(socket))
    wanted = call(filters={"status": "todo"}, limit=500)
    running = caller.start(wanted)

    assert await socket.next() == {
        "type": "tool_call",
        "id": wanted.id,
        "request_id": REQUEST_ID,
        "action": "select",
        "table": "tasks",
        "filters": {"status": "todo"},
        "limit": 500,
    }
    caller.link.answer(ToolResult(id=wanted.id, rows=[{"id": "1"}]))
    assert await running == ClientAnswer(rows=({"id": "1"},))


@pytest.mark.parametrize(("action", "kind"), [(CallAction.SELECT, "data_request"), (CallAction.DELETE, "mutation")])
async def test_a_client_with_data_frames_gets_its_own_types(caller: Caller, action: CallAction, kind: str) -> None:
    socket = Socket()
    caller.link.attach(on(socket, Capability.DATA_FRAMES))
    running = caller.start(call(action, data={"id": "1"}))

    assert (await socket.next())["type"] == kind
    running.cancel()


def test_a_snapshot_is_for_clients_that_make_one(caller: Caller) -> None:
    turn = caller.link.for_turn(REQUEST_ID)

    assert [turn.supports(action) for action in (CallAction.SELECT, CallAction.PAGE_DETAILS)] == [True, False]
    caller.link.attach(on(Socket(), Capability.LEDGER))
    assert not turn.supports(CallAction.PAGE_DETAILS)
    caller.link.attach(on(Socket(), Capability.PAGE_DETAILS))
    assert turn.supports(CallAction.PAGE_DETAILS)


async def test_a_client_that_undoes_is_told_who_writes(caller: Caller) -> None:
    socket, undoing = Socket(), Socket()
    caller.link.attach(on(socket))
    assert not caller.link.supports(CallAction.UNDO)
    first = caller.start(call(CallAction.DELETE, data={"id": "1"}, by="task_agent"))
    assert "by" not in await socket.next()
    caller.link.attach(on(undoing, Capability.UNDO))
    assert caller.link.supports(CallAction.UNDO)
    others = [caller.start(call(action, data={"id": "2"}, by="mcp")) for action in (CallAction.DELETE, CallAction.GET)]
    assert [(await undoing.next()).get("by") for _ in others] == ["mcp", None]
    for running in (first, *others):
        running.cancel()


async def test_a_client_that_cannot_undo_is_not_asked_to(caller: Caller) -> None:
    socket = Socket()
    caller.link.attach(on(socket, Capability.LEDGER))
    with pytest.raises(ClientRefused, match="cannot undo"):
        await caller.start(call(CallAction.UNDO, data={"what": {"call": "c"}}))
    assert socket.frames.empty()


@pytest.mark.parametrize(
    ("capabilities", "asked", "said", "unsent"),
    [
        ((Capability.COUNTS,), True, {"count": 1200}, 1198),
        ((Capability.COUNTS,), True, {"count": 2}, 0),
        ((Capability.COUNTS,), True, {"count": 0}, 0),
        ((), None, {}, None),
    ],
)
async def test_what_is_beyond_the_limit_is_counted_by_clients_that_can(
    caller: Caller,
    capabilities: tuple[Capability, ...],
    asked: bool | None,
    said: dict[str, int],
    unsent: int | None,
) -> None:
    socket = Socket()
    caller.link.attach(on(socket, *capabilities))
    wanted = call(limit=2, count=True)
    running = caller.start(wanted)

    assert (await socket.next()).get("count") is asked
    rows = [{"id": "1"}, {"id": "2"}]
    caller.link.answer(ToolResult.model_validate({"id": wanted.id, "rows": rows, **said}))
    assert await running == ClientAnswer(rows=tuple(rows), unsent=unsent or 0, uncounted=unsent is None)


async def test_a_client_that_sends_less_than_the_limit_has_sent_everything(caller: Caller) -> None:
    caller.link.attach(on(Socket()))
    wanted = call(limit=2, count=True)
    running = caller.start(wanted)
    await asyncio.sleep(0)
    caller.link.answer(ToolResult(id=wanted.id, rows=[{"id": "1"}]))
    assert await running == ClientAnswer(rows=({"id": "1"},))


SHAPES = [
    (CallAction.SELECT, {"rows": []}, ClientAnswer()),
    (CallAction.GET, {"row": None}, ClientAnswer()),
    (CallAction.GET, {"row": {"id": "1"}}, ClientAnswer(row={"id": "1"})),
    (CallAction.INSERT, {"row": {"id": "1"}}, ClientAnswer(row={"id": "1"})),
    (CallAction.UPDATE, {"row": None}, ClientAnswer()),
    (CallAction.DELETE, {"deleted": True}, ClientAnswer(deleted=True)),
    (CallAction.DELETE, {"deleted": False}, ClientAnswer()),
    (CallAction.VECTOR_UPSERT, {"ok": True}, ClientAnswer()),
    (CallAction.VECTOR_SEARCH, {"results": [{"id": "1"}]}, ClientAnswer(results=({"id": "1"},))),
    (CallAction.PAGE_DETAILS, {"row": {"tasks": []}}, ClientAnswer(row={"tasks": []})),
    (
        CallAction.UNDO,
        {
            "undo": {
                "undone": [{"table": "tasks", "id": "1", "effect": "removed", "before": {"id": "1"}, "after": None}],
                "conflicts": [{"table": "notes", "id": "2", "now": None, "would_be": {"id": "2"}}],
            }
        },
        ClientAnswer(
            undone=(UndoneRow(table=Table.TASKS, id="1", effect=UndoEffect.REMOVED, before={"id": "1"}, after=None),),
            conflicts=(UndoConflict(table=Table.NOTES, id="2", now=None, would_be={"id": "2"}),),
        ),
    ),
    (CallAction.SELECT, {"rows": [{"id": str(n)} for n in range(MAX_ROWS + 2)]}, None),
]


@pytest.mark.parametrize(("action", "fields", "expected"), SHAPES)
async def test_each_action_has_its_own_answer(
    caller: Caller, action: CallAction, fields: dict[str, object], expected: ClientAnswer | None
) -> None:
    caller.link.attach(on(Socket(), Capability.UNDO))
    wanted = call(action)
    running = caller.start(wanted)
    await asyncio.sleep(0)
    caller.link.answer(ToolResult.model_validate_json(json.dumps({"id": wanted.id, **fields})))

    answer = await running
    assert answer == expected or (len(answer.rows), answer.omitted) == (MAX_ROWS, 2)


async def test_as_many_rows_are_kept_as_were_asked_for(caller: Caller) -> None:
    caller.link.attach(on(Socket()))
    wanted = call(limit=MAX_ROWS + 1)
    running = caller.start(wanted)
    await asyncio.sleep(0)
    caller.link.answer(ToolResult(id=wanted.id, rows=[{}] * (MAX_ROWS + 2)))

    answer = await running
    assert (len(answer.rows), answer.omitted) == (MAX_ROWS + 1, 1)


@pytest.mark.parametrize(
    ("action", "fields"),
    [
        (CallAction.SELECT, {"row": {"id": "1"}}),
        (CallAction.GET, {"rows": []}),
        (CallAction.INSERT, {"row": None}),
        (CallAction.INSERT, {"row": {"title": "no id"}}),
        (CallAction.DELETE, {"ok": True}),
        (CallAction.VECTOR_UPSERT, {"ok": False}),
        (CallAction.SELECT, {"error": "disk full"}),
        (CallAction.UNDO, {"ok": True}),
        (
            CallAction.UNDO,
            {"undo": {"undone": [], "conflicts": [{"table": "users", "id": "1", "now": None, "would_be": None}]}},
        ),
    ],
)
async def test_another_kind_of_answer_is_refused(caller: Caller, action: CallAction, fields: dict[str, object]) -> None:
    caller.link.attach(on(Socket(), Capability.UNDO))
    wanted = call(action)
    running = caller.start(wanted)
    await asyncio.sleep(0)
    caller.link.answer(ToolResult.model_validate_json(json.dumps({"id": wanted.id, **fields})))

    with pytest.raises(ClientRefused):
        await running


async def test_an_answer_that_cannot_be_read_ends_the_call(caller: Caller) -> None:
    caller.link.attach(on(Socket()))
    wanted = call()
    running = caller.start(wanted)
    await asyncio.sleep(0)
    caller.link.refuse(wanted.id)

    with pytest.raises(ClientRefused, match="cannot be read"):
        await running


async def test_foreign_and_repeated_answers_are_ignored(caller: Caller) -> None:
    caller.link.attach(on(Socket()))
    wanted = call()
    running = caller.start(wanted)
    await asyncio.sleep(0)
    caller.link.answer(Answer(id="never-asked", rows=[{"id": "evil"}]))
    caller.link.answer(Answer(id=wanted.id, rows=[]))
    caller.link.answer(Answer(id=wanted.id, rows=[{"id": "again"}]))

    assert (await running).rows in ((), ({"id": "again"},))
    caller.link.answer(Answer(id=wanted.id, rows=[{"id": "late"}]))
    assert caller.late == []


async def test_a_silent_device_and_an_absent_one_are_distinguished() -> None:
    caller = impatient()
    with pytest.raises(ClientAbsent):
        await caller.start(call())
    caller.link.attach(on(Socket()))
    with pytest.raises(ClientSilent):
        await caller.start(call())


async def test_a_late_answer_is_reported_while_the_turn_runs() -> None:
    caller = impatient()
    caller.link.attach(on(Socket()))
    first, second = call(CallAction.INSERT), call(CallAction.INSERT)
    for wanted in (first, second):
        with pytest.raises(ClientSilent):
            await caller.start(wanted)

    caller.link.answer(Answer(id=first.id, row={"id": "new"}))
    caller.link.answer(Answer(id=first.id, row={"id": "twice"}))
    caller.link.forget(REQUEST_ID)
    caller.link.answer(Answer(id=second.id, row={"id": "too late"}))

    assert caller.late == [ClientAnswer(row={"id": "new"})]


async def test_a_late_error_is_nothing_to_tell() -> None:
    caller = impatient()
    caller.link.attach(on(Socket()))
    wanted = call()
    with pytest.raises(ClientSilent):
        await caller.start(wanted)
    caller.link.answer(Answer(id=wanted.id, error="oh"))

    assert caller.late == []


@dataclass
class BrokenForwarder:
    """Fails unexpectedly, with or without having sent the call."""

    sends: bool

    async def forward(self, device: DeviceKey, pending: PendingCall, on_answer: OnAnswer) -> None:
        pending.sent = self.sends
        raise RuntimeError("the store failed")

    def forget(self, request_id: str) -> None: ...


async def test_what_a_change_did_is_unknown_if_anything_fails_after_it_was_sent(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caller = Caller(DeviceLink(device=(ALICE, "laptop"), forwarder=BrokenForwarder(sends=True)))
    wanted = call(CallAction.INSERT)
    with pytest.raises(ClientSilent):
        await caller.start(wanted)
    assert "the outcome is unknown" in caplog.text
    caller.link.answer(Answer(id=wanted.id, row={"id": "new"}))
    assert caller.late == [ClientAnswer(row={"id": "new"})]


@pytest.mark.parametrize(("action", "sends"), [(CallAction.INSERT, False), (CallAction.SELECT, True)])
async def test_a_failure_that_cannot_have_changed_anything_is_a_failure(action: CallAction, sends: bool) -> None:
    caller = Caller(DeviceLink(device=(ALICE, "laptop"), forwarder=BrokenForwarder(sends=sends)))
    with pytest.raises(ExceptionGroup):
        await caller.start(call(action))


Returns = Callable[[ClientCall], Answer]
BACK: list[tuple[CallAction, tuple[Capability, ...], bool]] = [
    (CallAction.SELECT, (), True),
    (CallAction.INSERT, (), False),
    (CallAction.INSERT, (Capability.LEDGER,), True),
    (CallAction.VECTOR_UPSERT, (), False),
]


@pytest.mark.parametrize(("action", "capabilities", "again"), BACK)
async def test_a_device_that_comes_back_is_asked_again_with_the_same_id(
    caller: Caller, action: CallAction, capabilities: tuple[Capability, ...], again: bool
) -> None:
    first, second = Socket(), Socket()
    before = on(first, *capabilities)
    caller.link.attach(before)
    wanted = call(action)
    running = caller.start(wanted)
    sent = await first.next()
    caller.link.detach(before)
    caller.link.attach(on(second, *capabilities))

    if again:
        assert await second.next() == sent
    else:
        for _ in range(5):
            await asyncio.sleep(0)
        assert second.frames.empty()
    running.cancel()


async def test_a_call_waits_for_a_device_that_is_away(caller: Caller) -> None:
    wanted = call(CallAction.INSERT)
    running = caller.start(wanted)
    await asyncio.sleep(0)
    gone, socket = Socket(closed=True), Socket()
    caller.link.attach(on(gone))
    await asyncio.sleep(0)
    caller.link.attach(on(socket))

    assert (await socket.next())["id"] == wanted.id
    caller.link.answer(Answer(id=wanted.id, row={"id": "1"}))
    assert (await running).row == {"id": "1"}


async def test_a_cancelled_call_is_forgotten(caller: Caller) -> None:
    before = on(Socket())
    caller.link.attach(before)
    running = caller.start(call())
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    caller.link.detach(on(Socket()))
    assert not caller.link.idle
    caller.link.detach(before)
    assert caller.link.idle
