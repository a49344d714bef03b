"""The terminal as a process: its output, its error output and its exit codes.

The command itself is started where its interpreter could make a difference. Other tests fork a terminal.
"""

import asyncio
import codecs
import os
import re
import signal
import sqlite3
import subprocess
import sys
import termios
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from device.options import DEMO_EMAIL
from device.store import Store
from device.tables import TableName
from tests.device.scripted_server import (
    EMAIL,
    PASSWORD,
    Peer,
    Script,
    ScriptedServer,
    quietly,
    scripted_server,
    text_part,
)
from tests.device.terminals import ForkedTerminal, run_terminal

_ROOT = Path(__file__).parents[2]
_PATIENCE_S = 40


def _environment(**variables: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PATH", "HOME", "COVERAGE", "LANG"))}
    return {**kept, "PYTHONPATH": str(_ROOT), "PYTHONWARNINGS": "error", "COLUMNS": "80", **variables}


_COMMAND = [sys.executable, "-m", "device.terminal"]


def _arguments(server: str, data: Path, *arguments: str) -> list[str]:
    return ["--server", server, "--data", str(data), *arguments]


def _as_alice(server: ScriptedServer, data: Path, *arguments: str) -> list[str]:
    return _arguments(server.url, data, "--email", EMAIL, "--password", PASSWORD, *arguments)


async def _run_command(command: list[str], stdin: str = "", **variables: str) -> tuple[int | None, str, str]:
    """The exit code, output and error output of a command in a pipe."""
    process = await asyncio.create_subprocess_exec(
        *command,
        env=_environment(**variables),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(_PATIENCE_S):
        out, err = await process.communicate(stdin.encode())
    return process.returncode, out.decode(), err.decode()


async def _run(arguments: list[str], stdin: str = "", **variables: str) -> tuple[int | None, str, str]:
    """The exit code, output and error output of a forked terminal in a pipe."""
    return await asyncio.to_thread(run_terminal, arguments, stdin, env=_environment(**variables), timeout_s=_PATIENCE_S)


async def _listing(peer: Peer) -> None:
    """Answers from the device's rows, in text and blocks."""
    await peer.greet()
    request = await peer.receive("home_request", "popup_request")
    rows = (await peer.call("select", "tasks", filters={"orderBy": "dueDate"}, limit=500))["rows"]
    await peer.stream(
        request,
        ("stream_start", {"kind": "home"}),
        ("stream_status", {"state": "calling_tool", "label": "Looking up tasks"}),
        text_part(f"You have {len(rows)} "),
        text_part("tasks, è vero.\n"),
        ("stream_block", {"block_type": "entity_ref", "data": {"entity": "task", "items": rows[:1]}}),
        ("stream_end", {"finish_reason": "done", "mutations": [{"action": "insert", "table": "tasks", "id": "t"}]}),
    )


_ONE_TASK = """\
You have 1 tasks, è vero.
1 task:
○ Buy milk
  todo · medium priority
Changed on this device: 1 task added.
"""


async def test_message_is_answered_from_the_rows_of_the_data_file(data_file: Path) -> None:
    with closing(Store(data_file)) as store:
        store.insert(TableName.TASKS, {"title": "Buy milk"})
        device_id = store.device_id
    async with scripted_server(_listing) as server:
        command = [*_COMMAND, *_as_alice(server, data_file, "What", "is there?")]
        ended = await _run_command(command, TZ="Asia/Tokyo")
    assert ended == (
        0,
        _ONE_TASK,
        "",
    )
    hello, request, _ = server.received
    assert (hello["device_id"], hello["timezone"]) == (device_id, "Asia/Tokyo")
    assert (request["type"], request["message"]) == ("home_request", "What is there?")


async def test_popup_is_asked_with_its_scope(data_file: Path) -> None:
    async with scripted_server(_listing) as server:
        code, _, _ = await _run(_as_alice(server, data_file, "--popup", "tasks", "How many?"))
    assert code == 0
    assert server.received[1]["scope"] == {"type": "tasks"}


async def test_demo_account_begins_with_examples_once(data_file: Path) -> None:
    async with scripted_server(_listing, _listing) as server:
        server.accounts[DEMO_EMAIL] = "adiuva-demo-2026"
        first = await _run(_arguments(server.url, data_file, "What?"))
        second = await _run(_arguments(server.url, data_file, "What?"))
    assert (first[0], second[0]) == (0, 0)
    assert first[2] == "This data file is new: it was filled with example data.\n"
    assert second[2] == ""
    assert first[1] == second[1]
    assert first[1].startswith("You have 13 tasks")


async def test_other_accounts_begin_with_nothing(data_file: Path) -> None:
    async with scripted_server(_listing) as server:
        code, out, err = await _run(_as_alice(server, data_file, "What?"))
    assert (code, err) == (0, "")
    assert out.startswith("You have 0 tasks")


async def test_data_file_lies_in_the_data_folder(tmp_path: Path) -> None:
    async with scripted_server(_listing) as server:
        variables = {"ADIUVA_EMAIL": EMAIL, "ADIUVA_PASSWORD": PASSWORD, "ADIUVA_DATA_DIR": str(tmp_path / "new")}
        assert (await _run(["--server", server.url, "What?"], **variables))[0] == 0
    assert (tmp_path / "new" / "device.sqlite3").exists()


@pytest.mark.contracts
async def test_documented_program_gets_its_answer(tmp_path: Path) -> None:
    page = (_ROOT / "docs" / "terminal.md").read_text(encoding="utf-8")
    program = page.split("```python\n")[1].split("```")[0]

    async with scripted_server(_listing) as server:
        server.accounts[DEMO_EMAIL] = "adiuva-demo-2026"
        here = program.replace("http://127.0.0.1:8000", server.url).replace('"device.sqlite3"', f'"{tmp_path / "d"}"')
        code = f"import asyncio\n{here}\nprint(asyncio.run(ask('What?')))"
        assert await _run_command([sys.executable, "-c", code]) == (0, "You have 0 tasks, è vero.\n\n", "")


async def test_turn_that_fails_ends_with_one(data_file: Path) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        error = {"code": "model_unavailable", "message": "No model.", "retryable": True}
        end = {"finish_reason": "error", "mutations": [], "error": error}
        await peer.stream(await peer.receive("home_request"), text_part("Well"), ("stream_end", end))

    async with scripted_server(script) as server:
        assert await _run(_as_alice(server, data_file, "What?")) == (
            1,
            "Well\n",
            "The answer broke off: No model. Asking again may help.\n",
        )


async def test_request_that_is_rejected_ends_with_one(data_file: Path) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        request_id = (await peer.receive("home_request"))["request_id"]
        await peer.send("error", code="busy", message="Too much.", request_id=request_id, retryable=True)

    async with scripted_server(script) as server:
        assert await _run(_as_alice(server, data_file, "What?")) == (1, "", "Too much.\n")


LOST = """\
The connection was lost: connecting again.
The answer was cut off: the server no longer has it, as after a restart. What it changed stays. Ask again.
"""


async def _well(peer: Peer) -> None:
    await peer.greet()
    await peer.stream(await peer.receive("home_request"), text_part("Well"))


async def test_server_that_wants_no_more_of_it_ends_with_two(data_file: Path) -> None:
    async def script(peer: Peer) -> None:
        await _well(peer)
        await peer.socket.close(4409)

    async with scripted_server(script) as server:
        assert await _run(_as_alice(server, data_file, "What?")) == (
            2,
            "Well",
            "The same device connected from elsewhere: another program uses this data file.\n",
        )


async def test_answer_that_the_server_lost_ends_with_one(data_file: Path) -> None:
    async def restarts(peer: Peer) -> None:
        await _well(peer)
        await peer.socket.close(1012)

    async def knows_nothing(peer: Peer) -> None:
        await peer.greet()
        request_id = (await peer.receive("resume_request"))["request_id"]
        await peer.send("error", code="turn_lost", message="?", request_id=request_id, retryable=True)

    async with scripted_server(restarts, knows_nothing) as server:
        assert await _run(_as_alice(server, data_file, "What?")) == (
            1,
            "Well\n",
            LOST,
        )


async def test_wrong_password_ends_with_two_and_makes_no_data_file(data_file: Path) -> None:
    async with scripted_server() as server:
        arguments = _arguments(server.url, data_file, "--email", EMAIL, "--password", "wrong", "What?")
        assert await _run(arguments) == (2, "", "Wrong address or password.\n")
    assert [entry.name for entry in os.scandir(data_file.parent)] == []


async def test_no_server_ends_with_two(data_file: Path) -> None:
    async with scripted_server() as server:
        pass
    code, out, err = await _run(_arguments(server.url, data_file, "What?"))
    assert (code, out) == (2, "")
    assert re.fullmatch(f"No server answers at {server.url} \\(.+\\)\\.\n", err)


@pytest.fixture
def letter(data_file: Path) -> Path:
    """A file that is no database."""
    data_file.write_text("This is a letter to my grandmother. " * 50)
    return data_file


async def test_data_file_that_is_none_ends_with_two(letter: Path) -> None:
    async with scripted_server() as server:
        assert await _run(_as_alice(server, letter, "What?")) == (
            2,
            "",
            f"The data file {letter} cannot be used: file is not a database.\n",
        )


async def test_data_file_that_breaks_later_ends_with_two(data_file: Path) -> None:
    with closing(Store(data_file)), closing(sqlite3.connect(data_file)) as other:
        other.execute("DROP TABLE clients")
    async with scripted_server() as server:
        assert await _run(_as_alice(server, data_file, "/tables")) == (
            2,
            "",
            "The data file cannot be used: no such table: clients.\n",
        )


@pytest.mark.parametrize("arguments", [["--popup", "tasks"], ["--server", "nowhere", "hi"], [" "]])
async def test_usage_that_makes_no_sense_ends_with_two_and_one_sentence(arguments: list[str]) -> None:
    code, out, err = await _run_command([*_COMMAND, *arguments])
    assert (code, out, err.count("\n")) == (2, "", 1)


async def test_lines_of_a_pipe_are_answered_one_after_the_other(data_file: Path) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        await peer.answer(await peer.receive("home_request"), "First.")
        await peer.answer(await peer.receive("home_request"), "Second.")

    async with scripted_server(script) as server:
        ended = await _run_command([*_COMMAND, *_as_alice(server, data_file)], "What?\nPerché?\r\n\n/quit\nnever")
    assert ended == (0, "First.\nSecond.\n", "")
    assert [frame.get("message") for frame in server.received] == [None, "What?", "Perché?"]


async def test_pipe_in_which_a_line_fails_ends_with_one(data_file: Path) -> None:
    async with scripted_server() as server:
        assert await _run(_as_alice(server, data_file), "/dance") == (
            1,
            "",
            "There is no command /dance: /help lists them.\n",
        )


async def test_message_that_is_a_command_is_done_and_not_asked(data_file: Path) -> None:
    with closing(Store(data_file)) as store:
        store.insert(TableName.TASKS, {"title": "Buy milk"})
    async with scripted_server() as server:
        code, said, _ = await _run(_as_alice(server, data_file, "/tables", "tasks"))
        refused = await _run(_as_alice(server, data_file, "/dance"))
    assert (code, "Buy milk" in said) == (0, True)
    assert refused == (1, "", "There is no command /dance: /help lists them.\n")
    assert server.received == []


async def test_no_one_reading_ends_quietly(data_file: Path) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        request = await peer.receive("home_request")
        reader.set()
        for seq in range(200):
            await peer.send("stream_text", request_id=request["request_id"], chunk="word " * 2000, seq=seq)

    reader = asyncio.Event()
    read_end, write_end = os.pipe()
    async with scripted_server(quietly(script)) as server:
        process = await asyncio.create_subprocess_exec(
            *_COMMAND,
            *_as_alice(server, data_file, "What?"),
            env=_environment(),
            stdout=write_end,
            stderr=asyncio.subprocess.PIPE,
        )
        os.close(write_end)
        async with asyncio.timeout(_PATIENCE_S):
            await reader.wait()
            os.close(read_end)
            _, err = await process.communicate()
    assert (process.returncode, err.decode()) == (141, "")


async def test_output_that_cannot_be_written_ends_with_one_and_one_sentence(data_file: Path) -> None:
    only_read = os.open(os.devnull, os.O_RDONLY)
    async with scripted_server(quietly(_listing)) as server:
        process = await asyncio.create_subprocess_exec(
            *_COMMAND,
            *_as_alice(server, data_file, "What is there?"),
            env=_environment(),
            stdout=only_read,
            stderr=asyncio.subprocess.PIPE,
        )
        os.close(only_read)
        async with asyncio.timeout(_PATIENCE_S):
            _, err = await process.communicate()
    assert (process.returncode, err.decode()) == (1, "The output cannot be written: Bad file descriptor.\n")


# The terminal becomes the controlling one, so that Ctrl-C works.
_TAKE_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
)


@dataclass
class _Pty:
    """A terminal in a pseudo-terminal: its output, how much of it has been awaited, and a keyboard."""

    process: subprocess.Popen[bytes] | ForkedTerminal
    reader: asyncio.StreamReader
    keyboard: int
    decoder: codecs.IncrementalDecoder
    seen: str = ""
    passed: int = 0

    async def wait_for(self, text: str) -> None:
        """Return once it has written ``text`` after what was last awaited."""
        async with asyncio.timeout(_PATIENCE_S):
            while text not in self.seen[self.passed :]:
                data = await self.reader.read(4096)
                assert data, f"it ended before it wrote {text!r}: {self.seen!r}"
                self.seen += self.decoder.decode(data)
        self.passed = self.seen.index(text, self.passed) + len(text)

    def press(self, keys: str) -> None:
        os.write(self.keyboard, keys.encode())

    async def ended(self) -> int:
        return await asyncio.to_thread(self.process.wait, _PATIENCE_S)


def _command_at_terminal(arguments: list[str], *, env: dict[str, str], streams: list[int]) -> subprocess.Popen[bytes]:
    stdin, stdout, stderr = streams
    return subprocess.Popen(
        [sys.executable, "-c", _TAKE_TERMINAL, *_COMMAND, *arguments],
        env=env,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        start_new_session=True,
    )


@asynccontextmanager
async def _pty(arguments: list[str], *, forked: bool = True, **variables: str) -> AsyncIterator[_Pty]:
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    env = _environment(TERM="xterm-256color", PROMPT_TOOLKIT_NO_CPR="1", **variables)
    process = (ForkedTerminal if forked else _command_at_terminal)(arguments, env=env, streams=[theirs] * 3)
    os.close(theirs)
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(os.dup(ours), "rb", buffering=0)
    )
    try:
        yield _Pty(process, reader, ours, codecs.getincrementaldecoder("utf-8")())
    finally:
        process.kill()
        process.wait(_PATIENCE_S)
        transport.close()
        os.close(ours)


