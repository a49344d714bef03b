"""A connection opened on demand, and reopened after it was lost."""

import asyncio
from itertools import islice
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from device import link as link_module
from device.addresses import server_address
from device.client import connected
from device.errors import ConnectionFailed, ServerGone, Unauthorized
from device.executor import Executor
from device.hello import Hello
from device.link import Account, Backoff, Link
from tests.device.scripted_server import EMAIL, PASSWORD, Peer, ScriptedServer, scripted_server

AT_ONCE = Backoff(first_s=0.0, most_s=0.0)


async def _answering(peer: Peer) -> None:
    await peer.greet()
    while True:
        request = await peer.receive("home_request")
        if request["message"] == "leave":
            await peer.socket.close(1012)
            return
        await peer.answer(request, "Yes.")
        if request["message"] == "last":
            return


async def refusing(peer: Peer) -> None:
    await peer.send("error", code="unauthorized", message="Too old.")
    await peer.socket.close(4401)


async def _ask(link: Link, message: str) -> int:
    client = await link.client()
    return len([frame async for frame in client.home(message)])


def _link(server: ScriptedServer, executor: Executor) -> Link:
    account = Account(server_address(server.url), email=EMAIL, password=PASSWORD)
    return Link(account, "access-0", executor=executor, hello=Hello(device_id="d"), backoff=AT_ONCE)


async def test_link_connects_once_for_many_questions(executor: Executor) -> None:
    async with asyncio.timeout(30), scripted_server(_answering) as server, _link(server, executor) as link:
        assert [await _ask(link, "one"), await _ask(link, "last")] == [2, 2]
    assert server.tokens_seen == ["Bearer access-0"]
    assert server.posts == []


async def test_link_connects_again_with_the_token_that_was_good(executor: Executor) -> None:
    async with asyncio.timeout(30), scripted_server(_answering, _answering) as server, _link(server, executor) as link:
        with pytest.raises(ServerGone):
            await _ask(link, "leave")
        await link.back()
        assert await _ask(link, "last") == 2
    assert server.tokens_seen == ["Bearer access-0"] * 2
    assert server.posts == []


async def test_link_renews_a_token_that_is_no_longer_accepted(executor: Executor) -> None:
    async with (
        asyncio.timeout(30),
        scripted_server(_answering, refusing, _answering, refusing, _answering) as server,
        _link(server, executor) as link,
    ):
        for _ in range(2):
            with pytest.raises(ServerGone):
                await _ask(link, "leave")
            await link.back()
        assert await _ask(link, "last") == 2
    assert server.tokens_seen == [f"Bearer access-{number}" for number in (0, 0, 1, 1, 2)]
    assert [path for path, _ in server.posts] == ["/api/v1/auth/token", "/api/v1/auth/token/refresh"]


async def test_link_signs_in_again_when_the_refresh_token_is_not_accepted(executor: Executor) -> None:
    async with (
        asyncio.timeout(30),
        scripted_server(_answering, refusing, _answering, refusing, _answering) as server,
        _link(server, executor) as link,
    ):
        for number in (0, 7):
            server.tokens = number  # the server has issued another refresh token by now
            with pytest.raises(ServerGone):
                await _ask(link, "leave")
            await link.back()
        assert await _ask(link, "last") == 2
    assert server.tokens_seen[-1] == "Bearer access-8"
    assert [path.rpartition("/")[2] for path, _ in server.posts] == ["token", "refresh", "token"]


async def test_link_that_could_not_connect_tries_again_at_the_next_question(executor: Executor) -> None:
    async with asyncio.timeout(30), scripted_server(refusing, _answering) as server, _link(server, executor) as link:
        with pytest.raises(Unauthorized, match=r"^Too old\.$"):
            await link.client()
        assert await _ask(link, "last") == 2


async def test_connection_that_is_lost_while_no_one_asks_comes_back_by_itself(executor: Executor) -> None:
    back = asyncio.Event()

    async def leaving(peer: Peer) -> None:
        await peer.greet()
        peer.socket.transport.abort()

    async def returned(peer: Peer) -> None:
        await peer.greet()
        back.set()

    async with asyncio.timeout(30), scripted_server(leaving, returned) as server, _link(server, executor) as link:
        await link.client()
        await back.wait()


