"""A device on a real socket to a scripted server."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import JsonValue

from device.addresses import server_address
from device.client import DeviceClient, HistoryMessage, connected
from device.connection import Direction
from device.errors import ConnectionFailed, RequestRejected, ServerGone, Unauthorized
from device.executor import Executor
from device.frames import (
    ApprovalRequest,
    FinalAnswer,
    JobUpdate,
    Mutation,
    PopupDomain,
    Preview,
    StreamBlock,
    StreamEnd,
    StreamStart,
    StreamStatus,
    StreamText,
    TextChunk,
    TurnError,
    Usage,
)
from device.hello import CAPABILITIES, Capability, Hello
from device.jobs import JobWatcher
from device.store import Store
from device.tables import TableName
from device.verdicts import Approver, Verdict
from tests.device.scripted_server import END, REQUEST_ID, Peer, Script, ScriptedServer, scripted_server, text_part

_OTHER_ID = "22222222-2222-4222-8222-222222222222"


@asynccontextmanager
async def _client(
    executor: Executor, script: Script, **hello: Any
) -> AsyncIterator[tuple[DeviceClient, ScriptedServer]]:
    async with asyncio.timeout(30), scripted_server(script) as server:
        address = server_address(server.url)
        async with connected(address, "token", executor=executor, hello=Hello(device_id="d", **hello)) as client:
            yield client, server


async def test_hello_says_who_and_what_the_device_is(executor: Executor) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()

    async with _client(executor, script, platform="linux", app_version="1", timezone="Europe/Rome", language="it") as (
        _,
        server,
    ):
        pass
    assert server.tokens_seen == ["Bearer token"]
    assert server.received == [
        {
            "type": "device_hello",
            "device_id": "d",
            "platform": "linux",
            "app_version": "1",
            "protocol": 3,
            "timezone": "Europe/Rome",
            "language": "it",
            "capabilities": ["counts", "ledger", "page_details", "pong", "remembered", "undo"],
        }
    ]


async def test_hello_leaves_out_what_is_not_known(executor: Executor) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()

    capabilities = CAPABILITIES | {Capability.DATA_FRAMES}
    async with _client(executor, script, capabilities=capabilities) as (_, server):
        pass
    assert server.received == [
        {
            "type": "device_hello",
            "device_id": "d",
            "protocol": 3,
            "capabilities": ["counts", "data_frames", "ledger", "page_details", "pong", "remembered", "undo"],
        }
    ]


async def test_home_yields_every_frame_up_to_the_end(executor: Executor) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        request = await peer.receive("home_request")
        await peer.stream(
            request,
            ("stream_start", {"kind": "home", "session_id": "s"}),
            ("stream_status", {"state": "calling_tool", "tool": "list_tasks", "label": "Looking up tasks"}),
            ("stream_of_the_future", {"what": "is this"}),
            ("stream_text", {"chunk": "Two ", "field_of_the_future": 1}),
            ("stream_block", {"block_type": "table", "data": {"headers": [], "rows": []}}),
            (
                "stream_end",
                {
                    "finish_reason": "error",
                    "mutations": [{"action": "insert", "table": "tasks", "id": "t"}],
                    "usage": {"input_tokens": 1, "output_tokens": 2},
                    "error": {"code": "model_error", "message": "It broke.", "retryable": True},
                },
            ),
        )

    async with _client(executor, script) as (client, server):
        history = [HistoryMessage(role="user", content="Hello")]
        frames = [frame async for frame in client.home("What?", request_id=REQUEST_ID, session_id="s", history=history)]
    assert server.received[1:] == [
        {
            "type": "home_request",
            "message": "What?",
            "session_id": "s",
            "conversation_history": [{"role": "user", "content": "Hello"}],
            "request_id": REQUEST_ID,
        }
    ]
    assert frames == [
        StreamStart(request_id=REQUEST_ID, seq=0, kind="home", session_id="s"),
        StreamStatus(request_id=REQUEST_ID, seq=1, state="calling_tool", tool="list_tasks", label="Looking up tasks"),
        StreamText(request_id=REQUEST_ID, seq=3, chunk="Two "),
        StreamBlock(request_id=REQUEST_ID, seq=4, block_type="table", data={"headers": [], "rows": []}),
        StreamEnd(
            request_id=REQUEST_ID,
            seq=5,
            finish_reason="error",
            mutations=(Mutation(action="insert", table="tasks", id="t"),),
            usage=Usage(input_tokens=1, output_tokens=2),
            error=TurnError(code="model_error", message="It broke.", retryable=True),
        ),
    ]


async def test_popup_sends_its_scope(executor: Executor) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        request = await peer.receive("popup_request")
        await peer.stream(request, ("popup_domain", {"domain": "tasks"}), text_part("Two."), END)
        await peer.answer(await peer.receive("popup_request"), "Three.")

    async with _client(executor, script) as (client, server):
        frames = [
            frame
            async for frame in client.popup("How many?", scope_type="project", scope_id="p", request_id=REQUEST_ID)
        ]
        assert [frame async for frame in client.popup("And here?", scope_type="tasks")][-1].type == "stream_end"
    assert frames == [
        PopupDomain(request_id=REQUEST_ID, seq=0, domain="tasks"),
        StreamText(request_id=REQUEST_ID, seq=1, chunk="Two."),
        StreamEnd(request_id=REQUEST_ID, seq=2, finish_reason="done"),
    ]
    assert [frame.get("scope") for frame in server.received] == [
        None,
        {"type": "project", "id": "p"},
        {"type": "tasks"},
    ]


async def test_chat_yields_up_to_the_final_and_one_after_the_other(executor: Executor) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        for number in (1, 2):
            await peer.receive("chat_request")
            await peer.send("text_chunk", text=f"answer {number}")
            await peer.send("final", response=f"answer {number}", done=True)

    async def ask(client: DeviceClient, message: str) -> list[object]:
        return [frame async for frame in client.chat(message, context={"page": "x"})]

    async with _client(executor, script) as (client, server):
        answers = list(await asyncio.gather(ask(client, "first"), ask(client, "second")))
    assert answers == [
        [TextChunk(text="answer 1"), FinalAnswer(response="answer 1")],
        [TextChunk(text="answer 2"), FinalAnswer(response="answer 2")],
    ]
    assert server.received[1:] == [
        {"type": "chat_request", "message": "first", "context": {"page": "x"}},
        {"type": "chat_request", "message": "second", "context": {"page": "x"}},
    ]


async def test_chat_that_is_rejected_says_so(executor: Executor) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        await peer.receive("chat_request")
        await peer.send("error", code="busy", message="Too much at once.", request_id=_OTHER_ID, retryable=True)

    async with _client(executor, script) as (client, _):
        with pytest.raises(RequestRejected, match=r"^Too much at once\.$") as rejected:
            await anext(client.chat("Hello"))
    assert (rejected.value.code, rejected.value.retryable) == ("busy", True)


async def test_frames_of_the_older_chat_that_no_one_asked_for_are_ignored(executor: Executor) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        await peer.send("text_chunk", text="?")
        await peer.send("error", code="invalid", message="?", retryable=False)
        await peer.send("stream_text", request_id=_OTHER_ID, chunk="?", seq=0)
        await peer.send("device_welcome", limits={"max_frame_bytes": 1})
        await peer.answer(await peer.receive("home_request"), "Yes.")

    async with _client(executor, script) as (client, _):
        assert len([frame async for frame in client.home("Are you there?")]) == 2


async def test_calls_are_answered_from_the_tables_while_an_answer_streams(store: Store, executor: Executor) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        request = await peer.receive("home_request")
        await peer.send("stream_text", request_id=request["request_id"], chunk="Let me look. ", seq=0)
        answer = await peer.call("select", "tasks", filters={}, limit=500)
        titles = [row["title"] for row in answer["rows"]]
        await peer.send("stream_text", request_id=request["request_id"], chunk=", ".join(titles), seq=1)
        await peer.send("stream_end", request_id=request["request_id"], finish_reason="done", mutations=[], seq=2)

    store.insert(TableName.TASKS, {"title": "Buy milk"})
    store.insert(TableName.TASKS, {"title": "Comprare più pane"})
    async with _client(executor, script) as (client, _):
        chunks = [frame.chunk async for frame in client.home("What?") if isinstance(frame, StreamText)]
    assert chunks == ["Let me look. ", "Buy milk, Comprare più pane"]


async def test_calls_in_data_frames_get_a_data_response(store: Store, executor: Executor) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        data = {"title": "Buy milk"}
        await peer.send("mutation", id="w", request_id=REQUEST_ID, action="insert", table="tasks", data=data)
        written = await peer.receive("data_response")
        await peer.send("data_request", id="r", request_id=REQUEST_ID, action="select", table="tasks")
        read = await peer.receive("data_response")
        assert (written["id"], read["id"]) == ("w", "r")
        assert read["rows"] == [written["row"]]
        await done(peer)

    done, finished = _finishing()
    async with _client(executor, script) as _:
        await finished.wait()
    assert store.counts()[TableName.TASKS] == 1


def _finishing() -> tuple[Script, asyncio.Event]:
    finished = asyncio.Event()

    async def finish(_peer: Peer) -> None:
        finished.set()

    return finish, finished


class _HeldExecutor(Executor):
    """Holds every call with the id ``slow`` until it is released."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.let_go = threading.Event()

    def execute(self, frame: Mapping[str, JsonValue], *, max_bytes: int = 0) -> dict[str, JsonValue]:
        if frame["id"] == "slow":
            assert self.let_go.wait(timeout=20)
        return super().execute(frame, max_bytes=max_bytes)


