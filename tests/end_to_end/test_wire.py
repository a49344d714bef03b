"""The protocol with a misbehaving client, on the real server process."""

import asyncio
import json
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress

import jwt
import pytest
import websockets
from websockets.asyncio.client import connect

from tests.end_to_end.conftest import SECRET_KEY, Account, Running, register, server
from tests.end_to_end.raw import Frame, device, socket, text_of
from tests.model_server.scripts import BreakOff, Hold, Raw, Script, Status, calls, says, wants
from tests.model_server.server import ModelServer

pytestmark = pytest.mark.end_to_end


@pytest.fixture(scope="module")
def impatient(database_server: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server for devices that never answer, with the shortest time-out that still allows a reconnect."""
    with ModelServer() as model:
        quick = {"OPENAI_BASE_URL": model.base_url, "ADIUVA_CLIENT_CALL_TIMEOUT_S": "3"}
        with server(tmp_path_factory.mktemp("impatient"), **quick) as address:
            yield Running(url=address, model=model)


async def test_a_browser_signs_in_by_subprotocol(running: Running, alice: Account) -> None:
    offered = [websockets.Subprotocol("adiuva.v3"), websockets.Subprotocol(f"adiuva.bearer.{alice.access}")]
    async with connect(running.socket_url, subprotocols=offered, proxy=None) as connection:
        assert connection.subprotocol == "adiuva.v3"
        await connection.send('{"type":"device_hello","device_id":"browser"}')
        assert json.loads(await connection.recv())["type"] == "device_welcome"


async def test_a_token_in_the_address_is_no_credential(running: Running, alice: Account) -> None:
    async with connect(f"{running.socket_url}?token={alice.access}", proxy=None) as connection:
        assert json.loads(await connection.recv())["code"] == "unauthorized"


def expired(access: str) -> str:
    claims = jwt.decode(access, SECRET_KEY, algorithms=["HS256"])
    return jwt.encode({**claims, "exp": round(time.time()) - 1}, SECRET_KEY, algorithm="HS256")


def forged(access: str) -> str:
    claims = jwt.decode(access, SECRET_KEY, algorithms=["HS256"])
    return jwt.encode(claims, "another secret that is just as long as the real one", algorithm="HS256")


@pytest.mark.parametrize("spoil", [expired, forged, lambda _: "nonsense", lambda _: None])
async def test_bad_tokens_are_reported_and_closed(running: Running, alice: Account, spoil) -> None:  # type: ignore[no-untyped-def]
    async with socket(running, spoil(alice.access)) as raw:
        assert (await raw.receive())["code"] == "unauthorized"
        assert await raw.close_code() == 4401


async def test_malformed_binary_and_unknown_frames_leave_the_socket_open(running: Running, alice: Account) -> None:
    async with device(running, alice.access) as raw:
        codes = []
        for text in ("{", "[]", '"hi"', '{"type":"floating_request"}', '{"type":"home_request"}', "[" * 100_000):
            await raw.connection.send(text)
            codes.append((await raw.receive())["code"])
        await raw.connection.send(b"\x00\xff")
        codes.append((await raw.receive())["code"])
        assert codes == ["bad_frame", "bad_frame", "bad_frame", "unknown_type", "invalid", "bad_frame", "bad_frame"]

        word = uuid.uuid4().hex
        running.model.when(lambda request: word in request.asked, says(word))
        await raw.ask(f"tasks {word}")
        assert text_of(await raw.until("stream_end")) == word


async def test_a_frame_over_the_limit_closes_with_1009(running: Running, alice: Account) -> None:
    async with device(running, alice.access) as raw:
        with suppress(websockets.ConnectionClosed):  # the server may close before all of it is sent
            await raw.connection.send("x" * (4 * 1024 * 1024 + 1))

        assert await raw.close_code() == 1009


async def test_another_users_ids_are_unknown(running: Running, alice: Account, bob: Account) -> None:
    word = uuid.uuid4().hex
    running.model.when(lambda request: word in request.asked, calls(wants("list_tasks")), says("Fine."))
    async with device(running, alice.access) as hers, device(running, bob.access) as his:
        request_id = await hers.ask(f"tasks {word}")
        [*_, call] = await hers.until("tool_call")
        await his.send({"type": "tool_result", "id": call["id"], "rows": [{"id": "x", "title": "His"}]})
        for frame in ({"type": "cancel_request"}, {"type": "resume_request", "after_seq": -1}):
            await his.send({**frame, "request_id": request_id})  # type: ignore[dict-item]
            assert (await his.receive())["code"] == "unknown_request"
        await hers.send({"type": "tool_result", "id": call["id"], "rows": [{"id": "y", "title": "Hers"}]})
        await hers.until("stream_end")

    told = [text for request in running.model.requests if word in request.asked for text in request.told]
    # With the first rows come instructions.
    assert [text.partition("\n\n")[0] for text in told] == ['Found 1 task:\n- "Hers" [id y]']


async def test_cancelling_closes_the_models_stream(running: Running, alice: Account) -> None:
    word = uuid.uuid4().hex
    running.model.when(lambda request: word in request.asked, [*says("Once upon")[:2], Hold(word)])
    async with device(running, alice.access) as raw:
        request_id = await raw.ask(f"tasks {word}")
        await raw.until("stream_text")
        await raw.send({"type": "cancel_request", "request_id": request_id})
        [*_, end] = await raw.until("stream_end")
        [request] = [request for request in running.model.requests if word in request.asked]
        # The model sends nothing more: only the cancellation can close its stream.
        assert await asyncio.to_thread(request.abandoned.wait, 30)

    assert end["finish_reason"] == "cancelled"


async def test_a_device_that_never_answers_is_reported_to_the_model(impatient: Running) -> None:
    alice, word = register(impatient.url), uuid.uuid4().hex
    script = [calls(wants("create_task", title=word)), calls(wants("create_task", title=word)), says("Unsure.")]
    impatient.model.when(lambda request: word in request.asked, *script)
    async with device(impatient, alice.access) as raw:
        await raw.ask(f"create task {word}")
        frames = await raw.until("stream_end")

    sent = [frame for frame in frames if frame["type"] == "tool_call"]
    last = [request for request in impatient.model.requests if word in request.asked][-1]
    assert len(sent) == 1
    assert "The outcome is unknown" in last.told[0]
    assert "It is not sent again" in last.told[1]
    assert frames[-1]["mutations"] == []


@pytest.mark.parametrize(("capabilities", "again"), [((), False), (("ledger",), True)])
async def test_a_device_that_drops_mid_call_comes_back_to_the_same_call(
    running: Running, impatient: Running, capabilities: tuple[str, ...], again: bool
) -> None:
    server = running if again else impatient
    alice, word = register(server.url), uuid.uuid4().hex
    server.model.when(lambda request: word in request.asked, calls(wants("create_task", title=word)), says("Done."))
    async with device(server, alice.access, *capabilities) as raw:
        request_id = await raw.ask(f"create task {word}")
        [*_, call] = await raw.until("tool_call")
    async with device(server, alice.access, *capabilities) as raw:
        running_now = raw.welcome["running"]
        assert isinstance(running_now, list)
        assert [turn["request_id"] for turn in running_now if isinstance(turn, dict)] == [request_id]
        if again:
            assert await raw.receive() == call
            await raw.send({"type": "tool_result", "id": call["id"], "row": {"id": "new", "title": word}})
        await raw.send({"type": "resume_request", "request_id": request_id, "after_seq": -1})
        frames = await raw.until("stream_end")

    assert [frame["seq"] for frame in frames] == list(range(len(frames)))
    assert frames[-1]["mutations"] == ([{"action": "insert", "table": "tasks", "id": "new"}] if again else [])


async def test_after_five_tool_rounds_the_model_has_to_answer(running: Running, alice: Account) -> None:
    word = uuid.uuid4().hex
    rounds = [calls(wants("list_tasks", f"call_{number}", search=str(number))) for number in range(5)]
    running.model.when(lambda request: word in request.asked, *rounds, says("Enough."))
    async with device(running, alice.access) as raw:
        await raw.ask(f"tasks {word}")
        for _ in range(5):
            [*_, call] = await raw.until("tool_call")
            await raw.send({"type": "tool_result", "id": call["id"], "rows": []})
        frames = await raw.until("stream_end")

    sent = [request for request in running.model.requests if word in request.asked]
    assert [request.body.get("tool_choice") for request in sent] == [None] * 5 + ["none"]
    assert all(request.tools == sent[0].tools for request in sent)
    assert text_of(frames) == "Enough."


async def test_four_turns_at_once_on_one_socket(running: Running, alice: Account) -> None:
    words = [uuid.uuid4().hex for _ in range(4)]
    for word in words:
        running.model.when(
            lambda request, word=word: word in request.asked,  # type: ignore[misc]
            calls(wants("list_tasks", search=word)),
            lambda body: says(f"I saw {body['messages'][-1]['content']}"),
        )
    async with device(running, alice.access) as raw:
        ids = {await raw.ask(f"tasks {word}"): word for word in words}
        frames: list[Frame] = []
        while sum(frame["type"] == "stream_end" for frame in frames) < len(words):
            frame = await raw.receive()
            frames.append(frame)
            if frame["type"] == "tool_call":
                filters = frame["filters"]
                assert isinstance(filters, dict)
                row = {"id": "1", "title": filters["search"]}
                await raw.send({"type": "tool_result", "id": frame["id"], "rows": [row]})

    for request_id, word in ids.items():
        own = [frame for frame in frames if frame["request_id"] == request_id and "seq" in frame]
        assert [frame["seq"] for frame in own] == list(range(len(own)))
        assert word in text_of(own)
        assert not any(other in text_of(own) for other in words if other != word)


@pytest.mark.parametrize(
    ("spoil", "code", "retryable"),
    [
        (503, "model_unavailable", True),
        (401, "model_error", False),
        ("break", "model_error", True),
        ("garbage", "model_error", True),
    ],
)
async def test_a_failing_model_ends_the_turn_with_its_error(
    running: Running, alice: Account, spoil: object, code: str, retryable: bool
) -> None:
    word = uuid.uuid4().hex
    running.model.when(lambda request: word in request.asked, failing(spoil))
    async with device(running, alice.access) as raw:
        await raw.ask(f"tasks {word}")
        [*_, end] = await raw.until("stream_end")

    error = end["error"]
    assert isinstance(error, dict)
    assert (end["finish_reason"], error["code"], error["retryable"]) == ("error", code, retryable)


def failing(spoil: object) -> Script:
    if isinstance(spoil, int):
        return [Status(spoil)]
    return [*says("Half")[:2], BreakOff() if spoil == "break" else Raw(b"data: {nonsense\n\n")]
