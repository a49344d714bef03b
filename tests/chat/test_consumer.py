import asyncio
import json
import re
import uuid
from uuid import UUID

import pytest

from agents.calls import CallAction
from agents.errors import ModelBroken, ModelRefused, ModelUnavailable
from agents.events import TextDelta, Usage
from agents.prompts.names import PromptName, builtin_text
from chat.rates import SocketLimits
from chat.services import Timings
from tests.agents.approving import NoApprovals
from tests.agents.scripts import Request, call, calls, says
from tests.chat.sockets import Frame, Server, Socket, leap, looked_up


def home(message: str = "Look after my tasks", **fields: object) -> Frame:
    return {"type": "home_request", "message": message, "request_id": str(uuid.uuid4()), **fields}  # type: ignore[dict-item]


def kinds(frames: list[Frame]) -> list[object]:
    return [frame["type"] for frame in frames]


def text_of(frames: list[Frame]) -> str:
    return "".join(str(frame["chunk"]) for frame in frames if frame["type"] == "stream_text")


def parts_of(frames: list[Frame]) -> list[Frame]:
    """The frames without the states in between."""
    return [frame for frame in frames if frame["type"] in {"stream_text", "stream_block"}]


async def answer(socket: Socket, **fields: object) -> Frame:
    """Answer the next call and return it."""
    [*_, wanted] = await socket.until("tool_call")
    await socket.send({"type": "tool_result", "id": wanted["id"], **fields})  # type: ignore[dict-item]
    return wanted


@pytest.mark.parametrize("path", ["/api/v1/ws/device", "/api/v1/device"])
async def test_a_device_is_welcomed(path: str) -> None:
    socket = Server().socket(path=path)
    assert await socket.connect() == (True, None)
    await socket.send({"type": "device_hello", "device_id": "laptop"})

    welcome = await socket.receive()
    del welcome["connection_id"], welcome["server_time"]
    assert welcome == {
        "type": "device_welcome",
        "protocol": 3,
        "heartbeat_s": 30,
        "limits": {"max_frame_bytes": 4194304, "max_concurrent_requests": 8},
        "embedding": {"model": "recording", "dimensions": 1536},
        "running": [],
    }
    await socket.close()


async def test_a_browser_brings_its_token_as_a_subprotocol() -> None:
    socket = Server().socket(None, subprotocols=["adiuva.v3", "adiuva.bearer.alice"])

    assert await socket.connect() == (True, "adiuva.v3")
    await socket.close()


@pytest.mark.parametrize("token", [None, "mallory"])
async def test_a_bad_token_is_reported_and_closed(token: str | None) -> None:
    socket = Server().socket(token)
    assert (await socket.connect())[0]

    assert (await socket.receive())["code"] == "unauthorized"
    assert await socket.closed() == 4401


@pytest.mark.parametrize(
    ("origin", "welcome"), [("https://app.example", True), ("https://evil.example", False), ("null", False)]
)
async def test_a_foreign_origin_is_refused_before_the_handshake(origin: str, welcome: bool) -> None:
    socket = Server().socket(headers=[(b"origin", origin.encode())])

    assert (await socket.connect())[0] is welcome
    if welcome:
        await socket.close()


@pytest.mark.parametrize(
    ("origin", "host", "welcome"),
    [
        ("http://adiuva.example:8000", "adiuva.example:8000", True),
        ("http://adiuva.example:8001", "adiuva.example:8000", False),
        ("https://adiuva.example:8000", "adiuva.example:8000", False),
        ("http://evil.example", "adiuva.example", False),
        # A name that resolves to this server (DNS rebinding).
        ("http://evil.example", "evil.example", False),
    ],
)
async def test_a_page_of_the_server_itself_is_welcome(origin: str, host: str, welcome: bool) -> None:
    socket = Server().socket(headers=[(b"origin", origin.encode()), (b"host", host.encode())])

    assert (await socket.connect())[0] is welcome
    if welcome:
        await socket.close()


