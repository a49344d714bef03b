"""The terminal when its connection is cut, and when the server is killed and restarted during an answer."""

import asyncio
import os
import sqlite3
import sys
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE
from urllib.parse import urlsplit

import pytest

from tests.adiuva.servers import lines_until_ready, reserved_port, serving
from tests.databases import fresh_database
from tests.end_to_end.conftest import Account, Running, environment, register
from tests.faults.proxy import fault_proxy
from tests.forks import ROOT, Fork
from tests.model_server.scripts import Hold, calls, says, wants
from tests.model_server.server import ModelServer

pytestmark = pytest.mark.end_to_end

WAIT_S = 120
LOST = "The connection was lost: connecting again.\n"
CUT = "The answer was cut off: the server no longer has it, as after a restart. What it changed stays. Ask again.\n"


@dataclass
class Terminal:
    """``./dev chat`` as its own process, fed by a pipe."""

    process: asyncio.subprocess.Process
    data: Path

    def say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())

    async def wrote(self, text: str) -> None:
        """Wait until ``text`` is in the output."""
        assert self.process.stdout is not None
        async with asyncio.timeout(WAIT_S):
            await self.process.stdout.readuntil(text.encode())

    async def complained(self) -> str:
        """The next line of standard error."""
        assert self.process.stderr is not None
        async with asyncio.timeout(WAIT_S):
            return (await self.process.stderr.readline()).decode()

    async def ended(self) -> tuple[int | None, str, str]:
        """The exit code, and the rest of output and standard error."""
        async with asyncio.timeout(WAIT_S):
            out, err = await self.process.communicate(b"")
        return self.process.returncode, out.decode(), err.decode()

    def titles(self) -> list[str]:
        with closing(sqlite3.connect(self.data)) as file:
            return [title for (title,) in file.execute("SELECT title FROM tasks")]


@asynccontextmanager
async def terminal(url: str, account: Account, data: Path, *arguments: str) -> AsyncIterator[Terminal]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "device.terminal", "--server", url, "--data", str(data), *arguments),
        cwd=ROOT,
        env={**os.environ, "ADIUVA_EMAIL": account.email, "ADIUVA_PASSWORD": account.password},
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
    )
    try:
        yield Terminal(process, data)
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


@dataclass
class Restartable:
    """A server process that can be killed and restarted at the same address with the same database."""

    environment: dict[str, str]
    url: str
    process: Fork

    @contextmanager
    def killed_and_started_again(self) -> Iterator[None]:
        self.process.kill()
        self.process.wait(WAIT_S)
        with serving("--port", str(urlsplit(self.url).port), env=self.environment) as process:
            lines_until_ready(process)
            yield
            process.terminate()
            assert process.wait(WAIT_S) == 0


@contextmanager
def restartable(model: ModelServer, data_dir: Path) -> Iterator[Restartable]:
    with fresh_database() as database, reserved_port() as port:
        given = environment(database, data_dir, OPENAI_BASE_URL=model.base_url)
        with serving("--port", str(port), env=given) as process:
            _, url = lines_until_ready(process)
            yield Restartable(given, url, process)


async def test_answer_goes_on_over_a_connection_that_is_cut(running: Running, alice: Account, tmp_path: Path) -> None:
    word = uuid.uuid4().hex
    first, *rest = says("One ", "two ", "three.")[1:]
    running.model.when(
        lambda request: word in request.asked,
        calls(wants("create_task", title=word)),
        [first, Hold(word), *rest],
    )
    async with (
        fault_proxy(urlsplit(running.url).port or 0) as proxy,
        terminal(f"http://127.0.0.1:{proxy.port}", alice, tmp_path / "d.sqlite3", f"task {word}") as chat,
    ):
        await chat.wrote("One")
        proxy.cut()
        assert await chat.complained() == LOST
        running.model.open(word)
        card = f"1 task:\n○ {word}\n  todo · medium priority\n"
        assert await chat.ended() == (0, f" two three.\n{card}Changed on this device: 1 task added.\n", "")
    assert chat.titles() == [word]


async def test_server_that_is_killed_in_mid_answer_is_said_and_the_next_question_answered(
    database_server: None, tmp_path: Path
) -> None:
    with ModelServer() as model, restartable(model, tmp_path / "server") as server:
        account = register(server.url)
        word, again = uuid.uuid4().hex, uuid.uuid4().hex
        first, *rest = says("One ", "never")[1:]
        model.when(
            lambda request: word in request.asked and again not in request.asked,
            calls(wants("create_task", title=word)),
            [first, Hold(word), *rest],
        )
        model.when(lambda request: again in request.asked, says("Here I am."))
        async with terminal(server.url, account, tmp_path / "d.sqlite3") as chat:
            chat.say(f"task {word}")
            await chat.wrote("One")
            with server.killed_and_started_again():
                assert [await chat.complained(), await chat.complained()] == [LOST, CUT]
                chat.say(f"tasks {again}")
                assert await chat.ended() == (1, "\nHere I am.\n", "")
        assert chat.titles() == [word]
