"""How a device is registered at its hello, and what is recorded when it leaves."""

import asyncio
import uuid
from dataclasses import dataclass, field

import pytest
from channels.db import database_sync_to_async
from django.utils import timezone as clock

from accounts.auth.devices import DeviceFacts, SocketIdentity
from accounts.auth.tokens import issue_tokens
from accounts.errors import DeviceUnfit, MissingMasterKey
from accounts.models import User
from accounts.session_models import Device
from tests.agents.scripts import says
from tests.chat.accounts import ALICE, BOB, DatabaseAccounts, MemoryAccounts, grant
from tests.chat.sockets import WAIT_S, Frame, Server, leap
from tests.chat.test_consumer import home

HELLO: Frame = {"type": "device_hello", "device_id": "laptop"}


@dataclass
class SlowAccounts(MemoryAccounts):
    """Registers a device when a test allows it."""

    asked: asyncio.Event = field(default_factory=asyncio.Event)
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    slow: bool = True

    async def device_arrived(self, identity: SocketIdentity, facts: DeviceFacts) -> str:
        self.asked.set()
        if self.slow:
            await self.ready.wait()
        return await super().device_arrived(identity, facts)


class StrictAccounts(MemoryAccounts):
    """Accounts that refuse a device with an empty platform."""

    async def device_arrived(self, identity: SocketIdentity, facts: DeviceFacts) -> str:
        if not facts.platform:
            raise DeviceUnfit
        return await super().device_arrived(identity, facts)


async def test_device_is_known_by_what_it_says_before_it_is_welcome() -> None:
    accounts = MemoryAccounts()
    socket = Server(accounts=accounts).socket()
    await socket.connect()
    await socket.send({**HELLO, "platform": "linux", "app_version": "1.0"})

    assert (await socket.receive())["type"] == "device_welcome"
    facts = DeviceFacts(device_id="laptop", platform="linux", app_version="1.0")
    assert accounts.present == {(ALICE, "laptop"): facts}
    await socket.close()


class KeylessAccounts(MemoryAccounts):
    """Accounts of a server whose master key is missing, noticed at the handshake or at the hello."""

    at_handshake = at_hello = True

    async def authenticate(self, token: str) -> SocketIdentity:
        if self.at_handshake:
            raise MissingMasterKey("0" * 16)
        return await super().authenticate(token)

    async def device_arrived(self, identity: SocketIdentity, facts: DeviceFacts) -> str:
        if self.at_hello:
            raise MissingMasterKey("0" * 16)
        return await super().device_arrived(identity, facts)


@pytest.mark.parametrize("at_handshake", [True, False])
async def test_without_the_key_of_the_account_a_socket_is_told_so_and_closed(at_handshake: bool) -> None:
    accounts = KeylessAccounts()
    accounts.at_handshake = at_handshake
    socket = Server(accounts=accounts).socket()
    await socket.connect()
    if not at_handshake:
        await socket.send(HELLO)
    refused = await socket.receive()
    assert (refused["type"], refused["code"], refused["retryable"]) == ("error", "not_available", True)
    assert await socket.closed() == 1013


async def test_without_the_key_of_the_account_a_new_token_is_answered_so() -> None:
    accounts = KeylessAccounts()
    server = Server(accounts=accounts)
    accounts.at_handshake = accounts.at_hello = False
    async with server.device() as socket:
        accounts.at_handshake = True
        await socket.send({"type": "authenticate", "token": "alice2"})
        refused = await socket.receive()
        assert (refused["type"], refused["code"], refused["retryable"]) == ("error", "not_available", True)


async def test_frames_behind_the_hello_wait_for_the_welcome() -> None:
    accounts = SlowAccounts()
    server = Server([says("Here.")], accounts=accounts)
    socket = server.socket()
    await socket.connect()
    await socket.send(HELLO)
    await socket.send(home())
    await accounts.asked.wait()
    assert await socket.silent()

    accounts.ready.set()
    frames = await socket.until("stream_end")
    assert frames[0]["type"] == "device_welcome"
    assert frames[-1]["finish_reason"] == "done"
    await socket.close()


async def test_socket_whose_client_has_connected_again_meanwhile_does_not_end_the_newer_one() -> None:
    accounts = SlowAccounts()
    server = Server(accounts=accounts)
    given_up = server.socket()
    await given_up.connect()
    await given_up.send(HELLO)
    await accounts.asked.wait()
    accounts.slow = False
    leap(1)

    async with server.device() as newer:
        accounts.ready.set()
        assert await given_up.closed() == 4409
        await given_up.close()
        assert await newer.silent()
        assert [each.id for each in server.services.connections.all()] == [newer.welcome["connection_id"]]