async def test_another_address_is_refused() -> None:
    assert (await Server().socket(path="/api/v1/ws/toaster").connect())[0] is False


async def test_the_first_frame_is_hello() -> None:
    socket = Server().socket()
    await socket.connect()
    await socket.send(home())

    assert (await socket.receive())["code"] == "hello_required"
    await socket.send({"type": "device_hello", "device_id": "laptop"})
    assert (await socket.receive())["type"] == "device_welcome"
    await socket.close()


async def test_who_does_not_say_hello_is_closed() -> None:
    socket = Server(timings=Timings(hello_s=0.01)).socket()
    await socket.connect()

    assert await socket.closed() == 4408


async def test_hello_is_said_once() -> None:
    async with Server().device() as socket:
        await socket.send({"type": "device_hello", "device_id": "laptop"})

        assert (await socket.receive())["code"] == "invalid"


async def test_the_server_pings() -> None:
    async with Server(timings=Timings(heartbeat_s=0.01)).device() as socket:
        assert await socket.receive() == {"type": "ping"}
        await socket.send({"type": "pong"})
        assert await socket.receive() == {"type": "ping"}


async def test_a_home_answer_streams_numbered_frames() -> None:
    block = json.dumps({"type": "text", "content": "Nothing is due."})
    server = Server([[TextDelta(text=block[:20]), TextDelta(text=block[20:]), Usage(input_tokens=9, output_tokens=4)]])
    async with server.device() as socket:
        asked = home(session_id="s1")
        await socket.send(asked)
        frames = await socket.until("stream_end")

    assert [frame["seq"] for frame in frames] == list(range(len(frames)))
    assert {frame["request_id"] for frame in frames} == {asked["request_id"]}
    assert frames[0] == {**frames[0], "type": "stream_start", "kind": "home", "session_id": "s1"}
    assert frames[1] == {**frames[1], "type": "stream_status", "state": "thinking"}
    assert text_of(frames) == "Nothing is due."
    assert frames[-1] == {
        "type": "stream_end",
        "request_id": asked["request_id"],
        "finish_reason": "done",
        "mutations": [],
        "usage": {"input_tokens": 9, "output_tokens": 4},
        "seq": len(frames) - 1,
    }


async def test_the_model_thinks_again_once_all_its_calls_are_done() -> None:
    wanted = [call("create_task", f'{{"title":"{title}"}}', id=title) for title in ("A", "B")]
    server = Server([calls(*wanted), says("Both are there.")])
    async with server.device() as socket:
        await socket.send(home("Add the tasks A and B"))
        frames: list[Frame] = []
        for title in ("A", "B"):
            frames += await socket.until("tool_call")
            row: Frame = {"id": title, "title": title}
            await socket.send({"type": "tool_result", "id": frames[-1]["id"], "row": row})
        frames += await socket.until("stream_end")

    states = [frame["state"] for frame in frames if frame["type"] == "stream_status"]
    assert states == ["thinking", "calling_tool", "calling_tool", "thinking"]


async def test_a_tool_runs_on_the_device_and_its_rows_reach_model_and_cards() -> None:
    row = {"id": "t1", "title": "Water the roses", "status": "todo", "priority": "high", "description": "secretly"}
    blocks = '{"type":"text","content":"One."}{"type":"entity_ref","entity":"task"}'
    server = Server([calls(call("list_tasks", '{"status":"todo"}')), says(blocks)])
    async with server.device() as socket:
        await socket.send(home("Draw a chart of my tasks"))
        wanted = await answer(socket, rows=[row])
        frames = await socket.until("stream_end")

    assert (wanted["action"], wanted["table"], wanted["filters"], wanted["limit"]) == (
        "select",
        "tasks",
        {"status": "todo"},
        500,
    )
    [*_, told] = server.adapter.requests[1].messages
    found, hint = getattr(told, "text", "").split("\n\n")
    assert found == 'Found 1 task:\n- "Water the roses" (todo, high priority) [id t1]'
    assert hint == builtin_text(PromptName.HOME_BLOCKS)
    [_, card] = parts_of(frames)
    assert card["block_type"] == "entity_ref"
    assert card["data"] == {
        "entity": "task",
        "items": [{key: value for key, value in row.items() if key != "description"}],
    }


