"""A streamed chat completion read by hand: bytes in, ``ModelEvent`` values out. No IO, no SDK objects.

The dialects of servers that call their interface the same are read too: calls without an index or an id, whole calls at
once, arguments as an object, the older ``function_call``, a last chunk with the usage alone, a stream without
``[DONE]``.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from agents.adapters.calls import CallAssembly
from agents.adapters.failures import model_failure
from agents.adapters.sse import EventReader
from agents.adapters.surrogates import is_whole_text, mended
from agents.errors import ModelBroken
from agents.events import ModelEvent, ModelStopped, StopReason, TextDelta, ToolCall, Usage

_DONE: Final = b"[DONE]"
_NOTHING: Final[Mapping[str, object]] = {}
# Whatever else a server says (``eos``, ``end_turn``) means that the model was through.
_REASONS: Final = {"length": StopReason.LENGTH, "content_filter": StopReason.REFUSED}


class StreamReader:
    """Reads one streamed answer. Text and refusals come at once; calls, usage and the end when the answer is whole."""

    def __init__(self) -> None:
        self._events = EventReader()
        self._calls = CallAssembly()
        self._usage: Usage | None = None
        self._finish_reason: str | None = None
        self._refused = False
        self._half = ""
        self.done = False
        """Whether the last event is out. What is fed after it is not read."""

    def feed(self, chunk: bytes) -> Iterator[ModelEvent]:
        """What ``chunk`` says; run to its end before the next is fed.

        Raises ``ModelBroken`` for what cannot be read, and what ``model_failure`` makes of an error in the stream.
        """
        if not self.done:
            yield from self._read_all(self._events.feed(chunk))

    def end(self) -> Iterator[ModelEvent]:
        """The end of the stream. Raises ``ModelBroken`` when the answer broke off before it."""
        if not self.done:
            yield from self._read_all(self._events.end())
            yield from self._end_without_done()

    def read_whole(self, body: bytes) -> Iterator[ModelEvent]:
        """An answer that came in one piece, from a server that does not stream. Raises as ``feed``."""
        yield from self._read(body)
        yield from self._end_without_done()

    @property
    def is_whole(self) -> bool:
        """Whether the model has stopped writing, so that nothing is lost should the connection break now."""
        return self.done or self._finish_reason is not None

    def _read_all(self, events: Iterator[bytes]) -> Iterator[ModelEvent]:
        for data in events:
            if data.strip() == _DONE:
                yield from self._finish()
                return
            yield from self._read(data)

    def _end_without_done(self) -> Iterator[ModelEvent]:
        if not self.is_whole:
            raise ModelBroken
        if not self.done:
            yield from self._finish()

    def _read(self, data: bytes) -> Iterator[ModelEvent]:
        chunk = _decoded(data)
        if chunk.get("error") or chunk.get("object") == "error":
            raise _failure(chunk)
        choices = chunk.get("choices")
        if choices:
            yield from self._read_choice(_first(choices), chunk)
        if usage := chunk.get("usage"):
            self._usage = _usage(_mapping(usage))

    def _read_choice(self, choice: Mapping[str, object], chunk: Mapping[str, object]) -> Iterator[ModelEvent]:
        # A server that does not stream sends the whole message in one chunk.
        delta = _mapping(choice.get("delta") or choice.get("message"))
        if content := delta.get("content"):
            yield from self._say(_text(content))
        if refusal := delta.get("refusal"):
            self._refused = True
            yield from self._say(_text(refusal))
        if parts := delta.get("tool_calls"):
            for part in _sequence(parts):
                self._calls.add(_mapping(part))
        if legacy := delta.get("function_call"):
            self._calls.add({"index": 0, "function": legacy})
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self._finish_reason = reason
            self._calls.answer_id = str(chunk.get("id") or "")

    def _say(self, text: str) -> Iterator[TextDelta]:
        """``text``, with the halves of a character joined that a server has cut apart as JSON escapes."""
        if self._half or not is_whole_text(text):
            text, self._half = self._half + text, ""
            if "\ud800" <= text[-1] <= "\udbff":
                text, self._half = text[:-1], text[-1]
            text = mended(text)
        if text:
            yield TextDelta(text=text)

    def _finish(self) -> Iterator[ModelEvent]:
        self.done = True
        if self._half:
            yield TextDelta(text=mended(self._half))
        reason = StopReason.REFUSED if self._refused else _REASONS.get(self._finish_reason or "", StopReason.COMPLETE)
        calls = self._made_calls(reason)
        yield from calls
        if self._usage is not None:
            yield self._usage
        yield ModelStopped(reason=StopReason.TOOL_CALLS if calls and reason is StopReason.COMPLETE else reason)

    def _made_calls(self, reason: StopReason) -> list[ToolCall]:
        """The calls to run: none of an answer that was refused, and none that the length limit has cut off."""
        if reason is StopReason.REFUSED:
            return []
        return self._calls.made(only_whole=reason is StopReason.LENGTH)


def _decoded(data: bytes) -> Mapping[str, object]:
    try:
        return _mapping(json.loads(data.decode("utf-8", "replace")))
    except (ValueError, RecursionError):
        raise ModelBroken("The model's server sent an event that is not JSON.") from None


def _failure(chunk: Mapping[str, object]) -> Exception:
    reported = chunk.get("error") or chunk
    error = reported if isinstance(reported, dict) else _NOTHING
    return model_failure(code=error.get("code"), kind=error.get("type"))


def _first(choices: object) -> Mapping[str, object]:
    """The first alternative; we ask for one."""
    listed = [_mapping(choice) for choice in _sequence(choices)]
    return next((choice for choice in listed if not choice.get("index")), _NOTHING)


def _usage(counts: Mapping[str, object]) -> Usage:
    return Usage(
        input_tokens=_count(counts.get("prompt_tokens")),
        output_tokens=_count(counts.get("completion_tokens")),
    )


def _count(value: object) -> int:
    return int(value) if isinstance(value, int | float) and 0 <= value < float("inf") else 0


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = [_mapping(part).get("text", "") for part in _sequence(content)]
    return "".join(part for part in parts if isinstance(part, str))


def _mapping(value: object) -> Mapping[str, object]:
    if value is None:
        return _NOTHING
    if not isinstance(value, dict):
        raise _misshapen()
    return value


def _sequence(value: object) -> Sequence[object]:
    if not isinstance(value, list):
        raise _misshapen()
    return value


def _misshapen() -> ModelBroken:
    return ModelBroken("The model's server sent an event of an unknown shape.")
