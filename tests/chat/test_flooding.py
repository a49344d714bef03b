"""A user who floods the socket: what is refused and told, and what never waits."""

import asyncio
import json
import uuid
from dataclasses import dataclass, field

import pytest
from django.db import OperationalError
from pydantic import JsonValue

from accounts.auth.devices import DeviceFacts, SocketIdentity
from accounts.errors import TooManyDevices
from agents.permissions.approvals.repository import Answer
from agents.permissions.approvals.service import AnswerOutcome
from chat.admission import AdmissionQueue
from chat.protocol.frames.client import ClientFrame
from chat.protocol.frames.codec import FrameLimits, parse
from chat.rates import Buckets, SocketLimits, loop_time
from chat.services import Timings
from chat.sockets.backlog import MAX_WAITING
from chat.sockets.extensions import IS_OPEN
from tests.agents.approving import NoApprovals
from tests.agents.scripts import Reply, call, calls, says
from tests.chat.accounts import ALICE, BOB, MemoryAccounts
from tests.chat.sockets import Frame, Server, Socket, leap
from tests.chat.test_consumer import home, text_of

SLOW = SocketLimits(frames_per_s=1, user_frames_per_s=1000)
PING: Frame = {"type": "ping"}
AT_ONCE = Timings(refusal_s=0)


@dataclass
class SlowApprovals(NoApprovals):
    """Takes answers when a test allows it."""

    ready: asyncio.Event = field(default_factory=asyncio.Event)
    taken: list[uuid.UUID] = field(default_factory=list)

    async def answer(self, user_id: uuid.UUID, approval_id: uuid.UUID, given: Answer) -> AnswerOutcome:
        await self.ready.wait()
        self.taken.append(approval_id)
        return await super().answer(user_id, approval_id, given)


class AwayApprovals(NoApprovals):
    """Needs a database that is away."""

    async def cancel(self, user_id: uuid.UUID, request_id: str) -> None:
        raise OperationalError


def counting(*replies: Reply) -> Server:
    """A server that gives no tokens back while a test runs."""
    server = Server(list(replies))
    server.services.socket_rates.user_frames = Buckets(per_s=1e-6, burst=200)
    return server


def spent(server: Server) -> int:
    """The frames of Alice's that counted."""
    return round(200 - server.services.socket_rates.user_frames.of(ALICE).left)


async def until_closed(socket: Socket) -> tuple[list[Frame], int]:
    """What the server sends until it closes the socket, while the clock runs fast; and the close code."""
    frames: list[Frame] = []
    for _ in range(10_000):
        # Less than a pause that would count as one.
        leap(0.1)
        await asyncio.sleep(0)
        queue = socket.communicator.output_queue
        while not queue.empty():
            message = queue.get_nowait()
            if message["type"] == "websocket.close":
                return frames, message["code"]
            frames.append(json.loads(message["text"]))
    raise AssertionError("The socket stays open.")


async def test_a_flood_is_told_and_then_closes_the_socket() -> None:
    async with Server(socket_limits=SLOW).device() as socket:
        for _ in range(20):
            await socket.send(PING)
        frames, code = await until_closed(socket)

    errors = [frame for frame in frames if frame["type"] == "error"]
    assert {error["code"] for error in errors} == {"rate_limited"}
    assert [error["retryable"] for error in errors] == [True, False]
    assert code == 4400


async def test_frames_that_come_too_fast_are_read_later_and_not_lost() -> None:
    async with Server(socket_limits=SLOW).device() as socket:
        for number in range(6):
            await socket.send({"type": "job_ack", "job_id": str(number)})
        for _ in range(4):
            assert (await socket.receive())["code"] == "not_available"
        leap(2)
        codes = [str((await socket.receive())["code"]) for _ in range(3)]
        assert sorted(codes) == ["not_available", "not_available", "rate_limited"]


async def test_refusal_for_want_of_the_database_names_the_request() -> None:
    request_id = str(uuid.uuid4())
    async with Server(approvals=AwayApprovals()).device() as socket:
        await socket.send({"type": "cancel_request", "request_id": request_id})
        refused = await socket.receive()

    assert (refused["code"], refused["request_id"], refused["retryable"]) == ("not_available", request_id, True)


async def test_an_answer_to_a_call_never_waits() -> None:
    server = Server([calls(call("list_tasks")), says("None.")], socket_limits=SLOW)
    async with server.device() as socket:
        await socket.send(home())
        [*_, wanted] = await socket.until("tool_call")
        for _ in range(3):
            await socket.send(PING)
        await socket.send({"rows": [{"id": "t"}] * 10, "id": wanted["id"], "type": "tool_result"})

        assert text_of(await socket.until("stream_end")) == "None."


