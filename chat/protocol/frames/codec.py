"""Text to frames and back. Pure: an invalid frame raises ``FrameRejected`` and nothing else.

A client may be hostile. So the size of a frame and the number of its values are checked before objects are created from
it, and validation stops at the first errors.
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
_SEARCHED: Final = 512
"""How many characters at either end of a frame are searched for ids."""
_LARGE_ANSWER: Final = 64 * 1024
# It begins with plain characters, because ``re`` searches for these fastest.
_SURROGATE: Final = re.compile(r"\\u(?:[dD][89abAB]..(?P<low>\\u[dD][c-fC-F]..)|[dD][89a-fA-F]..)", re.DOTALL)
_ESCAPE_CHARS: Final = len(r"\u0000")
_VALUES_PER_ESCAPE: Final = 2
_LOOK_BACK: Final = 16
_REPLACEMENT: Final = r"\ufffd"
# A number that is not finite has an exponent of three digits or more, or 210 digits or more. Also matches some finite
# numbers, and some texts, but not ids, which are common.
_MAY_BE_INFINITE: Final = re.compile(r"[:,\[\s]-?(?:NaN|Infinity|\d+(?:\.\d*)?[eE]\+?\d{3}|\d{210})")
_CALL_ID: Final = re.compile(r'"id"\s*:\s*"([^"\\]{1,200})"')
_REQUEST_ID: Final = re.compile(r'"request_id"\s*:\s*"([^"\\]{1,200})"')
_BEGINNING_OF_ANSWER: Final = re.compile(
    r'\s*\{\s*"type"\s*:\s*"(?:tool_result|data_response)"\s*,\s*"id"\s*:\s*"([^"\\]{1,200})"'
)


@dataclass(frozen=True, kw_only=True, slots=True)
class FrameLimits:
    """How large the frames of a client may be. A frame is an answer (``tool_result``, ``data_response``) or a request.

    A value is a member of an object or an element of an array. An escaped half of a surrogate pair counts as two.
    """

    request_bytes: int = 256 * 1024
    request_values: int = 20_000
    answer_values: int = 200_000


_LIMITS: Final = FrameLimits()


def parse(text: str, limits: FrameLimits = _LIMITS) -> ClientFrame:
    """The frame in ``text``.

    A lone surrogate in a string becomes U+FFFD, and a number that is not finite becomes null.

    Raises ``FrameRejected`` with ``bad_frame`` (not a JSON object with a type), ``unknown_type``, ``too_large`` or
    ``invalid`` (a known type with wrong fields, listed in ``details``), and with the ``request_id`` or the ``call_id``
    of the frame, if it has one.
    """
    escapes = _count_escapes(text)
    values = escapes + count_values(text, limits.answer_values)
    if values > limits.answer_values:
        answer = _BEGINNING_OF_ANSWER.match(text)
        raise FrameRejected(
            ErrorCode.TOO_LARGE,
            f"A frame holds at most {limits.answer_values:,} values.",
            call_id=None if answer is None else answer[1],
        )
    text = _without_lone_surrogates(text) if escapes else text
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
    """The JSON text of ``frame``, without absent fields."""
    return frame.model_dump_json(exclude_none=True)


def call_ids_in(text: str) -> Collection[str]:
    """The calls of which ``text`` may be the answer. It is not parsed, so the ids can be those of something else."""
    if (answer := _BEGINNING_OF_ANSWER.match(text)) is not None:
        return (answer[1],)
    # Clients may write the id before or after the rows.
    return set(_CALL_ID.findall(text[:_SEARCHED])) | set(_CALL_ID.findall(text[-_SEARCHED:]))


def begins_as_answer(text: str) -> bool:
    """Whether ``text`` begins like an answer to a call."""
    return _BEGINNING_OF_ANSWER.match(text) is not None


def is_oversized(text: str, limits: FrameLimits) -> bool:
    """Whether ``text``, which is not the answer to an open call, is too large to be parsed."""
    return len(text) > (_LARGE_ANSWER if begins_as_answer(text) else limits.request_bytes)


def oversized(text: str, limits: FrameLimits) -> FrameRejected:
    """The rejection of a request that is too large to be parsed."""
    request = _REQUEST_ID.search(text[:_SEARCHED]) or _REQUEST_ID.search(text[-_SEARCHED:])
    return _too_large(limits, request_id=None if request is None else request[1])


def size_of(text: str) -> int:
    """The bytes of ``text`` on the wire."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def _count_escapes(text: str) -> int:
    return _VALUES_PER_ESCAPE * (text.count("\\ud") + text.count("\\uD"))


def _without_lone_surrogates(text: str) -> str:
    """``text`` with U+FFFD for escaped lone surrogates, which JavaScript writes, and which UTF-8 cannot encode."""
    return _SURROGATE.sub(_with_replacement, text)


def _with_finite_numbers(text: str) -> str:
    """``text`` with null for numbers that are not finite, such as ``1e999``, as JavaScript writes them."""
    try:
        return to_json(from_json(text), inf_nan_mode="null").decode()
    except ValueError:  # not JSON; the validation reports it
        return text


def _with_replacement(match: re.Match[str]) -> str:
    """A surrogate pair as it is; a lone surrogate as U+FFFD. After an escaped backslash there is no escape."""
    first, low = match[0][:_ESCAPE_CHARS], match["low"]
    if _is_escaped(match.string, match.start()):
        return first if low is None else first + _REPLACEMENT
    return _REPLACEMENT if low is None else match[0]


def _is_escaped(text: str, position: int) -> bool:
    """Whether an odd number of backslashes precedes the character."""
    look_back = _LOOK_BACK
    while True:
        before = text[max(0, position - look_back) : position]
        backslashes = len(before) - len(before.rstrip("\\"))
        if backslashes < look_back:
            return backslashes % 2 == 1
        look_back *= 2


def _object_in(text: str) -> Mapping[str, object]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


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
    """The path of a field without the tags of unions, which Pydantic counts as steps. The first step is such a tag."""
    for step in steps[1:-1]:
        if isinstance(value, Mapping) and step not in value:
            continue
        yield str(step)
        value = value[step]
    yield from (str(step) for step in steps[1:][-1:])


def _id(frame: Mapping[str, object], name: str) -> str | None:
    value = frame.get(name)
    return value if isinstance(value, str) and 0 < len(value) <= _MAX_ID else None