async def test_conversation_at_a_terminal(data_file: Path) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        request = await peer.receive("home_request")
        status = {"state": "calling_tool", "label": "Looking up tasks"}
        await peer.stream(request, ("stream_status", status), text_part("Well, let me "))
        assert (await peer.receive("cancel_request"))["request_id"] == request["request_id"]
        await peer.stream(request, ("stream_end", {"finish_reason": "cancelled", "mutations": []}), first=2)
        await peer.answer(await peer.receive("home_request"), "Seven.")

    async with scripted_server(script) as server, _pty(_as_alice(server, data_file), forked=False) as terminal:
        await terminal.wait_for("Ask anything")
        await terminal.wait_for("›")
        terminal.press("What?\r")
        await terminal.wait_for("Looking up tasks…")
        await terminal.wait_for("Well, let me ")
        terminal.press("\x03")
        await terminal.wait_for("Stopped.")
        await terminal.wait_for("›")
        terminal.press("And now?\r")
        await terminal.wait_for("Seven.")
        await terminal.wait_for("›")
        terminal.press("\x03")
        await terminal.wait_for("Goodbye.")
        assert await terminal.ended() == 0
    history = data_file.with_suffix(".history")
    assert [line for line in history.read_text().splitlines() if line.startswith("+")] == ["+What?", "+And now?"]
    assert history.stat().st_mode & 0o777 == 0o600


