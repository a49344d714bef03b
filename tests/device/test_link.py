"""A connection when it is needed, and a new one after the last was lost."""

import asyncio

import pytest

from device.addresses import server_address
from device.errors import ServerGone, Unauthorized
from device.executor import Executor
from device.hello import Hello
from device.link import Account, Link
from tests.device.scripted_server import EMAIL, PASSWORD, Peer, ScriptedServer, scripted_server


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


async def _ask(link: Link, message: str) -> int:
    client = await link.client()
    return len([frame async for frame in client.home(message)])


async def _link(server: ScriptedServer, executor: Executor) -> Link:
    account = Account(server_address(server.url), email=EMAIL, password=PASSWORD)
    return Link(account, await account.access(), executor=executor, hello=Hello(device_id="d"))


async def test_link_connects_once_for_many_questions(executor: Executor) -> None:
    async with asyncio.timeout(30), scripted_server(_answering) as server, await _link(server, executor) as link:
        assert [await _ask(link, "one"), await _ask(link, "last")] == [2, 2]
    assert server.tokens_seen == ["Bearer access-1"]
    assert len(server.posts) == 1


async def test_link_connects_again_with_a_renewed_token(executor: Executor) -> None:
    async with (
        asyncio.timeout(30),
        scripted_server(_answering, _answering) as server,
        await _link(server, executor) as link,
    ):
        with pytest.raises(ServerGone):
            await _ask(link, "leave")
        assert await _ask(link, "last") == 2
    assert server.tokens_seen == ["Bearer access-1", "Bearer access-2"]
    assert [path for path, _ in server.posts] == ["/api/v1/auth/token", "/api/v1/auth/token/refresh"]


async def test_link_signs_in_again_when_the_refresh_token_is_not_accepted(executor: Executor) -> None:
    async with (
        asyncio.timeout(30),
        scripted_server(_answering, _answering) as server,
        await _link(server, executor) as link,
    ):
        with pytest.raises(ServerGone):
            await _ask(link, "leave")
        server.tokens = 7  # the server knows another refresh token by now
        assert await _ask(link, "last") == 2
    assert server.tokens_seen[-1] == "Bearer access-8"
    assert [path for path, _ in server.posts][1:] == ["/api/v1/auth/token/refresh", "/api/v1/auth/token"]


async def test_link_that_could_not_connect_tries_again_at_the_next_question(executor: Executor) -> None:
    async def refusing(peer: Peer) -> None:
        await peer.send("error", code="unauthorized", message="Too old.")
        await peer.socket.close(4401)

    async with (
        asyncio.timeout(30),
        scripted_server(refusing, _answering) as server,
        await _link(server, executor) as link,
    ):
        with pytest.raises(Unauthorized, match=r"^Too old\.$"):
            await link.client()
        assert await _ask(link, "last") == 2
