"""A streamed chat completion read by hand: bytes in, ``ModelEvent`` values out. No IO, no SDK objects.

It also reads the dialects of servers whose API has the same name: calls without an index or an id, whole calls at once,
arguments as an object, the older ``function_call``, a last chunk with the usage alone, a stream without ``[DONE]``.

Python's strings can hold half of a surrogate pair, and JSON can write one, but UTF-8 cannot.
"""

import hashlib
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from agents.adapters.failures import facts_of, model_failure
from agents.errors import AgentError, ModelBroken, ModelRefused
from agents.events import ModelEvent, ModelStopped, StopReason, TextDelta, ToolCall, Usage

logger = logging.getLogger(__name__)

_DONE: Final = b"[DONE]"
_NOTHING: Final[Mapping[str, object]] = {}

MAX_EVENT_BYTES: Final = 4 * 1024 * 1024
"""The longest event: more than any whole answer, and little enough to hold in memory."""

_DATA: Final = b"data: "
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_FIELDS: Final = frozenset({b"data", b"event", b"id", b"retry"})
_MISSHAPEN: Final = "The model's server sent an event of an unknown shape."


class StreamReader:
    """Reads one streamed answer. Text and refusals come at once; calls, usage and the end once the answer is whole."""

    def __init__(self) -> None:
        self._events = EventReader()
        self._calls = CallAssembly()
        self._usage: Usage | None = None
        self._finish_reason: str | None = None
        self._refused = False
        self._half = ""
        self.done = False
        """Whether the last event has been yielded. Later bytes are ignored."""

    def feed(self, chunk: bytes) -> Iterator[ModelEvent]:
        """The events in ``chunk``. Exhaust them before feeding the next chunk.

        Raises ``ModelBroken`` for bytes that cannot be read, the ``model_failure`` of an error in the stream, and
        ``ModelRefused`` at the end of an answer that the model or its server refused.
        """
        if not self.done:
            yield from self._read_all(self._events.feed(chunk))

    def end(self) -> Iterator[ModelEvent]:
        """The end of the stream. Raises as ``feed``, and ``ModelBroken`` when the answer broke off before it."""
        if not self.done:
            yield from self._read_all(self._events.end())
            yield from self._end_without_done()

    def read_whole(self, body: bytes) -> Iterator[ModelEvent]:
        """The events of an answer from a server that does not stream. Raises as ``feed``."""
        yield from self._read(body)
        yield from self._end_without_done()

    @property
    def is_whole(self) -> bool:
        """Whether the model has stopped writing, so that nothing is lost if the connection breaks now."""
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
        try:
            chunk = _mapping(json.loads(data.decode("utf-8", "replace")))
        except (ValueError, RecursionError):
            raise ModelBroken("The model's server sent an event that is not JSON.") from None
        if chunk.get("error") or chunk.get("object") == "error":
            reported = chunk.get("error") or chunk
            error = reported if isinstance(reported, dict) else _NOTHING
            code, kind = error.get("code"), error.get("type")
            logger.warning(
                "the model's server reported an error within its answer (%s)", facts_of(code=code, kind=kind)
            )
            raise model_failure(code=code, kind=kind)
        if choices := chunk.get("choices"):
            listed = [_mapping(choice) for choice in _sequence(choices)]
            # The first alternative: we ask for one.
            yield from self._read_choice(next((each for each in listed if not each.get("index")), _NOTHING), chunk)
        if usage := chunk.get("usage"):
            counts = _mapping(usage)
            self._usage = Usage(
                input_tokens=_count(counts.get("prompt_tokens")), output_tokens=_count(counts.get("completion_tokens"))
            )

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
        """``text``, joining surrogates that the server sent in separate chunks."""
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
        refused = self._refused or self._finish_reason == "content_filter"
        is_cut = self._finish_reason == "length"
        calls = [] if refused else self._calls.made(only_whole=is_cut)
        yield from calls
        if self._usage is not None:
            yield self._usage
        if refused:
            raise ModelRefused
        # Any other reason (``eos``, ``end_turn``) means that the model has finished.
        finished = StopReason.TOOL_CALLS if calls else StopReason.COMPLETE
        yield ModelStopped(reason=StopReason.LENGTH if is_cut else finished)


@dataclass(slots=True)
class _OpenCall:
    """One call as far as it has come."""

    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        try:
            json.loads("".join(self.arguments))
        except (ValueError, RecursionError):
            return False
        return True


