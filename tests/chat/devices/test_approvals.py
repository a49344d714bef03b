"""A tool that must ask: over the socket and over REST, approved, refused, ignored and overtaken."""

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta

import httpx
import pytest
from channels.db import database_sync_to_async
from django.utils import timezone as clock

from agents.adapters.base import ToolMessage
from agents.permissions.approvals.policies import policies_of, replace_policies
from agents.permissions.approvals.refusals import Refusal
from agents.permissions.approvals.repository import Answered
from agents.permissions.approvals.service import ApprovalService
from agents.permissions.models import Approval, ApprovalState, Decision
from agents.tools.spec import Risk
from chat.services import Timings
from tests.agents.scripts import Reply, call, calls, says
from tests.chat.accounts import ALICE
from tests.chat.http import CHAT, Tokens, rest, sign_in
from tests.chat.sockets import ALICES_TOKEN, WAIT_S, Frame, Server, Socket
from tests.problems import own

pytestmark = pytest.mark.django_db(transaction=True)
APPROVALS, POLICIES = "/api/v1/approvals", "/api/v1/policies"
TASK: Frame = {"id": "t1", "title": "Water the roses", "status": "todo", "description": None}
DELETE = call("delete_task", '{"task_id": "t1"}')
CREATE = call("create_task", '{"title": "Buy milk"}')


@pytest.fixture
async def tokens() -> Tokens:
    return await sign_in()


def asking(*replies: Reply, **options: object) -> Server:
    """A server with approvals in the database."""
    approvals = ApprovalService(**options)  # type: ignore[arg-type]
    return Server([*replies], approvals=approvals, timings=Timings(drain_s=0.05))


@dataclass
class Device:
    """A device with one table of tasks, which answers the server's calls."""

    socket: Socket
    rows: dict[str, Frame] = field(default_factory=lambda: {"t1": dict(TASK)})
    calls: list[str] = field(default_factory=list)

    async def ask(self, message: str = "Delete my task") -> str:
        request_id = str(uuid.uuid4())
        await self.socket.send({"type": "home_request", "message": message, "request_id": request_id})
        return request_id

    async def until(self, kind: str) -> list[Frame]:
        """The frames up to and including the first of type ``kind``; calls are answered on the way."""
        frames: list[Frame] = []
        while not frames or frames[-1]["type"] != kind:
            frames.append(await self.socket.receive())
            if frames[-1]["type"] == "tool_call":
                await self._answer(frames[-1])
        return frames

    async def asked(self) -> Frame:
        return (await self.until("approval_request"))[-1]

    async def reply(self, asked: Frame, *, approved: bool, **fields: object) -> None:
        frame = {"type": "approval_response", "id": asked["id"], "approved": approved, **fields}
        await self.socket.send(frame)  # type: ignore[arg-type]

    async def _answer(self, wanted: Frame) -> None:
        self.calls.append(str(wanted["action"]))
        data = wanted.get("data")
        row_id = str(data.get("id")) if isinstance(data, dict) else ""
        match wanted["action"]:
            case "get":
                answer: Frame = {"row": self.rows.get(row_id)}
            case "update":
                assert isinstance(data, dict)
                assert isinstance(data["updates"], dict)
                self.rows[row_id].update(data["updates"])
                answer = {"row": self.rows[row_id]}
            case "delete":
                answer = {"deleted": self.rows.pop(row_id, None) is not None}
            case "insert":
                assert isinstance(data, dict)
                answer = {"row": self.rows.setdefault("new", {**data, "id": "new"})}
            case _:
                answer = {"rows": list(self.rows.values())}
        await self.socket.send({"type": "tool_result", "id": wanted["id"], **answer})


@asynccontextmanager
async def connected(server: Server, device_id: str = "laptop", *, token: str = ALICES_TOKEN) -> AsyncIterator[Device]:
    async with server.device(device_id, token=token, capabilities=("ledger", "approvals")) as socket:
        yield Device(socket)


