"""Any frames, in any order: the application never raises, leaks nothing, and still answers afterwards."""

import asyncio
import json
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from typing import Final, TypeAlias

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.adapters.base import Message, ModelParams, ToolMessage, ToolSchema
from agents.events import ModelEvent, ModelStopped, StopReason, TextDelta, ToolCall
from tests.chat.sockets import Frame, Server, Socket
from tests.effort import tries

Sent: TypeAlias = str | bytes
TIME_S: Final = 60.0

IDS: Final = [str(uuid.UUID(int=number)) for number in range(3)]
STRANGE: Final[Sequence[Sent]] = [
    "[" * 10_000,
    '{"type":"tool_result","id":"1","row":' + '{"a":' * 10_000 + "1" + "}" * 10_001,
    '{"type":"home_request","message":"\\ud800 alone"}',
    '{"type":"home_request","message":"nul \\u0000 inside"}',
    '{"type":"resume_request","request_id":"' + IDS[0] + '","after_seq":' + "9" * 400 + "}",
    '{"type":"ping","type":"home_request","message":"twice"}',
    '{"type":"tool_result","id":"1","rows":[{"n":1e400}]}',
    "\x00",
    "\ufeff{}",
    b"",
    b"\xff\xfe\x00",
]


class Talkative:
    """A model that calls a tool and then answers, each time."""

    name = "talkative"

    async def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
    ) -> AsyncGenerator[ModelEvent, None]:
        if tools and not isinstance(messages[-1], ToolMessage):
            yield ToolCall(id="call", name=tools[len(messages) % len(tools)].name, arguments='{"title": "x"}')
            yield ModelStopped(reason=StopReason.TOOL_CALLS)
            return
        yield TextDelta(text='{"type":"text","content":"done"}')
        yield ModelStopped(reason=StopReason.COMPLETE)


def request_ids() -> st.SearchStrategy[str | None]:
    return st.sampled_from([*IDS, None])


def words() -> st.SearchStrategy[str]:
    return st.text(st.characters(codec="utf-8"), max_size=20)


def json_values() -> st.SearchStrategy[object]:
    leaves = st.none() | st.booleans() | st.integers() | st.floats() | words()
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words(), inner, max_size=3), max_leaves=8
    )


def valid_frames() -> st.SearchStrategy[dict[str, object]]:
    message = words().map(lambda text: f"tasks {text}")
    answer = st.one_of(
        st.fixed_dictionaries({"row": st.none() | st.just({"id": "r", "title": "T"})}),
        st.fixed_dictionaries({"rows": st.lists(st.dictionaries(words(), json_values(), max_size=3), max_size=3)}),
        st.fixed_dictionaries({"deleted": st.booleans()}),
        st.fixed_dictionaries({"error": words()}),
    )
    scope = st.fixed_dictionaries({"type": st.sampled_from(["task", "timeline", "notes"])})
    return st.one_of(
        st.builds(lambda m, r: {"type": "home_request", "message": m, "request_id": r}, message, request_ids()),
        st.builds(
            lambda m, s, r: {"type": "popup_request", "message": m, "scope": s, "request_id": r},
            message,
            scope,
            request_ids(),
        ),
        st.builds(lambda m: {"type": "chat_request", "message": m}, message),
        st.builds(lambda r: {"type": "cancel_request", "request_id": r}, st.sampled_from(IDS)),
        st.builds(
            lambda r, n: {"type": "resume_request", "request_id": r, "after_seq": n},
            st.sampled_from(IDS),
            st.integers(-1, 5),
        ),
        st.builds(
            lambda kind, fields: {"type": kind, "id": "?", **fields},
            st.sampled_from(["tool_result", "data_response"]),
            answer,
        ),
        st.sampled_from(
            [
                {"type": "ping"},
                {"type": "pong"},
                {"type": "device_hello", "device_id": "again"},
                {"type": "authenticate", "token": "alice"},
                {"type": "authenticate", "token": "bob"},
                {"type": "brief_request"},
                {"type": "job_ack", "job_id": "j"},
                {"type": "approval_response", "id": "a", "approved": True},
                {"type": "approval_response", "id": IDS[0], "approved": False, "reason": "no", "remember": True},
            ]
        ),
    )


@st.composite
def mutated_frames(draw: st.DrawFn) -> dict[str, object]:
    """A valid frame with one field removed, changed to another type, or added."""
    frame = dict(draw(valid_frames()))
    name = draw(st.sampled_from([*frame, "unheard_of"]))
    if draw(st.booleans()):
        frame.pop(name, None)
    else:
        frame[name] = draw(json_values())
    return frame


def sent() -> st.SearchStrategy[Sent | dict[str, object]]:
    return st.one_of(
        valid_frames(),
        valid_frames(),
        mutated_frames(),
        json_values().map(json.dumps),
        words(),
        st.binary(max_size=20),
        st.sampled_from(STRANGE),
    )


async def play(frames: Sequence[Sent | dict[str, object]]) -> None:
    server = Server(call_timeout_s=0.05, max_running=3)
    object.__setattr__(server.services.turns.run, "adapter", Talkative())
    before = asyncio.all_tasks()
    socket = server.socket()
    await socket.connect()
    await socket.send({"type": "device_hello", "device_id": "laptop"})
    await socket.receive()
    for frame in frames:
        await send(socket, frame, await seen_call(socket))
    await answers_still(server)
    with suppress(TimeoutError, asyncio.CancelledError):
        await socket.close()
    await server.services.aclose()

    assert asyncio.all_tasks() == before
    assert server.services.connections.all() == []
    assert server.services.connections._links == {}


async def seen_call(socket: Socket) -> str:
    """The id of an unanswered call among the received frames, so that answers match their calls."""
    queue: asyncio.Queue[dict[str, str]] = socket.communicator.output_queue
    await asyncio.sleep(0)
    texts = [queue.get_nowait().get("text", "{}") for _ in range(queue.qsize())]
    called = [frame["id"] for frame in map(json.loads, texts) if frame.get("type") == "tool_call"]
    return called[-1] if called else "nobody's"


async def send(socket: Socket, frame: Sent | dict[str, object], call_id: str) -> None:
    if isinstance(frame, dict):
        frame = json.dumps({**frame, "id": call_id} if frame.get("id") == "?" else frame)
    kind = "bytes" if isinstance(frame, bytes) else "text"
    # Bypasses the communicator's own methods, which refuse empty frames.
    await socket.communicator.send_input({"type": "websocket.receive", kind: frame})


async def answers_still(server: Server) -> None:
    async with server.device("another") as socket:
        while (end := await ask(socket))["type"] == "error":
            # As many requests as are allowed may be waiting for their calls to time out.
            assert end["code"] == "busy"
            await asyncio.sleep(0.05)
        assert end["finish_reason"] == "done"


async def ask(socket: Socket) -> Frame:
    """The last frame of a new request's answer."""
    request: Frame = {"type": "home_request", "message": "tasks", "request_id": str(uuid.uuid4())}
    await socket.send(request)
    [*_, end] = await socket.until("stream_end", "error")
    return end


@settings(max_examples=tries(50, long=2_000), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(sent(), max_size=15))
def test_no_sequence_of_frames_breaks_the_server(frames: list[Sent | dict[str, object]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(TIME_S):
            await play(frames)

    asyncio.run(bounded())