async def test_the_last_frame_has_the_changes_on_the_device() -> None:
    server = Server([calls(call("create_task", '{"title":"Buy milk"}')), says("Done.")])
    async with server.device() as socket:
        await socket.send(home("Create a task"))
        wanted = await answer(socket, row={"id": "new", "title": "Buy milk"})
        [*_, end] = await socket.until("stream_end")

    assert wanted["data"] == {
        "title": "Buy milk",
        "status": "todo",
        "priority": "medium",
        "isAiSuggested": 0,
        "isApproved": 1,
    }
    assert end["mutations"] == [{"action": CallAction.INSERT, "table": "tasks", "id": "new"}]


async def test_a_popup_names_its_domain_before_any_text() -> None:
    server = Server([says("Two ", "tasks.")])
    async with server.device() as socket:
        await socket.send({"type": "popup_request", "message": "my tasks?", "scope": {"type": "note", "id": "n1"}})
        frames = await socket.until("stream_end")

    assert frames[0] == {**frames[0], "type": "popup_domain", "domain": "tasks", "seq": 0}
    assert text_of(frames) == "Two tasks."
    assert "The popup was opened on: the note with the id n1." in getattr(
        server.adapter.requests[0].messages[1], "text", ""
    )


@pytest.mark.parametrize(
    ("scope", "domain"),
    [
        ("task", "tasks"), ("tasks", "tasks"), ("project", "projects"), ("projects", "projects"), ("note", "notes"),
        ("notes", "notes"), ("checkpoint", "checkpoints"), ("checkpoints", "checkpoints"), ("timeline", "checkpoints"),
    ],
)  # fmt: skip
async def test_an_unclear_popup_takes_the_domain_of_its_scope(scope: str, domain: str) -> None:
    server = Server([says('{"agent":"general_agent"}'), says("Well.")])
    async with server.device() as socket:
        await socket.send({"type": "popup_request", "message": "and now?", "scope": {"type": scope}})

        assert (await socket.receive())["domain"] == domain
        await socket.until("stream_end")


async def test_the_older_chat_gets_chunks_and_a_final() -> None:
    server = Server([says("Hello", " there")])
    async with server.device() as socket:
        await socket.send({"type": "chat_request", "message": "tasks?", "context": {"view": "board"}})
        frames = await socket.until("final")

    assert "".join(str(frame["text"]) for frame in frames[:-1]) == "Hello there"
    assert frames[-1] == {"type": "final", "response": "Hello there", "done": True}
    assert '{"view": "board"}' in getattr(server.adapter.requests[0].messages[1], "text", "")


async def test_the_older_chat_says_what_went_wrong() -> None:
    server = Server([[TextDelta(text="Hel"), ModelBroken("It broke off.")]])
    async with server.device() as socket:
        await socket.send({"type": "chat_request", "message": "tasks?"})

        assert (await socket.until("final"))[-1]["response"] == "Hel\n\nIt broke off."


async def test_history_and_prompt_reach_the_model() -> None:
    server = Server([says("ok")])
    history = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ciao"}]
    async with server.device() as socket:
        await socket.send(home("my tasks", conversation_history=history))
        await socket.until("stream_end")

    request: Request = server.adapter.requests[0]
    system, *rest = [getattr(message, "text", "") for message in request.messages]
    assert rest == ["hi", "ciao", "It is Sunday 2026-03-29 12:00 in the user's time zone, Europe/Rome.", "my tasks"]
    assert system.endswith("The user's language is English (en). Answer in it.")
    assert request.params.now is not None
    assert request.params.now.isoformat() == "2026-03-29T12:00:00+02:00"


