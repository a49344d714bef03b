import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field

import pytest
from channels.db import database_sync_to_async

from accounts.models import User
from agents.adapters.base import Message, ModelParams, ToolSchema
from agents.errors import ModelBroken, ModelRefused, ModelUnavailable
from agents.events import ModelEvent, TextDelta
from chat.cluster.presence_store import DeviceLocation
from chat.rest.bodies import ChatQuestion
from chat.rest.turns import RestTurn, event_stream, requester_of
from tests.agents.scripts import ScriptedAdapter, call, calls, says
from tests.chat.accounts import ALICE, grant
from tests.chat.http import CHAT, EVENTS, Reader, Tokens, rest, sign_in
from tests.chat.sockets import WAIT_S, Frame, Server, Socket
from tests.problems import own

pytestmark = pytest.mark.django_db(transaction=True)
QUESTION = {"message": "Which tasks are due?"}


@pytest.fixture
async def tokens(transactional_db: None) -> Tokens:
    return await sign_in()


@dataclass
class HangingAdapter(ScriptedAdapter):
    """Sends one text, and then waits until the reader disconnects."""

    asked: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)

    async def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
    ) -> AsyncGenerator[ModelEvent, None]:
        self.asked.set()
        try:
            yield TextDelta(text="Well,")
            await asyncio.Event().wait()
        finally:
            self.left.set()


def hanging() -> tuple[Server, HangingAdapter]:
    """A server whose model never ends its answer."""
    server, adapter = Server(), HangingAdapter([])
    server.run_with(adapter=adapter)
    return server, adapter


async def answer(socket: Socket, **fields: object) -> Frame:
    [*_, wanted] = await socket.until("tool_call")
    await socket.send({"type": "tool_result", "id": wanted["id"], **fields})  # type: ignore[dict-item]
    return wanted


async def test_a_question_is_answered_from_the_rows_of_the_device(tokens: Tokens) -> None:
    row = {"id": "t1", "title": "Water the roses", "status": "todo"}
    blocks = '{"type":"text","content":"One"}{"type":"entity_ref","entity":"task"}{"type":"text","content":" task."}'
    server = Server([calls(call("list_tasks")), says(blocks + '{"type":"table","headers":["a"],"rows":[["b"]]}')])
    async with server.device() as device, rest(server, tokens.alice) as client:
        asking = asyncio.create_task(client.post(CHAT, json=QUESTION))
        wanted = await answer(device, rows=[row])
        response = await asking

    body = response.json()
    assert response.status_code == 200
    assert body == {
        "response": "One task.",
        "agent": "task_agent",
        "blocks": [
            {"block_type": "entity_ref", "data": {"entity": "task", "items": [row]}},
            {"block_type": "table", "data": {"headers": ["a"], "rows": [["b"]]}},
        ],
        "mutations": [],
        "remembered": [],
        "request_id": wanted["request_id"],
    }


async def test_changes_on_the_device_are_reported(tokens: Tokens) -> None:
    server = Server([calls(call("create_task", '{"title":"Buy milk"}')), says("Done.")])
    async with server.device() as device, rest(server, tokens.alice) as client:
        asking = asyncio.create_task(client.post(CHAT, json={"message": "Create a task"}))
        await answer(device, row={"id": "new", "title": "Buy milk"})
        body = (await asking).json()

    assert body["mutations"] == [{"action": "insert", "table": "tasks", "id": "new"}]
    card = {"entity": "task", "items": [{"id": "new", "title": "Buy milk"}]}
    assert (body["response"], body["blocks"]) == ("Done.", [{"block_type": "entity_ref", "data": card}])


async def test_history_and_context_reach_the_model_in_the_accounts_time_zone(tokens: Tokens) -> None:
    server = Server([says("ok")])
    history = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ciao"}]
    body = {**QUESTION, "history": history, "context": {"view": "board"}, "session_id": "s1"}
    async with server.device(token="bob"), rest(server, tokens.bob) as client:
        assert (await client.post(CHAT, json=body)).status_code == 200

    system, *said = [getattr(message, "text", "") for message in server.adapter.requests[0].messages]
    assert said[:2] == ["hi", "ciao"]
    assert said[2].endswith('{"view": "board"}')
    moment = "It is Sunday 2026-03-29 19:00 in the user's time zone, Asia/Tokyo.\n\nAnswer in Italian (it)."
    assert said[3:] == [moment, "Which tasks are due?"]
    assert system.endswith("The user's language is Italian (it). Answer in it.")


