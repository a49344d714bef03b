"""Reading streamed answers: bytes in, ``ModelEvent`` values out. No I/O, no SDK objects.

``AnswerReader`` is what the readers of all APIs share. Python's strings and JSON can contain half of a surrogate pair,
but UTF-8 cannot, so ``mended`` removes them.
"""

import json
import logging
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NoReturn

from pydantic_core import from_json

from agents.adapters.failures import facts_of, model_failure, reported
from agents.errors import AgentError, ModelBroken, ModelRefused
from agents.events import ModelEvent, ModelState, ModelStopped, StopReason, TextDelta, ToolCall, Usage

logger = logging.getLogger(__name__)

_DONE: Final = b"[DONE]"
NOTHING: Final[Mapping[str, object]] = {}

MAX_EVENT_BYTES: Final = 4 * 1024 * 1024
"""The size limit of an event. It is more than any whole answer needs."""

_DATA: Final = b"data: "
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_FIELDS: Final = frozenset({b"data", b"event", b"id", b"retry"})
_MISSHAPEN: Final = "The model's server sent an event of an unknown shape."


class AnswerReader(ABC):
    """Reads one streamed answer. Text is yielded at once; calls, usage and the end when the answer is complete."""

    def __init__(self) -> None:
        self._events = EventReader()
        self._half = ""
        self.done = False
        """Whether the last event has been yielded. Later bytes are ignored."""
        self.is_writing = False
        """Whether the model has begun to write. Before that, it may be silent for much longer."""

    def feed(self, chunk: bytes) -> Iterator[ModelEvent]:
        """The events in ``chunk``. Consume them all before feeding the next chunk.

        Raises ``ModelBroken`` for bytes that cannot be read, the ``model_failure`` of an error in the stream, and
        ``ModelRefused`` at the end of a refused answer.
        """
        if not self.done:
            yield from self._read_all(self._events.feed(chunk))

    def end(self) -> Iterator[ModelEvent]:
        """The events at the end of the stream. Raises as ``feed``, and ``ModelBroken`` if the answer is incomplete."""
        if not self.done:
            yield from self._read_all(self._events.end())
            yield from self._end_without_done()

    def read_whole(self, body: bytes) -> Iterator[ModelEvent]:
        """The events of an answer from a server that does not stream. Raises as ``feed``."""
        yield from self._read(_parsed(body))
        yield from self._end_without_done()

    @property
    @abstractmethod
    def is_whole(self) -> bool:
        """Whether the model has stopped writing. Then nothing is missing if the connection breaks."""

    @abstractmethod
    def _read(self, event: Mapping[str, object]) -> Iterator[ModelEvent]:
        """The model events in one event of the stream."""

    @abstractmethod
    def _finish(self) -> Iterator[ModelEvent]:
        """The events at the end of the answer: those of ``_finished``."""

    def _read_all(self, events: Iterator[bytes]) -> Iterator[ModelEvent]:
        for data in events:
            if data.strip() == _DONE:
                yield from self._finish()
            else:
                yield from self._read(_parsed(data))
            if self.done:
                return

    def _end_without_done(self) -> Iterator[ModelEvent]:
        if not self.is_whole:
            raise ModelBroken
        if not self.done:
            yield from self._finish()

    def _say(self, text: str) -> Iterator[TextDelta]:
        """``text``, with surrogates joined that the server has split between chunks."""
        self.is_writing = True
        if self._half or not (text.isascii() or is_whole_text(text)):
            text, self._half = self._half + text, ""
            if "\ud800" <= text[-1] <= "\udbff":
                text, self._half = text[:-1], text[-1]
            text = mended(text)
        if text:
            yield TextDelta(text=text)

    def _finished(
        self, calls: Sequence[ToolCall], usage: Usage | None, *, refused: bool, is_cut: bool, lost_call: bool
    ) -> Iterator[ModelEvent]:
        self.done = True
        if self._half:
            yield TextDelta(text=mended(self._half))
        if not refused:
            yield from calls
        if usage is not None:
            yield usage
        if refused:
            raise ModelRefused
        finished = StopReason.TOOL_CALLS if calls else StopReason.COMPLETE
        yield ModelStopped(reason=StopReason.LENGTH if is_cut else finished, lost_call=is_cut and lost_call)


def raise_reported(body: object) -> NoReturn:
    """Raise the ``model_failure`` of an error within an answer."""
    error = reported(body)
    logger.warning(
        "the model's server reported an error within its answer (%s)", facts_of(code=error.code, kind=error.kind)
    )
    raise model_failure(error)


def called(call_id: str, name: str, arguments: str, *, owner: str, returned: object = None) -> ToolCall:
    """A call as a model wrote it, without lone surrogates. ``returned`` is what ``owner`` wants back with it."""
    items = None if returned is None else mended(json.dumps(returned, ensure_ascii=False))
    return ToolCall(
        id=mended(call_id),
        name=mended(name),
        arguments=mended(arguments),
        state=None if items is None else ModelState(owner=owner, items=items),
    )


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
    """Reads the data of server-sent events from bytes that may be split anywhere (HTML Living Standard, 9.2.6).

    It differs from the standard in two ways. A last event without its empty line counts, because some servers omit the
    line. An unknown field is an error, because then this is probably the error page of a proxy.
    """

    __slots__ = ("_after_cr", "_data", "_pending", "_size")

    def __init__(self) -> None:
        self._pending = bytearray()
        self._after_cr = False
        self._data: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The data of every event that ``chunk`` completes. Consume it all before feeding the next chunk.

        Raises ``ModelBroken`` if the bytes are not an event stream, or an event is too long.
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
    """``events`` with adjacent texts joined. Texts before an error are yielded before it is raised."""
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


def count(value: object) -> int:
    """A number of tokens from a server; 0 if ``value`` is not one."""
    return int(value) if isinstance(value, int | float) and 0 <= value < float("inf") else 0


def text_of(content: object) -> str:
    """The text in a string, or in the text parts of a list."""
    if isinstance(content, str):
        return content
    parts = [mapping(part).get("text", "") for part in sequence(content)]
    return "".join(part for part in parts if isinstance(part, str))


def mapping(value: object) -> Mapping[str, object]:
    """``value`` as a JSON object, empty for null. Raises ``ModelBroken``."""
    if value is None:
        return NOTHING
    if not isinstance(value, dict):
        raise ModelBroken(_MISSHAPEN)
    return value


def sequence(value: object) -> Sequence[object]:
    """``value`` as a JSON array. Raises ``ModelBroken``."""
    if not isinstance(value, list):
        raise ModelBroken(_MISSHAPEN)
    return value


def _parsed(data: bytes) -> Mapping[str, object]:
    try:
        return mapping(from_json(data))
    except ValueError:
        # Python's parser is slower, but accepts lone surrogates and deeper nesting.
        return mapping(_read_by_python(data))


def _read_by_python(data: bytes) -> object:
    try:
        read: object = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        raise ModelBroken("The model's server sent an event that is not JSON.") from None
    return read
