"""Turns whose sockets drop and reconnect (protocol: request ids, ``resume_request``, calls of a device that drops)."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Sequence

import pytest

from agents.adapters.base import Message, ModelParams, ToolSchema
from agents.events import ModelEvent, ModelStopped, StopReason, TextDelta
from chat.turns.supervisor import KEEP_S
from tests.agents.scripts import call, calls, says
from tests.chat.sockets import CALL_TIMEOUT_S, WAIT_S, Frame, Server, Socket, leap
from tests.chat.test_consumer import answer, home, text_of

CREATE = calls(call("create_task", '{"title":"Buy milk"}'))


def resume(asked: Frame, after_seq: int = -1) -> Frame:
    return {"type": "resume_request", "request_id": asked["request_id"], "after_seq": after_seq}


def numbers(frames: list[Frame]) -> list[object]:
    return [frame["seq"] for frame in frames if "seq" in frame]


class HeldModel:
    """Says a word, and the rest when it is released."""

    name = "held"

    def __init__(self) -> None:
        self.requests = 0
        self.let_go = asyncio.Event()

    async def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
    ) -> AsyncGenerator[ModelEvent, None]:
        self.requests += 1
        yield TextDelta(text="Well, ")
        await self.let_go.wait()
        yield TextDelta(text="yes.")
        yield ModelStopped(reason=StopReason.COMPLETE)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> HeldModel:
    held = HeldModel()
    monkeypatch.setattr("tests.chat.sockets.ScriptedAdapter", lambda _: held)
    return held


async def test_the_same_request_at_the_same_instant_on_two_sockets_runs_once(model: HeldModel) -> None:
    server, asked = Server(), home()
    async with server.device("laptop") as laptop, server.device("phone") as phone:
        await asyncio.gather(laptop.send(asked), phone.send(asked))
        both = await asyncio.gather(laptop.until("stream_text"), phone.until("stream_text"))
        model.let_go.set()
        rest = await asyncio.gather(laptop.until("stream_end"), phone.until("stream_end"))

    seen = [begun + ended for begun, ended in zip(both, rest, strict=True)]
    assert seen[0] == seen[1]
    assert (numbers(seen[0]), text_of(seen[0])) == (list(range(len(seen[0]))), "Well, yes.")
    assert model.requests == 1


async def test_a_turn_that_ended_is_replayed_from_any_number() -> None:
    server, asked = Server([says("Yes.")]), home()
    async with server.device() as socket:
        await socket.send(asked)
        frames = await socket.until("stream_end")
    async with server.device() as socket:
        assert socket.welcome["running"] == []
        for after_seq in range(-1, len(frames) - 1):
            await socket.send(resume(asked, after_seq))
            assert await socket.until("stream_end") == frames[after_seq + 1 :]
        await socket.send(resume(asked, len(frames) - 1))
        assert await socket.silent()


async def test_what_is_not_kept_reads_like_what_never_was_and_what_is_anothers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server, asked = Server([says("Yes."), says("Yes.")]), home()
    kept = home()
    async with server.device() as alice, server.device(token="bob") as bob:
        monkeypatch.setattr("chat.turns.supervisor.KEEP_S", 0.0)
        await alice.send(asked)
        await alice.until("stream_end")
        await server.services.supervisor._tasks.wait(WAIT_S)  # its last frame was sent a moment before its end
        monkeypatch.undo()
        await alice.send(kept)
        await alice.until("stream_end")
        answers = []
        for socket, wanted in ((alice, asked), (alice, home()), (bob, kept)):
            await socket.send(resume(wanted))
            answers.append({**await socket.receive(), "request_id": ""})

    assert (
        answers
        == [
            {
                "type": "error",
                "code": "unknown_request",
                "message": "There is no such request.",
                "request_id": "",
                "retryable": False,
            }
        ]
        * 3
    )


def test_frames_are_kept_for_ten_minutes() -> None:
    assert KEEP_S == 600


async def test_another_device_of_the_user_watches_and_is_not_called() -> None:
    server, asked = Server([CREATE, says("Done.")]), home()
    async with server.device("laptop") as laptop, server.device("phone") as phone:
        await laptop.send(asked)
        await laptop.until("tool_call")
        assert phone.welcome["running"] == []
        await phone.send(resume(asked))
        watched = await phone.receive()
        await answer_created(laptop, server)
        frames = [watched, *await phone.until("stream_end")]

    assert [frame["type"] for frame in frames if frame["type"] == "tool_call"] == []
    assert (numbers(frames), text_of(frames)) == (list(range(len(frames))), "Done.")


async def answer_created(socket: Socket, server: Server, *, times: int = 1) -> None:
    """Answer the insert that the server waits for, ``times`` times."""
    [link] = [link for link in server.services.connections._links.values() if link._pending]
    [call_id] = link._pending
    for _ in range(times):
        await socket.send({"type": "tool_result", "id": call_id, "row": {"id": "new", "title": "Buy milk"}})


async def test_another_device_of_the_user_may_cancel(model: HeldModel) -> None:
    server, asked = Server(), home()
    async with server.device("laptop") as laptop, server.device("phone") as phone:
        await laptop.send(asked)
        await laptop.until("stream_text")
        await phone.send({"type": "cancel_request", "request_id": asked["request_id"]})

        assert (await laptop.until("stream_end"))[-1]["finish_reason"] == "cancelled"


async def test_resuming_twice_on_a_socket_repeats_nothing_behind_the_second_wish(model: HeldModel) -> None:
    server, asked = Server(), home()
    async with server.device() as socket:
        await socket.send(asked)
        begun = await socket.until("stream_text")
        await socket.send(resume(asked, 0))
        again = [await socket.receive() for _ in begun[1:]]
        await socket.send(resume(asked, len(begun) - 1))
        model.let_go.set()
        rest = await socket.until("stream_end")

    assert again == begun[1:]
    assert numbers(rest) == list(range(len(begun), len(begun) + len(rest)))


async def test_only_turns_that_run_and_are_the_devices_own_are_to_be_resumed(model: HeldModel) -> None:
    server, first, second = Server(), home(), home()
    async with server.device("laptop") as laptop, server.device("phone") as phone:
        await laptop.send(first)
        begun = await laptop.until("stream_text")
        await phone.send(second)
        await phone.until("stream_text")
    async with server.device("laptop") as laptop:
        assert laptop.welcome["running"] == [{"request_id": first["request_id"], "last_seq": len(begun) - 1}]
        model.let_go.set()
        await laptop.send(resume(first))
        await laptop.until("stream_end")


@pytest.mark.parametrize("times", [1, 3])
async def test_a_call_that_is_answered_more_than_once_counts_once(times: int) -> None:
    server = Server([CREATE, says("Done.")])
    async with server.device() as socket:
        await socket.send(home())
        await socket.until("tool_call")
        await answer_created(socket, server, times=times)
        end = (await socket.until("stream_end"))[-1]

    assert end["mutations"] == [{"action": "insert", "table": "tasks", "id": "new"}]


async def test_a_late_answer_on_the_next_socket_counts_while_the_turn_runs() -> None:
    """A device without a ledger is not asked again; it may still report what it did."""
    server = Server([CREATE, calls(call("list_projects")), says("Done.")])
    async with server.device(capabilities=()) as socket:
        asked = home()
        await socket.send(asked)
        [*_, insert] = await socket.until("tool_call")
    async with server.device(capabilities=()) as socket:
        await socket.send(resume(asked))
        leap(CALL_TIMEOUT_S)
        [*_, select] = await socket.until("tool_call")
        assert (insert["action"], select["action"]) == ("insert", "select")
        await socket.send({"type": "tool_result", "id": insert["id"], "row": {"id": "new"}})
        await socket.send({"type": "tool_result", "id": select["id"], "rows": []})
        end = (await socket.until("stream_end"))[-1]

    assert end["mutations"] == [{"action": "insert", "table": "tasks", "id": "new"}]
    told = [getattr(message, "text", "") for message in server.adapter.requests[1].messages]
    assert "The outcome is unknown" in told[-1]


async def test_a_turn_is_cancelled_while_its_device_is_away() -> None:
    server, asked = Server([CREATE, says("never")]), home()
    async with server.device("laptop") as laptop:
        await laptop.send(asked)
        await laptop.until("tool_call")
    async with server.device("phone") as phone:
        await phone.send({"type": "cancel_request", "request_id": asked["request_id"]})
        await phone.send(resume(asked))
        assert (await phone.until("stream_end"))[-1]["finish_reason"] == "cancelled"
    assert server.services.connections._links == {}


async def test_a_device_that_comes_back_answers_what_it_was_asked_before() -> None:
    server, asked = Server([CREATE, says("Done.")]), home()
    async with server.device() as socket:
        await socket.send(asked)
        [*_, first] = await socket.until("tool_call")
    async with server.device() as socket:
        again = await answer(socket, row={"id": "new", "title": "Buy milk"})
        await socket.send(resume(asked))
        frames = await socket.until("stream_end")

    assert again == first
    assert (numbers(frames), text_of(frames)) == (list(range(len(frames))), "Done.")
    assert str(uuid.UUID(str(first["id"]))) == first["id"]