async def test_conversation_does_without_a_history_that_cannot_be_written(data_file: Path) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        await peer.answer(await peer.receive("home_request"), "Seven.")

    history = data_file.with_suffix(".history")
    async with scripted_server(script) as server, _pty(_as_alice(server, data_file)) as terminal:
        await terminal.wait_for("›")
        history.unlink()
        history.symlink_to(data_file.parent / "missing" / "history")
        terminal.press("What?\r")
        await terminal.wait_for("Seven.")
        await terminal.wait_for("›")
        terminal.press("/quit\r")
        await terminal.wait_for("Goodbye.")
        assert await terminal.ended() == 0
    assert "Traceback" not in terminal.seen
    assert "Unhandled" not in terminal.seen


async def _deleting(peer: Peer) -> None:
    """Asks before it deletes, and says what was answered."""
    await peer.greet()
    request = await peer.receive("home_request")
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
async def test_terminal_asks_before_something_is_deleted(data_file: Path, keys: str, said: str, code: int) -> None:
    async with scripted_server(_deleting) as server, _pty(_as_alice(server, data_file, "Delete it")) as terminal:
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


async def test_prompt_is_there_after_a_question_that_went_with_its_answer(data_file: Path) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        request = await peer.receive("home_request")
        await peer.send("approval_request", **_QUESTION, request_id=request["request_id"])
        async with asyncio.timeout(_PATIENCE_S):
            await seen.wait()
        await peer.answer(request, "You did not say.")
        await peer.answer(await peer.receive("home_request"), "Seven.")

    seen = asyncio.Event()
    async with scripted_server(script) as server, _pty(_as_alice(server, data_file)) as terminal:
        await terminal.wait_for("›")
        terminal.press("Delete it\r")
        await terminal.wait_for("[y]es, [n]o:")
        seen.set()
        await terminal.wait_for("You did not say.")
        await terminal.wait_for("›")
        terminal.press("How many?\r")
        await terminal.wait_for("Seven.")
        terminal.press("/quit\r")
        assert await terminal.ended() == 0