async def test_slow_call_holds_up_neither_other_calls_nor_the_stream(store: Store) -> None:
    executor = _HeldExecutor(store)

    async def script(peer: Peer) -> None:
        await peer.greet()
        request = await peer.receive("home_request")
        await peer.send("tool_call", id="slow", request_id=REQUEST_ID, action="select", table="tasks")
        fast = await peer.call("select", "notes", call_id="fast")
        assert fast == {"type": "tool_result", "id": "fast", "rows": []}
        await peer.answer(request, "Done.")
        slow = await peer.receive("tool_result")
        assert slow == {"type": "tool_result", "id": "slow", "rows": []}
        await done(peer)

    done, finished = _finishing()

    async with _client(executor, script) as (client, _):
        frames = [frame async for frame in client.home("What?")]
        assert len(frames) == 2
        executor.let_go.set()
        await finished.wait()


async def test_answer_stays_below_what_the_server_takes(store: Store, executor: Executor) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet(limits={"max_frame_bytes": 5000, "max_concurrent_requests": 8})
        answer = await peer.call("select", "notes")
        assert answer == {
            "type": "tool_result",
            "id": "call",
            "error": "The answer would be larger than 3976 bytes: ask for less.",
        }
        await done(peer)

    done, finished = _finishing()
    store.insert(TableName.NOTES, {"title": "Long", "content": "x" * 4900})
    async with _client(executor, script) as _:
        await finished.wait()