async def test_the_devices_time_zone_and_language_win() -> None:
    server = Server([says("ok")])
    socket = server.socket()
    await socket.connect()
    hello: Frame = {"type": "device_hello", "device_id": "d", "timezone": "Asia/Tokyo", "language": "it"}
    await socket.send(hello)
    await socket.receive()
    await socket.send(home("my tasks"))
    await socket.until("stream_end")
    await socket.close()

    system, told = [getattr(message, "text", "") for message in server.adapter.requests[0].messages[:2]]
    assert told.endswith("19:00 in the user's time zone, Asia/Tokyo.\n\nAnswer in Italian (it).")
    assert system.endswith("The user's language is Italian (it). Answer in it.")


@pytest.mark.parametrize("name", ["Mars/One", "../etc/passwd", "Europe", "localtime", ""])
async def test_a_time_zone_that_is_none_falls_back_on_the_accounts(name: str) -> None:
    server = Server([says("ok")])
    socket = server.socket()
    await socket.connect()
    await socket.send({"type": "device_hello", "device_id": "d", "timezone": name})
    await socket.receive()
    await socket.send(home("my tasks"))
    await socket.until("stream_end")
    await socket.close()

    assert "Europe/Rome" in getattr(server.adapter.requests[0].messages[1], "text", "")


@pytest.mark.parametrize(
    ("error", "code", "retryable"),
    [
        (ModelUnavailable("It is away."), "model_unavailable", True),
        (ModelRefused("It will not."), "model_refused", False),
        (ModelBroken("It broke off."), "model_error", True),
        (RuntimeError("private words"), "internal_error", True),
    ],
)
async def test_a_turn_that_fails_ends_with_its_error(error: Exception, code: str, retryable: bool) -> None:
    server = Server([[TextDelta(text="Half an answer"), error]])
    async with server.device() as socket:
        await socket.send(home())
        frames = await socket.until("stream_end")

    end = frames[-1]
    assert text_of(frames) == "Half an answer"
    assert (end["finish_reason"], end["error"]["code"], end["error"]["retryable"]) == ("error", code, retryable)  # type: ignore[call-overload, index]
    assert "private" not in json.dumps(end)


class FailingApprovals(NoApprovals):
    async def cancel(self, user_id: UUID, request_id: str) -> None:
        raise RuntimeError("Alice's secret")


async def test_frame_that_fails_unexpectedly_is_answered_by_an_error_that_the_log_explains(
    caplog: pytest.LogCaptureFixture,
) -> None:
    request_id = str(uuid.uuid4())
    async with Server(approvals=FailingApprovals()).device() as socket:
        await socket.send({"type": "cancel_request", "request_id": request_id})
        error = await socket.receive()

    assert (error["code"], error["request_id"], error["retryable"]) == ("internal_error", request_id, True)
    assert "secret" not in str(error)
    [incident] = re.findall(r"\(incident ([0-9a-f]{12})\)", str(error["message"]))
    [logged] = [record for record in caplog.records if record.exc_info]
    assert incident in logged.getMessage()


async def test_cancelling_drops_the_call_and_ends_the_turn() -> None:
    server = Server([calls(call("list_tasks")), says("never")])
    async with server.device() as socket:
        asked = home()
        await socket.send(asked)
        [*_, wanted] = await socket.until("tool_call")
        await socket.send({"type": "cancel_request", "request_id": asked["request_id"]})
        [*_, end] = await socket.until("stream_end")
        await socket.send({"type": "tool_result", "id": wanted["id"], "rows": []})
        await socket.send({"type": "cancel_request", "request_id": asked["request_id"]})

        assert await socket.silent()

    assert (end["finish_reason"], end["mutations"]) == ("cancelled", [])
    assert len(server.adapter.requests) == 1


