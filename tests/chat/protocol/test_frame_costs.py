"""What any frame costs: a bounded number of calls and bytes, however wide, deep, long or wrong it is."""

import tracemalloc
from collections.abc import Callable
from typing import Final, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chat.protocol.frames.codec import FrameLimits, parse
from chat.protocol.frames.errors import FrameRejected
from tests.costs import calls_of, coverage_paused
from tests.effort import tries

MIB: Final = 1024 * 1024
LIMITS: Final = FrameLimits()
REQUESTS: Final = (
    *("home_request", "popup_request", "contextual_request", "contextual_scope_update", "brief_request"),
    *("task_brief_request", "chat_request", "approval_response", "cancel_request", "resume_request", "job_ack"),
    *("device_hello", "authenticate", "ping", "unheard_of"),
)
ANSWERS: Final = ("tool_result", "data_response")
MEMBERS: Final = (
    *("message", "conversation_history", "history", "context", "scope", "capabilities", "token", "request_id"),
    *("id", "row", "rows", "results", "error", "reason", "date", "type", "unheard_of"),
)
CALLS: Final = 2_000
"""Of Python and of C, for what is not repeated in a frame."""
CALLS_A_HALF: Final = 20
"""For each half of a surrogate pair, which is replaced in Python."""


def outcome(text: str, limits: FrameLimits = LIMITS) -> FrameRejected | None:
    try:
        parse(text, limits)
    except FrameRejected as rejection:
        return rejection
    return None


def peak_of(work: Callable[[], object]) -> int:
    """The most bytes that ``work`` holds at a time."""
    with coverage_paused():
        tracemalloc.start()
        try:
            work()
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()


def filled(unit: str, size: int) -> str:
    """As many of ``unit``, separated by commas, as fit into ``size`` characters."""
    return ",".join([unit] * max(1, size // (len(unit) + 1)))


SHAPES: Final[dict[str, Callable[[int], str]]] = {
    "numbers": lambda size: f"[{filled('0', size)}]",
    "lists": lambda size: f"[{filled('[]', size)}]",
    "objects": lambda size: f"[{filled('{}', size)}]",
    "rows": lambda size: "[" + filled('{"id":"1","title":"x"}', size) + "]",
    "messages": lambda size: "[" + filled('{"role":"user","content":"x"}', size) + "]",
    "errors": lambda size: "[" + filled('{"role":0,"content":0}', size) + "]",
    "members": lambda size: "{" + ",".join(f'"{number}":0' for number in range(max(1, size // 10))) + "}",
    "same member": lambda size: "{" + filled('"a":0', size) + "}",
    "deep lists": lambda size: "[" * (size // 2) + "]" * (size // 2),
    "deep objects": lambda size: '{"a":' * (size // 6) + "0" + "}" * (size // 6),
    "unclosed": lambda size: "[" * size,
    "unended": lambda size: '"' + "," * size,
    "quotes": lambda size: '",' * (size // 2),
    "text": lambda size: '"' + "x" * size + '"',
    "other text": lambda size: '"' + "é" * size + '"',
    "commas": lambda size: '"' + ",[{" * (size // 3) + '"',
    "newlines and a half": lambda size: '"' + r"\n" * (size // 2) + r'\ud83c"',
    "backslashes and a half": lambda size: '"' + r"\\" * (size // 2) + r'\ud83c"',
    "halves": lambda size: '"' + r"\ud83c" * (size // 6) + '"',
    "pairs": lambda size: '"' + r"\ud83c\udf89" * (size // 12) + '"',
    "long number": lambda size: "1" * size,
    "long exponent": lambda size: "1e" + "9" * size,
    "infinite": lambda size: f"[{filled('1e999', size)}]",
    "long numbers": lambda size: f"[{filled('1' * 300, size)}]",
}


Members: TypeAlias = list[tuple[str, str, int]]
"""Names, shapes and sizes: the text itself is too long to be shown by Hypothesis."""


def members(*sizes: int) -> st.SearchStrategy[Members]:
    member = st.tuples(st.sampled_from(MEMBERS), st.sampled_from(sorted(SHAPES)), st.sampled_from(sizes))
    return st.lists(member, min_size=1, max_size=3)


def written(kind: str, members: Members) -> str:
    named = [f'"{name}":{SHAPES[shape](size)}' for name, shape, size in members]
    return "{" + ",".join([f'"type":"{kind}"', '"id":"1"', '"message":"m"', *named]) + "}"


def check(text: str, *, memory: int) -> None:
    found = outcome(text)
    assert found is None or len(found.details or ()) <= 20
    halves = min(text.count(r"\ud"), LIMITS.answer_values // 2)
    assert calls_of(lambda: outcome(text)) < CALLS + CALLS_A_HALF * halves
    # What comes over the wire is not what it costs: the text itself is held once more where it is mended.
    assert peak_of(lambda: outcome(text)) < memory


@settings(max_examples=tries(30, long=1_000), deadline=None)
@given(st.sampled_from(REQUESTS), members(50, 5_000, 60_000))
def test_no_request_costs_more_than_its_bounds(kind: str, members: Members) -> None:
    check(written(kind, members), memory=16 * MIB)


@settings(max_examples=tries(10, long=300), deadline=None)
@given(st.sampled_from(ANSWERS), members(50, 60_000, 1_000_000))
def test_no_answer_costs_more_than_its_bounds(kind: str, members: Members) -> None:
    check(written(kind, members), memory=48 * MIB)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_largest_answer_of_each_shape_costs_no_more_than_its_bounds(shape: str) -> None:
    check(written("tool_result", [("rows", shape, 4 * MIB - 100)]), memory=48 * MIB)


@pytest.mark.parametrize(
    ("escaped", "read"),
    [
        (r"\ud83c", "�"),
        (r"\ud83c\udf89", "🎉"),
        (r"\udf89\ud83c", "��"),
        (r"\ud83c\ud83c\udf89", "�🎉"),
        (r"\\ud83c", r"\ud83c"),
        (r"\\ud83c\udf89", r"\ud83c" + "�"),
        (r"\\\ud83c", "\\�"),
        (r"\\" * 40 + r"\ud83c", "\\" * 40 + "�"),
        (r"\\" * 40 + "ud83c", "\\" * 40 + "ud83c"),
        (r"\uD83C\uDF89\uDf89", "🎉�"),
        (r"\n\ud83c\"", '\n�"'),
    ],
)
def test_halves_are_replaced_and_nothing_else(escaped: str, read: str) -> None:
    frame = parse(f'{{"type":"home_request","message":"{escaped}"}}')
    assert getattr(frame, "message", None) == read


@pytest.mark.parametrize(("halves", "refused"), [(40, None), (60, "too_large")])
def test_escaped_halves_count_as_values(halves: int, refused: str | None) -> None:
    text = '{"type":"home_request","message":"' + r"\ud83c" * halves + '"}'
    found = outcome(text, FrameLimits(request_values=100, answer_values=1000))

    assert (None if found is None else found.code) == refused