def told(server: Server, request: int = -1) -> list[str]:
    """The tools' results in a request to the model."""
    return [message.text for message in server.adapter.requests[request].messages if isinstance(message, ToolMessage)]


async def rows() -> Sequence[Approval]:
    found: list[Approval] = await database_sync_to_async(lambda: list(Approval.objects.order_by("created_at")))()
    return found


async def decide(*, risks: dict[Risk, Decision] | None = None, **tools: Decision) -> None:
    await database_sync_to_async(replace_policies)(ALICE, risks=risks or {}, tools=tools)


async def test_what_was_approved_is_done_after_it_was_shown(tokens: Tokens) -> None:
    server = asking(calls(DELETE), says("Gone."))
    async with connected(server) as device:
        before = clock.now()
        request_id = await device.ask()
        frames = await device.until("approval_request")
        asked = frames[-1]
        assert device.rows == {"t1": TASK}
        await device.reply(asked, approved=True)
        ended = await device.until("stream_end")

    assert asked == {
        "type": "approval_request",
        "id": asked["id"],
        "request_id": request_id,
        "tool": "delete_task",
        "arguments": {"task_id": "t1"},
        "summary": "Delete the task “Water the roses” for good.",
        "risk": "destructive",
        "preview": {"before": TASK, "after": None},
        "expires_at": asked["expires_at"],
    }
    left_s = int(str(asked["expires_at"])) / 1000 - before.timestamp()
    assert 300 <= left_s < 310
    states = [frame["state"] for frame in [*frames, *ended] if frame["type"] == "stream_status"]
    assert states == ["thinking", "calling_tool", "waiting_approval", "calling_tool", "thinking"]
    assert ended[-1]["mutations"] == [{"action": "delete", "table": "tasks", "id": "t1"}]
    assert (device.calls, device.rows) == (["get", "get", "get", "delete"], {})
    assert told(server) == ['Deleted the task "Water the roses" [id t1].']
    [row] = await rows()
    assert (row.state, row.taken_at is not None, str(row.id)) == ("approved", True, asked["id"])


async def test_what_was_refused_is_not_done_and_the_model_is_told_why(tokens: Tokens) -> None:
    server = asking(calls(DELETE), says("As you like."))
    async with connected(server) as device:
        await device.ask()
        await device.reply(await device.asked(), approved=False, reason='I still need "it"')
        [*_, end] = await device.until("stream_end")

    assert (end["finish_reason"], end["mutations"], device.rows) == ("done", [], {"t1": TASK})
    [said] = told(server)
    assert said == (
        'The user refused this, so nothing was changed. The user\'s words: "I still need \\"it\\"". Do not try it '
        "again unless the user asks for it."
    )


async def test_what_is_not_answered_in_time_is_not_done(tokens: Tokens) -> None:
    server = asking(calls(DELETE), says("Well."), lifetime_s=0.05)
    async with connected(server) as device:
        await device.ask()
        asked = await device.asked()
        await device.until("stream_end")
        await device.reply(asked, approved=True)
        late = await device.socket.receive()

    assert told(server) == [
        "The user did not answer in time, so nothing was changed. Tell the user, who may ask for it again."
    ]
    assert (late["code"], late["message"]) == ("unknown_request", "This question is no longer open: it is expired.")
    assert device.rows == {"t1": TASK}


async def test_a_client_that_cannot_ask_is_refused_at_once(tokens: Tokens) -> None:
    server = asking(calls(DELETE), says("Do it in the app."))
    async with server.device(capabilities=["ledger"]) as socket:
        device = Device(socket)
        await device.ask()
        frames = await device.until("stream_end")

    [said] = told(server)
    assert said.startswith(Refusal.CANNOT_ASK)
    assert (device.calls, await rows()) == ([], [])
    assert "approval_request" not in {frame["type"] for frame in frames}