async def test_another_users_request_reads_like_one_that_never_was() -> None:
    server = Server([calls(call("list_tasks")), says("ok")])
    async with server.device() as alice, server.device(token="bob") as bob:
        asked = home()
        await alice.send(asked)
        await alice.until("tool_call")
        for request_id in (asked["request_id"], str(uuid.uuid4())):
            for wish in ("cancel_request", "resume_request"):
                await bob.send({"type": wish, "request_id": request_id, "after_seq": -1})
                rejected = await bob.receive()
                assert (rejected["code"], rejected["message"]) == ("unknown_request", "There is no such request.")
        await bob.send({"type": "tool_result", "id": "guess", "rows": [{"id": "evil"}]})
        await answer_pending(alice, server)


async def answer_pending(socket: Socket, server: Server) -> None:
    """Let the running turn end."""
    for connection in server.services.connections.all():
        for turn in server.services.supervisor.running(connection.device):
            server.services.supervisor.cancel(turn.key)
    await socket.until("stream_end")


async def test_an_answer_of_another_users_device_is_not_taken() -> None:
    server = Server([calls(call("list_tasks")), says("ok")])
    async with server.device() as alice, server.device(token="bob") as bob:
        await alice.send(home())
        [*_, wanted] = await alice.until("tool_call")
        await bob.send({"type": "tool_result", "id": wanted["id"], "rows": [{"id": "evil"}]})
        await alice.send({"type": "tool_result", "id": wanted["id"], "rows": []})
        await alice.until("stream_end")

    assert getattr(server.adapter.requests[1].messages[-1], "text", "") == "Found no tasks."


async def test_a_repeated_request_does_not_run_twice_but_starts_over() -> None:
    server = Server([says("Once.")])
    async with server.device() as socket:
        asked = home()
        await socket.send(asked)
        first = await socket.until("stream_end")
        await socket.send(asked)
        second = await socket.until("stream_end")
        await socket.send({**asked, "message": "something else"})
        rejected = await socket.receive()

    assert second == first
    assert (rejected["code"], rejected["request_id"]) == ("request_id_reused", asked["request_id"])


async def test_a_turn_outlives_its_socket_and_is_resumed() -> None:
    server = Server([calls(call("list_tasks")), says("Found.")])
    asked = home()
    async with server.device() as socket:
        await socket.send(asked)
        before = await socket.until("tool_call")
        while "calling_tool" not in {frame.get("state") for frame in before}:
            before.append(await socket.receive())  # a call may overtake the frames of its turn
    async with server.device() as socket:
        assert socket.welcome["running"] == [{"request_id": asked["request_id"], "last_seq": 2}]
        await answer(socket, rows=[])
        await socket.send({"type": "resume_request", "request_id": asked["request_id"], "after_seq": 1})
        after = await socket.until("stream_end")

    seen = [frame for frame in before if "seq" in frame][:2] + after
    assert [frame["seq"] for frame in seen] == list(range(len(seen)))
    assert text_of(seen) == "Found."


async def test_a_newer_socket_of_a_device_takes_the_older_ones_place() -> None:
    server = Server()
    async with server.device() as older, server.device() as newer:
        assert await older.closed() == 4409
        await newer.send({"type": "ping"})
        assert await newer.silent()
    assert server.services.connections.all() == []


async def test_what_is_not_offered_is_said_to_be_not_available() -> None:
    async with Server().device() as socket:
        await socket.send({"type": "job_ack", "job_id": "j"})

        assert (await socket.receive())["code"] == "not_available"


async def test_bad_frames_are_reported_and_the_socket_stays() -> None:
    async with Server().device() as socket:
        await socket.send_bytes(b"\x00\x01")
        assert (await socket.receive())["code"] == "bad_frame"
        await socket.send_text("{")
        assert (await socket.receive())["code"] == "bad_frame"
        await socket.send({"type": "floating_request", "request_id": "mine"})
        assert await socket.receive() == {
            "type": "error",
            "code": "unknown_type",
            "message": "This server knows no frame of that type.",
            "request_id": "mine",
            "retryable": False,
        }
        await socket.send({"type": "home_request", "message": 7})
        rejected = await socket.receive()
        assert (rejected["code"], rejected["details"]) == (
            "invalid",
            [{"field": "message", "problem": "Input should be a valid string"}],
        )


