import asyncio
import json
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from uuid import UUID, uuid4

import pytest
from channels.db import database_sync_to_async

from accounts.auth.devices import remove_device
from accounts.auth.tokens import AccessGrant, TokenPair, issue_tokens, revoke_all_tokens
from accounts.erasure import forget
from accounts.models import User
from accounts.session_models import Device
from accounts.signals import access_revoked
from chat.devices.connections import Connection
from chat.devices.links import DeviceKey
from chat.protocol.frames.server import ServerFrame
from chat.protocol.frames.vocabulary import CloseCode
from chat.revocation import ASK_EVERY_S, RevocationWatch
from chat.services import Timings
from chat.turns.frame_log import FrameLog
from chat.turns.supervisor import Turn, TurnSupervisor
from tests.agents.scripts import call, calls, says
from tests.chat.accounts import ALICE, BOB, DatabaseAccounts, MemoryAccounts, grant
from tests.chat.sockets import WAIT_S, Server, Socket, leap
from tests.chat.test_consumer import home
from tests.conftest import PASSWORD
from tests.contexts import is_kept

NEVER_S = 3600.0
LAPTOP: DeviceKey = (ALICE, "laptop")


@dataclass(eq=False)
class FakeSocket:
    """A socket that records only how it is closed."""

    grant: AccessGrant = field(default_factory=lambda: grant("alice"))
    device: DeviceKey | None = LAPTOP
    closed: list[CloseCode] = field(default_factory=list)

    def send_soon(self, frame: ServerFrame) -> None: ...

    def close_soon(self, code: CloseCode) -> None:
        self.closed.append(code)

    async def wait_closed(self) -> None: ...


@dataclass
class Database:
    """Answers only when a test allows it, and shows what was asked."""

    asked: asyncio.Queue[set[AccessGrant]] = field(default_factory=asyncio.Queue)
    answers: asyncio.Queue[set[AccessGrant] | Exception] = field(default_factory=asyncio.Queue)

    async def __call__(self, grants: Collection[AccessGrant]) -> set[AccessGrant]:
        self.asked.put_nowait(set(grants))
        answer = await self.answers.get()
        if isinstance(answer, Exception):
            raise answer
        return answer


@dataclass
class World:
    """A watch over fake sockets, and a supervisor whose turns go on until they are cancelled."""

    every_s: float
    database: Database = field(default_factory=Database)
    supervisor: TurnSupervisor = field(default_factory=TurnSupervisor)

    def __post_init__(self) -> None:
        self.watch = RevocationWatch(ask=self.database, supervisor=self.supervisor, every_s=self.every_s)

    def turn(self, device: DeviceKey = LAPTOP) -> Turn:
        async def work(_: FrameLog) -> None:
            await asyncio.Event().wait()

        return self.supervisor.start(Turn(key=(device[0], str(uuid4())), device=device, fingerprint=""), work)

    async def asked(self) -> set[AccessGrant]:
        async with asyncio.timeout(WAIT_S):
            return await self.database.asked.get()

    async def asked_again(self, answer: set[AccessGrant] | Exception) -> set[AccessGrant]:
        """The next question, after the previous one has been answered with ``answer``."""
        self.database.answers.put_nowait(answer)
        return await self.asked()


@asynccontextmanager
async def world(every_s: float = 0.001) -> AsyncIterator[World]:
    made = World(every_s)
    try:
        yield made
    finally:
        await made.watch.aclose()
        await made.supervisor.drain(0)


@pytest.mark.parametrize("number", [1, 3])
async def test_all_sockets_are_one_question(number: int) -> None:
    async with world() as here:
        sockets = [FakeSocket(grant=grant(f"alice{position}")) for position in range(number)]
        for socket in sockets:
            here.watch.watch(socket)

        assert await here.asked() == {socket.grant for socket in sockets}
        assert here.database.asked.empty()


async def test_asking_does_not_keep_the_request_that_came_first() -> None:
    async with world(NEVER_S) as here:

        async def come() -> None:
            here.watch.watch(FakeSocket())

        assert not await is_kept(come)