async def test_call_without_an_id_is_left_alone(executor: Executor) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        await peer.send("tool_call", request_id=REQUEST_ID, action="select", table="tasks")
        assert (await peer.call("select", "tasks", call_id="next"))["id"] == "next"
        await done(peer)

    done, finished = _finishing()
    async with _client(executor, script) as _:
        await finished.wait()


async def test_ping_is_answered(executor: Executor) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        await peer.send("ping")
        assert await peer.receive("pong") == {"type": "pong"}
        await done(peer)

    done, finished = _finishing()
    async with _client(executor, script) as _:
        await finished.wait()


async def test_answers_stream_side_by_side(executor: Executor) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        first, second = await peer.receive("home_request"), await peer.receive("home_request")
        for seq in range(3):
            for request in (second, first):
                chunk = f"{request['message']}{seq}"
                await peer.send("stream_text", request_id=request["request_id"], chunk=chunk, seq=seq)
        for request in (second, first):
            await peer.send("stream_end", request_id=request["request_id"], finish_reason="done", mutations=[], seq=3)

    async def ask(client: DeviceClient, message: str) -> list[str]:
        return [frame.chunk async for frame in client.home(message) if isinstance(frame, StreamText)]

    async with _client(executor, script) as (client, _):
        answers = list(await asyncio.gather(ask(client, "a"), ask(client, "b")))
    assert answers == [["a0", "a1", "a2"], ["b0", "b1", "b2"]]


