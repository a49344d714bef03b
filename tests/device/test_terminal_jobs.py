"""Jobs as the terminal shows them, at the prompt, with a single answer, and in a pipe."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from tests.device.running import COMMAND, PATIENCE_S, AtTerminal, as_alice, environment, run
from tests.device.scripted_server import Peer, Script, scripted_server


def _jobbing(*updates: dict[str, Any]) -> Script:
    """Hands a question to a job with these ``updates``; without any, the job makes no progress."""

    async def script(peer: Peer) -> None:
        request = await peer.asked()
        job = {"job_id": "j", "request_id": request["request_id"]}
        await peer.send("job_update", **job, state="queued", label="Week")
        await peer.answer(request, "I am on it.")
        for update in updates:
            await peer.send("job_update", **job, **update)
        await (peer.receive("job_ack") if updates else peer.wait_closed())

    return script


_DONE = {"state": "done", "response": "You did **a lot**."}
_FAILED = {"state": "failed", "error": {"code": "internal_error", "message": "No model.", "retryable": True}}
_ON = "The job “Week” goes on in the background.\n"


@pytest.mark.parametrize(
    ("ended", "code", "out", "err"),
    [
        (_DONE, 0, "You did **a lot**.\n", "The job “Week” is done.\n"),
        (_FAILED, 1, "", "The job “Week” failed: No model. Asking again may help.\n"),
        ({"state": "cancelled"}, 1, "", "The job “Week” was cancelled.\n"),
    ],
)
async def test_single_answer_waits_for_its_job(
    data_file: Path, ended: dict[str, Any], code: int, out: str, err: str
) -> None:
    running = {"state": "running", "fraction": 0.5, "label": "Reading"}
    async with scripted_server(_jobbing(running, ended)) as server:
        assert await run(as_alice(server, data_file, "The week?")) == (code, f"I am on it.\n{out}", _ON + err)


async def test_single_answer_does_not_wait_longer_than_it_was_told_to(data_file: Path) -> None:
    another_time = "The job “Week” goes on at the server: the terminal shows how it ended another time.\n"
    async with scripted_server(_jobbing(), _listing_after_a_job) as server:
        arguments = as_alice(server, data_file, "--wait", "0.1", "The week?")
        assert await run(arguments) == (1, "I am on it.\n", _ON + another_time)
        code, out, err = await run(as_alice(server, data_file, "What?"))
    assert (code, out) == (0, "Two.\nYou did **a lot**.\n")
    assert err == "The job is done.\n"


async def _listing_after_a_job(peer: Peer) -> None:
    """Reports at once how a job of another day ended."""
    request = await peer.asked()
    await peer.send("job_update", job_id="j", request_id="of another day", **_DONE)
    await peer.answer(request, "Two.")
    await peer.receive("job_ack")


async def test_job_whose_end_no_one_reads_ends_quietly(data_file: Path) -> None:
    async def script(peer: Peer) -> None:
        request = await peer.asked()
        job = {"job_id": "j", "request_id": request["request_id"]}
        await peer.send("job_update", **job, state="queued")
        await peer.answer(request, "I am on it.")
        async with asyncio.timeout(PATIENCE_S):
            await gone.wait()
        await peer.send("job_update", **job, **_DONE)
        await peer.wait_closed()

    gone = asyncio.Event()
    read_end, write_end = os.pipe()
    async with scripted_server(script) as server:
        process = await asyncio.create_subprocess_exec(
            *COMMAND,
            *as_alice(server, data_file, "What?"),
            env=environment(),
            stdout=write_end,
            stderr=asyncio.subprocess.PIPE,
        )
        os.close(write_end)
        async with asyncio.timeout(PATIENCE_S):
            with os.fdopen(read_end, encoding="utf-8") as reader:
                assert await asyncio.to_thread(reader.readline) == "I am on it.\n"
            gone.set()
            await process.communicate()
    assert process.returncode == 141
    assert [frame["type"] for frame in server.received] == ["device_hello", "home_request"]


async def test_single_answer_at_a_terminal_shows_how_far_its_job_is(at_terminal: AtTerminal) -> None:
    async def script(peer: Peer) -> None:
        request = await peer.asked()
        job = {"job_id": "j", "request_id": request["request_id"]}
        await peer.send("job_update", **job, state="running", label="Reading", fraction=0.25)
        await peer.answer(request, "I am on it.")
        async with asyncio.timeout(PATIENCE_S):
            await seen.wait()
        await peer.send("job_update", **job, **_DONE)
        await peer.receive("job_ack")

    seen = asyncio.Event()
    async with at_terminal(script, "The week?") as terminal:
        await terminal.wait_for("I am on it.")
        await terminal.wait_for("━━━━━")
        await terminal.wait_for("25%  Reading")
        seen.set()
        await terminal.wait_for("\r\x1b[2K")
        await terminal.wait_for("You did **a lot**.")
        assert await terminal.ended() == 0


async def test_job_at_the_prompt_does_not_disturb_what_is_typed(at_terminal: AtTerminal) -> None:
    async def script(peer: Peer) -> None:
        request = await peer.asked()
        job = {"job_id": "j", "request_id": request["request_id"]}
        await peer.send("job_update", **job, state="queued", label="Week")
        await peer.answer(request, "I am on it.")
        for update in ({"state": "running", "fraction": 0.5, "label": "Reading"}, _DONE):
            async with asyncio.timeout(PATIENCE_S):
                await seen.acquire()
            await peer.send("job_update", **job, **update)
        await peer.receive("job_ack")
        await peer.answer(await peer.receive("home_request"), "Seven.")

    seen = asyncio.Semaphore(0)
    async with at_terminal(script) as terminal:
        await terminal.say("The week?")
        await terminal.wait_for("Week (queued)")
        await terminal.wait_for("›")
        terminal.press("Who is Z")
        await terminal.wait_for("Z")
        seen.release()
        await terminal.wait_for("50%")
        seen.release()
        await terminal.wait_for("The job “Week” is done.")
        await terminal.wait_for("You did **a lot**.")
        await terminal.wait_for("Who is Z")
        terminal.press("oe?\r")
        await terminal.wait_for("Seven.")
        terminal.press("/jobs\r")
        await terminal.wait_for("Week (done)")
        await terminal.leave()
    assert [frame.get("message") for frame in terminal.server.received[1::2]] == ["The week?", "Who is Zoe?"]