async def test_only_the_first_answer_to_a_call_is_free_and_nothing_that_only_looks_like_one() -> None:
    server = counting(calls(call("list_tasks")), says("None."))
    async with server.device() as socket:
        await socket.send(home())
        [*_, wanted] = await socket.until("tool_call")
        known = wanted["id"]
        assert spent(server) == 2
        await socket.send({"type": "ping", "id": known})
        await socket.send({"type": "tool_result", "row": {"id": known}, "id": "unknown"})
        await socket.send({"type": "nonsense", "id": known})
        assert (await socket.until("error"))[-1]["code"] == "unknown_type"
        assert spent(server) == 5

        await socket.send({"type": "tool_result", "id": known, "rows": []})
        await socket.until("stream_end")
        assert spent(server) == 5
        await socket.send({"type": "tool_result", "id": known, "rows": [{"text": "x" * 650_000}]})
        await socket.send({"type": "floating_request"})
        await socket.receive()
        assert spent(server) == 5 + 10 + 1


async def test_what_looked_like_answers_and_cost_much_makes_answers_of_that_user_wait() -> None:
    server = Server([calls(call("list_tasks")), says("None.")], socket_limits=SocketLimits(frame_time_percent=1))
    pairs: list[JsonValue] = [{"role": number, "content": number} for number in range(4_000)]
    async with server.device() as socket:
        await socket.send(home())
        [*_, wanted] = await socket.until("tool_call")
        await socket.send({"type": "home_request", "id": wanted["id"], "conversation_history": pairs})
        assert (await socket.until("error"))[-1]["code"] == "invalid"
        assert server.services.socket_rates.user_disguised_ms.of(ALICE).wait_s > 0

        await socket.send({"type": "tool_result", "id": wanted["id"], "rows": []})
        leap(60)
        assert text_of(await socket.until("stream_end")) == "None."


async def test_a_flood_of_frames_that_look_like_an_answer_closes_the_socket() -> None:
    server = Server([calls(call("list_tasks")), says("None.")], socket_limits=SLOW)
    async with server.device() as socket:
        await socket.send(home())
        [*_, wanted] = await socket.until("tool_call")
        for _ in range(20):
            await socket.send({**PING, "id": wanted["id"]})
        frames, code = await until_closed(socket)

    assert [frame["code"] for frame in frames if frame["type"] == "error"] == ["rate_limited", "rate_limited"]
    assert code == 4400


async def test_a_large_answer_to_no_call_is_not_even_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[int] = []

    def counted(text: str, limits: FrameLimits) -> ClientFrame:
        parsed.append(len(text))
        return parse(text, limits)

    monkeypatch.setattr("chat.sockets.consumer.parse", counted)
    async with Server().device() as socket:
        await socket.send({"type": "tool_result", "id": "no such call", "rows": [{"text": "x" * 100_000}]})
        await socket.send({"type": "tool_result", "id": "no such call"})
        assert (await socket.receive())["code"] == "invalid"
    assert max(parsed) < 1000


async def test_a_request_that_is_too_large_is_refused_by_its_id_and_not_even_parsed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    parsed: list[int] = []

    def counted(text: str, limits: FrameLimits) -> ClientFrame:
        parsed.append(len(text))
        return parse(text, limits)

    monkeypatch.setattr("chat.sockets.consumer.parse", counted)
    large = home("x" * 300_000)
    async with Server().device() as socket:
        for request in (large, dict(reversed(large.items()))):
            await socket.send(request)
            refused = await socket.receive()
            assert (refused["code"], refused["request_id"]) == ("too_large", large["request_id"])
    assert max(parsed) < 1000


async def test_a_new_socket_is_no_new_start() -> None:
    server = counting()
    async with server.device() as socket:
        for _ in range(50):
            await socket.send(PING)
        await socket.send({"type": "floating_request"})
        await socket.receive()
    assert spent(server) == 52

    async with server.device():
        assert spent(server) == 53


async def test_what_needs_the_database_waits_in_order_and_holds_up_nothing_else() -> None:
    approvals = SlowApprovals()
    server = Server([calls(call("list_tasks"))], approvals=approvals)
    server.services.socket_rates.user_operations = Buckets(per_s=1000, burst=1000)
    server.services.socket_rates.user_bursts = Buckets(per_s=1000, burst=1000)
    async with server.device() as socket:
        asked = home()
        await socket.send(asked)
        [*_, wanted] = await socket.until("tool_call")
        ids = [uuid.uuid4() for _ in range(MAX_WAITING)]
        for approval_id in ids:
            await socket.send({"type": "approval_response", "id": str(approval_id), "approved": True})
        await socket.send({"type": "approval_response", "id": str(uuid.uuid4()), "approved": True})
        refused = (await socket.until("error"))[-1]
        assert (refused["code"], refused["retryable"]) == ("rate_limited", True)

        # Other requests go on, and end when they are cancelled.
        await socket.send({"type": "tool_result", "id": wanted["id"], "error": "no"})
        await socket.send({"type": "pong"})
        await socket.send({"type": "cancel_request", "request_id": asked["request_id"]})
        [*_, end] = await socket.until("stream_end")
        assert end["finish_reason"] in {"cancelled", "error"}
        assert approvals.taken == []

        approvals.ready.set()
        answers = [frame for frame in [await socket.receive() for _ in ids] if frame["code"] == "unknown_request"]
        assert len(answers) >= MAX_WAITING - 1
        assert approvals.taken == ids


