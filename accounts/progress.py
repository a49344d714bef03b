"""The progress of a long command: a bar on a terminal, elsewhere a line every few seconds. And how to stop it."""

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, NoReturn, Protocol, TextIO

from django.core.management.base import CommandError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

_LINE_EVERY_S: Final = 5.0


class Progress(Protocol):
    """Counts items: ``expect`` adds to the total, ``advance`` to those that are done."""

    def expect(self, count: int) -> None: ...

    def advance(self, count: int) -> None: ...


class Silent:
    """Shows nothing."""

    def expect(self, count: int) -> None: ...

    def advance(self, count: int) -> None: ...


SILENT: Final = Silent()


class Lines:
    """A line every few seconds, for logs and pipes, and one at the end; none if there was nothing to do."""

    def __init__(self, label: str, stream: TextIO, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._label, self._stream, self._clock = label, stream, clock
        self._total = self._done = 0
        self._said: int | None = None
        self._next_at = clock() + _LINE_EVERY_S

    def expect(self, count: int) -> None:
        self._total += count

    def advance(self, count: int) -> None:
        self._done += count
        if self._clock() >= self._next_at:
            self._next_at = self._clock() + _LINE_EVERY_S
            self._say()

    def end(self) -> None:
        if self._total and self._said != self._done:
            self._say()

    def _say(self) -> None:
        self._said = self._done
        self._stream.write(f"{self._label}: {self._done:,} of {self._total:,}\n")
        self._stream.flush()


class TerminalBar:
    """A bar on a terminal."""

    def __init__(self, label: str, bar: Bar) -> None:
        self._bar, self._task = bar, bar.add_task(label, total=None)

    def expect(self, count: int) -> None:
        self._bar.update(self._task, total=(self._bar.tasks[0].total or 0) + count)

    def advance(self, count: int) -> None:
        self._bar.advance(self._task, count)


@contextmanager
def shown(label: str, *, stream: TextIO | None = None) -> Iterator[Progress]:
    """Show the progress of the block on ``stream`` (standard error), with ``label``."""
    stream = stream or sys.stderr
    if stream.isatty():
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Bar(*columns, console=Console(file=stream)) as bar:
            yield TerminalBar(label, bar)
        return
    lines = Lines(label, stream)
    try:
        yield lines
    finally:
        lines.end()


class Stopped(KeyboardInterrupt):
    """SIGTERM, handled like Ctrl-C."""


@contextmanager
def resumable() -> Iterator[None]:
    """Work that continues when the command is run again; Ctrl-C and SIGTERM stop it with a sentence that says so.

    Open transactions are rolled back. The process ends with 130 or 143. For the main thread only.
    """
    before = signal.signal(signal.SIGTERM, _stop)
    try:
        yield
    except KeyboardInterrupt as stopped:
        code = 128 + (signal.SIGTERM if isinstance(stopped, Stopped) else signal.SIGINT)
        said = "Stopped. Nothing is lost: run the command again, and it goes on."
        raise CommandError(said, returncode=code) from None
    finally:
        signal.signal(signal.SIGTERM, before)


def _stop(_number: int, _frame: FrameType | None) -> NoReturn:
    raise Stopped