async def test_who_may_not_stay_is_closed_and_the_others_are_not() -> None:
    async with world() as here:
        gone, stays = FakeSocket(), FakeSocket(grant=grant("bob"), device=None)
        here.watch.watch(gone)
        here.watch.watch(stays)
        await here.asked()

        assert await here.asked_again({gone.grant}) == {stays.grant}
        assert (gone.closed, stays.closed) == ([CloseCode.REVOKED], [])


async def test_turns_of_the_device_are_cancelled_and_no_others() -> None:
    async with world() as here:
        phone = (ALICE, "phone")
        here.watch.watch(FakeSocket())
        here.watch.watch(FakeSocket(grant=grant("alice2"), device=phone))
        cancelled, goes_on = here.turn(), here.turn(phone)
        await here.asked()
        await here.asked_again({grant("alice")})

        assert [frames async for frames in cancelled.log.read()] == []
        assert here.supervisor.running(LAPTOP) == []
        assert here.supervisor.running(phone) == [goes_on]


async def test_turn_that_outlived_its_socket_is_cancelled() -> None:
    async with world() as here:
        socket = FakeSocket()
        here.watch.watch(socket)
        turn = here.turn()
        await here.watch.unwatch(socket)

        assert await here.asked() == {socket.grant}
        here.database.answers.put_nowait({socket.grant})
        assert [frames async for frames in turn.log.read()] == []
        assert socket.closed == []


async def test_turn_whose_device_is_elsewhere_is_cancelled_when_its_access_ends() -> None:
    async with world() as here:
        turn = here.turn()
        here.watch.watch_turn(turn, grant("alice"))
        assert await here.asked() == {grant("alice")}
        here.database.answers.put_nowait({grant("alice")})
        assert [frames async for frames in turn.log.read()] == []


async def test_turn_that_ended_after_its_socket_is_not_asked_about() -> None:
    async with world() as here:
        left, stays = FakeSocket(), FakeSocket(grant=grant("bob"), device=None)
        here.watch.watch(left)
        here.watch.watch(stays)
        turn = here.turn()
        await here.watch.unwatch(left)
        assert await here.asked() == {left.grant, stays.grant}
        here.supervisor.cancel(turn.key)
        assert [frames async for frames in turn.log.read()] == []

        assert await here.asked_again(set()) == {stays.grant}


async def test_device_that_came_back_is_judged_by_its_new_token() -> None:
    async with world() as here:
        left, back = FakeSocket(), FakeSocket(grant=grant("alice2"))
        here.watch.watch(left)
        here.turn()
        await here.watch.unwatch(left)
        here.watch.watch(back)

        assert await here.asked() == {back.grant}


async def test_closed_socket_that_lingers_does_not_touch_the_turns_of_a_newer_one() -> None:
    async with world() as here:
        lingers, newer = FakeSocket(), FakeSocket(grant=grant("alice2"))
        here.watch.watch(lingers)
        await here.asked()
        here.watch.watch(newer)
        await here.asked_again({lingers.grant})
        turn = here.turn()
        await here.watch.unwatch(lingers)

        assert await here.asked_again(set()) == {newer.grant}
        assert here.supervisor.running(LAPTOP) == [turn]


async def test_fresh_token_that_comes_before_the_answer_counts() -> None:
    async with world() as here:
        socket = FakeSocket()
        here.watch.watch(socket)
        await here.asked()
        socket.grant = grant("alice2")

        assert await here.asked_again({grant("alice")}) == {grant("alice2")}
        assert socket.closed == []


async def test_signal_from_another_thread_is_a_reason_to_ask_at_once() -> None:
    async with world(every_s=NEVER_S) as here:
        here.watch.watch(FakeSocket())
        await asyncio.to_thread(access_revoked.send_robust, sender=None, user_id=ALICE, device_id=None)

        assert await here.asked() == {grant("alice")}


async def test_signal_asks_about_the_user_it_names_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chat.revocation._GATHER_S", 0.0)
    async with world(every_s=NEVER_S) as here:
        alices, bobs = FakeSocket(), FakeSocket(grant=grant("bob"), device=None)
        for socket in (alices, bobs):
            here.watch.watch(socket)
        for user_id in (uuid4(), ALICE, uuid4()):
            access_revoked.send(sender=None, user_id=user_id, device_id=None)
            # A signal comes from a thread, and is followed in the loop.
            await asyncio.sleep(0)
        assert await here.asked() == {alices.grant}

        access_revoked.send(sender=None, user_id=uuid4(), device_id=None)
        await asyncio.sleep(0)
        access_revoked.send(sender=None, user_id=BOB, device_id=None)
        assert await here.asked_again({alices.grant}) == {bobs.grant}
        assert (alices.closed, bobs.closed) == ([CloseCode.REVOKED], [])