async def test_a_users_sockets_share_a_pace_of_what_needs_the_database() -> None:
    approvals = SlowApprovals()
    approvals.ready.set()
    server = Server(approvals=approvals)
    server.services.socket_rates.user_operations = Buckets(per_s=1e-6, burst=3, clock=loop_time)
    async with server.device() as one, server.device("phone") as other:
        for socket in (one, other):
            for _ in range(2):
                await socket.send({"type": "approval_response", "id": str(uuid.uuid4()), "approved": True})
                # It is answered once it was done, or passed over by a ping that does not wait for it.
                await socket.send({"type": "floating_request"})
        [await one.receive() for _ in range(4)]
        [await other.receive() for _ in range(3)]

    assert len(approvals.taken) == 3


async def test_a_socket_that_closes_reads_nothing_more() -> None:
    async with Server().device() as socket:
        for _ in range(20):
            await socket.send_text("nonsense")
        await socket.send(home())
        frames, code = await until_closed(socket)

    assert {frame["type"] for frame in frames} == {"error"}
    assert code == 4400


async def test_connections_of_a_burst_go_on_one_by_one() -> None:
    server = Server(socket_limits=SocketLimits(connections_per_minute=60))
    for name in ("one", "two"):
        async with server.device(name):
            pass
    third = server.socket()
    connecting = asyncio.create_task(third.connect())
    for _ in range(10):
        await asyncio.sleep(0)
    assert not connecting.done()
    leap(0.25)
    await connecting
    await third.close()


async def test_requests_of_a_burst_begin_one_by_one_and_can_be_cancelled_before() -> None:
    server = Server([calls(call("list_tasks")), says("Done.")], per_minute=2)
    async with server.device() as socket:
        for _ in range(2):
            server.services.rate.delay_s(ALICE)
        waiting = home()
        await socket.send(waiting)
        await socket.send({"type": "cancel_request", "request_id": waiting["request_id"]})
        [*_, end] = await socket.until("stream_end")
        assert end["finish_reason"] == "cancelled"
        asked = home()
        await socket.send(asked)
        for _ in range(10):
            await asyncio.sleep(0)
        leap(3)
        assert text_of(await socket.until("stream_end")) == "Done."


async def test_a_token_waits_its_turn_and_is_taken() -> None:
    approvals = SlowApprovals()
    async with Server(approvals=approvals).device() as socket:
        await socket.send({"type": "approval_response", "id": str(uuid.uuid4()), "approved": True})
        await socket.send({"type": "authenticate", "token": "alice2"})
        approvals.ready.set()

        assert (await socket.receive())["code"] == "unknown_request"
        assert (await socket.receive())["type"] == "authenticated"


async def test_too_many_connections_are_refused_without_a_look_at_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(socket_limits=SocketLimits(connections_per_minute=2), timings=AT_ONCE)
    async with server.device(), server.device("phone"):
        checks = 0

        async def authenticate(token: str) -> SocketIdentity:
            nonlocal checks
            checks += 1
            return await MemoryAccounts().authenticate(token)

        object.__setattr__(server.services, "authenticate", authenticate)
        third = server.socket()
        assert (await third.connect())[0]
        refused = await third.receive()
        assert (refused["code"], refused["retryable"]) == ("rate_limited", True)
        assert await third.closed() == 1013
        assert checks == 0
        async with server.device(token="bob"):
            assert checks == 1
        leap(60)
        async with server.device("tablet"):
            assert len(server.services.connections) == 3


async def test_database_is_not_asked_about_a_handshake_whose_client_has_left() -> None:
    server, asked = Server(), list[str]()

    async def authenticate(token: str) -> SocketIdentity:
        asked.append(token)
        return await MemoryAccounts().authenticate(token)

    object.__setattr__(server.services, "authenticate", authenticate)
    left = server.socket()
    left.communicator.scope["extensions"] = {IS_OPEN: lambda: False}
    await left.connect()
    assert (await left.receive())["code"] == "rate_limited"
    assert asked == []


async def test_handshake_whose_client_has_left_counts() -> None:
    server = Server(socket_limits=SocketLimits(connections_per_minute=1), timings=AT_ONCE)
    left, again = server.socket(), server.socket()
    left.communicator.scope["extensions"] = {IS_OPEN: lambda: False}
    await left.connect()
    await again.connect()
    assert "Too many connections" in str((await again.receive())["message"])


