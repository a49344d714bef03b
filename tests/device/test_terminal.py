"""The terminal as a process, in a pipe: its output, its error output and its exit codes."""

import asyncio
import os
import re
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from device.options import DEMO_EMAIL
from device.store import Store
from device.tables import TableName
from tests.device.running import (
    COMMAND,
    PATIENCE_S,
    ROOT,
    arguments_for,
    as_alice,
    environment,
    listing,
    run,
    run_command,
)
from tests.device.scripted_server import EMAIL, PASSWORD, Peer, quietly, scripted_server, text_part

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
    async with scripted_server(listing) as server:
        command = [*COMMAND, *as_alice(server, data_file, "What", "is there?")]
        ended = await run_command(command, TZ="Asia/Tokyo")
    assert ended == (
        0,
        _ONE_TASK,
        "",
    )
    hello, request, _ = server.received
    assert (hello["device_id"], hello["timezone"]) == (device_id, "Asia/Tokyo")
    assert (request["type"], request["message"]) == ("home_request", "What is there?")


async def test_popup_is_asked_with_its_scope(data_file: Path) -> None:
    async with scripted_server(listing) as server:
        code, _, _ = await run(as_alice(server, data_file, "--popup", "tasks", "How many?"))
    assert code == 0
    assert server.received[1]["scope"] == {"type": "tasks"}


async def test_demo_account_begins_with_examples_once(data_file: Path) -> None:
    async with scripted_server(listing, listing) as server:
        server.accounts[DEMO_EMAIL] = "adiuva-demo-2026"
        first = await run(arguments_for(server.url, data_file, "What?"))
        second = await run(arguments_for(server.url, data_file, "What?"))
    assert (first[0], second[0]) == (0, 0)
    assert first[2] == "This data file is new: it was filled with example data.\n"
    assert second[2] == ""
    assert first[1] == second[1]
    assert first[1].startswith("You have 13 tasks")


async def test_other_accounts_begin_with_nothing(data_file: Path) -> None:
    async with scripted_server(listing) as server:
        code, out, err = await run(as_alice(server, data_file, "What?"))
    assert (code, err) == (0, "")
    assert out.startswith("You have 0 tasks")


async def test_data_file_lies_in_the_data_folder(tmp_path: Path) -> None:
    async with scripted_server(listing) as server:
        variables = {"ADIUVA_EMAIL": EMAIL, "ADIUVA_PASSWORD": PASSWORD, "ADIUVA_DATA_DIR": str(tmp_path / "new")}
        assert (await run(["--server", server.url, "What?"], **variables))[0] == 0
    assert (tmp_path / "new" / "device.sqlite3").exists()


@pytest.mark.contracts
async def test_documented_program_gets_its_answer(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "terminal.md").read_text(encoding="utf-8")
    program = page.split("```python\n")[1].split("```")[0]

    async with scripted_server(listing) as server:
        server.accounts[DEMO_EMAIL] = "adiuva-demo-2026"
        here = program.replace("http://127.0.0.1:8000", server.url).replace('"device.sqlite3"', f'"{tmp_path / "d"}"')
        code = f"import asyncio\n{here}\nprint(asyncio.run(ask('What?')))"
        assert await run_command([sys.executable, "-c", code]) == (0, "You have 0 tasks, è vero.\n\n", "")


