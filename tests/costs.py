"""What work costs, as a count: unlike its time the same on every machine, however busy."""

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


def calls_of(work: Callable[[], object]) -> int:
    """The number of calls, of Python's and of C's functions, that ``work`` makes.

    Those of finalizers are not its own: the garbage that tests before it have left is not collected meanwhile.
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
    """Measures no coverage in this thread: for work that is repeated, whose time that would double.

    Tests of a law may use it when other tests run the same code. Nothing may be awaited meanwhile: coverage counts
    calls and returns, which must match. After pytest-cov's ``no_cover``, threads that are already running, such as
    asgiref's, would never be measured again.
    """
    tracing = sys.gettrace()
    sys.settrace(None)
    try:
        yield
    finally:
        sys.settrace(tracing)