async def test_cancel_ends_the_answer_as_cancelled(executor: Executor) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        request = await peer.receive("home_request")
        await peer.send("stream_text", request_id=request["request_id"], chunk="Well, ", seq=0)
        assert await peer.receive("cancel_request") == {"type": "cancel_request", "request_id": REQUEST_ID}
        await peer.send("stream_end", request_id=REQUEST_ID, finish_reason="cancelled", mutations=[], seq=1)

    async with _client(executor, script) as (client, _):
        reasons = []
        async for frame in client.home("What?", request_id=REQUEST_ID):
            if isinstance(frame, StreamText):
                await client.cancel(REQUEST_ID)
            elif isinstance(frame, StreamEnd):
                reasons.append(frame.finish_reason)
    assert reasons == ["cancelled"]


async def test_request_that_is_rejected_says_so_and_the_socket_stays(executor: Executor) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        request = await peer.receive("home_request")
        await peer.send(
            "error", code="busy", message="Too much.", request_id=request["request_id"], retryable=True, details=[]
        )
        await peer.answer(await peer.receive("home_request"), "Yes.")

    async with _client(executor, script) as (client, _):
        with pytest.raises(RequestRejected, match=r"^Too much\.$") as rejected:
            await anext(client.home("What?"))
        assert (rejected.value.code, rejected.value.retryable) == ("busy", True)
        assert len([frame async for frame in client.home("And now?")]) == 2


async def test_same_request_id_cannot_stream_twice(executor: Executor) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        request = await peer.receive("home_request")
        await peer.send("stream_text", request_id=request["request_id"], chunk="Well, ", seq=0)
        await peer.wait_closed()

    async with _client(executor, script) as (client, _):
        first = client.home("What?", request_id=REQUEST_ID)
        await anext(first)
        with pytest.raises(RequestRejected) as rejected:
            await anext(client.home("What?", request_id=REQUEST_ID))
        assert rejected.value.code == "request_id_reused"
        await first.aclose()


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (1009, "A frame was larger than the server takes."),
        (1012, "The server is restarting: try again in a moment."),
        (4401, "The server closed the connection: sign in again."),
        (4409, "The same device connected from elsewhere: another program uses this data file."),
        (4999, "The connection to the server broke off."),
    ],
)
async def test_close_ends_every_answer_with_its_reason(executor: Executor, code: int, sentence: str) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        for kind in ("home_request", "home_request", "chat_request"):
            await peer.receive(kind)
        await peer.socket.close(code)

    async with _client(executor, script) as (client, _):
        streams = (client.home("a"), client.home("b"), client.chat("c"))
        results = await asyncio.gather(*(anext(stream) for stream in streams), return_exceptions=True)
        assert [(type(result), str(result), getattr(result, "code", 0)) for result in results] == [
            (ServerGone, sentence, code)
        ] * 3
        assert client.is_gone
        with pytest.raises(ServerGone, match=sentence):
            await anext(client.home("Still there?"))
        with pytest.raises(ServerGone, match=sentence):
            await client.cancel(REQUEST_ID)


async def test_connection_that_is_cut_ends_the_answer(executor: Executor) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        await peer.receive("home_request")
        peer.socket.transport.abort()

    async with _client(executor, script) as (client, _):
        with pytest.raises(ServerGone, match=r"^The connection to the server broke off\.$") as gone:
            await anext(client.home("What?"))
    assert gone.value.code is None