@pytest.mark.parametrize("wanted", [DELETE, CREATE, call("list_tasks")])
async def test_what_the_user_has_denied_is_not_done_and_not_asked(tokens: Tokens, wanted: object) -> None:
    await decide(risks=dict.fromkeys(Risk, Decision.DENY))
    server = asking(calls(wanted), says("It is not allowed."))  # type: ignore[arg-type]
    async with connected(server) as device:
        await device.ask()
        await device.until("stream_end")

    assert told(server) == [f"{Refusal.DENIED} Tell the user, who may change it in the settings."]
    assert device.calls == []


@pytest.mark.parametrize(
    ("wanted", "risk", "summary"),
    [
        (CREATE, "write", "Add the task “Buy milk”."),
        (call("list_tasks"), "read", "Run “list tasks”."),
    ],
)
async def test_every_call_set_to_ask_asks(tokens: Tokens, wanted: object, risk: str, summary: str) -> None:
    await decide(risks=dict.fromkeys(Risk, Decision.ASK))
    server = asking(calls(wanted), says("Done."))  # type: ignore[arg-type]
    async with connected(server) as device:
        await device.ask()
        asked = await device.asked()
        await device.reply(asked, approved=True)
        await device.until("stream_end")

    assert (asked["risk"], asked["summary"]) == (risk, summary)
    assert len(device.calls) == 1


async def test_an_insert_shows_what_would_be_there(tokens: Tokens) -> None:
    await decide(create_task=Decision.ASK)
    server = asking(calls(CREATE), says("Done."))
    async with connected(server) as device:
        await device.ask("Create a task")
        asked = await device.asked()
        await device.reply(asked, approved=True)
        await device.until("stream_end")

    new = {"title": "Buy milk", "status": "todo", "priority": "medium", "isAiSuggested": 0, "isApproved": 1}
    assert asked["preview"] == {"before": None, "after": new}
    assert device.rows["new"] == {**new, "id": "new"}


async def test_arguments_and_row_are_checked_before_an_approval_is_requested(tokens: Tokens) -> None:
    wrong = [call("delete_task", '{"id": "t1"}', id="a"), call("delete_task", '{"task_id": "t9"}', id="b")]
    server = asking(calls(*wrong), says("I could not."))
    async with connected(server) as device:
        await device.ask()
        frames = await device.until("stream_end")

    assert told(server)[0].startswith("The arguments of delete_task are not right:")
    assert told(server)[1] == 'There is no task with the id or title "t9". Look the right one up first.'
    assert "approval_request" not in {frame["type"] for frame in frames}


async def test_a_row_that_has_changed_is_asked_about_again(tokens: Tokens) -> None:
    server = asking(calls(DELETE), says("Gone."))
    async with connected(server) as device:
        await device.ask()
        first = await device.asked()
        device.rows["t1"]["title"] = "Water the roses and the tulips"
        await device.reply(first, approved=True)
        second = await device.asked()
        assert device.rows["t1"]["title"] == "Water the roses and the tulips"
        await device.reply(second, approved=True)
        await device.until("stream_end")

    assert first["id"] != second["id"]
    assert second["summary"] == "Delete the task “Water the roses and the tulips” for good."
    assert device.rows == {}
    assert [row.state for row in await rows()] == ["cancelled", "approved"]


async def test_a_row_that_is_gone_by_the_answer_is_reported(tokens: Tokens) -> None:
    server = asking(calls(DELETE), says("It was gone."))
    async with connected(server) as device:
        await device.ask()
        asked = await device.asked()
        device.rows.clear()
        await device.reply(asked, approved=True)
        await device.until("stream_end")

    assert told(server) == ["There is no task with the id t1. Look the right id up first."]
    assert [row.state for row in await rows()] == ["cancelled"]


async def test_a_row_that_never_rests_is_given_up(tokens: Tokens) -> None:
    server = asking(calls(DELETE), says("Later."))
    async with connected(server) as device:
        await device.ask()
        for attempt in range(3):
            asked = await device.asked()
            device.rows["t1"]["title"] = f"Attempt {attempt}"
            await device.reply(asked, approved=True)
        await device.until("stream_end")

    assert told(server)[0].startswith("The row changed each time after the user had approved, so nothing was changed.")
    assert [*device.rows] == ["t1"]