async def test_signal_asks_about_the_users_turns_that_were_left(monkeypatch: pytest.MonkeyPatch) -> None:
    async with world(every_s=NEVER_S) as here:
        left = FakeSocket()
        here.watch.watch(left)
        turn = here.turn()
        await here.watch.unwatch(left)
        access_revoked.send(sender=None, user_id=ALICE, device_id=None)
        assert await here.asked() == {left.grant}
        here.database.answers.put_nowait({left.grant})
        assert [frames async for frames in turn.log.read()] == []


async def test_signals_that_come_during_a_query_are_one_more_query() -> None:
    async with world(every_s=NEVER_S) as here:
        sockets = [FakeSocket(), FakeSocket(grant=grant("bob"), device=None)]
        for socket in sockets:
            here.watch.watch(socket)
        access_revoked.send(sender=None, user_id=ALICE, device_id=None)
        await here.asked()
        for user_id in (ALICE, BOB, ALICE):
            access_revoked.send(sender=None, user_id=user_id, device_id=None)
        assert await here.asked_again(set()) == {socket.grant for socket in sockets}
        here.database.answers.put_nowait(set())


async def test_signals_do_not_put_off_asking_about_all() -> None:
    async with world(every_s=NEVER_S) as here:
        alices, bobs = FakeSocket(), FakeSocket(grant=grant("bob"), device=None)
        for socket in (alices, bobs):
            here.watch.watch(socket)
        access_revoked.send(sender=None, user_id=ALICE, device_id=None)
        assert await here.asked() == {alices.grant}
        leap(NEVER_S)
        access_revoked.send(sender=None, user_id=ALICE, device_id=None)
        assert await here.asked_again(set()) == {alices.grant, bobs.grant}


async def test_signal_that_comes_while_the_answer_is_on_its_way_is_a_reason_to_ask_again() -> None:
    async with world(every_s=NEVER_S) as here:
        here.watch.watch(FakeSocket())
        for _ in range(2):
            access_revoked.send(sender=None, user_id=ALICE, device_id=None)
        await here.asked()
        access_revoked.send(sender=None, user_id=ALICE, device_id=None)

        assert await here.asked_again(set()) == {grant("alice")}


async def test_signal_without_sockets_is_no_reason_to_ask() -> None:
    async with world() as here:
        access_revoked.send(sender=None, user_id=ALICE, device_id=None)
        await here.watch.unwatch(FakeSocket())
        assert here.database.asked.empty()


def test_signal_after_the_loop_has_closed_goes_nowhere() -> None:
    async def watched_once() -> RevocationWatch:
        made = World(NEVER_S)
        made.watch.watch(FakeSocket())
        await made.watch.aclose()
        return made.watch

    watch = asyncio.run(watched_once())
    assert {error for _, error in access_revoked.send_robust(sender=None, user_id=ALICE, device_id=None)} == {None}
    del watch


async def test_database_that_is_away_is_logged_once_and_asked_on(caplog: pytest.LogCaptureFixture) -> None:
    def complaints() -> list[str]:
        return [record.message for record in caplog.records if record.name == "chat.revocation"]

    async with world() as here:
        socket = FakeSocket()
        here.watch.watch(socket)
        stays = FakeSocket(grant=grant("bob"), device=None)
        here.watch.watch(stays)
        await here.asked()
        for _ in range(3):
            await here.asked_again(ConnectionError("away"))
        assert complaints() == ["asking for revoked access failed; it is tried again"]

        await here.asked_again(set())
        await here.asked_again(ConnectionError("away again"))
        assert len(complaints()) == 2

        await here.asked_again({socket.grant})
        assert socket.closed == [CloseCode.REVOKED]


