"""What a person sees: an answer's frames, as they come, on a terminal or in a pipe."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import tzinfo
from typing import Final, assert_never

from rich.console import Console, RenderableType
from rich.control import Control
from rich.segment import ControlType
from rich.text import Text

from device.blocks import block_of
from device.frames import (
    Mutation,
    PopupDomain,
    Remembered,
    StreamBlock,
    StreamEnd,
    StreamStart,
    StreamStatus,
    StreamText,
    TurnFrame,
)
from device.tables import NOUNS
from device.wording import counted, one_line, printable
from device.wrapping import WordWrap

_STATES: Final = {"thinking": "Thinking", "waiting_approval": "Waiting for approval", "queued": "Queued"}
_DONE: Final = {"insert": "added", "update": "changed", "delete": "deleted"}


class Screen:
    """Shows answers on ``out``, and what went wrong on ``err``.

    On a terminal a line says what the assistant does until there is other output; a pipe gets plain text.
    """

    def __init__(self, out: Console, err: Console, *, zone: tzinfo) -> None:
        self.out = out
        self.err = err
        self.zone = zone
        self.answering = asyncio.Lock()
        """Held while an answer is shown. Output of more than one line waits for it."""
        self.asking = asyncio.Lock()
        """Held while the user is being asked something. A prompt waits for it."""
        self._at_line_start = True
        self._progress_lines = 0
        self._questions = 0
        self._held = ""
        self._wrap = WordWrap()

    @property
    def redraws(self) -> bool:
        """Whether lines can be shown for a while and be replaced."""
        return _has_width(self.out)

    @contextmanager
    def questioning(self) -> Iterator[None]:
        """While the user is being asked: hides the progress line, and holds back text until its line is whole.

        The question's own line is the last one.
        """
        self.leave_line()
        self._questions += 1
        try:
            yield
        finally:
            self._questions -= 1
            held, self._held = self._held, ""
            self._write(held)

    def show(self, frame: TurnFrame) -> None:
        """The next frame of an answer."""
        match frame:
            case StreamStart() | PopupDomain() | Remembered():
                self._show_progress("Thinking")
            case StreamStatus():
                self._show_progress(frame.label or _STATES.get(frame.state) or frame.tool or "Working")
            case StreamText():
                self._write(printable(frame.chunk))
            case StreamBlock():
                self._show_block(frame)
            case StreamEnd():
                self._show_end(frame)
            case _:
                assert_never(frame)

    def tell(self, text: str) -> None:
        """An answer that came whole."""
        self.leave_line()
        self._write(printable(text))
        self.leave_line()

    def watch(self, lines: Sequence[Text]) -> None:
        """Shows lines until there is other output; in a pipe there are none."""
        if self._questions or not self.redraws:
            return
        self.leave_line()
        for number, line in enumerate(lines, start=1):
            end = "" if number == len(lines) else "\n"
            self.out.print(line, end=end, no_wrap=True, overflow="ellipsis")
        self._progress_lines = len(lines)

    def drawn(self, lines: Sequence[Text]) -> str:
        """``lines`` as they are written on this terminal, for another writer."""
        with self.out.capture() as capture:
            for line in lines:
                self.out.print(line, no_wrap=True, overflow="ellipsis")
        return capture.get()

    def leave_line(self) -> None:
        """Prepares for other output: removes the progress line, and ends a line that was begun."""
        self._erase_progress()
        if not self._at_line_start:
            self._write("\n")

    def say(self, sentence: str) -> None:
        """A sentence of the terminal's own."""
        self.leave_line()
        _print(self.out, sentence, style="dim")

    def notify(self, sentence: str) -> None:
        """A sentence about the terminal itself, which is no part of what was asked for."""
        self.leave_line()
        _print(self.err, sentence, style="dim")

    def interject(self, sentence: str) -> None:
        """As ``notify``, in the midst of an answer: where it goes into a pipe or a file, its text stays whole."""
        if self.out.is_terminal:
            self.leave_line()
        _print(self.err, sentence, style="dim")

    def draw(self, renderable: RenderableType) -> None:
        """Something of the terminal's own that takes whole lines."""
        self.leave_line()
        self.out.print(renderable, crop=False)

    def complain(self, sentence: str) -> None:
        """A sentence about what went wrong."""
        self.leave_line()
        _print(self.err, sentence, style="red")

    def _write(self, text: str) -> None:
        if not text:
            return
        self._erase_progress()
        self._at_line_start = text.endswith("\n")
        if self._questions:
            lines, end, self._held = (self._held + text).rpartition("\n")
            text = lines + end
        if self.redraws:
            text = self._wrap.wrapped(text, self.out.width)
        self.out.file.write(text)
        self.out.file.flush()

    def _show_block(self, frame: StreamBlock) -> None:
        block = block_of(frame.block_type, frame.data, self.zone)
        if block is not None:
            self.draw(block)

    def _show_end(self, frame: StreamEnd) -> None:
        self.leave_line()
        if frame.mutations:
            self.say(f"Changed on this device: {_summary(frame.mutations)}.")
        if frame.finish_reason == "cancelled":
            self.complain("Stopped.")
        elif frame.finish_reason != "done":
            self.complain(_failure(frame))

    def _show_progress(self, label: str) -> None:
        self.watch([Text(f"{one_line(label)}…", style="dim")])

    def _erase_progress(self) -> None:
        if self._progress_lines:
            erased = (ControlType.ERASE_IN_LINE, 2)
            above = ((ControlType.CURSOR_UP, 1), erased) * (self._progress_lines - 1)
            self.out.control(Control(ControlType.CARRIAGE_RETURN, erased, *above))
            self._progress_lines = 0


def _has_width(console: Console) -> bool:
    """Whether lines end at an edge that is known, and can be replaced."""
    return console.is_terminal and not console.is_dumb_terminal


def _print(console: Console, sentence: str, *, style: str) -> None:
    console.print(Text(printable(sentence), style=style), soft_wrap=not _has_width(console))


def _summary(mutations: tuple[Mutation, ...]) -> str:
    """``1 task added, 2 notes deleted``."""
    numbers: dict[tuple[str, str], int] = {}
    for mutation in mutations:
        kind = (NOUNS.get(mutation.table, "row"), _DONE.get(mutation.action, "changed"))
        numbers[kind] = numbers.get(kind, 0) + 1
    return ", ".join(f"{counted(number, noun)} {done}" for (noun, done), number in numbers.items())


def _failure(frame: StreamEnd) -> str:
    if frame.error is None:
        return "The answer broke off."
    again = " Asking again may help." if frame.error.retryable else ""
    return f"The answer broke off: {frame.error.message}{again}"
