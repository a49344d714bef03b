"""Questions to the user at a terminal, and what a pipe answers in their place."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.device.running import PATIENCE_S, AtTerminal, as_alice, run
from tests.device.scripted_server import Peer, scripted_server


async def _deleting(peer: Peer) -> None:
    """Asks before it deletes, and says what was answered."""
    request = await peer.asked()
    await peer.send(
        "approval_request",
        id="a",
        request_id=request["request_id"],
        tool="delete_task",
        arguments={"task_id": "t1"},
        summary="Delete the task “Roses” for good.",
        risk="destructive",
        preview={"before": {"id": "t1", "title": "Roses", "status": "todo"}, "after": None},
        expires_at=1,
    )
    status = ("stream_status", {"state": "waiting_approval", "tool": "delete_task"})
    await peer.stream(request, status)
    answer = await peer.receive("approval_response", "cancel_request")
    if answer["type"] == "cancel_request":
        await peer.stream(request, ("stream_end", {"finish_reason": "cancelled", "mutations": []}), first=1)
    else:
        await peer.answer(request, "Deleted." if answer["approved"] else f"Kept: {answer.get('reason')}", first=1)


@pytest.mark.parametrize(
    ("keys", "said", "code"),
    [("y\r", "Deleted.", 0), ("n not that one\r", "Kept: not that one", 0), ("\x03", "Stopped.", 1)],
)
async def test_terminal_asks_before_something_is_deleted(
    at_terminal: AtTerminal, keys: str, said: str, code: int
) -> None:
    async with at_terminal(_deleting, "Delete it") as terminal:
        await terminal.wait_for("Delete the task “Roses” for good.")
        await terminal.wait_for("Roses")
        await terminal.wait_for("todo")
        await terminal.wait_for("[y]es, [n]o:")
        terminal.press(keys)
        await terminal.wait_for(said)
        assert await terminal.ended() == code


_QUESTION: dict[str, Any] = {
    "id": "a",
    "tool": "delete_task",
    "arguments": {"task_id": "t1"},
    "summary": "Delete the task “Roses” for good.",
    "risk": "destructive",
    "expires_at": 1,
}


async def test_prompt_is_there_after_a_question_that_went_with_its_answer(at_terminal: AtTerminal) -> None:
    async def script(peer: Peer) -> None:
        request = await peer.asked()
        await peer.send("approval_request", **_QUESTION, request_id=request["request_id"])
        async with asyncio.timeout(PATIENCE_S):
            await seen.wait()
        await peer.answer(request, "You did not say.")
        await peer.answer(await peer.receive("home_request"), "Seven.")

    seen = asyncio.Event()
    async with at_terminal(script) as terminal:
        await terminal.say("Delete it")
        await terminal.wait_for("[y]es, [n]o:")
        seen.set()
        await terminal.wait_for("You did not say.")
        await terminal.say("How many?")
        await terminal.wait_for("Seven.")
        await terminal.leave()


async def test_question_at_the_prompt_does_not_disturb_what_is_typed(at_terminal: AtTerminal) -> None:
    async def script(peer: Peer) -> None:
        request = await peer.asked()
        await peer.answer(request, "I am on it.")
        async with asyncio.timeout(PATIENCE_S):
            await seen.wait()
        await peer.send("approval_request", **_QUESTION, request_id=request["request_id"])
        answers.append((await peer.receive("approval_response"))["approved"])
        await peer.answer(await peer.receive("home_request"), "Seven.")

    seen, answers = asyncio.Event(), list[bool]()
    async with at_terminal(script) as terminal:
        await terminal.say("The week?")
        await terminal.wait_for("I am on it.")
        await terminal.wait_for("›")
        terminal.press("Who is Z")
        await terminal.wait_for("Z")
        seen.set()
        await terminal.wait_for("for good.")
        await terminal.wait_for("[y]es, [n]o:")
        terminal.press("y\r")
        await terminal.wait_for("Who is Z")
        terminal.press("oe?\r")
        await terminal.wait_for("Seven.")
        await terminal.leave()
    assert answers == [True]
    assert terminal.server.received[-1]["message"] == "Who is Zoe?"


async def test_prompt_waits_for_a_question_of_another_request(at_terminal: AtTerminal) -> None:
    async def script(peer: Peer) -> None:
        request = await peer.asked()
        await peer.send("approval_request", **_QUESTION, request_id="of-another-terminal")
        async with asyncio.timeout(PATIENCE_S):
            await seen.wait()
        await peer.answer(request, "Six.")
        answers.append((await peer.receive("approval_response"))["approved"])
        await peer.answer(await peer.receive("home_request"), "Seven.")

    seen, answers = asyncio.Event(), list[bool]()
    async with at_terminal(script) as terminal:
        await terminal.say("How many?")
        await terminal.wait_for("[y]es, [n]o:")
        seen.set()
        await terminal.wait_for("Six.")
        await terminal.wait_for("[y]es, [n]o:")
        terminal.press("y\r")
        await terminal.say("And now?")
        await terminal.wait_for("Seven.")
        await terminal.leave()
    assert answers == [True]


@pytest.mark.parametrize(
    ("arguments", "out", "err"),
    [
        (["--approve", "always"], "Deleted.\n", "Approved by --approve always: Delete the task “Roses” for good.\n"),
        (
            ["--approve", "never"],
            "Kept: The terminal refuses everything that must ask.\n",
            "Refused by --approve never: Delete the task “Roses” for good.\n",
        ),
        (
            [],
            "Kept: There is no one at a terminal to ask.\n",
            (
                "Refused, as there is no one at a terminal to ask: Delete the task “Roses” for good. "
                "With --approve always it would be done.\n"
            ),
        ),
    ],
)
async def test_pipe_answers_as_it_was_told_to(data_file: Path, arguments: list[str], out: str, err: str) -> None:
    async with scripted_server(_deleting) as server:
        assert await run(as_alice(server, data_file, *arguments, "Delete it")) == (0, out, err)
