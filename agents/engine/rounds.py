"""The calls of one reply: which of them may run concurrently, and the order of the others."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from agents.calls import NamedRows
from agents.engine.repetition import Repetitions
from agents.events import ToolCall
from agents.provenance import Provenance

_READ_BEFORE: Final = "[This was read while the change before it waited for the user: it does not show that change.]"


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolOutcome:
    """The outcome of a call: ``text`` for the model, its ``rows`` as values, and whether the call succeeded.

    ``provenance`` is that of the text. The server's own words about a failure count as said by the user.
    ``correctable``: whether the model can correct the failed call, as the text says. ``choices``: the rows that the
    user may have meant, if they have to say which. ``unknown``: whether a failed change may have happened nevertheless.
    """

    text: str
    ok: bool
    duration_ms: int
    rows: NamedRows = field(default_factory=dict)
    provenance: Provenance = Provenance.READ
    correctable: bool = False
    choices: Sequence[str] = ()
    unknown: bool = False


class Dispatcher(Protocol):
    """Runs calls: a ``ToolExecutor``."""

    def reads(self, call: ToolCall) -> bool:
        """Whether ``call`` only reads, so that it may run concurrently with others."""

    async def dispatch(self, call: ToolCall, *, on_waiting: Callable[[], None] = ...) -> ToolOutcome:
        """Run ``call``. ``on_waiting`` is called when it waits for the user, which may take minutes."""


def groups(calls: Sequence[ToolCall], executor: Dispatcher) -> Iterator[list[ToolCall]]:
    """The calls in order. A group is a change and the reads after it, or the reads before the first change."""
    group: list[ToolCall] = []
    for call in calls:
        if group and not executor.reads(call):
            yield group
            group = []
        group.append(call)
    if group:
        yield group


async def dispatch(group: Sequence[ToolCall], executor: Dispatcher, repetitions: Repetitions) -> Iterable[ToolOutcome]:
    """The outcomes of a group. Reads run concurrently, after the change has ended, or while it waits for the user.

    Changes that were made in earlier rounds are not made again, and not undone. Repeated outcomes get advice.
    """
    needless = [repetitions.needless(call) for call in group]
    new = [call for call, why in zip(group, needless, strict=True) if not why]
    outcomes = iter(await _dispatch(new, executor) if new else ())
    came_to = [ToolOutcome(text=why, ok=False, duration_ms=0) if why else next(outcomes) for why in needless]
    advice = [repetitions.note(call, ok=each.ok, text=each.text) for call, each in zip(group, came_to, strict=True)]
    return [
        replace(each, text=f"{each.text}\n{said}") if said else each for each, said in zip(came_to, advice, strict=True)
    ]


async def _dispatch(group: Sequence[ToolCall], executor: Dispatcher) -> Iterable[ToolOutcome]:
    first, *behind = group
    if not behind:
        return [await executor.dispatch(first)]
    try:
        return await _dispatch_all(first, behind, executor)
    except ExceptionGroup as failed:
        # All have the same reason: the database is away.
        raise failed.exceptions[0] from None


async def _dispatch_all(first: ToolCall, behind: Sequence[ToolCall], executor: Dispatcher) -> Iterable[ToolOutcome]:
    ahead = False
    async with asyncio.TaskGroup() as tasks:
        # Set when the change has ended or waits for the user.
        moved = asyncio.Event()
        change = tasks.create_task(executor.dispatch(first, on_waiting=moved.set))
        if not executor.reads(first):
            change.add_done_callback(lambda _: moved.set())
            await moved.wait()
            ahead = not change.done()
        reads = [tasks.create_task(executor.dispatch(call)) for call in behind]
    outcomes = [task.result() for task in reads]
    if ahead and change.result().ok:
        # The model reads the outcomes in the order of its calls, in which these come after the change.
        outcomes = [replace(outcome, text=f"{outcome.text}\n{_READ_BEFORE}") for outcome in outcomes]
    return [change.result(), *outcomes]