async def test_question_at_the_prompt_does_not_disturb_what_is_typed(data_file: Path) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        request = await peer.receive("home_request")
        await peer.answer(request, "I am on it.")
        async with asyncio.timeout(_PATIENCE_S):
            await seen.wait()
        await peer.send("approval_request", **_QUESTION, request_id=request["request_id"])
        answers.append((await peer.receive("approval_response"))["approved"])
        await peer.answer(await peer.receive("home_request"), "Seven.")

    seen, answers = asyncio.Event(), list[bool]()
    async with scripted_server(script) as server, _pty(_as_alice(server, data_file)) as terminal:
        await terminal.wait_for("›")
        terminal.press("The week?\r")
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
        terminal.press("/quit\r")
        assert await terminal.ended() == 0
    assert answers == [True]
    assert server.received[-1]["message"] == "Who is Zoe?"


async def test_prompt_waits_for_a_question_of_another_request(data_file: Path) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        request = await peer.receive("home_request")
        await peer.send("approval_request", **_QUESTION, request_id="of-another-terminal")
        async with asyncio.timeout(_PATIENCE_S):
            await seen.wait()
        await peer.answer(request, "Six.")
        answers.append((await peer.receive("approval_response"))["approved"])
        await peer.answer(await peer.receive("home_request"), "Seven.")

    seen, answers = asyncio.Event(), list[bool]()
    async with scripted_server(script) as server, _pty(_as_alice(server, data_file)) as terminal:
        await terminal.wait_for("›")
        terminal.press("How many?\r")
        await terminal.wait_for("[y]es, [n]o:")
        seen.set()
        await terminal.wait_for("Six.")
        await terminal.wait_for("[y]es, [n]o:")
        terminal.press("y\r")
        await terminal.wait_for("›")
        terminal.press("And now?\r")
        await terminal.wait_for("Seven.")
        terminal.press("/quit\r")
        assert await terminal.ended() == 0
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
        assert await _run(_as_alice(server, data_file, *arguments, "Delete it")) == (0, out, err)