class CallAssembly:
    """Tool calls put together from pieces, which belong together by index, else by id, else by order."""

    def __init__(self) -> None:
        self.answer_id = ""
        """The id of the answer. It makes the ids that we must invent differ between answers."""
        self._calls: list[_OpenCall] = []
        self._by_index: dict[int, _OpenCall] = {}
        self._by_id: dict[str, _OpenCall] = {}

    def add(self, part: Mapping[str, object]) -> None:
        """Add one piece: an element of a delta's ``tool_calls``."""
        given = part.get("function")
        function: Mapping[str, object] = given if isinstance(given, dict) else {}
        call_id, name, arguments = part.get("id"), function.get("name"), function.get("arguments")
        known_id = call_id if isinstance(call_id, str) else ""
        call = self._call_of(part.get("index"), known_id, begins=bool(name))
        if known_id:
            self._by_id[known_id] = call
            call.id = call.id or known_id
        if isinstance(name, str) and name != call.name:
            call.name += name
        if isinstance(arguments, str):
            call.arguments.append(arguments)
        elif arguments is not None:
            call.arguments = [json.dumps(arguments, ensure_ascii=False)]

    def made(self, *, only_whole: bool) -> list[ToolCall]:
        """The calls in the order in which they began; ``only_whole`` leaves out those with cut arguments.

        Raises ``ModelBroken`` for a call without a name.
        """
        made: dict[str, ToolCall] = {}
        for position, call in enumerate(call for call in self._calls if call.is_whole or not only_whole):
            if not call.name:
                raise ModelBroken("The model called a tool without naming it.")
            call_id, arguments = call.id, mended("".join(call.arguments)) or "{}"
            if not call_id or call_id in made:
                # The same for the same call at the same position, and unique otherwise.
                known = "\0".join((self.answer_id, str(position), call.name, arguments))
                call_id = f"call_{hashlib.blake2b(known.encode('utf-8', 'replace'), digest_size=12).hexdigest()}"
            made[call_id] = ToolCall(id=call_id, name=call.name, arguments=arguments)
        return list(made.values())

    def _call_of(self, index: object, call_id: str, *, begins: bool) -> _OpenCall:
        if isinstance(index, int):
            call = self._by_index.get(index)
            # Some servers number every call 0: another id with a name begins another call.
            if call is None or (begins and call_id and call.id and call_id != call.id):
                call = self._by_index[index] = self._begin()
            return call
        if call_id in self._by_id:
            return self._by_id[call_id]
        if call_id or begins or not self._calls:
            return self._begin()
        return self._calls[-1]

    def _begin(self) -> _OpenCall:
        self._calls.append(_OpenCall())
        return self._calls[-1]


def is_whole_text(text: str) -> bool:
    """Whether ``text`` can be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def mended(text: str) -> str:
    """``text`` with adjacent surrogates joined, and U+FFFD for a lone one."""
    if text.isascii() or is_whole_text(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class EventReader:
    """Server-sent events out of bytes that arrive cut anywhere (HTML Living Standard, section 9.2.6); only their data.

    More lenient than the standard in one respect: a last event without its empty line still counts, since servers leave
    it out at the end of a stream. Stricter in another: an unknown field means that this is no event stream, but most
    likely the error page of a proxy.
    """

    __slots__ = ("_after_cr", "_data", "_pending", "_size")

    def __init__(self) -> None:
        self._pending = bytearray()
        self._after_cr = False
        self._data: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The data of every event that ``chunk`` completes. Exhaust it before feeding the next chunk.

        Raises ``ModelBroken`` if the bytes are no event stream or an event is too long.
        """
        if self._after_cr and chunk:
            chunk = chunk.removeprefix(b"\n")
            self._after_cr = False
        if b"\n" not in chunk and b"\r" not in chunk:
            self._hold(chunk)
            return
        if self._pending:
            chunk = bytes(self._pending) + chunk
            self._pending.clear()
        lines = chunk.splitlines()
        if not chunk.endswith((b"\n", b"\r")):
            self._hold(lines.pop())
        self._after_cr = chunk.endswith(b"\r")
        for line in lines:
            if line.startswith(_DATA):
                self._add(line[6:])
            elif line:
                self._read_field(line)
            elif data := self._take():
                yield data

    def end(self) -> Iterator[bytes]:
        """The event that the end of the stream completes, if any. Raises as ``feed``."""
        if self._pending:
            self._read_field(bytes(self._pending))
            self._pending.clear()
        if data := self._take():
            yield data

    def _hold(self, piece: bytes) -> None:
        self._pending += piece
        if len(self._pending) > MAX_EVENT_BYTES:
            raise ModelBroken("The model's server sent an event without an end.")

    def _read_field(self, line: bytes) -> None:
        name, _, value = line.removeprefix(_BYTE_ORDER_MARK).partition(b":")
        if name and name not in _FIELDS:
            raise ModelBroken("The model's server sent something that is not an event stream.")
        if name == b"data":
            self._add(value.removeprefix(b" "))

    def _add(self, data: bytes) -> None:
        self._size += len(data) + 1
        if self._size > MAX_EVENT_BYTES:
            raise ModelBroken("The model's server sent an event without an end.")
        self._data.append(data)

    def _take(self) -> bytes:
        data = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
        self._data.clear()
        self._size = 0
        return data


def joined(events: Iterator[ModelEvent]) -> Iterator[ModelEvent]:
    """``events`` with adjacent texts as one; texts before an error come before it."""
    texts: list[str] = []
    try:
        for event in events:
            if type(event) is TextDelta:
                texts.append(event.text)
                continue
            if texts:
                yield TextDelta(text="".join(texts))
                texts.clear()
            yield event
    except AgentError:
        if texts:
            yield TextDelta(text="".join(texts))
        raise
    if texts:
        yield TextDelta(text="".join(texts))


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
        raise ModelBroken(_MISSHAPEN)
    return value


def _sequence(value: object) -> Sequence[object]:
    if not isinstance(value, list):
        raise ModelBroken(_MISSHAPEN)
    return value