async def test_turn_that_fails_ends_with_one(data_file: Path) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        error = {"code": "model_unavailable", "message": "No model.", "retryable": True}
        end = {"finish_reason": "error", "mutations": [], "error": error}
        await peer.stream(await peer.receive("home_request"), text_part("Well"), ("stream_end", end))

    async with scripted_server(script) as server:
        assert await run(as_alice(server, data_file, "What?")) == (
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
        assert await run(as_alice(server, data_file, "What?")) == (1, "", "Too much.\n")


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
        assert await run(as_alice(server, data_file, "What?")) == (
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
        assert await run(as_alice(server, data_file, "What?")) == (
            1,
            "Well\n",
            LOST,
        )


async def test_wrong_password_ends_with_two_and_makes_no_data_file(data_file: Path) -> None:
    async with scripted_server() as server:
        arguments = arguments_for(server.url, data_file, "--email", EMAIL, "--password", "wrong", "What?")
        assert await run(arguments) == (2, "", "Wrong address or password.\n")
    assert [entry.name for entry in os.scandir(data_file.parent)] == []


async def test_no_server_ends_with_two(data_file: Path) -> None:
    async with scripted_server() as server:
        pass
    code, out, err = await run(arguments_for(server.url, data_file, "What?"))
    assert (code, out) == (2, "")
    assert re.fullmatch(f"No server answers at {server.url} \\(.+\\)\\.\n", err)


@pytest.fixture
def letter(data_file: Path) -> Path:
    """A file that is no database."""
    data_file.write_text("This is a letter to my grandmother. " * 50)
    return data_file


async def test_file_that_is_not_a_data_file_ends_with_two(letter: Path) -> None:
    async with scripted_server() as server:
        assert await run(as_alice(server, letter, "What?")) == (
            2,
            "",
            f"The data file {letter} cannot be used: file is not a database.\n",
        )


async def test_data_file_that_breaks_later_ends_with_two(data_file: Path) -> None:
    with closing(Store(data_file)), closing(sqlite3.connect(data_file)) as other:
        other.execute("DROP TABLE clients")
    async with scripted_server() as server:
        assert await run(as_alice(server, data_file, "/tables")) == (
            2,
            "",
            "The data file cannot be used: no such table: clients.\n",
        )


@pytest.mark.parametrize("arguments", [["--popup", "tasks"], ["--server", "nowhere", "hi"], [" "]])
async def test_usage_that_makes_no_sense_ends_with_two_and_one_sentence(arguments: list[str]) -> None:
    code, out, err = await run_command([*COMMAND, *arguments])
    assert (code, out, err.count("\n")) == (2, "", 1)


async def test_lines_of_a_pipe_are_answered_one_after_the_other(data_file: Path) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        await peer.answer(await peer.receive("home_request"), "First.")
        await peer.answer(await peer.receive("home_request"), "Second.")

    async with scripted_server(script) as server:
        ended = await run_command([*COMMAND, *as_alice(server, data_file)], "What?\nPerché?\r\n\n/quit\nnever")
    assert ended == (0, "First.\nSecond.\n", "")
    assert [frame.get("message") for frame in server.received] == [None, "What?", "Perché?"]


async def test_pipe_in_which_a_line_fails_ends_with_one(data_file: Path) -> None:
    async with scripted_server() as server:
        assert await run(as_alice(server, data_file), "/dance") == (
            1,
            "",
            "There is no command /dance: /help lists them.\n",
        )


async def test_message_that_is_a_command_is_done_and_not_asked(data_file: Path) -> None:
    with closing(Store(data_file)) as store:
        store.insert(TableName.TASKS, {"title": "Buy milk"})
    async with scripted_server() as server:
        code, said, _ = await run(as_alice(server, data_file, "/tables", "tasks"))
        refused = await run(as_alice(server, data_file, "/dance"))
    assert (code, "Buy milk" in said) == (0, True)
    assert refused == (1, "", "There is no command /dance: /help lists them.\n")
    assert server.received == []


async def test_no_one_reading_ends_quietly(data_file: Path) -> None:
    async def script(peer: Peer) -> None:
        request = await peer.asked()
        reader.set()
        for seq in range(200):
            await peer.send("stream_text", request_id=request["request_id"], chunk="word " * 2000, seq=seq)

    reader = asyncio.Event()
    read_end, write_end = os.pipe()
    async with scripted_server(quietly(script)) as server:
        process = await asyncio.create_subprocess_exec(
            *COMMAND,
            *as_alice(server, data_file, "What?"),
            env=environment(),
            stdout=write_end,
            stderr=asyncio.subprocess.PIPE,
        )
        os.close(write_end)
        async with asyncio.timeout(PATIENCE_S):
            await reader.wait()
            os.close(read_end)
            _, err = await process.communicate()
    assert (process.returncode, err.decode()) == (141, "")


async def test_output_that_cannot_be_written_ends_with_one_and_one_sentence(data_file: Path) -> None:
    only_read = os.open(os.devnull, os.O_RDONLY)
    async with scripted_server(quietly(listing)) as server:
        process = await asyncio.create_subprocess_exec(
            *COMMAND,
            *as_alice(server, data_file, "What is there?"),
            env=environment(),
            stdout=only_read,
            stderr=asyncio.subprocess.PIPE,
        )
        os.close(only_read)
        async with asyncio.timeout(PATIENCE_S):
            _, err = await process.communicate()
    assert (process.returncode, err.decode()) == (1, "The output cannot be written: Bad file descriptor.\n")


@pytest.mark.parametrize(
    ("closed", "message", "ended"),
    [
        ("<&-", "What?", (0, "You have 0 tasks, è vero.\n0 tasks:\nChanged on this device: 1 task added.\n", "")),
        (">&-", "What?", (1, "", "The output cannot be written: Bad file descriptor.\n")),
        ("2>&-", "/dance", (1, "", "")),
    ],
)
async def test_streams_that_are_closed_from_the_start_are_done_without(
    data_file: Path, closed: str, message: str, ended: tuple[int, str, str]
) -> None:
    scripts = [] if message.startswith("/") else [quietly(listing)]
    async with scripted_server(*scripts) as server:
        command = [*COMMAND, *as_alice(server, data_file, message)]
        assert await run_command(["sh", "-c", f'exec "$@" {closed}', "sh", *command]) == ended


async def test_conversation_without_an_input_has_no_questions(data_file: Path) -> None:
    async with scripted_server() as server:
        command = [*COMMAND, *as_alice(server, data_file)]
        assert await run_command(["sh", "-c", 'exec "$@" <&-', "sh", *command]) == (0, "", "")


async def test_interrupt_before_there_is_an_answer_ends_the_terminal(data_file: Path) -> None:
    async def script(peer: Peer) -> None:
        await peer.receive("device_hello")
        process[0].send_signal(signal.SIGINT)
        await peer.wait_closed()

    process: list[asyncio.subprocess.Process] = []
    async with scripted_server(script) as server:
        started = await asyncio.create_subprocess_exec(
            *(*COMMAND, *as_alice(server, data_file, "What?")), env=environment(), stderr=asyncio.subprocess.PIPE
        )
        process.append(started)
        async with asyncio.timeout(PATIENCE_S):
            _, err = await started.communicate()
    assert (started.returncode, err.decode()) == (130, "")
