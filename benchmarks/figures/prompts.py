"""How long it takes to find the text of a prompt, wherever it comes from."""

import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Final

from agents.prompts.names import PromptName, builtin_text
from agents.prompts.rendering import IN_FORCE, CachedPrompt, CachedPrompts, PromptOrigin, get_prompt_or_fallback
from benchmarks.environment import Environment
from benchmarks.tables import Bound, Figure

TITLE: Final = "Finding the text of a prompt"
_CALLS: Final = 100_000
_AT_MOST_US: Final = 50.0


def measure(environment: Environment) -> Iterator[Figure]:
    """Microseconds of single calls, at the median and at the 99th percentile."""
    environment.say(f"  {_CALLS:,} calls for each origin")
    try:
        yield from _figures("built-in text")
        IN_FORCE.put_langfuse(_cached(PromptOrigin.LANGFUSE))
        yield from _figures("text of Langfuse's")
        IN_FORCE.put_overrides(_cached(PromptOrigin.OVERRIDE))
        yield from _figures("override")
        with _replacing():
            yield from _figures("override, while all texts are replaced again and again")
    finally:
        IN_FORCE.clear()


def _cached(origin: PromptOrigin) -> CachedPrompts:
    now = datetime.now(UTC)
    return {name: CachedPrompt(text=builtin_text(name), origin=origin, version=1, since=now) for name in PromptName}


def _figures(label: str) -> Iterator[Figure]:
    taken = sorted(_times())
    floor = statistics.median(_times_of_nothing())
    for place, value in (("median", statistics.median(taken)), ("99th percentile", taken[len(taken) * 99 // 100])):
        yield Figure(
            name=f"{label}, {place}", unit="µs", value=value, floor=floor, bound=Bound.VALUE, limit=_AT_MOST_US
        )


def _times() -> Iterator[float]:
    clock, names = time.perf_counter_ns, list(PromptName)
    for number in range(_CALLS):
        name = names[number % len(names)]
        begun = clock()
        get_prompt_or_fallback(name, "")
        yield (clock() - begun) / 1000


def _times_of_nothing() -> Iterator[float]:
    """What the clock itself costs."""
    clock = time.perf_counter_ns
    for _ in range(_CALLS):
        begun = clock()
        yield (clock() - begun) / 1000


@contextmanager
def _replacing() -> Iterator[None]:
    over = threading.Event()

    def replace() -> None:
        while not over.is_set():
            IN_FORCE.put_langfuse(_cached(PromptOrigin.LANGFUSE))

    thread = threading.Thread(target=replace)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