async def test_handshake_without_a_token_of_ours_waits_for_no_one() -> None:
    server = Server(socket_limits=SocketLimits(arriving=1))
    accounts, looking, go_on = MemoryAccounts(), asyncio.Event(), asyncio.Event()

    async def authenticate(token: str) -> SocketIdentity:
        if accounts.subject_of(token) is not None:
            looking.set()
            await go_on.wait()
        return await accounts.authenticate(token)

    object.__setattr__(server.services, "authenticate", authenticate)
    first, forged = server.socket(), server.socket(token="nobody's")
    connecting = asyncio.create_task(first.connect())
    await looking.wait()
    async with asyncio.timeout(20):
        await forged.connect()
        assert (await forged.receive())["code"] == "unauthorized"
        assert await forged.closed() == 4401
    go_on.set()
    assert (await connecting)[0]


async def test_handshakes_that_have_waited_for_long_are_told_to_come_later() -> None:
    server = Server(socket_limits=SocketLimits(arriving=1))
    looking, go_on = asyncio.Event(), asyncio.Event()

    async def authenticate(token: str) -> SocketIdentity:
        looking.set()
        await go_on.wait()
        return await MemoryAccounts().authenticate(token)

    object.__setattr__(server.services, "authenticate", authenticate)
    first, second = server.socket(), server.socket(token="bob")
    connecting = asyncio.create_task(first.connect())
    await looking.wait()
    waiting = asyncio.create_task(second.connect())
    assert not (await asyncio.wait({waiting}, timeout=0.1))[0]
    leap(10)
    await waiting
    refused = await second.receive()
    assert (refused["code"], refused["retryable"]) == ("rate_limited", True)
    assert await second.closed() == 1013

    third = server.socket(token="bob")
    waiting = asyncio.create_task(third.connect())
    assert not (await asyncio.wait({waiting}, timeout=0.1))[0]
    go_on.set()
    assert (await connecting)[0]
    assert (await waiting)[0]
    async with server.device(token="bob"):
        pass


async def test_handshakes_that_find_no_place_are_told_late_and_do_not_count() -> None:
    server = Server(socket_limits=SocketLimits(arriving=1, connections_per_minute=2))
    arriving = server.services.socket_rates.arriving
    async with arriving.turn():
        # As many as may wait, and then none.
        for others, seconds in ((16, 1), (0, 10), (0, 10), (0, 10)):
            waiting = [asyncio.create_task(_turn_of(arriving)) for _ in range(others)]
            await asyncio.sleep(0)
            assert arriving.is_full is bool(others)
            refused = server.socket()
            connecting = asyncio.create_task(refused.connect())
            assert not (await asyncio.wait({connecting}, timeout=0.05))[0]
            leap(seconds)
            await connecting
            assert "Many devices" in str((await refused.receive())["message"])
            for each in waiting:
                each.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
    async with server.device():
        pass


async def _turn_of(queue: AdmissionQueue) -> None:
    async with queue.turn():
        pass


async def test_a_refused_connection_waits_before_it_is_told() -> None:
    server = Server(socket_limits=SocketLimits(connections_per_minute=1))
    async with server.device():
        refused = server.socket()
        connecting = asyncio.create_task(refused.connect())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not connecting.done()
        leap(1)
        await connecting
        assert (await refused.receive())["code"] == "rate_limited"


async def test_a_device_too_many_is_told_and_may_come_later() -> None:
    class FullAccounts(MemoryAccounts):
        async def device_arrived(self, identity: SocketIdentity, facts: DeviceFacts) -> str:
            if identity.user_id != BOB:
                raise TooManyDevices
            return facts.device_id

    server = Server(accounts=FullAccounts())
    socket = server.socket()
    await socket.connect()
    await socket.send({"type": "device_hello", "device_id": "laptop"})
    refused = await socket.receive()
    assert (refused["code"], refused["retryable"]) == ("rate_limited", True)
    assert await socket.closed() == 1013
    async with server.device(token="bob"):
        pass


async def test_a_socket_watches_only_so_many_turns() -> None:
    server = Server([says("Here.")])
    server.services.socket_rates.user_bursts = Buckets(per_s=1000, burst=1000)
    async with server.device() as socket:
        asked = home()
        await socket.send(asked)
        await socket.until("stream_end")
        for _ in range(MAX_WAITING + 1):
            await socket.send({"type": "resume_request", "request_id": str(uuid.uuid4()), "after_seq": -1})
        codes = {str((await socket.receive())["code"]) for _ in range(MAX_WAITING + 1)}
        assert sorted(codes) == ["rate_limited", "unknown_request"]
        await socket.send({"type": "resume_request", "request_id": asked["request_id"], "after_seq": -1})
        assert text_of(await socket.until("stream_end")) == "Here."