@pytest.mark.parametrize(
    "text",
    ["nonsense", '{"type":"floating_request"}', '{"type":"home_request"}', json.dumps(home("x" * 300_000))],
    ids=["bad_frame", "unknown_type", "invalid", "too_large"],
)
async def test_twenty_bad_frames_in_a_row_close_the_socket(text: str) -> None:
    # So many large ones also come too fast.
    limits = SocketLimits(frames_per_s=1000, user_frames_per_s=1000, frame_time_percent=1000)
    async with Server(socket_limits=limits).device() as socket:
        for _ in range(19):
            await socket.send_text(text)
            await socket.receive()
        await socket.send({"type": "ping"})
        for _ in range(20):
            await socket.send_text(text)
            await socket.receive()

        assert await socket.closed() == 4400


async def test_twenty_frames_in_a_row_before_the_hello_close_the_socket() -> None:
    socket = Server().socket()
    await socket.connect()
    for _ in range(20):
        await socket.send({"type": "ping"})
        assert (await socket.receive())["code"] == "hello_required"
    assert await socket.closed() == 4400
    await socket.close()


async def test_a_large_request_is_refused_and_a_large_answer_is_not() -> None:
    server = Server([calls(call("get_note", '{"note_id":"n"}')), says("Long.")])
    async with server.device() as socket:
        await socket.send(home("x" * 300_000))
        assert (await socket.receive())["code"] == "too_large"
        await socket.send(home("my notes"))
        note: Frame = {"id": "n", "title": "N", "content": "y" * 300_000}
        # That there is such a note is asked first.
        for _ in range(2):
            await answer(socket, row=note)
        [*_, end] = await socket.until("stream_end")

    assert end["finish_reason"] == "done"
    told = getattr(server.adapter.requests[1].messages[-1], "text", "")
    assert len(told) < 70_000


async def test_an_answer_that_cannot_be_read_fails_its_call_at_once() -> None:
    server = Server([calls(call("list_tasks")), says("Hm.")])
    async with server.device() as socket:
        await socket.send(home())
        [*_, wanted] = await socket.until("tool_call")
        await socket.send({"type": "tool_result", "id": wanted["id"], "rows": "none"})
        await socket.until("stream_end")

    told = getattr(server.adapter.requests[1].messages[-1], "text", "")
    assert told == "The user's device refused: it sent an answer that cannot be read."


async def test_too_many_turns_at_once_are_refused() -> None:
    server = Server([calls(call("list_tasks")), calls(call("list_tasks")), says("ok"), says("ok")], max_running=2)
    async with server.device() as socket:
        for _ in range(2):
            await socket.send(home())
            await socket.until("tool_call")
        third = home()
        await socket.send(third)
        [*_, rejected] = await socket.until("error")

    assert (rejected["code"], rejected["request_id"], rejected["retryable"]) == ("busy", third["request_id"], True)
    await server.services.supervisor.drain(0)


async def test_a_device_that_never_answers_is_reported_to_the_model() -> None:
    server = Server([calls(call("list_tasks")), says("It did not answer.")], call_timeout_s=0.02)
    async with server.device() as socket:
        await socket.send(home())
        frames = await socket.until("stream_end")

    assert text_of(frames) == "It did not answer."
    assert "did not answer in time" in getattr(server.adapter.requests[1].messages[-1], "text", "")


async def test_closing_a_socket_leaves_no_task_behind() -> None:
    server = Server([says("ok")])
    before = asyncio.all_tasks()
    async with server.device() as socket:
        await socket.send(home())
        await socket.until("stream_end")
    await server.services.supervisor.drain(1)
    await looked_up()

    assert asyncio.all_tasks() == before


