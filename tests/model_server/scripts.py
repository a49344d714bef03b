"""Scripts of a model: steps that the server plays over HTTP."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Chunk:
    """One event of the stream: ``delta`` in the first choice."""

    delta: Mapping[str, Any]
    finish_reason: str | None = None

    def encoded(self) -> bytes:
        choice = {"index": 0, "delta": self.delta, "finish_reason": self.finish_reason}
        return event({"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [choice]})


@dataclass(frozen=True)
class Raw:
    """Raw bytes."""

    data: bytes

    def encoded(self) -> bytes:
        return self.data


@dataclass(frozen=True)
class Status:
    """An HTTP error instead of an answer; ``code`` names it in the body, as in ``context_length_exceeded``, and
    ``parameter`` what of the request it is about.
    """

    status: int
    code: str | None = None
    message: str = "scripted"
    headers: Mapping[str, str] = field(default_factory=dict)
    parameter: str | None = None
    whole_body: object = None
    """The body where it is not of OpenAI's shape."""

    @property
    def body(self) -> object:
        if self.whole_body is not None:
            return self.whole_body
        return {
            "error": {"message": self.message, "type": "scripted_error", "param": self.parameter, "code": self.code}
        }


@dataclass(frozen=True)
class Json:
    """This JSON in one piece, for streaming requests too."""

    value: object
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class BreakOff:
    """The connection ends here, in the middle of the answer."""


@dataclass(frozen=True)
class Hold:
    """Nothing more is sent until the test opens the gate of this name (``ModelServer.open``).

    As the first step it holds back even the status.
    """

    gate: str = "gate"


Step: TypeAlias = Chunk | Raw | Status | Json | BreakOff | Hold
Script: TypeAlias = Sequence[Step]


def event(data: object) -> bytes:
    """One server-sent event."""
    return b"data: " + json.dumps(data, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n\n"


def usage(input_tokens: int = 11, output_tokens: int = 7) -> Raw:
    """The last chunk, which has no choices."""
    return Raw(event({"choices": [], "usage": {"prompt_tokens": input_tokens, "completion_tokens": output_tokens}}))


DONE = Raw(b"data: [DONE]\n\n")


def says(*pieces: str, finish_reason: str = "stop") -> Script:
    """Text, a chunk a piece."""
    return [
        Chunk({"role": "assistant", "content": ""}),
        *(Chunk({"content": piece}) for piece in pieces),
        Chunk({}, finish_reason),
        usage(),
        DONE,
    ]


def refuses(*pieces: str) -> Script:
    """A refusal by the model."""
    return [*(Chunk({"refusal": piece}) for piece in pieces), Chunk({}, "stop"), usage(), DONE]


def wants(name: str, call_id: str = "call_1", /, **arguments: object) -> dict[str, Any]:
    """A tool call, for ``calls``."""
    return {
        "id": call_id,
        "type": "function",
        "function": {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)},
    }


def calls(*wanted: dict[str, Any], text: str = "", cut: int = 7) -> Script:
    """Parallel tool calls, with their arguments cut into interleaved pieces of ``cut`` characters."""
    said = [Chunk({"content": text})] if text else []
    heads = [
        Chunk({"tool_calls": [{**call, "index": index, "function": {**call["function"], "arguments": ""}}]})
        for index, call in enumerate(wanted)
    ]
    pieces = sorted(
        (start, index, call["function"]["arguments"][start : start + cut])
        for index, call in enumerate(wanted)
        for start in range(0, len(call["function"]["arguments"]), cut)
    )
    tails = [Chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}) for _, index, piece in pieces]
    return [*said, *heads, *tails, Chunk({}, "tool_calls"), usage(), DONE]


def whole(message: Mapping[str, Any], finish_reason: str = "stop") -> Script:
    """A response that is not streamed, from a server that does not support streaming."""
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    counts = {"prompt_tokens": 11, "completion_tokens": 7}
    return [Json({"id": "chatcmpl-1", "object": "chat.completion", "choices": [choice], "usage": counts})]


Answering: TypeAlias = Script | Callable[[dict[str, Any]], Script]
"""A script, or a function that makes one from the request's body."""
