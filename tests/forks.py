"""Processes of the product for tests, forked from one that has imported the libraries.

The libraries take seconds of CPU to import, our own modules a fraction of that. Each process sets up Django with
the environment that it is given, as ``python -m`` or ``python manage.py`` would. Tests of a command line itself start
the real command.
"""

import atexit
import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import IO, Final, TypeAlias

ROOT: Final = Path(__file__).resolve().parent.parent

FORKS: Final = multiprocessing.get_context("forkserver")
"""Forks from the one process of this session that has imported the libraries."""

_Stream: TypeAlias = Connection | Path
FORKS.set_forkserver_preload(["__main__", "tests.libraries"])


class Fork:
    """A process with the part of ``subprocess.Popen``'s interface that tests use.

    ``stdout`` is standard output and, unless ``errors_apart``, standard error in one stream of text.
    """

    def __init__(self, command: Sequence[str], *, env: Mapping[str, str], errors_apart: bool) -> None:
        reading, writing = FORKS.Pipe(duplex=False)
        self._process = _started(command, env, dict.fromkeys((1,) if errors_apart else (1, 2), writing))
        writing.close()
        self.stdout: IO[str] = os.fdopen(os.dup(reading.fileno()))
        reading.close()
        self.pid: int = self._process.pid or 0

    @property
    def returncode(self) -> int | None:
        """As ``Popen``'s: negative for a signal, None while it runs."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """As ``returncode``."""
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """The exit code. Raises ``subprocess.TimeoutExpired`` while it still runs after ``timeout`` seconds."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired([str(self.pid)], timeout or 0)
        return self._process.exitcode

    def communicate(self, timeout: float | None = None) -> tuple[str, None]:
        """The remaining output, once it has ended; standard error is not available separately."""
        said = self.stdout.read()
        self.wait(timeout)
        return said, None

    def send_signal(self, number: int) -> None:
        with suppress(ProcessLookupError):  # it has ended, and its exit code is about to arrive
            if self._process.exitcode is None:
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def close(self) -> None:
        """Kill it if it still runs, and close its pipe."""
        self.kill()
        self._process.join()
        self.stdout.close()


@contextmanager
def forked(*command: str, env: Mapping[str, str] | None = None, errors_apart: bool = False) -> Iterator[Fork]:
    """``python COMMAND`` with this environment, or ours, killed at the end if it still runs.

    ``command`` is ``-m`` and a module, or a file of the project, and its arguments.
    """
    process = Fork(command, env=os.environ if env is None else env, errors_apart=errors_apart)
    try:
        yield process
    finally:
        process.close()


def completed(
    *command: str, env: Mapping[str, str], text: str = "", timeout_s: float = 120
) -> subprocess.CompletedProcess[str]:
    """Like ``subprocess.run`` of ``python COMMAND`` with ``text`` as its input and both outputs captured.

    Raises ``subprocess.TimeoutExpired``.
    """
    with tempfile.TemporaryDirectory() as folder:
        given, *captured = files = [Path(folder, name) for name in ("stdin", "stdout", "stderr")]
        given.write_text(text, encoding="utf-8")
        process = _started(command, env, dict(enumerate(files)))
        process.join(timeout_s)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(command, timeout_s)
        said, problems = (file.read_text(encoding="utf-8") for file in captured)
    return subprocess.CompletedProcess(command, process.exitcode, said, problems)


def _started(command: Sequence[str], env: Mapping[str, str], streams: Mapping[int, _Stream]) -> ForkServerProcess:
    process = FORKS.Process(target=_become, args=(command, dict(env), streams))
    process.start()
    return process


def _become(command: Sequence[str], env: Mapping[str, str], streams: Mapping[int, _Stream]) -> None:
    os.setsid()  # a signal for the tests must not reach it
    for number, stream in streams.items():
        _redirect(number, stream)
    sys.stdout = os.fdopen(1, "w", buffering=1, closefd=False)  # line-buffered
    sys.stdin = os.fdopen(0)  # replaces the one that ``multiprocessing`` has opened
    os.chdir(ROOT)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    try:
        if command[0] == "-m":
            sys.argv = list(command[1:])
            runpy.run_module(command[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = list(command)
            runpy.run_path(command[0], run_name="__main__")
    finally:
        atexit._run_exitfuncs()  # which a fork of ``multiprocessing`` omits


def _redirect(number: int, stream: _Stream) -> None:
    if isinstance(stream, Connection):
        os.dup2(stream.fileno(), number)
        return
    opened = os.open(stream, os.O_WRONLY | os.O_CREAT if number else os.O_RDONLY)
    os.dup2(opened, number)
    os.close(opened)