async def test_write_whose_answer_was_lost_is_in_the_table_and_known_afterwards(store: Store) -> None:
    executor = _HeldExecutor(store)
    call: dict[str, Any] = {"action": "insert", "table": "tasks", "data": {"title": "Buy milk"}}

    async def script(peer: Peer) -> None:
        await peer.greet()
        await peer.send("tool_call", id="slow", request_id=REQUEST_ID, **call)
        await peer.receive("home_request")
        await peer.socket.close(1012)

    async with _client(executor, script) as (client, _):
        with pytest.raises(ServerGone):
            await anext(client.home("What?"))
        executor.let_go.set()
    [task] = store.select(TableName.TASKS, {})
    assert executor.execute({"id": "slow", **call}, max_bytes=1000) == {"row": task}
    assert store.counts()[TableName.TASKS] == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("not json", "The server sent something that is not a frame."),
        ("[1]", "The server sent something that is not a frame."),
        ("{}", "The server sent a frame without a type."),
        (b'{"type":"ping"}', "The server sent a binary frame."),
        ('{"type":"stream_text","request_id":"r","seq":0}', "The server sent a stream_text that cannot be read."),
    ],
)
async def test_server_that_does_not_speak_the_protocol_is_left(
    executor: Executor, text: str | bytes, sentence: str
) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        await peer.receive("home_request")
        await peer.socket.send(text)
        await peer.wait_closed()

    async with _client(executor, script) as (client, _):
        with pytest.raises(ServerGone) as gone:
            await anext(client.home("What?"))
    assert str(gone.value) == sentence


@pytest.mark.parametrize(
    ("frames", "code", "kind", "sentence"),
    [
        ([("error", "unauthorized", "Sign in first.")], 4401, Unauthorized, "Sign in first."),
        ([("error", "token_expired", "Too late.")], 4401, Unauthorized, "Too late."),
        ([("error", "shutting_down", "Closed.")], 1012, ConnectionFailed, "Closed."),
        ([], 4401, Unauthorized, "The server closed the connection: sign in again."),
        ([], 4403, Unauthorized, "The server closed the connection: access was revoked."),
        ([], 1012, ConnectionFailed, "The server is restarting: try again in a moment."),
    ],
)
async def test_server_that_does_not_welcome_says_why(
    executor: Executor, frames: list[tuple[str, str, str]], code: int, kind: type[Exception], sentence: str
) -> None:
    async def script(peer: Peer) -> None:
        for frame, error, message in frames:
            await peer.send(frame, code=error, message=message, retryable=False)
        await peer.socket.close(code)

    with pytest.raises(kind) as failed:
        async with _client(executor, script):
            pass
    assert str(failed.value) == sentence


async def test_frames_before_the_welcome_are_passed_over(executor: Executor) -> None:
    async def script(peer: Peer) -> None:
        await peer.send("ping")
        await peer.greet()

    async with _client(executor, script) as (client, _):
        assert not client.is_gone


async def test_no_one_listening_is_a_failed_connection(executor: Executor) -> None:
    async with scripted_server() as server:
        address = server_address(server.url)
    with pytest.raises(
        ConnectionFailed, match=f"^No socket opens at ws://127.0.0.1:{address.base[-5:]}/api/v1/ws/device"
    ):
        async with connected(address, "token", executor=executor, hello=Hello(device_id="d")):
            pass


async def test_tap_is_shown_every_frame(executor: Executor) -> None:
    seen: list[tuple[Direction, str]] = []

    async def script(peer: Peer) -> None:
        await peer.greet()
        await peer.answer(await peer.receive("home_request"), "è così")

    async with (
        scripted_server(script) as server,
        connected(
            server_address(server.url),
            "token",
            executor=executor,
            hello=Hello(device_id="d"),
            tap=lambda direction, text: seen.append((direction, json.loads(text)["type"])),
        ) as client,
    ):
        assert len([frame async for frame in client.home("Perché?")]) == 2
    assert seen == [
        (Direction.TO_SERVER, "device_hello"),
        (Direction.FROM_SERVER, "device_welcome"),
        (Direction.TO_SERVER, "home_request"),
        (Direction.FROM_SERVER, "stream_text"),
        (Direction.FROM_SERVER, "stream_end"),
    ]


