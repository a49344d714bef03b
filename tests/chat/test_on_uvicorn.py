"""The connection rules on the real server and real sockets, with short time-outs, in the test's own process."""

import asyncio
import json
import socket as sockets
from contextlib import suppress

import pytest
import websockets
from websockets.asyncio.client import ClientConnection, connect

from adiuva.server.serve import server_config
from agents.events import ModelStopped, StopReason, TextDelta
from chat.services import Timings
from chat.sockets.consumer import DeviceConsumer
from tests.agents.scripts import call, calls, says
from tests.chat.sockets import WAIT_S, Frame, Server
from tests.chat.uvicorn_server import serving

HELLO = '{"type":"device_hello","device_id":"laptop","capabilities":["pong"]}'
ASK = '{"type":"home_request","message":"tasks"}'


def signed_in(address: str, **options: object) -> connect:
    return connect(address, additional_headers={"Authorization": "Bearer alice"}, proxy=None, **options)  # type: ignore[arg-type]


async def close_code(connection: ClientConnection) -> int | None:
    """The server's close code."""
    async with asyncio.timeout(WAIT_S):
        with suppress(websockets.ConnectionClosed):
            while True:
                await connection.recv()
    return connection.close_code


async def until(connection: ClientConnection, kind: str) -> Frame:
    """The next frame of the type ``kind``."""
    while (frame := json.loads(await connection.recv()))["type"] != kind:
        pass
    received: Frame = frame
    return received


async def test_a_client_that_does_not_read_is_closed_and_its_turn_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adiuva.server.websocket_protocol._LAST_CHANCE_S", 0.2)
    monkeypatch.setattr("chat.sockets.consumer._FLUSH_S", 0.1)
    flood = [TextDelta(text="x" * 65_536 + "\n") for _ in range(150)]
    server = Server([[*flood, ModelStopped(reason=StopReason.COMPLETE)]], timings=Timings(stall_s=0.2))
    async with serving(server) as address:
        host, port = address.removeprefix("ws://").split("/")[0].split(":")
        slow = sockets.create_connection((host, int(port)))
        slow.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
        async with signed_in(address, sock=slow, max_queue=1, close_timeout=0.5) as connection:
            await connection.send(HELLO)
            await connection.recv()
            connection.transport.pause_reading()
            await connection.send(ASK)
            async with asyncio.timeout(WAIT_S):
                while server.services.connections.all():  # noqa: ASYNC110 - the server sends no event when it gives up
                    await asyncio.sleep(0.02)
            connection.transport.abort()
        [turn] = server.services.supervisor._turns.values()
        async with asyncio.timeout(WAIT_S):
            frames = [frame async for batch in turn.log.read() for frame in batch]
        assert '"finish_reason":"done"' in frames[-1]


async def test_a_silent_client_that_promised_pongs_is_closed() -> None:
    async with serving(Server(timings=Timings(silence_s=0.1))) as address, signed_in(address) as connection:
        await connection.send(HELLO)

        assert await close_code(connection) == 4408


async def test_answer_to_open_call_is_handled_at_once_and_other_frames_by_receive(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    received: list[str] = []
    receive = DeviceConsumer.receive

    async def noted(consumer: DeviceConsumer, text: str | None = None, data: bytes | None = None) -> None:
        received.append(text or "")
        await receive(consumer, text, data)

    monkeypatch.setattr(DeviceConsumer, "receive", noted)
    server = Server([calls(call("list_tasks", id="a"), call("list_projects", id="b")), says("None.")])
    async with serving(server) as address, signed_in(address) as connection, asyncio.timeout(WAIT_S):
        await connection.send(HELLO)
        await connection.send(ASK)
        first, second = [(await until(connection, "tool_call"))["id"] for _ in range(2)]
        await connection.send(json.dumps({"type": "tool_result", "id": first, "rows": []}))
        # It has the id of the call, but is no answer. After such a frame, answers wait for their turn.
        request = json.dumps({"type": "home_request", "id": second, "conversation_history": 1})
        await connection.send(request)
        assert (await until(connection, "error"))["code"] == "invalid"
        answer = json.dumps({"type": "tool_result", "id": second, "rows": []})
        await connection.send(answer)
        assert (await until(connection, "stream_end"))["finish_reason"] == "done"

    assert received == [HELLO, ASK, request, answer]


async def test_a_foreign_origin_is_refused_with_403() -> None:
    async with serving(Server()) as address:
        with pytest.raises(websockets.InvalidStatus) as refused:
            await signed_in(address, origin="https://evil.example")
        assert refused.value.response.status_code == 403


async def test_a_stopping_server_lets_turns_end_and_closes_with_1012() -> None:
    async with serving(Server(timings=Timings(drain_s=1.0))) as address:
        connection = await signed_in(address)
        await connection.send(HELLO)
        await connection.recv()
    assert json.loads(await connection.recv())["type"] == "server_shutdown"
    assert await close_code(connection) == 1012


async def test_fragments_of_a_frame_are_one_frame() -> None:
    async with serving(Server()) as address, signed_in(address) as connection:
        await connection.send([HELLO[:10], HELLO[10:20], HELLO[20:]])

        assert json.loads(await connection.recv())["type"] == "device_welcome"


async def test_text_that_is_not_utf_8_closes_the_socket() -> None:
    async with serving(Server()) as address, signed_in(address) as connection:
        await connection.send(HELLO)
        await connection.recv()
        await connection.send(b"\xff\xfe", text=True)

        assert await close_code(connection) == 1007


def test_the_server_pings_and_bounds_frames_as_the_protocol_says() -> None:
    config = server_config(lambda: None)

    assert (config.ws_ping_interval, config.ws_ping_timeout, config.ws_max_size) == (20.0, 20.0, 4 * 1024 * 1024)
    assert not config.ws_per_message_deflate