async def test_a_token_that_runs_out_is_announced_and_closes_the_socket() -> None:
    async with Server().device(token="alice for 100") as socket:
        leap(50)
        assert (await beyond_pings(socket))["type"] == "token_expiring"
        leap(60)
        assert (await beyond_pings(socket))["code"] == "token_expired"
        assert await socket.closed() == 4401


async def test_a_token_with_little_time_left_is_announced_after_the_welcome() -> None:
    async with Server().device(token="alice for 50") as socket:
        assert (await beyond_pings(socket))["type"] == "token_expiring"


async def test_a_fresh_token_keeps_the_socket() -> None:
    async with Server().device(token="alice for 100") as socket:
        leap(50)
        assert (await beyond_pings(socket))["type"] == "token_expiring"
        await socket.send({"type": "authenticate", "token": "alice for 900"})
        assert (await beyond_pings(socket))["type"] == "authenticated"
        leap(60)
        await socket.until("ping")
        await socket.send({"type": "cancel_request", "request_id": str(uuid.uuid4())})
        assert (await beyond_pings(socket))["code"] == "unknown_request"


async def beyond_pings(socket: Socket) -> Frame:
    """The next frame that is no heartbeat."""
    while (frame := await socket.receive())["type"] == "ping":
        pass
    return frame


@pytest.mark.parametrize("token", ["mallory", "bob"])
async def test_an_unknown_or_another_users_token_does_not_renew(token: str) -> None:
    async with Server().device() as socket:
        await socket.send({"type": "authenticate", "token": token})

        assert (await socket.receive())["code"] == "unauthorized"


async def test_a_client_that_promised_pongs_is_closed_when_it_is_silent() -> None:
    server = Server(timings=Timings(silence_s=0.1))
    async with server.device(capabilities=["pong"]) as socket, server.device("old", capabilities=[]) as old:
        assert await socket.closed() == 4408
        await old.send({"type": "cancel_request", "request_id": str(uuid.uuid4())})
        assert (await old.receive())["code"] == "unknown_request"


async def test_any_frame_is_a_sign_of_life() -> None:
    async with Server(timings=Timings(silence_s=90)).device(capabilities=["pong"]) as socket:
        for _ in range(6):
            leap(60)
            await socket.until("ping")
            await socket.send({"type": "pong"})
        await socket.send({"type": "cancel_request", "request_id": str(uuid.uuid4())})
        assert (await socket.receive())["code"] == "unknown_request"


async def test_too_many_requests_in_a_minute_are_refused() -> None:
    server = Server([says("one")], per_minute=1)
    async with server.device() as socket:
        first = home()
        await socket.send(first)
        await socket.until("stream_end")
        await socket.send(home())
        [*_, rejected] = await socket.until("error")
        await socket.send(first)
        again = await socket.until("stream_end")

    assert (rejected["code"], rejected["retryable"]) == ("busy", True)
    assert text_of(again) == "one"


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("Let me look.", "Nothing.", "Let me look.\n\nNothing."),
        ("Let me look. ", "Nothing.", "Let me look. Nothing."),
        ("", "Nothing.", "Nothing."),
    ],
)
async def test_what_is_said_before_and_after_a_tool_does_not_run_together(before: str, after: str, shown: str) -> None:
    server = Server([calls(call("list_tasks"), text=before), says(after)])
    async with server.device() as socket:
        await socket.send(home())
        wanted = await socket.until("tool_call")
        await socket.send({"type": "tool_result", "id": wanted[-1]["id"], "rows": []})
        frames = wanted + await socket.until("stream_end")

    assert text_of(frames) == shown


async def test_a_cancelled_answer_shows_no_half_written_block() -> None:
    server = Server([[TextDelta(text='[{"type":"table","headers":["a'), asyncio.CancelledError()]])
    async with server.device() as socket:
        await socket.send(home())
        frames = await socket.until("stream_end")

    assert (parts_of(frames), frames[-1]["finish_reason"]) == ([], "cancelled")