async def test_changed_arguments_ask_again(tokens: Tokens) -> None:
    other = call("delete_task", '{"task_id": "t2"}', id="call-2")
    server = asking(calls(DELETE), calls(other), says("Both."))
    async with connected(server) as device:
        device.rows["t2"] = {"id": "t2", "title": "Feed the cat"}
        await device.ask()
        summaries = []
        for _ in range(2):
            asked = await device.asked()
            summaries.append(asked["summary"])
            await device.reply(asked, approved=True)
        await device.until("stream_end")

    assert summaries == ["Delete the task “Water the roses” for good.", "Delete the task “Feed the cat” for good."]


async def test_a_model_that_insists_does_not_have_the_user_asked_twice(tokens: Tokens) -> None:
    server = asking(calls(DELETE), calls(call("delete_task", '{ "task_id": "t1" }', id="again")), says("Fine."))
    async with connected(server) as device:
        await device.ask()
        await device.reply(await device.asked(), approved=False, reason="no")
        frames = await device.until("stream_end")

    assert "approval_request" not in {frame["type"] for frame in frames}
    first, second = told(server)
    # Beside it stands that this is the same call.
    assert second.startswith(first)
    assert len(await rows()) == 1


async def test_an_answer_is_remembered_for_a_tool_that_writes(tokens: Tokens) -> None:
    await decide(risks={Risk.WRITE: Decision.ASK})
    other = call("create_task", '{"title": "Buy tea"}')
    server = asking(calls(CREATE), calls(other), says("Two."))
    async with connected(server) as device:
        await device.ask("Create tasks")
        await device.reply(await device.asked(), approved=True, remember=True)
        frames = await device.until("stream_end")

    assert "approval_request" not in {frame["type"] for frame in frames}
    assert device.calls == ["insert", "insert"]
    policies = await database_sync_to_async(policies_of)(ALICE)
    assert policies.tools == {"create_task": Decision.AUTO}


async def test_an_answer_is_never_remembered_for_a_tool_that_destroys(tokens: Tokens) -> None:
    server = asking(calls(DELETE), calls(call("delete_task", '{"task_id": "t2"}')), says("Two."))
    async with connected(server) as device:
        device.rows["t2"] = {"id": "t2", "title": "Feed the cat"}
        await device.ask()
        await device.reply(await device.asked(), approved=True, remember=True)
        await device.reply(await device.asked(), approved=False)
        await device.until("stream_end")

    assert [*device.rows] == ["t2"]


async def test_other_turns_and_reads_of_the_turn_go_on_meanwhile(tokens: Tokens) -> None:
    server = asking(calls(DELETE, call("list_tasks", id="list")), says("Hello."), says("Gone."))
    async with connected(server) as device:
        waiting = await device.ask()
        asked = await device.asked()
        while device.calls != ["get", "get", "select"]:
            await device.until("tool_call")
        other = await device.ask("my tasks?")
        [*_, end] = await device.until("stream_end")
        assert end["request_id"] == other
        await device.reply(asked, approved=True)
        [*_, end] = await device.until("stream_end")

    assert end["request_id"] == waiting
    deleted, listed = told(server)
    assert deleted == 'Deleted the task "Water the roses" [id t1].'
    note = "[This was read while the change before it waited for the user: it does not show that change.]"
    assert note in listed.splitlines()


async def test_a_cancelled_turn_cancels_its_question(tokens: Tokens) -> None:
    server = asking(calls(DELETE), says("never"))
    async with connected(server) as device:
        request_id = await device.ask()
        asked = await device.asked()
        await device.socket.send({"type": "cancel_request", "request_id": request_id})
        [*_, end] = await device.until("stream_end")
        await device.reply(asked, approved=True)
        refused = await device.socket.receive()

    assert (end["finish_reason"], device.rows) == ("cancelled", {"t1": TASK})
    assert refused["message"] == "This question is no longer open: it is cancelled."
    assert [row.state for row in await rows()] == ["cancelled"]


