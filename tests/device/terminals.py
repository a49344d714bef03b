"""Test terminals, forked from a process that has imported what they import, at a fraction of a new process's cost.

A fork does what ``python -m device.terminal`` does, except for the start and the end of the interpreter.
"""

import gc
import multiprocessing
import os
import runpy
import subprocess
import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection
from tempfile import TemporaryFile
from typing import Final

_FORKS: Final = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["__main__", "tests.device.libraries"])


class ForkedTerminal:
    """A terminal with the part of ``subprocess.Popen``'s interface that tests use.

    ``streams`` are the descriptors of its standard input, output and error; they stay open here. It has its own
    session. If its standard input is a terminal, that becomes its controlling terminal.
    """

    def __init__(self, arguments: Sequence[str], *, env: Mapping[str, str], streams: Sequence[int]) -> None:
        passed = [Connection(os.dup(descriptor)) for descriptor in streams]
        self._process = _FORKS.Process(target=_become_terminal, args=(list(arguments), dict(env), passed))
        self._process.start()
        for connection in passed:
            connection.close()

    def wait(self, timeout: float | None = None) -> int:
        """The exit code. Raises ``subprocess.TimeoutExpired`` while it still runs after ``timeout`` seconds."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("device.terminal", timeout or 0)
        return self._process.exitcode

    def kill(self) -> None:
        self._process.kill()


def run_terminal(
    arguments: Sequence[str], text: str, *, env: Mapping[str, str], timeout_s: float
) -> tuple[int, str, str]:
    """The exit code, output and error output of a terminal that reads ``text``.

    Raises ``subprocess.TimeoutExpired``.
    """
    with TemporaryFile() as given, TemporaryFile() as said, TemporaryFile() as complained:
        given.write(text.encode())
        given.seek(0)
        terminal = ForkedTerminal(arguments, env=env, streams=[given.fileno(), said.fileno(), complained.fileno()])
        try:
            code = terminal.wait(timeout_s)
        finally:
            terminal.kill()
        said.seek(0)
        complained.seek(0)
        return code, said.read().decode(), complained.read().decode()


def _become_terminal(arguments: list[str], env: dict[str, str], streams: list[Connection]) -> None:
    for number, connection in enumerate(streams):
        os.dup2(connection.fileno(), number)
        connection.close()
    os.setsid()
    if os.isatty(0):
        # A leader of a session that opens a terminal controls it.
        os.close(os.open(os.ttyname(0), os.O_RDWR))
    # As the interpreter opens them.
    sys.stdin, sys.stdout, sys.stderr = (
        os.fdopen(0, encoding="utf-8", closefd=False),
        os.fdopen(1, "w", encoding="utf-8", closefd=False),
        os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False),
    )
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    warnings.simplefilter("error")
    sys.argv = ["device.terminal", *arguments]
    try:
        runpy.run_module("device.terminal", run_name="__main__", alter_sys=True)
    finally:
        gc.collect()  # unclosed resources are reported, as at the end of an interpreter