async def test_interrupt_of_a_single_answer_stops_it(data_file: Path) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        request = await peer.receive("home_request")
        await peer.stream(request, text_part("Well, let me "))
        await peer.receive("cancel_request")
        await peer.stream(request, ("stream_end", {"finish_reason": "cancelled", "mutations": []}), first=1)

    async with scripted_server(script) as server, _pty(_as_alice(server, data_file, "What?")) as terminal:
        await terminal.wait_for("Well, let me ")
        terminal.press("\x03")
        await terminal.wait_for("Stopped.")
        assert await terminal.ended() == 1


async def test_second_interrupt_ends_the_terminal(data_file: Path) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        request = await peer.receive("home_request")
        await peer.stream(request, text_part("Well, let me "))
        await peer.receive("cancel_request")
        await peer.stream(request, text_part("see."), first=1)
        await peer.wait_closed()

    async with scripted_server(script) as server, _pty(_as_alice(server, data_file, "What?")) as terminal:
        await terminal.wait_for("Well, let me ")
        terminal.press("\x03")
        await terminal.wait_for("see.")
        terminal.press("\x03")
        assert await terminal.ended() == 130


async def test_interrupt_before_there_is_an_answer_ends_the_terminal(data_file: Path) -> None:
    async def script(peer: Peer) -> None:
        await peer.receive("device_hello")
        process[0].send_signal(signal.SIGINT)
        await peer.wait_closed()

    process: list[asyncio.subprocess.Process] = []
    async with scripted_server(script) as server:
        started = await asyncio.create_subprocess_exec(
            *(*_COMMAND, *_as_alice(server, data_file, "What?")), env=_environment(), stderr=asyncio.subprocess.PIPE
        )
        process.append(started)
        async with asyncio.timeout(_PATIENCE_S):
            _, err = await started.communicate()
    assert (started.returncode, err.decode()) == (130, "")


