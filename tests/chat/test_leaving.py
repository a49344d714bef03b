import asyncio

from chat.leaving import leave
from chat.services import Timings
from tests.agents.scripts import call, calls, says
from tests.chat.sockets import Server
from tests.chat.test_consumer import home


async def test_clients_are_told_turns_end_and_sockets_close() -> None:
    server = Server([calls(call("list_tasks")), says("Done in time.")], timings=Timings(drain_s=5))
    async with server.device() as busy, server.device("idle") as idle:
        await busy.send(home())
        [*_, wanted] = await busy.until("tool_call")
        leaving = asyncio.create_task(leave(server.services))
        assert (await idle.receive())["type"] == "server_shutdown"
        await idle.send(home())
        assert (await idle.receive())["code"] == "shutting_down"
        await busy.send({"type": "tool_result", "id": wanted["id"], "rows": []})
        frames = await busy.until("stream_end")
        assert "server_shutdown" in {frame["type"] for frame in frames}
        assert frames[-1]["finish_reason"] == "done"
        assert await busy.closed() == 1012
        assert await idle.closed() == 1012
        await busy.close()
        await idle.close()
        await leaving


async def test_a_turn_that_does_not_end_is_cut_off() -> None:
    server = Server([calls(call("list_tasks")), says("never")], timings=Timings(drain_s=0.05))
    async with server.device() as socket:
        await socket.send(home())
        await socket.until("tool_call")
        leaving = asyncio.create_task(leave(server.services))
        frames = await socket.until("stream_end")
        assert frames[-1]["finish_reason"] == "cancelled"
        assert await socket.closed() == 1012
        await socket.close()
        await leaving


async def test_with_nobody_connected_leaving_is_quick() -> None:
    async with asyncio.timeout(1):
        await leave(Server().services)