async def test_a_device_that_is_back_is_asked_again_under_the_same_id(tokens: Tokens) -> None:
    server = asking(calls(DELETE), says("Gone."))
    async with (
        connected(server) as device,
        connected(server, "phone") as phone,
        connected(server, "b", token="bob") as bob,
    ):
        request_id = await device.ask()
        asked = await device.asked()
        await device.socket.close()
        async with connected(server) as back:
            assert await back.asked() == asked
            assert [turn["request_id"] for turn in running(back)] == [request_id]
            await back.socket.send({"type": "resume_request", "request_id": request_id, "after_seq": -1})
            await back.reply(asked, approved=True)
            await back.until("stream_end")
            assert back.rows == {}
        assert await phone.socket.silent()
        assert await bob.socket.silent()


def running(device: Device) -> list[Frame]:
    found = device.socket.welcome["running"]
    assert isinstance(found, list)
    return found  # type: ignore[return-value]


async def test_a_client_that_comes_back_unable_to_ask_is_not_asked(tokens: Tokens) -> None:
    server = asking(calls(DELETE), says("Gone."))
    async with connected(server) as device:
        await device.ask()
        await device.asked()
        await device.socket.close()
        async with server.device(capabilities=["ledger"]) as old:
            assert await old.silent()


async def test_another_users_question_reads_like_one_that_never_was(tokens: Tokens) -> None:
    server = asking(calls(DELETE), says("Gone."))
    async with (
        connected(server) as device,
        connected(server, "b", token="bob") as bob,
        rest(server, tokens.bob) as client,
    ):
        await device.ask()
        asked = await device.asked()
        for approval_id in (asked["id"], str(uuid.uuid4()), "nonsense"):
            await bob.reply({"id": approval_id}, approved=True)
            refused = await bob.socket.receive()
            assert (refused["code"], refused["message"]) == ("unknown_request", "There is no such approval.")
        for approval_id in (asked["id"], str(uuid.uuid4())):
            answer = await client.post(f"{APPROVALS}/{approval_id}", json={"approved": True})
            assert (answer.status_code, own(answer)) == (404, {"code": "not_found", "message": "Not found."})
        assert (await client.get(APPROVALS)).json() == {"next": None, "count": 0, "results": []}
        assert device.rows == {"t1": TASK}


async def test_rest_answers_what_a_socket_was_asked(tokens: Tokens) -> None:
    server = asking(calls(DELETE), says("Gone."))
    async with connected(server) as device, rest(server, tokens.alice) as client:
        await device.ask()
        asked = await device.asked()
        answer = await client.post(f"{APPROVALS}/{asked['id']}", json={"approved": True, "remember": True})
        await device.until("stream_end")
        again = await client.post(f"{APPROVALS}/{asked['id']}", json={"approved": False})

    assert answer.json() == {
        "id": asked["id"],
        "state": "approved",
        "turn": "waiting",
        "remembered": False,
        "message": "Approved: the assistant goes on.",
    }
    assert device.rows == {}
    assert (again.status_code, again.json()["code"]) == (409, "settled")


async def test_an_answer_given_in_another_process_is_heard(tokens: Tokens) -> None:
    server, elsewhere = asking(calls(DELETE), says("Gone."), poll_s=0.01), asking()
    async with connected(server) as device, rest(elsewhere, tokens.alice) as client:
        await device.ask()
        asked = await device.asked()
        answer = await client.post(f"{APPROVALS}/{asked['id']}", json={"approved": False, "reason": "from afar"})
        await device.until("stream_end")

    assert (answer.json()["turn"], answer.json()["message"]) == ("waiting", "Refused: nothing is changed.")
    assert "from afar" in told(server)[0]


