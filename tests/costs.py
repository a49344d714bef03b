"""What work costs, as a count: unlike its time the same on every machine, however busy."""

import gc
import sys
from collections.abc import Callable
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
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
        gc.enable()
    return calls