@pytest.mark.parametrize("code", [1000, 1009, 4400, 4403, 4409])
async def test_connection_that_was_ended_for_good_does_not_come_back_by_itself(executor: Executor, code: int) -> None:
    async def ending(peer: Peer) -> None:
        await peer.greet()
        await peer.socket.close(code)

    async with asyncio.timeout(30), scripted_server(ending) as server, _link(server, executor) as link:
        client = await link.client()
        assert str(await link.given_up()) == str(await client.gone())
        assert (await client.gone()).is_final
    assert len(server.tokens_seen) == 1


async def test_connection_that_would_need_another_password_does_not_come_back_by_itself(executor: Executor) -> None:
    async def dropping(peer: Peer) -> None:
        await peer.greet()
        server.refused = (401, '{"code": "login_failed", "message": "Blocked."}')
        peer.socket.transport.abort()

    async with asyncio.timeout(30), scripted_server(dropping, refusing) as server, _link(server, executor) as link:
        await link.client()
        assert str(await link.given_up()) == "Blocked."


async def test_server_that_does_not_come_back_is_given_up(executor: Executor) -> None:
    impatient = Backoff(first_s=0.0, most_s=0.0, patience_s=0.05)
    async with asyncio.timeout(30):
        async with scripted_server(_answering) as server:
            account = Account(server_address(server.url), email=EMAIL, password=PASSWORD)
            link = Link(account, "token", executor=executor, hello=Hello(device_id="d"), backoff=impatient)
            with pytest.raises(ServerGone):
                await _ask(link, "leave")
        async with link:
            with pytest.raises(ConnectionFailed, match="does not come back"):
                await link.back()


async def test_server_that_stops_says_when_to_come_back(executor: Executor) -> None:
    async def stopping(peer: Peer) -> None:
        await peer.greet()
        await peer.send("server_shutdown", retry_after_ms=2500)
        await peer.socket.close(1012)

    async with (
        asyncio.timeout(30),
        scripted_server(stopping) as server,
        connected(server_address(server.url), "t", executor=executor, hello=Hello(device_id="d")) as client,
    ):
        await client.gone()
        assert client.retry_after_s == 2.5


async def test_server_that_refuses_devices_for_now_is_left_alone_for_a_while(
    executor: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(link_module, "asyncio", SimpleNamespace(**{**vars(asyncio), "sleep": sleep}))

    async def stopping(peer: Peer) -> None:
        await peer.greet()
        await peer.send("server_shutdown", retry_after_ms=2500)
        await peer.socket.close(1012)

    async def away(peer: Peer) -> None:
        await peer.send("error", code="not_available", message="No database.", retryable=True)
        await peer.socket.close(1013)

    async def full(peer: Peer) -> None:
        await peer.receive("device_hello")
        await peer.socket.close(1013)

    scripts = (stopping, away, full, _answering)
    async with asyncio.timeout(30), scripted_server(*scripts) as server, _link(server, executor) as link:
        client = await link.client()
        await client.gone()
        await link.back()
        assert await _ask(link, "last") == 2
    assert pauses == [2.5, 2.0, 2.0]


async def test_server_that_never_welcomes_is_not_waited_for(
    executor: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("device.connection._WELCOME_S", 0.02)

    async def mute(peer: Peer) -> None:
        await peer.receive("device_hello")
        await peer.wait_closed()

    async with asyncio.timeout(30), scripted_server(mute) as server, _link(server, executor) as link:
        with pytest.raises(ConnectionFailed, match="does not answer the hello"):
            await link.client()


def _pauses(backoff: Backoff, count: int) -> list[float]:
    return list(islice(backoff.pauses(), count))


def test_pauses_double_up_to_the_longest() -> None:
    assert _pauses(Backoff(draw=lambda: 1.0), 8) == [0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 15.0, 15.0]


@given(drawn=st.lists(st.floats(0, 1), min_size=20, max_size=20))
def test_pauses_are_drawn_and_none_is_longer_than_the_longest(drawn: list[float]) -> None:
    numbers = iter(drawn)
    assert all(0 <= pause <= 15 for pause in _pauses(Backoff(draw=lambda: next(numbers)), 20))
