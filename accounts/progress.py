"""How far a long command is: a bar on a terminal, now and then a line elsewhere. And how such a command is stopped."""

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
    """Who is told."""

    def expect(self, count: int) -> None:
        """So many more are to be done."""

    def advance(self, count: int) -> None:
        """So many more are done."""


class Silent:
    """Told, and says nothing."""

    def expect(self, count: int) -> None:
        """See ``Progress``."""

    def advance(self, count: int) -> None:
        """See ``Progress``."""


SILENT: Final = Silent()


class Lines:
    """A line every few seconds, for logs and pipes, and one for the end; none where there was nothing to do."""

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


class Drawn:
    """A bar that is drawn again as it grows."""

    def __init__(self, label: str, bar: Bar) -> None:
        self._bar, self._total = bar, 0
        self._task = bar.add_task(label, total=None)

    def expect(self, count: int) -> None:
        self._total += count
        self._bar.update(self._task, total=self._total)

    def advance(self, count: int) -> None:
        self._bar.advance(self._task, count)


@contextmanager
def shown(label: str, *, stream: TextIO | None = None) -> Iterator[Progress]:
    """Shows the progress of the block on ``stream`` (standard error), under ``label``."""
    stream = stream or sys.stderr
    if stream.isatty():
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Bar(*columns, console=Console(file=stream)) as bar:
            yield Drawn(label, bar)
        return
    lines = Lines(label, stream)
    try:
        yield lines
    finally:
        lines.end()


class Stopped(KeyboardInterrupt):
    """The process was told to end by SIGTERM. Passes where Ctrl-C does."""


@contextmanager
def resumable() -> Iterator[None]:
    """A command's work that goes on when the command is run again: Ctrl-C and SIGTERM stop it, and it says so.

    What is open is rolled back. The process ends with 130 or 143. For the main thread only.
    """
    before = signal.signal(signal.SIGTERM, _stop)
    try:
        yield
    except KeyboardInterrupt as stopped:
        code = 128 + (signal.SIGTERM if isinstance(stopped, Stopped) else signal.SIGINT)
        raise CommandError(
            "Stopped. Nothing is lost: run the command again, and it goes on.", returncode=code
        ) from None
    finally:
        signal.signal(signal.SIGTERM, before)


def _stop(_number: int, _frame: FrameType | None) -> NoReturn:
    raise Stopped
