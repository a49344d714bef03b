"""Text to frames and back. Pure: an invalid frame raises ``FrameRejected`` and nothing else.

A frame comes from a client that may be hostile. Its size and the number of its values are checked before any object is
made of it, and validation stops at the first errors.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import Field, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails, from_json, to_json

from accounts.json_values import count_values
from chat.protocol.frames.client import ClientFrame, DataResponse, ToolResult
from chat.protocol.frames.errors import FrameRejected, sentence_of
from chat.protocol.frames.server import Problem, ServerFrame
from chat.protocol.frames.vocabulary import ErrorCode

CLIENT_FRAMES: Final[TypeAdapter[ClientFrame]] = TypeAdapter(ClientFrame)
SERVER_FRAMES: Final[TypeAdapter[ServerFrame]] = TypeAdapter(ServerFrame)
_ANSWERS: Final[TypeAdapter[ToolResult | DataResponse]] = TypeAdapter(
    Annotated[ToolResult | DataResponse, Field(discriminator="type")]
)

_MAX_PROBLEMS = 20
_MAX_ID = 200
_HEAD: Final = 512
_LARGE_ANSWER: Final = 64 * 1024
# It begins with plain characters, for which ``re`` searches fastest.
_SURROGATE: Final = re.compile(r"\\u(?:[dD][89abAB]..(?P<low>\\u[dD][c-fC-F]..)|[dD][89a-fA-F]..)", re.DOTALL)
_ESCAPE_CHARS: Final = len(r"\u0000")
_VALUES_AN_ESCAPE: Final = 2
_LOOKS_BACK: Final = 16
_REPLACEMENT: Final = r"\ufffd"
# Also finds some that are finite, and some in texts; not those in ids, which are common.
_MAY_BE_INFINITE: Final = re.compile(r"[:,\[\s]-?(?:NaN|Infinity|\d+(?:\.\d*)?[eE]\+?\d{3}|\d{309})")
_CALL_ID: Final = re.compile(r'"id"\s*:\s*"([^"\\]{1,200})"')
_REQUEST_ID: Final = re.compile(r'"request_id"\s*:\s*"([^"\\]{1,200})"')
_BEGINNING_OF_ANSWER: Final = re.compile(
    r'\s*\{\s*"type"\s*:\s*"(?:tool_result|data_response)"\s*,\s*"id"\s*:\s*"([^"\\]{1,200})"'
)


@dataclass(frozen=True, kw_only=True, slots=True)
class FrameLimits:
    """What a client may send. An answer to a call is a ``tool_result`` or ``data_response``, a request all else.

    A value is a member of an object or an element of an array; an escaped half of a surrogate pair counts as two.
    """

    request_bytes: int = 256 * 1024
    request_values: int = 20_000
    answer_values: int = 200_000


_LIMITS: Final = FrameLimits()


def parse(text: str, limits: FrameLimits = _LIMITS) -> ClientFrame:
    """The frame that ``text`` holds.

    Half a surrogate pair in a string becomes U+FFFD, and a number that is not finite null.

    Raises ``FrameRejected`` with ``bad_frame`` (not a JSON object with a type), ``unknown_type``, ``too_large`` or
    ``invalid`` (a known type with wrong fields, listed in ``details``), and with the frame's ``request_id`` and
    ``call_id``, if any.
    """
    escapes = _count_escapes(text)
    values = escapes + count_values(text, limits.answer_values)
    if values > limits.answer_values:
        answered = _BEGINNING_OF_ANSWER.match(text)
        raise FrameRejected(
            ErrorCode.TOO_LARGE,
            f"A frame holds at most {limits.answer_values:,} values.",
            call_id=None if answered is None else answered[1],
        )
    text = _mended(text) if escapes else text
    text = _with_finite_numbers(text) if _MAY_BE_INFINITE.search(text) else text
    too_large = size_of(text) > limits.request_bytes or (
        values > limits.request_values and escapes + count_values(text, limits.request_values) > limits.request_values
    )
    try:
        return _ANSWERS.validate_json(text) if too_large else CLIENT_FRAMES.validate_json(text)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False, include_input=False)
        raise _rejected(_object_in(text), problems, limits, too_large=too_large) from None


def encode(frame: ServerFrame) -> str:
    """The JSON text of ``frame``; fields that are absent are left out."""
    return frame.model_dump_json(exclude_none=True)


def call_ids_in(text: str) -> Collection[str]:
    """The call that ``text`` answers, if it is an answer, found without parsing it: one of these, perhaps."""
    if (begun := _BEGINNING_OF_ANSWER.match(text)) is not None:
        return (begun[1],)
    # Its id is before the rows or behind them, in the order in which the client writes fields.
    return set(_CALL_ID.findall(text[:_HEAD])) | set(_CALL_ID.findall(text[-_HEAD:]))


def begins_as_answer(text: str) -> bool:
    """Whether ``text`` is an answer to a call, as far as its beginning tells."""
    return _BEGINNING_OF_ANSWER.match(text) is not None


def is_oversized(text: str, limits: FrameLimits) -> bool:
    """Whether ``text``, which answers no open call, is too large to be parsed."""
    return len(text) > (_LARGE_ANSWER if begins_as_answer(text) else limits.request_bytes)


def oversized(text: str, limits: FrameLimits) -> FrameRejected:
    """The rejection of a request that is not parsed."""
    named = _REQUEST_ID.search(text[:_HEAD]) or _REQUEST_ID.search(text[-_HEAD:])
    return _too_large(limits, request_id=None if named is None else named[1])


def size_of(text: str) -> int:
    """The bytes of ``text`` on the wire."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def _count_escapes(text: str) -> int:
    return _VALUES_AN_ESCAPE * (text.count("\\ud") + text.count("\\uD"))