@pytest.mark.parametrize("attempt", range(3))
async def test_of_answers_by_socket_and_by_rest_at_once_one_counts(tokens: Tokens, attempt: int) -> None:
    server = asking(calls(DELETE), says("Well."))
    async with connected(server) as device, rest(server, tokens.alice) as client:
        await device.ask()
        asked = await device.asked()
        start = asyncio.Barrier(3)

        async def post(approved: bool) -> httpx.Response:
            await start.wait()
            return await client.post(f"{APPROVALS}/{asked['id']}", json={"approved": approved})

        async def reply() -> None:
            await start.wait()
            await device.reply(asked, approved=True)

        first, second, _ = await asyncio.gather(post(True), post(False), reply())
        await device.until("stream_end")

    [row] = await rows()
    by_rest = [answer for answer in (first, second) if answer.status_code == 200]
    assert {first.status_code, second.status_code} <= {200, 409}
    assert len(by_rest) <= 1
    assert [answer.json()["state"] for answer in by_rest] in ([row.state], [])
    assert (device.rows == {}) is (row.state == ApprovalState.APPROVED)


async def test_rest_chat_does_not_wait_and_its_question_can_be_answered_later(tokens: Tokens) -> None:
    server = asking(calls(DELETE), says("It waits for you."))
    async with connected(server) as device, rest(server, tokens.alice) as client:
        chatting = asyncio.create_task(client.post(CHAT, json={"message": "Delete my task"}))
        while device.calls != ["get", "get"]:
            await device.until("tool_call")
        assert (await chatting).json()["response"] == "It waits for you."
        [row] = await rows()
        listed = (await client.get(APPROVALS)).json()
        answer = await client.post(f"{APPROVALS}/{row.id}", json={"approved": True})
        after = (await client.get(APPROVALS)).json()["results"][0]

    assert told(server)[0].startswith(f"{Refusal.PENDING} It waits as approval {row.id}:")
    assert [(shown["state"], shown["preview"]) for shown in listed["results"]] == [
        ("pending", {"before": TASK, "after": None})
    ]
    assert answer.json() == {
        "id": str(row.id),
        "state": "approved",
        "turn": "gone",
        "remembered": False,
        "message": ("Approved, but the request that asked has ended, and nothing was done. Ask the assistant again."),
    }
    assert (after["state"], after["ran"], device.rows) == ("approved", False, {"t1": TASK})


async def test_a_question_survives_a_server_that_stops(tokens: Tokens) -> None:
    server = asking(calls(DELETE), says("never"))
    async with connected(server) as device:
        await device.ask()
        asked = await device.asked()
        await server.services.aclose()
    long_ago = clock.now() - timedelta(minutes=1)
    await database_sync_to_async(Approval.objects.update)(waited_at=long_ago)

    restarted = asking()
    async with connected(restarted) as back, rest(restarted, tokens.alice) as client:
        [shown] = (await client.get(APPROVALS)).json()["results"]
        # No turn would run it, so the user is not asked.
        assert await back.socket.silent()
        await back.reply(asked, approved=True)
        lost = await back.socket.receive()

    assert (shown["id"], shown["state"]) == (asked["id"], "pending")
    assert (lost["code"], lost["request_id"], lost["retryable"]) == ("turn_lost", asked["request_id"], True)
    assert [(row.state, row.taken_at) for row in await rows()] == [("approved", None)]


@pytest.mark.parametrize("alone", [False, True])
async def test_a_late_approval_is_reported_to_its_runner_and_requested_again(tokens: Tokens, *, alone: bool) -> None:
    server = asking(calls(DELETE), says("never"))
    async with connected(server) as device:
        await device.ask()
        asked = await device.asked()
        await server.services.aclose()
    if not alone:  # a single process need not wait to know that the earlier process's turn is gone
        await database_sync_to_async(Approval.objects.update)(waited_at=None)

    orphans: list[Answered] = []
    arrived = asyncio.Event()

    async def run(answered: Answered) -> bool:
        orphans.append(answered)
        arrived.set()
        return True

    restarted = asking(alone=alone)
    restarted.approvals.on_orphaned_answer = run
    async with connected(restarted) as back, asyncio.timeout(WAIT_S):
        assert (await back.asked())["id"] == asked["id"]
        await back.reply(asked, approved=True)
        await arrived.wait()

    assert [(str(answered.id), answered.user_id) for answered in orphans] == [(asked["id"], ALICE)]