async def test_of_several_devices_the_one_used_last_is_asked(tokens: Tokens) -> None:
    server = Server([says("Hello."), calls(call("list_tasks")), says("None.")])
    async with server.device("laptop") as laptop, server.device("phone") as phone, rest(server, tokens.alice) as client:
        await laptop.send({"type": "home_request", "message": "my tasks"})
        await laptop.until("stream_end")
        asking = asyncio.create_task(client.post(CHAT, json=QUESTION))
        await answer(laptop, rows=[])

        assert (await asking).json()["response"] == "None."
        assert await phone.silent()


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_without_a_device_of_the_user_there_is_no_answer(tokens: Tokens, accept: str) -> None:
    server = Server([says("never")])
    async with server.device(token="bob"), rest(server, tokens.alice) as client:
        response = await client.post(CHAT, json=QUESTION, headers={"accept": accept})

    assert (response.status_code, response.headers["content-type"]) == (409, "application/problem+json")
    assert own(response) == {
        "code": "device_not_connected",
        "message": "No device of yours is connected. Open Adiuva on the device that holds your data and try again.",
    }
    assert server.adapter.requests == []


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (ModelUnavailable("It is away."), 503, "model_unavailable"),
        (ModelRefused("It will not."), 502, "model_refused"),
        (ModelBroken("It broke off."), 502, "model_error"),
        (RuntimeError("private words"), 500, "internal_error"),
    ],
)
async def test_a_turn_that_fails_is_an_error(tokens: Tokens, error: Exception, status: int, code: str) -> None:
    server = Server([[TextDelta(text="Half an answer"), error]])
    async with server.device(), rest(server, tokens.alice) as client:
        response = await client.post(CHAT, json=QUESTION)

    assert (response.status_code, response.json()["code"]) == (status, code)
    assert set(own(response)) == {"code", "message"}
    assert "private" not in response.text


async def test_a_turn_that_fails_tells_what_the_device_changed_before(tokens: Tokens) -> None:
    server = Server([calls(call("create_task", '{"title":"Buy milk"}')), [ModelBroken("It broke off.")]])
    async with server.device() as device, rest(server, tokens.alice) as client:
        asking = asyncio.create_task(client.post(CHAT, json={"message": "Create a task"}))
        await answer(device, row={"id": "new", "title": "Buy milk"})
        response = await asking

    assert own(response) == {
        "code": "model_error",
        "message": "It broke off.",
        "details": {"mutations": ["insert tasks new"], "tools": ["create_task"]},
    }


async def test_a_turn_that_another_device_cancels_is_an_error(tokens: Tokens) -> None:
    server = Server([calls(call("list_tasks")), says("never")])
    async with server.device() as device, rest(server, tokens.alice) as client:
        asking = asyncio.create_task(client.post(CHAT, json=QUESTION))
        [*_, wanted] = await device.until("tool_call")
        await device.send({"type": "cancel_request", "request_id": wanted["request_id"]})
        response = await asking

    assert (response.status_code, response.json()["code"]) == (409, "cancelled")


async def test_limits_hold_as_on_the_socket(tokens: Tokens) -> None:
    server = Server([calls(call("list_tasks")), says("ok")], max_running=1, per_minute=2)
    async with server.device() as device, rest(server, tokens.alice) as client:
        asking = asyncio.create_task(client.post(CHAT, json=QUESTION))
        [*_, wanted] = await device.until("tool_call")
        running = await client.post(CHAT, json=QUESTION)
        often = await client.post(CHAT, json=QUESTION, headers=EVENTS)
        await device.send({"type": "tool_result", "id": wanted["id"], "rows": []})
        assert (await asking).status_code == 200

    assert (running.status_code, own(running)) == (
        429,
        {"code": "busy", "message": "At most 1 of your requests may run at the same time. Wait until one has ended."},
    )
    assert (often.status_code, often.json()["message"]) == (429, "Too many requests in a minute. Wait a little.")
    assert ("retry-after" in running.headers, "retry-after" in often.headers) == (False, True)