async def test_device_that_waits_holds_up_no_other() -> None:
    accounts = SlowAccounts()
    server = Server(accounts=accounts)
    waiting = server.socket()
    await waiting.connect()
    await waiting.send(HELLO)
    await accounts.asked.wait()
    other = server.socket("bob")

    assert await other.connect() == (True, None)
    await other.send(home())
    assert (await other.receive())["code"] == "hello_required"
    await other.close()
    accounts.ready.set()
    await waiting.close()


async def test_removed_device_is_refused() -> None:
    accounts = MemoryAccounts(removed={(ALICE, "laptop")})
    server = Server(accounts=accounts)
    socket = server.socket()
    await socket.connect()
    await socket.send(HELLO)

    assert await socket.receive() == {
        "type": "error",
        "code": "unauthorized",
        "message": "This device was removed from the account.",
        "retryable": False,
    }
    assert await socket.closed() == 4403
    assert server.services.connections.all() == []
    async with server.device(token="bob"), server.device("phone"):
        assert set(accounts.present) == {(BOB, "laptop"), (ALICE, "phone")}


async def test_device_that_cannot_be_stored_may_say_hello_again() -> None:
    socket = Server(accounts=StrictAccounts()).socket()
    await socket.connect()
    await socket.send(HELLO)
    refused = await socket.receive()
    assert (refused["code"], refused["message"]) == (
        "invalid",
        "A device's id, platform and version may not contain null characters.",
    )
    await socket.send({**HELLO, "platform": "linux"})
    assert (await socket.receive())["type"] == "device_welcome"
    await socket.close()


async def test_database_that_is_away_at_the_hello_is_no_fault_of_the_device(caplog: pytest.LogCaptureFixture) -> None:
    socket = Server(accounts=MemoryAccounts(away=True)).socket()
    await socket.connect()
    await socket.send(HELLO)

    refused = await socket.receive()
    assert (refused["code"], refused["retryable"]) == ("internal_error", True)
    assert await socket.closed() == 1012
    assert "the database is away" in caplog.text
    assert "the database" not in str(refused["message"])


async def test_departure_is_noted_and_a_failure_to_note_it_is_harmless(caplog: pytest.LogCaptureFixture) -> None:
    accounts = MemoryAccounts()
    server = Server(accounts=accounts)
    async with server.device():
        assert accounts.left == []
    assert accounts.left == [(ALICE, "laptop")]

    async with server.device():
        accounts.away = True
    assert accounts.left == [(ALICE, "laptop")]
    assert "ConnectionError" in caplog.text
    assert server.services.connections.all() == []


async def test_socket_that_never_said_hello_leaves_no_device_behind() -> None:
    accounts = MemoryAccounts()
    socket = Server(accounts=accounts).socket()
    await socket.connect()
    await socket.close()

    assert (accounts.present, accounts.left) == ({}, [])


@pytest.mark.parametrize(("token", "came_with"), [("alice", ["alice"]), ("alice2", ["alice", "alice2"])])
async def test_fresh_token_of_another_sign_in_belongs_to_the_device_too(token: str, came_with: list[str]) -> None:
    accounts = MemoryAccounts()
    async with Server(accounts=accounts).device() as socket:
        await socket.send({"type": "authenticate", "token": token})
        assert (await socket.receive())["type"] == "authenticated"

    assert accounts.came_with == [("laptop", grant(signed_in)) for signed_in in came_with]


async def test_fresh_token_of_a_sign_in_that_ended_is_refused() -> None:
    accounts = MemoryAccounts(ended={grant("alice2")})
    async with Server(accounts=accounts).device() as socket:
        await socket.send({"type": "authenticate", "token": "alice2"})
        assert (await socket.receive())["code"] == "unauthorized"
        await socket.send({"type": "cancel_request", "request_id": str(uuid.uuid4())})
        assert (await socket.receive())["code"] == "unknown_request"


async def test_fresh_token_on_a_device_that_was_removed_is_refused() -> None:
    accounts = MemoryAccounts()
    async with Server(accounts=accounts).device() as socket:
        accounts.removed.add((ALICE, "laptop"))
        await socket.send({"type": "authenticate", "token": "alice2"})
        assert (await socket.receive())["code"] == "unauthorized"


@pytest.mark.django_db(transaction=True)
async def test_a_device_that_has_come_back_is_online_though_its_older_socket_ends(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chat.sockets.registration._DEPARTURE_S", WAIT_S)

    def online() -> bool:
        return Device.objects.online(clock.now()).exists()

    server = Server(accounts=DatabaseAccounts())
    token = (await database_sync_to_async(issue_tokens)(alice)).access
    older = server.socket(token)
    await older.connect()
    await older.send(HELLO)
    assert (await older.receive())["type"] == "device_welcome"
    async with server.device(token=token):
        assert await older.closed() == 4409
        await older.close()
        assert await database_sync_to_async(online)()
    assert not await database_sync_to_async(online)()