async def test_no_task_runs_without_watched_sockets() -> None:
    before = asyncio.all_tasks()
    async with world(every_s=NEVER_S) as here:
        socket = FakeSocket(device=None)
        for _ in range(2):
            here.watch.watch(socket)
            assert len(asyncio.all_tasks() - before) == 1
            await here.watch.unwatch(socket)
            assert asyncio.all_tasks() == before


async def test_asking_ends_with_the_last_turn_that_was_left() -> None:
    before = asyncio.all_tasks()
    async with world() as here:
        socket = FakeSocket()
        here.watch.watch(socket)
        turn = here.turn()
        await here.watch.unwatch(socket)
        await here.asked()
        here.supervisor.cancel(turn.key)
        [asking] = [task for task in asyncio.all_tasks() - before if task.get_name() == "asking for revoked access"]
        here.database.answers.put_nowait(set())
        async with asyncio.timeout(WAIT_S):
            await asking


async def test_socket_that_comes_while_asking_ends_is_watched() -> None:
    async with world() as here:
        first, second = FakeSocket(), FakeSocket(grant=grant("bob"))
        here.watch.watch(first)
        await here.asked()
        ending = asyncio.create_task(here.watch.unwatch(first))
        await asyncio.sleep(0)
        here.watch.watch(second)
        await ending

        assert await here.asked() == {second.grant}


def test_asking_leaves_time_to_close_within_what_the_protocol_gives() -> None:
    assert Timings().revocation_s == ASK_EVERY_S < 5


# On sockets


async def test_socket_is_closed_though_the_hint_was_lost() -> None:
    accounts = MemoryAccounts()
    server = Server(accounts=accounts, timings=Timings(revocation_s=0.01))
    async with server.device() as alice, server.device(token="bob") as bob:
        accounts.ended.add(grant("alice"))

        assert await alice.closed() == 4403
        await bob.send({"type": "ping"})
        assert await bob.silent()


async def test_socket_that_has_not_said_hello_is_closed() -> None:
    accounts = MemoryAccounts()
    socket = Server(accounts=accounts, timings=Timings(revocation_s=0.01)).socket()
    await socket.connect()
    accounts.ended.add(grant("alice"))

    assert await socket.closed() == 4403


async def test_turns_end_as_cancelled_when_their_device_is_closed() -> None:
    accounts = MemoryAccounts()
    server = Server(
        [calls(call("list_tasks")), says("never")], accounts=accounts, timings=Timings(revocation_s=NEVER_S)
    )
    async with server.device() as socket:
        asked = home()
        await socket.send(asked)
        await socket.until("tool_call")
        turn = server.services.supervisor.find((ALICE, str(asked["request_id"])))
        assert turn is not None
        accounts.ended.add(grant("alice"))
        access_revoked.send(sender=None, user_id=ALICE, device_id=None)
        async with asyncio.timeout(WAIT_S):
            frames = [json.loads(frame) async for batch in turn.log.read() for frame in batch]

    assert (frames[-1]["type"], frames[-1]["finish_reason"]) == ("stream_end", "cancelled")
    assert len(server.adapter.requests) == 1


async def test_fresh_token_of_another_sign_in_keeps_the_socket_when_the_first_one_ends() -> None:
    accounts = MemoryAccounts()
    server = Server(accounts=accounts, timings=Timings(revocation_s=NEVER_S))
    async with server.device() as socket:
        await socket.send({"type": "authenticate", "token": "alice2"})
        assert (await socket.receive())["type"] == "authenticated"
        accounts.ended.add(grant("alice"))
        access_revoked.send(sender=None, user_id=ALICE, device_id=None)
        await socket.send({"type": "cancel_request", "request_id": str(uuid4())})
        assert (await socket.receive())["code"] == "unknown_request"
    assert accounts.questions == [{grant("alice2")}]


async def test_socket_that_is_closed_during_its_hello_is_not_connected(monkeypatch: pytest.MonkeyPatch) -> None:
    accounts, looked_up, go_on = MemoryAccounts(), asyncio.Event(), asyncio.Event()
    server = Server(accounts=accounts, timings=Timings(revocation_s=NEVER_S))
    connected: list[Connection] = []

    async def running(device: DeviceKey) -> Mapping[str, int]:
        looked_up.set()
        await go_on.wait()
        return {}

    monkeypatch.setattr(server.services.cluster.turns, "running", running)
    monkeypatch.setattr(server.services.connections, "add", connected.append)
    socket = server.socket()
    await socket.connect()
    await socket.send({"type": "device_hello", "device_id": "laptop"})
    await looked_up.wait()
    accounts.ended.add(grant("alice"))
    access_revoked.send(sender=None, user_id=ALICE, device_id=None)
    assert await socket.closed() == 4403
    go_on.set()
    await socket.close()

    assert connected == []