async def test_a_server_that_stops_takes_no_question(tokens: Tokens) -> None:
    server = Server()
    async with server.device(), rest(server, tokens.alice) as client:
        await server.services.supervisor.drain(1)
        response = await client.post(CHAT, json=QUESTION)

    assert (response.status_code, response.json()["code"]) == (503, "shutting_down")


async def test_a_refused_question_leaves_no_link_to_a_device_of_another_process(tokens: Tokens) -> None:
    server = Server()
    location = DeviceLocation(process="another", connection_id="1", since=0)
    await server.ports.leases.renew(location.process)
    await server.ports.presence.arrive((ALICE, "laptop"), location)
    await server.services.supervisor.drain(0)
    async with rest(server, tokens.alice) as client:
        response = await client.post(CHAT, json=QUESTION)

    assert response.json()["code"] == "shutting_down"
    assert server.services.connections._links == {}


@pytest.mark.parametrize(
    ("body", "code", "details"),
    [
        (b"", "invalid", {"message": ["Field required"]}),
        (b"{}", "invalid", {"message": ["Field required"]}),
        (b'{"message": ""}', "invalid", {"message": ["String should have at least 1 character"]}),
        (b'{"message": 1}', "invalid", {"message": ["Input should be a valid string"]}),
        (b'{"message": "m", "sesion_id": "s"}', "invalid", {"sesion_id": ["There is no such field here."]}),
        (b"[]", "invalid", {"_": ["Input should be an object"]}),
        (
            b'{"message": "m", "history": [{"role": "user", "content": "c"}, {"role": "tool"}]}',
            "invalid",
            {
                "history.1.role": ["Input should be 'user', 'assistant' or 'system'"],
                "history.1.content": ["Field required"],
            },
        ),
        (
            json.dumps({"message": "m", "context": {"a": "x" * 8000}}).encode(),
            "invalid",
            {"context": ["is at most 8000 characters of JSON"]},
        ),
        (b'{"message": "\\ud800"}', "malformed", None),
        (b'{"message": "\xff"}', "malformed", None),
        (b"[" * 10_000, "malformed", None),
        (b"{", "malformed", None),
    ],
)
async def test_a_question_that_is_none_is_refused(
    tokens: Tokens, body: bytes, code: str, details: dict[str, list[str]] | None
) -> None:
    server = Server()
    async with server.device(), rest(server, tokens.alice) as client:
        response = await client.post(CHAT, content=body, headers={"content-type": "application/json"})

    assert (response.status_code, response.json()["code"]) == (400, code)
    assert response.json().get("details") == details


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"authorization": "Bearer nonsense"}, 401, "unauthorized"),
        ({"content-type": "text/plain"}, 415, "unsupported_media_type"),
        ({"accept": "text/html"}, 406, "not_acceptable"),
    ],
)
async def test_a_request_that_is_not_fit_is_refused(
    tokens: Tokens, headers: dict[str, str], status: int, code: str
) -> None:
    server = Server()
    async with server.device(), rest(server, tokens.alice) as client:
        response = await client.post(
            CHAT, content=json.dumps(QUESTION), headers={"content-type": "application/json", **headers}
        )

    assert (response.status_code, response.json()["code"]) == (status, code)


async def test_a_question_needs_a_token_a_limit_and_a_method(tokens: Tokens) -> None:
    server = Server()
    async with rest(server, None) as anonymous:
        assert (await anonymous.post(CHAT, json=QUESTION)).json()["code"] == "unauthorized"
    async with rest(server, tokens.alice) as client:
        assert (await client.post(CHAT, json={"message": "x" * 300_000})).status_code == 413
        for method in ("GET", "PUT", "BREW"):
            response = await client.request(method, CHAT)
            assert (response.status_code, response.json()["code"]) == (405, "method_not_allowed")