async def test_terminal_without_colours_has_none(data_file: Path) -> None:
    async with scripted_server(_listing) as server:
        arguments = _as_alice(server, data_file, "What?")
        async with _pty(arguments, NO_COLOR="1") as terminal:
            await terminal.wait_for("Changed on this device")
            assert await terminal.ended() == 0
    assert re.findall("\x1b\\[[0-9;]*3[0-9][0-9;]*m", terminal.seen) == []


async def test_letters_that_the_output_does_not_have_are_replaced(data_file: Path) -> None:
    async with scripted_server(_listing) as server:
        command = [*_COMMAND, *_as_alice(server, data_file, "What?")]
        code, out, _ = await _run_command(command, PYTHONIOENCODING="ascii")
    assert (code, out.splitlines()[0]) == (0, "You have 0 tasks, ? vero.")


def _jobbing(*updates: dict[str, Any]) -> Script:
    """Hands a question to a job with these ``updates``; without any, the job makes no progress."""

    async def script(peer: Peer) -> None:
        await peer.greet()
        request = await peer.receive("home_request")
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
        assert await _run(_as_alice(server, data_file, "The week?")) == (code, f"I am on it.\n{out}", _ON + err)


async def test_single_answer_does_not_wait_longer_than_it_was_told_to(data_file: Path) -> None:
    another_time = "The job “Week” goes on at the server: the terminal shows how it ended another time.\n"
    async with scripted_server(_jobbing(), _listing_after_a_job) as server:
        arguments = _as_alice(server, data_file, "--wait", "0.1", "The week?")
        assert await _run(arguments) == (1, "I am on it.\n", _ON + another_time)
        code, out, err = await _run(_as_alice(server, data_file, "What?"))
    assert (code, out) == (0, "Two.\nYou did **a lot**.\n")
    assert err == "The job is done.\n"