_QUESTION: dict[str, Any] = {
    "id": "approval",
    "request_id": REQUEST_ID,
    "tool": "delete_task",
    "arguments": {"task_id": "t1"},
    "summary": "Delete it.",
    "risk": "destructive",
    "preview": {"before": {"id": "t1", "title": "Roses"}, "after": None},
    "expires_at": 1,
}


@asynccontextmanager
async def _asked(executor: Executor, script: Script, approve: Approver) -> AsyncIterator[DeviceClient]:
    async with asyncio.timeout(30), scripted_server(script) as server:
        address, hello = server_address(server.url), Hello(device_id="d")
        async with connected(address, "token", executor=executor, hello=hello, approve=approve) as client:
            yield client


@pytest.mark.parametrize(
    ("verdict", "answer"),
    [
        (Verdict(approved=True), {"approved": True}),
        (Verdict(approved=False, reason="no"), {"approved": False, "reason": "no"}),
        (Verdict(approved=True, remember=True), {"approved": True, "remember": True}),
    ],
)
async def test_question_is_answered_while_the_rest_goes_on(
    executor: Executor, verdict: Verdict, answer: Mapping[str, JsonValue]
) -> None:
    answers: list[dict[str, Any]] = []

    async def script(peer: Peer) -> None:
        await peer.greet()
        assert "approvals" in peer.received[0]["capabilities"]
        request = await peer.receive("home_request")
        await peer.send("approval_request", **_QUESTION)
        await peer.send("approval_request", **_QUESTION)
        assert await peer.call("get", "tasks", data={"id": "t1"}) == {
            "type": "tool_result", "id": "call", "row": None,
        }  # fmt: skip
        called.set()
        answers.append(await peer.receive("approval_response"))
        await peer.answer(request, "Done.")

    async def approve(request: ApprovalRequest) -> Verdict:
        asked.append(request)
        await called.wait()
        return verdict

    asked: list[ApprovalRequest] = []
    called = asyncio.Event()
    async with _asked(executor, script, approve) as client:
        frames = [frame async for frame in client.home("Delete it", request_id=REQUEST_ID)]

    assert isinstance(frames[-1], StreamEnd)
    assert answers == [{"type": "approval_response", "id": "approval", **answer}]
    # The second time it was the same question.
    [request] = asked
    assert (request.summary, request.risk) == ("Delete it.", "destructive")
    assert request.preview == Preview(before={"id": "t1", "title": "Roses"}, after=None)


@pytest.mark.parametrize("how", ["end", "loss"])
async def test_question_is_withdrawn_when_no_one_waits_for_its_answer(executor: Executor, how: str) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        request = await peer.receive("home_request")
        await peer.send("approval_request", **_QUESTION)
        async with asyncio.timeout(20):
            await asked.wait()
        if how == "end":
            await peer.answer(request, "Too late.")
            await peer.wait_closed()
        else:
            await peer.socket.close(1012)

    async def approve(request: ApprovalRequest) -> Verdict | None:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            withdrawn.set()
        return None

    asked, withdrawn = asyncio.Event(), asyncio.Event()
    async with _asked(executor, script, approve) as client:
        with suppress(ServerGone):
            async for _ in client.home("Delete it", request_id=REQUEST_ID):
                pass
        async with asyncio.timeout(20):
            await withdrawn.wait()


async def test_question_that_stays_open_is_not_answered(executor: Executor) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        await peer.send("approval_request", **_QUESTION)
        async with asyncio.timeout(20):
            await asked.wait()
        # If the device answered, its next frame would be the answer.
        await peer.call("get", "tasks", data={"id": "t1"})
        called.set()

    async def approve(request: ApprovalRequest) -> None:
        asked.set()

    asked, called = asyncio.Event(), asyncio.Event()
    async with _asked(executor, script, approve), asyncio.timeout(20):
        await called.wait()


@dataclass
class _Watcher:
    """Records what it receives. ``shows`` is the result; None waits for ever."""

    shows: bool | None = True
    noted: list[JobUpdate] = field(default_factory=list)
    delivered: list[str] = field(default_factory=list)
    waiting: asyncio.Event = field(default_factory=asyncio.Event)
    withdrawn: asyncio.Event = field(default_factory=asyncio.Event)

    def note(self, update: JobUpdate) -> None:
        self.noted.append(update)

    async def deliver(self, update: JobUpdate) -> bool:
        self.delivered.append(update.job_id)
        self.waiting.set()
        if self.shows is None:
            try:
                await asyncio.Event().wait()
            finally:
                self.withdrawn.set()
        return bool(self.shows)