async def test_an_answer_streams_as_it_is_written(tokens: Tokens) -> None:
    server = Server([says('{"type":"text","content":"One task."}')])
    async with server.device():
        reader = await Reader.ask(server, tokens.alice, **QUESTION)
        await reader.start()
        frames = await reader.until("stream_end")

        assert await reader.chunk() is None
        await reader.communicator.wait(timeout=WAIT_S)

    assert (reader.status, reader.headers) == (
        200,
        {**(reader.headers or {}), "content-type": "text/event-stream", "cache-control": "no-store"},
    )
    assert [frame["type"] for frame in frames] == ["stream_start", "stream_status", "stream_text", "stream_end"]
    assert [frame["seq"] for frame in frames] == [0, 1, 2, 3]
    assert (frames[2]["chunk"], frames[3]["finish_reason"]) == ("One task.", "done")


async def test_an_answer_that_fails_while_it_streams_ends_with_its_error(tokens: Tokens) -> None:
    server = Server([[TextDelta(text="Half"), ModelUnavailable("It is away.")]])
    async with server.device():
        reader = await Reader.ask(server, tokens.alice, **QUESTION)
        await reader.start()
        [*_, end] = await reader.until("stream_end")

    assert end["error"] == {"code": "model_unavailable", "message": "It is away.", "retryable": True}


async def test_a_reader_who_leaves_a_stream_closes_the_models(tokens: Tokens) -> None:
    server, adapter = hanging()
    async with server.device():
        reader = await Reader.ask(server, tokens.alice, **QUESTION)
        await reader.start()
        [*_, text] = await reader.until("stream_text")
        assert (text["chunk"], adapter.left.is_set()) == ("Well,", False)

        await reader.leave()
        await ended(server, adapter)


async def test_a_reader_who_leaves_before_the_whole_answer_closes_the_models(tokens: Tokens) -> None:
    server, adapter = hanging()
    async with server.device():
        reader = await Reader.ask(server, tokens.alice, accept="application/json", **QUESTION)
        async with asyncio.timeout(WAIT_S):
            await adapter.asked.wait()
        assert not adapter.left.is_set()

        await reader.leave()
        await ended(server, adapter)


async def ended(server: Server, adapter: HangingAdapter) -> None:
    async with asyncio.timeout(WAIT_S):
        await adapter.left.wait()
        await server.services.supervisor.drain(WAIT_S)
    assert server.services.supervisor.running((ALICE, "laptop")) == []


async def test_an_unread_stream_closes_the_models(tokens: Tokens) -> None:
    server, adapter = hanging()
    alice = await database_sync_to_async(User.objects.get)(id=ALICE)
    async with server.device():
        turn = RestTurn(
            services=server.services,
            requester=requester_of(alice),
            grant=grant("alice"),
            question=ChatQuestion(message="My tasks?"),
        )
        response = await event_stream(turn)
        del response
        await ended(server, adapter)


async def test_a_long_silence_is_broken_by_comments(tokens: Tokens) -> None:
    server, adapter = hanging()
    alice = await database_sync_to_async(User.objects.get)(id=ALICE)
    async with server.device(), asyncio.timeout(WAIT_S):
        turn = RestTurn(
            services=server.services,
            requester=requester_of(alice),
            grant=grant("alice"),
            question=ChatQuestion(message="My tasks?"),
        )
        response = await event_stream(turn, pause_s=0.01)
        # On a busy machine a comment comes before the text, too.
        async for chunk in aiter(response):
            if b"Well," in chunk:
                break
        comment = await anext(aiter(response))
        del response
        await ended(server, adapter)

    assert comment == b":\n\n"


async def test_a_device_that_reconnects_answers_a_question_already_asked(tokens: Tokens) -> None:
    gate = asyncio.Event()
    server = Server([calls(call("list_tasks")), says("None.")])
    adapter = server.adapter

    class Waiting(HangingAdapter):
        async def stream(
            self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
        ) -> AsyncGenerator[ModelEvent, None]:
            self.asked.set()
            await gate.wait()
            async for event in adapter.stream(messages, tools, params):
                yield event

    waiting = Waiting([])
    server.run_with(adapter=waiting)
    async with rest(server, tokens.alice) as client, asyncio.timeout(WAIT_S):
        async with server.device():
            asking = asyncio.create_task(client.post(CHAT, json=QUESTION))
            await waiting.asked.wait()
        async with server.device() as again:
            gate.set()
            await answer(again, rows=[])
            assert (await asking).json()["response"] == "None."