async def _listing_after_a_job(peer: Peer) -> None:
    """Reports at once how a job of another day ended."""
    await peer.greet()
    request = await peer.receive("home_request")
    await peer.send("job_update", job_id="j", request_id="of another day", **_DONE)
    await peer.answer(request, "Two.")
    await peer.receive("job_ack")


async def test_job_whose_end_no_one_reads_ends_quietly(data_file: Path) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        request = await peer.receive("home_request")
        job = {"job_id": "j", "request_id": request["request_id"]}
        await peer.send("job_update", **job, state="queued")
        await peer.answer(request, "I am on it.")
        async with asyncio.timeout(_PATIENCE_S):
            await gone.wait()
        await peer.send("job_update", **job, **_DONE)
        await peer.wait_closed()

    gone = asyncio.Event()
    read_end, write_end = os.pipe()
    async with scripted_server(script) as server:
        process = await asyncio.create_subprocess_exec(
            *_COMMAND,
            *_as_alice(server, data_file, "What?"),
            env=_environment(),
            stdout=write_end,
            stderr=asyncio.subprocess.PIPE,
        )
        os.close(write_end)
        async with asyncio.timeout(_PATIENCE_S):
            with os.fdopen(read_end, encoding="utf-8") as reader:
                assert await asyncio.to_thread(reader.readline) == "I am on it.\n"
            gone.set()
            await process.communicate()
    assert process.returncode == 141
    assert [frame["type"] for frame in server.received] == ["device_hello", "home_request"]


async def test_single_answer_at_a_terminal_shows_how_far_its_job_is(data_file: Path) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        request = await peer.receive("home_request")
        job = {"job_id": "j", "request_id": request["request_id"]}
        await peer.send("job_update", **job, state="running", label="Reading", fraction=0.25)
        await peer.answer(request, "I am on it.")
        async with asyncio.timeout(_PATIENCE_S):
            await seen.wait()
        await peer.send("job_update", **job, **_DONE)
        await peer.receive("job_ack")

    seen = asyncio.Event()
    async with scripted_server(script) as server, _pty(_as_alice(server, data_file, "The week?")) as terminal:
        await terminal.wait_for("I am on it.")
        await terminal.wait_for("━━━━━")
        await terminal.wait_for("25%  Reading")
        seen.set()
        await terminal.wait_for("\r\x1b[2K")
        await terminal.wait_for("You did **a lot**.")
        assert await terminal.ended() == 0


async def test_job_at_the_prompt_does_not_disturb_what_is_typed(data_file: Path) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        request = await peer.receive("home_request")
        job = {"job_id": "j", "request_id": request["request_id"]}
        await peer.send("job_update", **job, state="queued", label="Week")
        await peer.answer(request, "I am on it.")
        for update in ({"state": "running", "fraction": 0.5, "label": "Reading"}, _DONE):
            async with asyncio.timeout(_PATIENCE_S):
                await seen.acquire()
            await peer.send("job_update", **job, **update)
        await peer.receive("job_ack")
        await peer.answer(await peer.receive("home_request"), "Seven.")

    seen = asyncio.Semaphore(0)
    async with scripted_server(script) as server, _pty(_as_alice(server, data_file)) as terminal:
        await terminal.wait_for("›")
        terminal.press("The week?\r")
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
        terminal.press("/quit\r")
        await terminal.wait_for("Goodbye.")
        assert await terminal.ended() == 0
    assert [frame.get("message") for frame in server.received[1::2]] == ["The week?", "Who is Zoe?"]