def _mended(text: str) -> str:
    """``text`` without half surrogate pairs, which JavaScript writes and UTF-8 cannot."""
    return _SURROGATE.sub(_replaced, text)


def _with_finite_numbers(text: str) -> str:
    """``text`` with null for NaN and infinity, which JSON cannot say, as JavaScript writes them: ``1e999`` is one."""
    try:
        return to_json(from_json(text), inf_nan_mode="null").decode()
    except ValueError:  # no JSON, as its validation says
        return text


def _replaced(found: re.Match[str]) -> str:
    """The escape, or the replacement of a half. A backslash that is escaped itself begins no escape."""
    first, low = found[0][:_ESCAPE_CHARS], found["low"]
    if _is_escaped(found.string, found.start()):
        return first if low is None else first + _REPLACEMENT
    return _REPLACEMENT if low is None else found[0]


def _is_escaped(text: str, at: int) -> bool:
    """Whether the character is behind an odd number of backslashes."""
    looked_at = _LOOKS_BACK
    while True:
        before = text[max(0, at - looked_at) : at]
        backslashes = len(before) - len(before.rstrip("\\"))
        if backslashes < looked_at:
            return backslashes % 2 == 1
        looked_at *= 2


def _object_in(text: str) -> Mapping[str, object]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _rejected(
    frame: Mapping[str, object], problems: list[ErrorDetails], limits: FrameLimits, *, too_large: bool
) -> FrameRejected:
    first, request_id = problems[0], _id(frame, "request_id")
    if too_large and frame and frame.get("type") not in ("tool_result", "data_response"):
        return _too_large(limits, request_id=request_id)
    if first["loc"]:
        return FrameRejected(
            ErrorCode.INVALID,
            "The frame has fields that are missing or wrong.",
            request_id=request_id,
            call_id=_id(frame, "id"),
            details=[_problem(frame, problem) for problem in problems[:_MAX_PROBLEMS]],
        )
    if first["type"] == "union_tag_invalid" and _id(frame, "type"):
        return FrameRejected(ErrorCode.UNKNOWN_TYPE, "This server knows no frame of that type.", request_id=request_id)
    return FrameRejected(ErrorCode.BAD_FRAME, "A frame is one JSON object with a type.")


def _too_large(limits: FrameLimits, *, request_id: str | None) -> FrameRejected:
    most = f"at most {limits.request_bytes // 1024} KiB, with at most {limits.request_values:,} values"
    return FrameRejected(ErrorCode.TOO_LARGE, f"A request is {most}.", request_id=request_id)


def _problem(frame: Mapping[str, object], problem: ErrorDetails) -> Problem:
    return Problem(field=".".join(_path(frame, problem["loc"])), problem=sentence_of(problem))


def _path(value: Any, steps: Sequence[int | str]) -> Iterator[str]:
    """The path of a field without the tags of unions, which Pydantic counts as steps; the frame's own is the first."""
    for step in steps[1:-1]:
        if isinstance(value, Mapping) and step not in value:
            continue
        yield str(step)
        value = value[step]
    yield from (str(step) for step in steps[1:][-1:])


def _id(frame: Mapping[str, object], name: str) -> str | None:
    value = frame.get(name)
    return value if isinstance(value, str) and 0 < len(value) <= _MAX_ID else None
