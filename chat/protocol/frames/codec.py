"""Text to frames and back. Pure: an invalid frame raises ``FrameRejected`` and nothing else."""

import json
from typing import Final

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from chat.protocol.frames.client import ClientFrame
from chat.protocol.frames.errors import FrameRejected
from chat.protocol.frames.server import Problem, ServerFrame
from chat.protocol.frames.vocabulary import ErrorCode

CLIENT_FRAMES: Final[TypeAdapter[ClientFrame]] = TypeAdapter(ClientFrame)
SERVER_FRAMES: Final[TypeAdapter[ServerFrame]] = TypeAdapter(ServerFrame)

_MAX_PROBLEMS = 20
_MAX_ID = 200


def parse(text: str) -> ClientFrame:
    """The frame that ``text`` holds.

    Raises ``FrameRejected`` with ``bad_frame`` (not a JSON object with a type), ``unknown_type`` or ``invalid`` (a
    known type with wrong fields, listed in ``details``), and with the frame's ``request_id`` and ``call_id``, if any.
    """
    try:
        return CLIENT_FRAMES.validate_json(text)
    except ValidationError as error:
        raise _rejected(text, error.errors(include_url=False, include_context=False, include_input=False)) from None


def encode(frame: ServerFrame) -> str:
    """The JSON text of ``frame``; fields that are absent are left out."""
    return frame.model_dump_json(exclude_none=True)


def size_of(text: str) -> int:
    """The bytes of ``text`` on the wire."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def _rejected(text: str, problems: list[ErrorDetails]) -> FrameRejected:
    first = problems[0]
    if first["loc"]:
        return FrameRejected(
            ErrorCode.INVALID,
            "The frame has fields that are missing or wrong.",
            request_id=_text_field(text, "request_id"),
            call_id=_text_field(text, "id"),
            details=[_problem(problem) for problem in problems[:_MAX_PROBLEMS]],
        )
    if first["type"] == "union_tag_invalid" and _text_field(text, "type"):
        return FrameRejected(
            ErrorCode.UNKNOWN_TYPE,
            "This server knows no frame of that type.",
            request_id=_text_field(text, "request_id"),
        )
    return FrameRejected(ErrorCode.BAD_FRAME, "A frame is one JSON object with a type.")


def _problem(problem: ErrorDetails) -> Problem:
    # The first step of the path is the union's tag, which the client already knows.
    return Problem(field=".".join(str(step) for step in problem["loc"][1:]), problem=problem["msg"])


def _text_field(text: str, name: str) -> str | None:
    try:
        frame = json.loads(text)
    except (ValueError, RecursionError):
        return None
    value = frame.get(name) if isinstance(frame, dict) else None
    return value if isinstance(value, str) and 0 < len(value) <= _MAX_ID else None
