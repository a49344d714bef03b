import asyncio
from dataclasses import dataclass, field

import pytest

from chat import services as services_module
from chat.services import Timings
from chat.tasks import close_in_order
from tests.agents.scripts import call, calls, says
from tests.chat.sockets import WAIT_S, Server
from tests.chat.test_consumer import home


async def test_clients_are_told_turns_end_and_sockets_close() -> None:
    server = Server([calls(call("list_tasks")), says("Done in time.")], timings=Timings(drain_s=5))
    async with server.device() as busy, server.device("idle") as idle:
        await busy.send(home())
        [*_, wanted] = await busy.until("tool_call")
        closing = asyncio.create_task(server.services.aclose())
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
        await closing


async def test_a_turn_that_does_not_end_is_cut_off() -> None:
    server = Server([calls(call("list_tasks")), says("never")], timings=Timings(drain_s=0.05))
    async with server.device() as socket:
        await socket.send(home())
        await socket.until("tool_call")
        closing = asyncio.create_task(server.services.aclose())
        frames = await socket.until("stream_end")
        assert frames[-1]["finish_reason"] == "cancelled"
        assert await socket.closed() == 1012
        await socket.close()
        await closing


async def test_with_no_connection_shutting_down_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chat.services._CLOSING_S", 2 * WAIT_S)
    async with asyncio.timeout(WAIT_S):
        await Server(timings=Timings(drain_s=2 * WAIT_S)).services.aclose()


@dataclass
class Parts:
    """Records what ends, by name; ``broken`` raises."""

    broken: str = ""
    ended: list[str] = field(default_factory=list)

    async def end(self, name: str) -> None:
        self.ended.append(name)
        if name == self.broken:
            raise RuntimeError("away")


async def test_what_fails_to_end_is_logged_and_keeps_no_other_from_ending(caplog: pytest.LogCaptureFixture) -> None:
    parts = Parts(broken="first")
    await close_in_order(lambda: parts.end("first"), lambda: parts.end("second"))

    assert parts.ended == ["first", "second"]
    [record] = caplog.records
    assert (record.levelname, record.message) == ("ERROR", "a part did not close properly; the others are closed")


async def test_who_is_not_waited_for_any_more_ends_no_more() -> None:
    parts, begun = Parts(), asyncio.Event()

    async def hang() -> None:
        begun.set()
        await asyncio.Event().wait()

    ending = asyncio.create_task(close_in_order(hang, lambda: parts.end("second")))
    await begun.wait()
    ending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ending

    assert parts.ended == []


async def test_background_work_ends_though_closing_the_sockets_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    server, parts = Server(), Parts(broken="turns")
    monkeypatch.setattr(server.services.supervisor, "drain", lambda _: parts.end("turns"))
    monkeypatch.setattr(server.services.cluster, "aclose", lambda: parts.end("cluster"))
    await server.services.aclose()

    assert parts.ended == ["turns", "cluster"]


async def test_each_device_of_a_server_that_stops_is_asked_to_come_back_at_a_moment_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(services_module, "RETURNS_PER_S", 1)
    draws = iter([0.25, 0.75])
    server = Server()
    object.__setattr__(server.services, "draw", lambda: next(draws))
    async with server.device() as laptop, server.device(token="bob") as phone:
        closing = asyncio.ensure_future(server.services.aclose())
        told = [await each.receive() for each in (laptop, phone)]
        for each in (laptop, phone):
            assert await each.closed() == 1012
            await each.close()
        await closing
    assert [frame["retry_after_ms"] for frame in told] == [2000 + 500, 2000 + 1500]