async def test_what_was_approved_for_a_turn_that_died_does_not_run_once_the_request_is_cancelled(
    tokens: Tokens,
) -> None:
    server = asking(calls(DELETE), says("never"))
    async with connected(server) as device:
        await device.ask()
        asked = await device.asked()
        await server.services.aclose()
    [row] = await rows()
    last_seen = row.waited_at
    assert last_seen is not None

    orphans: list[Answered] = []

    async def run(answered: Answered) -> bool:
        orphans.append(answered)
        return True

    # In time for the turn to count as alive, but not again.
    other = asking(clock=lambda: last_seen + timedelta(seconds=5))
    other.approvals.on_orphaned_answer = run
    async with connected(other) as back:
        assert (await back.asked())["id"] == asked["id"]
        await back.reply(asked, approved=True)
        await back.socket.send({"type": "cancel_request", "request_id": asked["request_id"]})
        # There is no such turn or job; the approval is cancelled all the same.
        assert (await back.until("error"))[-1]["code"] == "unknown_request"

    later = asking(clock=lambda: last_seen + timedelta(seconds=30))
    later.approvals.on_orphaned_answer = run
    await later.approvals.adopt_orphans()
    assert orphans == []
    assert [(row.state, row.taken_at) for row in await rows()] == [("cancelled", None)]


async def test_the_older_chat_asks_too(tokens: Tokens) -> None:
    server = asking(calls(DELETE), says("Gone."))
    async with connected(server) as device:
        await device.socket.send({"type": "chat_request", "message": "delete my task"})
        await device.reply(await device.asked(), approved=True)
        await device.until("final")

    assert device.rows == {}


async def test_questions_are_in_the_language_of_the_device(tokens: Tokens) -> None:
    server = asking(calls(DELETE), says("Fatto."))
    socket = server.socket()
    await socket.connect()
    hello: Frame = {"type": "device_hello", "device_id": "d", "language": "it", "capabilities": ["approvals"]}
    await socket.send(hello)
    await socket.receive()
    device = Device(socket)
    await device.ask("Elimina l'attività")
    asked = await device.asked()
    await device.reply(asked, approved=False)
    await device.until("stream_end")
    await socket.close()

    assert asked["summary"] == "Eliminare definitivamente l'attività «Water the roses»."


async def test_neither_database_nor_log_contains_a_question(tokens: Tokens, caplog: pytest.LogCaptureFixture) -> None:
    server = asking(calls(DELETE), says("Gone."))
    async with connected(server) as device:
        await device.ask()
        await device.reply(await device.asked(), approved=False, reason="my private reason")
        await device.until("stream_end")

    stored = await database_sync_to_async(lambda: json.dumps(list(Approval.objects.values()), default=str))()
    for word in ("roses", "private", "task_id"):
        assert word not in stored
        assert word not in caplog.text


async def test_a_change_beyond_the_viewed_project_is_asked_about_with_the_reason(tokens: Tokens) -> None:
    server = asking(calls(call("update_task", '{"task_id": "t1", "status": "done"}')), says("Done."))
    async with connected(server) as device:
        device.rows["t1"]["projectId"] = "p2"
        page: Frame = {
            "page": "project",
            "entityType": "project",
            "entityId": "p1",
            "entityName": "Website",
            "counts": {"tasks": 0, "notes": 0, "milestones": 0},
        }
        await device.socket.send(
            {"type": "contextual_request", "session_id": "s", "message": "Finish it", "scope": page}
        )
        asked = await device.asked()
        assert device.rows["t1"]["status"] == "todo"
        await device.reply(asked, approved=True)
        [ended] = [frame for frame in await device.until("stream_end") if frame["type"] == "stream_end"]

    assert (asked["tool"], asked["risk"]) == ("update_task", "write")
    assert str(asked["summary"]).endswith(
        "The task “Water the roses” belongs to another project than the one in front of you, “Website”."
    )
    assert ended["mutations"] == [{"action": "update", "table": "tasks", "id": "t1"}]