@asynccontextmanager
async def _watching(executor: Executor, script: Script, jobs: JobWatcher) -> AsyncIterator[ScriptedServer]:
    async with asyncio.timeout(30), scripted_server(script) as server:
        address, hello = server_address(server.url), Hello(device_id="d")
        async with connected(address, "token", executor=executor, hello=hello, jobs=jobs) as client:
            await client.gone()
        yield server


_JOB = {"job_id": "j", "request_id": REQUEST_ID}


async def test_jobs_are_followed_apart_from_any_answer(executor: Executor) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        await peer.send("job_update", **_JOB, state="queued", session_id="s", fraction=None, label=None)
        await peer.send("job_update", **_JOB, state="running", fraction=0.5, label="Counting", colour="red")
        await peer.send("job_update", **_JOB, state="failed", error={"code": "c", "message": "No.", "retryable": True})
        await peer.receive("job_ack")
        await peer.socket.close(1000)

    jobs = _Watcher()
    async with _watching(executor, script, jobs) as server:
        pass
    assert server.received[0]["capabilities"] == [
        "counts",
        "job_ack",
        "ledger",
        "page_details",
        "pong",
        "remembered",
        "undo",
    ]
    assert jobs.noted == [
        JobUpdate(job_id="j", request_id=REQUEST_ID, state="queued", session_id="s"),
        JobUpdate(job_id="j", request_id=REQUEST_ID, state="running", fraction=0.5, label="Counting"),
        JobUpdate(
            job_id="j",
            request_id=REQUEST_ID,
            state="failed",
            error=TurnError(code="c", message="No.", retryable=True),
        ),
    ]
    assert jobs.delivered == ["j"]


@pytest.mark.parametrize("state", ["done", "failed", "cancelled"])
async def test_end_of_a_job_is_acknowledged_each_time_it_comes(executor: Executor, state: str) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        for _ in range(2):
            await peer.send("job_update", **_JOB, state=state)
            assert await peer.receive("job_ack") == {"type": "job_ack", "job_id": "j"}
        await peer.socket.close(1000)

    async with _watching(executor, script, _Watcher()):
        pass


@pytest.mark.parametrize("state", ["waiting_approval", "queued", "running", "waiting_device", "delivered", "dreaming"])
async def test_job_that_goes_on_is_not_acknowledged(executor: Executor, state: str) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        await peer.send("job_update", **_JOB, state=state)
        # If the device acknowledged it, its next frame would be the acknowledgement.
        await peer.call("get", "tasks", data={"id": "t1"})
        await peer.socket.close(1000)

    async with _watching(executor, script, _Watcher()):
        pass


async def test_end_that_could_not_be_shown_is_not_acknowledged(executor: Executor) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        await peer.send("job_update", **_JOB, state="done")
        async with asyncio.timeout(20):
            await jobs.waiting.wait()
        await peer.call("get", "tasks", data={"id": "t1"})
        await peer.socket.close(1000)

    jobs = _Watcher(shows=False)
    async with _watching(executor, script, jobs):
        pass


async def test_end_that_waits_to_be_shown_does_not_hold_up_a_connection_that_is_lost(executor: Executor) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        await peer.send("job_update", **_JOB, state="done")
        async with asyncio.timeout(20):
            await jobs.waiting.wait()
        await peer.socket.close(1012)

    jobs = _Watcher(shows=None)
    async with _watching(executor, script, jobs):
        assert jobs.withdrawn.is_set()


async def test_client_that_follows_no_jobs_passes_them_over(executor: Executor) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        await peer.send("job_update", **_JOB, state="done")
        await peer.call("get", "tasks", data={"id": "t1"})

    async with _client(executor, script) as (client, _):
        with suppress(ServerGone):
            await client.gone()