async def test_leaving_ends_the_asking() -> None:
    before = asyncio.all_tasks()
    server = Server(timings=Timings(revocation_s=NEVER_S))
    socket = server.socket()
    await socket.connect()
    await server.services.aclose()

    assert not [task for task in asyncio.all_tasks() - before if task.get_name() == "asking for revoked access"]
    await socket.close()


# With the database


def deactivated(user: User) -> None:
    user.is_active = False
    user.save(update_fields=["is_active"])


def signed_out_everywhere(user: User) -> None:
    revoke_all_tokens(user.id)


def with_a_new_password(user: User) -> None:
    user.set_password("another fine passphrase")
    user.save(update_fields=["password"])


def erased(user: User) -> None:
    forget(user.id)


def without_the_laptop(user: User) -> None:
    remove_device(user.devices.named(user.id, "laptop").get())


@pytest.fixture
def people(transactional_db: None) -> tuple[User, User]:
    """Alice and Bob, visible to the connections of other threads."""
    alice, bob = (User.objects.create_user(f"{name}@example.com", PASSWORD) for name in ("alice", "bob"))
    return alice, bob


async def _token(user: User) -> str:
    pair: TokenPair = await database_sync_to_async(issue_tokens)(user)
    return pair.access


@pytest.mark.parametrize(
    "change", [deactivated, signed_out_everywhere, with_a_new_password, erased, without_the_laptop]
)
async def test_access_that_ends_closes_its_sockets_at_once(
    people: tuple[User, User], change: Callable[[User], None]
) -> None:
    alice, bob = people
    server = Server(accounts=DatabaseAccounts(), timings=Timings(revocation_s=NEVER_S))
    async with (
        server.device("laptop", token=await _token(alice)) as laptop,
        server.device("phone", token=await _token(alice)) as phone,
        server.device("laptop", token=await _token(bob)) as bobs,
    ):
        await database_sync_to_async(change)(alice)

        assert await laptop.closed() == 4403
        assert await _stays(bobs)
        if change is without_the_laptop:
            assert await _stays(phone)
        else:
            assert await phone.closed() == 4403


async def _stays(socket: Socket) -> bool:
    await socket.send({"type": "cancel_request", "request_id": str(uuid4())})
    return (await socket.receive())["type"] == "error"


async def test_account_that_was_deactivated_behind_our_back_is_found_by_asking(people: tuple[User, User]) -> None:
    alice, _ = people
    server = Server(accounts=DatabaseAccounts(), timings=Timings(revocation_s=0.05))
    async with server.device(token=await _token(alice)) as socket:
        await database_sync_to_async(User.objects.filter(id=alice.id).update)(is_active=False)

        assert await socket.closed() == 4403


async def test_removed_device_cannot_come_back_and_its_user_can(people: tuple[User, User]) -> None:
    alice, _ = people
    server = Server(accounts=DatabaseAccounts(), timings=Timings(revocation_s=NEVER_S))
    async with server.device("laptop", token=await _token(alice)) as laptop:
        await database_sync_to_async(without_the_laptop)(alice)
        assert await laptop.closed() == 4403

    again = server.socket(await _token(alice))
    await again.connect()
    await again.send({"type": "device_hello", "device_id": "laptop"})
    refused = await again.receive()
    assert (refused["code"], refused["message"]) == ("unauthorized", "This device was removed from the account.")
    assert await again.closed() == 4403

    async with server.device("new laptop", token=await _token(alice)):
        assert await _devices_of(alice.id) == [("laptop", False), ("new laptop", True)]


async def _devices_of(user_id: UUID) -> list[tuple[str, bool]]:
    devices = Device.objects.for_user(user_id).select_related("user").order_by("first_seen")
    return [(device.device_id, device.removed_at is None) async for device in devices]
