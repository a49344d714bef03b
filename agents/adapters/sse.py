"""Server-sent events out of bytes that arrive cut anywhere (HTML Living Standard, section 9.2.6). No IO.

Kinder than the standard in one thing: an event that the stream's end cuts off before its empty line still counts,
since servers leave it out after the last one. Stricter in one: a field nobody knows is not an event stream but, most
likely, the error page of a proxy.
"""

from collections.abc import Iterator
from typing import Final

from agents.errors import ModelBroken

MAX_EVENT_BYTES: Final = 4 * 1024 * 1024
"""The longest event; more than any answer in one piece, less than what would hurt."""

_DATA: Final = b"data: "
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_FIELDS: Final = frozenset({b"data", b"event", b"id", b"retry"})


class EventReader:
    """Gives the data of each event; names, ids and comments are of no use to us."""

    __slots__ = ("_after_cr", "_data", "_pending", "_size")

    def __init__(self) -> None:
        self._pending = bytearray()
        self._after_cr = False
        self._data: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The data of every event that ``chunk`` completes; run to its end before the next is fed.

        Raises ``ModelBroken`` where the bytes are no event stream or an event is too long.
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
        """The event that the end of the stream completes, if there is one. Raises as ``feed``."""
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
