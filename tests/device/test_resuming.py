"""An answer whose connection drops, with a scripted server."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from device.addresses import server_address
from device.client import DeviceClient
from device.errors import AnswerLost, ConnectionFailed, RequestRejected, ServerGone
from device.executor import Executor
from device.frames import StreamText, TurnFrame
from device.hello import Hello
from device.link import Account, Backoff, Link
from device.resuming import LastingAnswer
from tests.device.scripted_server import (
    EMAIL,
    PASSWORD,
    REQUEST_ID,
    Peer,
    Script,
    ScriptedServer,
    scripted_server,
)
from tests.device.test_link import AT_ONCE, refusing


@dataclass
class _Asked:
    """A lasting answer and everything that it yielded."""

    answer: LastingAnswer
    link: Link
    server: ScriptedServer
    losses: list[None] = field(default_factory=list)

    async def all(self) -> list[TurnFrame]:
        return [frame async for frame in self.answer.frames()]

    async def text(self) -> str:
        return "".join(frame.chunk for frame in await self.all() if isinstance(frame, StreamText))

    @property
    def received(self) -> list[dict[str, Any]]:
        return [frame for frame in self.server.received if frame["type"] != "device_hello"]


def _ask(client: DeviceClient, request_id: str) -> AsyncGenerator[TurnFrame, None]:
    return client.home("What?", request_id=request_id)


@asynccontextmanager
async def _asked(executor: Executor, *scripts: Script, backoff: Backoff = AT_ONCE) -> AsyncIterator[_Asked]:
    async with asyncio.timeout(30), scripted_server(*scripts) as server:
        account = Account(server_address(server.url), email=EMAIL, password=PASSWORD)
        async with Link(account, "token", executor=executor, hello=Hello(device_id="d"), backoff=backoff) as link:
            losses: list[None] = []
            answer = LastingAnswer(link, _ask, request_id=REQUEST_ID, on_lost=lambda: losses.append(None))
            yield _Asked(answer, link, server, losses)


async def _text(peer: Peer, seq: int, chunk: str) -> None:
    await peer.send("stream_text", request_id=REQUEST_ID, chunk=chunk, seq=seq)


async def _end(peer: Peer, seq: int, reason: str = "done") -> None:
    await peer.send("stream_end", request_id=REQUEST_ID, finish_reason=reason, mutations=[], seq=seq)


async def _begins_and_drops(peer: Peer) -> None:
    await peer.greet()
    await peer.receive("home_request")
    await _text(peer, 0, "One ")
    await _text(peer, 1, "two ")
    await peer.socket.close(1012)


async def _answers(peer: Peer) -> None:
    await peer.greet()
    await peer.receive("home_request")
    await _text(peer, 0, "Yes.")
    await _end(peer, 1)


async def _fails(peer: Peer) -> None:
    peer.socket.transport.abort()


def _rejecting(code: str, *, retryable: bool = False) -> Script:
    async def script(peer: Peer) -> None:
        await peer.greet()
        request = await peer.receive("resume_request", "home_request")
        await peer.send("error", code=code, message="No.", request_id=request["request_id"], retryable=retryable)

    return script


RESUMED = {"type": "resume_request", "request_id": REQUEST_ID, "after_seq": 1}
ASKED = {"type": "home_request", "message": "What?", "request_id": REQUEST_ID}


async def test_answer_goes_on_where_it_was(executor: Executor) -> None:
    async def goes_on(peer: Peer) -> None:
        await peer.greet()
        await peer.receive("resume_request")
        await _text(peer, 2, "three.")
        await _end(peer, 3)

    async with _asked(executor, _begins_and_drops, goes_on) as asked:
        assert await asked.text() == "One two three."
        assert asked.received == [ASKED, RESUMED]
        assert len(asked.losses) == 1


async def test_frame_that_comes_again_is_not_shown_again(executor: Executor) -> None:
    async def starts_over(peer: Peer) -> None:
        await peer.greet()
        await peer.receive("resume_request")
        for seq, chunk in enumerate(("One ", "two ", "three.")):
            await _text(peer, seq, chunk)
        await _end(peer, 3)

    async with _asked(executor, _begins_and_drops, starts_over) as asked:
        assert [frame.seq for frame in await asked.all()] == [0, 1, 2, 3]


async def test_request_of_which_nothing_came_is_sent_again_under_its_id(executor: Executor) -> None:
    async def drops(peer: Peer) -> None:
        await peer.greet()
        await peer.receive("home_request")
        peer.socket.transport.abort()

    async with _asked(executor, drops, _answers) as asked:
        assert await asked.text() == "Yes."
        assert asked.received == [ASKED, ASKED]


async def test_request_that_is_asked_while_the_link_returns_waits_for_it(executor: Executor) -> None:
    async def drops(peer: Peer) -> None:
        await peer.greet()
        peer.socket.transport.abort()

    # The link itself meets some of the failures.
    async with _asked(executor, drops, _fails, _fails, _fails, _answers) as asked:
        await (await asked.link.client()).gone()
        assert await asked.text() == "Yes."
        assert asked.received == [ASKED]
        assert len(asked.losses) == 1


async def test_request_that_waits_for_a_connection_is_stopped_at_once(executor: Executor) -> None:
    async def vanishes(peer: Peer) -> None:
        await peer.greet()
        asked.server.refused = (502, "")
        await peer.socket.close(4401)

    async with _asked(executor, vanishes, refusing) as asked:
        await (await asked.link.client()).gone()
        stopping = list[asyncio.Task[None]]()
        answer = LastingAnswer(
            asked.link, _ask, request_id=REQUEST_ID, on_lost=lambda: stopping.append(asyncio.create_task(answer.stop()))
        )
        with pytest.raises(AnswerLost, match=r"^Stopped\.$"):
            await anext(answer.frames())
        assert len(stopping) == 1
        assert asked.link.is_returning


async def test_request_that_is_asked_where_there_was_no_connection_yet_does_not_wait(executor: Executor) -> None:
    async with _asked(executor, _fails) as asked:
        with pytest.raises(ConnectionFailed):
            await asked.all()
        assert asked.losses == []


async def test_request_whose_turn_has_called_is_not_asked_again(executor: Executor) -> None:
    """A turn that has begun may have written: sending it again to a server that forgot it would write twice."""

    async def calls_and_drops(peer: Peer) -> None:
        await peer.greet()
        await peer.receive("home_request")
        await peer.call("insert", "tasks", data={"title": "Buy milk"})
        peer.socket.transport.abort()

    async with _asked(executor, calls_and_drops, _rejecting("unknown_request")) as asked:
        with pytest.raises(AnswerLost):
            await asked.all()
        assert asked.received[-1] == {**RESUMED, "after_seq": -1}


async def test_answer_that_the_server_cannot_look_for_just_now_is_asked_for_again(executor: Executor) -> None:
    async def puts_off(peer: Peer) -> None:
        await _rejecting("internal_error", retryable=True)(peer)
        await peer.receive("resume_request")
        await _text(peer, 2, "three.")
        await _end(peer, 3)

    async with _asked(executor, _begins_and_drops, puts_off) as asked:
        assert await asked.text() == "One two three."
        assert asked.received == [ASKED, RESUMED, RESUMED]
        assert len(asked.losses) == 1


async def test_answer_that_the_server_puts_off_for_too_long_is_rejected(executor: Executor) -> None:
    async def begins_and_puts_off(peer: Peer) -> None:
        await peer.greet()
        await peer.receive("home_request")
        await _text(peer, 0, "One ")
        await peer.send("error", code="internal_error", message="No.", request_id=REQUEST_ID, retryable=True)

    async with _asked(executor, begins_and_puts_off, backoff=replace(AT_ONCE, patience_s=0)) as asked:
        with pytest.raises(RequestRejected, match=r"^No\.$"):
            await asked.all()


@pytest.mark.parametrize("code", ["unknown_request", "turn_lost"])
async def test_answer_that_the_server_no_longer_has_is_lost(executor: Executor, code: str) -> None:
    async with _asked(executor, _begins_and_drops, _rejecting(code)) as asked:
        with pytest.raises(
            AnswerLost, match=r"^The answer was cut off: the server no longer has it, as after a restart"
        ):
            await asked.all()


async def test_request_that_is_rejected_in_the_end_is_rejected(executor: Executor) -> None:
    async def drops(peer: Peer) -> None:
        await peer.greet()
        await peer.receive("home_request")
        peer.socket.transport.abort()

    async with _asked(executor, drops, _rejecting("busy")) as asked:
        with pytest.raises(RequestRejected, match=r"^No\.$"):
            await asked.all()


async def test_connection_that_ended_for_good_ends_the_answer(executor: Executor) -> None:
    async def replaced(peer: Peer) -> None:
        await peer.greet()
        await peer.receive("home_request")
        await peer.socket.close(4409)

    async with _asked(executor, replaced) as asked:
        with pytest.raises(ServerGone, match="another program"):
            await asked.all()
        assert asked.losses == []


async def test_losing_it_again_before_a_frame_came_is_not_told_again(executor: Executor) -> None:
    async def drops(peer: Peer) -> None:
        await peer.greet()
        await peer.receive("resume_request")
        peer.socket.transport.abort()

    async def ends(peer: Peer) -> None:
        await peer.greet()
        await peer.receive("resume_request")
        await _end(peer, 2)

    async with _asked(executor, _begins_and_drops, drops, drops, ends) as asked:
        assert len(await asked.all()) == 3
        assert len(asked.losses) == 1


async def test_stop_is_said_again_on_the_next_connection(executor: Executor) -> None:
    async def is_stopped(peer: Peer) -> None:
        await peer.greet()
        assert await peer.receive("cancel_request") == {"type": "cancel_request", "request_id": REQUEST_ID}
        await peer.receive("resume_request")
        await _end(peer, 2, "cancelled")

    async def is_lost_when_stopped(peer: Peer) -> None:
        await peer.greet()
        await peer.receive("home_request")
        await _text(peer, 0, "One ")
        await _text(peer, 1, "two ")
        await peer.receive("cancel_request")
        peer.socket.transport.abort()

    async with _asked(executor, is_lost_when_stopped, is_stopped) as asked:
        seen = []
        async for frame in asked.answer.frames():
            seen.append(frame)
            if len(seen) == 2:
                await asked.answer.stop()
    assert getattr(seen[-1], "finish_reason", "") == "cancelled"


async def test_request_that_was_stopped_before_anything_came_is_not_sent_again(executor: Executor) -> None:
    async def drops(peer: Peer) -> None:
        await peer.greet()
        await peer.receive("home_request")
        stopping = asyncio.create_task(asked.answer.stop())
        await peer.receive("cancel_request")
        await stopping
        peer.socket.transport.abort()

    async def welcomes(peer: Peer) -> None:
        await peer.greet()

    async with _asked(executor, drops, welcomes) as asked:
        with pytest.raises(AnswerLost, match=r"^Stopped\.$"):
            await asked.all()


async def test_request_that_was_stopped_before_there_was_a_connection_is_not_sent(executor: Executor) -> None:
    async def welcomes(peer: Peer) -> None:
        await peer.greet()

    async with _asked(executor, welcomes) as asked:
        await asked.answer.stop()
        with pytest.raises(AnswerLost, match=r"^Stopped\.$"):
            await asked.all()
        assert asked.received == []
