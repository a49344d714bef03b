"""One answer, from the request to its end, with Ctrl-C to stop it."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass

from device.frames import Remembered, RememberedItem, StreamEnd, StreamText
from device.resuming import LastingAnswer
from device.screen import Screen


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    """What was said, whether the turn ended well, and what was remembered for it."""

    text: str
    done: bool
    remembered: tuple[RememberedItem, ...] = ()


async def show_answer(answer: LastingAnswer, screen: Screen) -> Answered:
    """Show an answer while it streams. Raises as ``LastingAnswer.frames`` does.

    Ctrl-C asks the server to stop and waits for the turn's end; a second one cancels the task that is here.
    """
    text: list[str] = []
    done = False
    remembered: tuple[RememberedItem, ...] = ()
    async with aclosing(answer.frames()) as frames, _stoppable(answer):
        async for frame in frames:
            screen.show(frame)
            if isinstance(frame, StreamText):
                text.append(frame.chunk)
            if isinstance(frame, Remembered):
                remembered = frame.items
            if isinstance(frame, StreamEnd):
                done = frame.finish_reason == "done"
    return Answered(text="".join(text), done=done, remembered=remembered)


@asynccontextmanager
async def _stoppable(answer: LastingAnswer) -> AsyncIterator[None]:
    interrupted = asyncio.Event()
    answering = asyncio.current_task()

    def interrupt() -> None:
        if interrupted.is_set() and answering is not None:
            answering.cancel()
        interrupted.set()

    async def stop() -> None:
        await interrupted.wait()
        await answer.stop()

    stopping = asyncio.create_task(stop(), name="stopping an answer")
    try:
        with _on_interrupt(interrupt):
            yield
    finally:
        stopping.cancel()
        await asyncio.wait({stopping})


@contextmanager
def _on_interrupt(act: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C calls ``act`` instead of ending the program, where the platform lets a loop handle signals."""
    loop = asyncio.get_running_loop()
    try:
        loop.add_signal_handler(signal.SIGINT, act)
    except (NotImplementedError, ValueError, RuntimeError):  # Windows; a loop that is not in the main thread
        yield
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
