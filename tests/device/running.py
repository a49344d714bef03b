"""Terminals as processes, in a pipe or at a pseudo-terminal, and the fixture's type for the latter.

The command itself is started where its interpreter could make a difference. Other tests fork a terminal.
"""

import asyncio
import codecs
import os
import subprocess
import sys
import termios
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from tests.device.scripted_server import EMAIL, PASSWORD, Peer, Script, ScriptedServer, scripted_server, text_part
from tests.device.terminals import ForkedTerminal, run_terminal

ROOT = Path(__file__).parents[2]
PATIENCE_S = 40


def environment(**variables: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PATH", "HOME", "COVERAGE", "LANG"))}
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error", "COLUMNS": "80", **variables}


COMMAND = [sys.executable, "-m", "device.terminal"]


def arguments_for(server: str, data: Path, *arguments: str) -> list[str]:
    return ["--server", server, "--data", str(data), *arguments]


def as_alice(server: ScriptedServer, data: Path, *arguments: str) -> list[str]:
    return arguments_for(server.url, data, "--email", EMAIL, "--password", PASSWORD, *arguments)


async def run_command(command: list[str], stdin: str = "", **variables: str) -> tuple[int | None, str, str]:
    """The exit code, output and error output of a command in a pipe."""
    process = await asyncio.create_subprocess_exec(
        *command,
        env=environment(**variables),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(PATIENCE_S):
        out, err = await process.communicate(stdin.encode())
    return process.returncode, out.decode(), err.decode()


async def run(arguments: list[str], stdin: str = "", **variables: str) -> tuple[int | None, str, str]:
    """The exit code, output and error output of a forked terminal in a pipe."""
    return await asyncio.to_thread(run_terminal, arguments, stdin, env=environment(**variables), timeout_s=PATIENCE_S)


async def listing(peer: Peer) -> None:
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


# The terminal becomes the controlling one, so that Ctrl-C works.
_TAKE_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
)


@dataclass
class Pty:
    """A terminal in a pseudo-terminal: its output, how much of it has been awaited, and a keyboard."""

    server: ScriptedServer
    process: subprocess.Popen[bytes] | ForkedTerminal
    reader: asyncio.StreamReader
    keyboard: int
    decoder: codecs.IncrementalDecoder
    seen: str = ""
    passed: int = 0

    async def wait_for(self, text: str) -> None:
        """Return once it has written ``text`` after what was last awaited."""
        async with asyncio.timeout(PATIENCE_S):
            while text not in self.seen[self.passed :]:
                data = await self.reader.read(4096)
                assert data, f"it ended before it wrote {text!r}: {self.seen!r}"
                self.seen += self.decoder.decode(data)
        self.passed = self.seen.index(text, self.passed) + len(text)

    def press(self, keys: str) -> None:
        os.write(self.keyboard, keys.encode())

    async def say(self, line: str) -> None:
        """Write ``line`` at the prompt, when that is there."""
        await self.wait_for("›")
        self.press(f"{line}\r")

    def resize(self, *, rows: int, columns: int) -> None:
        """As a window that the user resizes."""
        termios.tcsetwinsize(self.keyboard, (rows, columns))

    async def leave(self) -> None:
        """Leave a conversation, which must have gone well."""
        self.press("/quit\r")
        await self.wait_for("Goodbye.")
        assert await self.ended() == 0

    async def ended(self) -> int:
        """The exit code."""
        return await asyncio.to_thread(self.process.wait, PATIENCE_S)


def _command_at_terminal(arguments: list[str], *, env: dict[str, str], streams: list[int]) -> subprocess.Popen[bytes]:
    stdin, stdout, stderr = streams
    return subprocess.Popen(
        [sys.executable, "-c", _TAKE_TERMINAL, *COMMAND, *arguments],
        env=env,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        start_new_session=True,
    )


@asynccontextmanager
async def at_terminal(
    script: Script, data_file: Path, *arguments: str, forked: bool = True, columns: int = 80, **variables: str
) -> AsyncIterator[Pty]:
    """Alice's terminal, at a pseudo-terminal, on a server with this ``script``."""
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (24, columns))
    # The terminal asks for its size, which it would else not know when that changes.
    env = {**environment(TERM="xterm-256color", PROMPT_TOOLKIT_NO_CPR="1"), **variables}
    del env["COLUMNS"]
    start = ForkedTerminal if forked else _command_at_terminal
    async with scripted_server(script) as server:
        process = start(as_alice(server, data_file, *arguments), env=env, streams=[theirs] * 3)
        os.close(theirs)
        reader = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(os.dup(ours), "rb", buffering=0)
        )
        try:
            yield Pty(server, process, reader, ours, codecs.getincrementaldecoder("utf-8")())
        finally:
            process.kill()
            process.wait(PATIENCE_S)
            transport.close()
            os.close(ours)


AtTerminal: TypeAlias = Callable[..., AbstractAsyncContextManager[Pty]]
"""``at_terminal`` with the data file of a test."""
