"""The cost of work as a count, which is the same on every machine, unlike its time."""

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


def calls_of(work: Callable[[], object]) -> int:
    """The number of calls, of Python's and of C's functions, that ``work`` makes.

    Garbage collection is off meanwhile, so finalizers of earlier tests' objects do not count.
    """
    calls = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    before = sys.getprofile()
    gc.disable()
    with coverage_paused():
        sys.setprofile(count)
        try:
            work()
        finally:
            sys.setprofile(before)
            gc.enable()
    return calls


@contextmanager
def coverage_paused() -> Iterator[None]:
    """Suspend coverage in this thread: for repeated work, which coverage would take twice as long to run.

    Property tests may use it if other tests cover the same code. Do not await meanwhile: coverage counts calls and
    returns, which must match. pytest-cov's ``no_cover`` does not work here: threads that are already running, such as
    asgiref's, would never be measured again.
    """
    tracing = sys.gettrace()
    sys.settrace(None)
    try:
        yield
    finally:
        sys.settrace(tracing)
