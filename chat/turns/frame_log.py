"""The numbered log of a turn's frames, which sockets copy from, and the writers that fill it."""

import asyncio
import zlib
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Sequence
from typing import Final, cast

from pydantic import JsonValue

from agents.calls import Change
from agents.events import Usage
from chat.errors import LogClosed
from chat.formatters.blocks import BlockPart, Part, TextPart
from chat.protocol.frames.codec import encode
from chat.protocol.frames.server import (
    ErrorInfo,
    FinalFrame,
    Mutation,
    PopupDomain,
    RememberedFrame,
    RememberedItem,
    ServerFrame,
    StreamBlock,
    StreamEnd,
    StreamStart,
    StreamStatus,
    StreamText,
    TextChunk,
    TokenUsage,
)
from chat.protocol.frames.vocabulary import Domain, FinishReason, TurnKind, TurnState
from chat.tasks import Signal
from memory.recalled import RecalledItem

_BETWEEN: Final = "\n"
"""Frames are JSON of one line."""
_LARGEST_COMPRESSED: Final = 256 * 1024
"""In bytes. Compressing more would hold up the event loop for over 10 ms."""


class _PackedFrames:
    """Frames that are seldom read, in a tenth of the memory."""

    __slots__ = ("_content", "_is_compressed")

    def __init__(self, frames: Sequence[str]) -> None:
        text = _BETWEEN.join(frames).encode("utf-8", "surrogatepass")
        self._is_compressed = len(text) <= _LARGEST_COMPRESSED
        self._content = zlib.compress(text, 1) if self._is_compressed else text

    def unpacked(self) -> list[str]:
        text = zlib.decompress(self._content) if self._is_compressed else self._content
        return text.decode("utf-8", "surrogatepass").split(_BETWEEN)


class FrameLog:
    """Every frame of one turn, encoded, in this process's memory. One turn writes it; any number of readers copy from
    it at their own pace.

    The contract:

    - Order: a frame's position is its ``seq``, and readers get frames by it.
    - No gap and no double: a reader gets every frame after the number it names, once, whether the frame was there
      before it came or comes while it reads, and independently of other readers.
    - One end: reading ends once, after the last frame of a closed log, and never before. A log that can no longer give
      what comes next raises; it neither passes over it nor ends.
    - A turn never waits: ``append`` and ``close`` return at once.

    A closed log is kept for those that come back, and few do, so its frames are packed.
    """

    __slots__ = ("_changed", "_count", "_error", "_frames", "closed")

    def __init__(self) -> None:
        self._frames: list[str] | _PackedFrames = []
        self._count = 0
        self._error: Exception | None = None
        self._changed = Signal()
        self.closed = False
        """Whether the last frame was appended."""

    def __len__(self) -> int:
        """How many frames were appended: the ``seq`` of the next one."""
        return self._count

    @property
    def last_seq(self) -> int:
        """The number of the newest frame; -1 while there is none."""
        return self._count - 1

    def append(self, frame: str) -> None:
        """The next frame. Raises ``LogClosed`` after ``close``."""
        if self.closed or not isinstance(self._frames, list):
            raise LogClosed
        self._frames.append(frame)
        self._count += 1
        self._changed.notify()

    def close(self) -> None:
        """No frame comes after this. Idempotent."""
        if self._frames and isinstance(self._frames, list):
            self._frames = _PackedFrames(self._frames)
        self.closed = True
        self._changed.notify()

    def fail(self, error: Exception) -> None:
        """End the log without the turn's last frame: reading ends by raising ``error``."""
        if not self.closed:
            self._error = error
            self.close()

    @property
    def failed(self) -> bool:
        """Whether it ended by ``fail``."""
        return self._error is not None

    def since(self, position: int) -> Sequence[str]:
        """The frames from number ``position`` on that exist now."""
        return self._all()[position:]

    async def read(self, *, after_seq: int = -1, pause_s: float | None = None) -> AsyncGenerator[Sequence[str], None]:
        """The frames after ``after_seq``, as many at a time as there are, until the log is closed and read.

        With ``pause_s`` there is an empty batch after each such time (in seconds) without a frame.
        """
        # Held, so that those that read to the end of an open log need nothing unpacked.
        frames, position = self._all(), after_seq + 1
        while True:
            if position < len(frames):
                batch = frames[position:]
                position += len(batch)
                yield batch
            elif self._error is not None:
                raise self._error
            elif self.closed:
                return
            else:
                try:
                    async with asyncio.timeout(pause_s):
                        await self._changed.wait()
                except TimeoutError:
                    yield ()

    def _all(self) -> list[str]:
        """The frames so far; of an open log the list that grows."""
        return self._frames if isinstance(self._frames, list) else self._frames.unpacked()


class AnswerWriter(ABC):
    """Takes an answer's parts as they are made, and writes them into ``log`` as frames."""

    def __init__(self, log: FrameLog, request_id: str) -> None:
        self._log = log
        self._request_id = request_id

    @abstractmethod
    def part(self, part: Part) -> None:
        """Text or a block of the answer."""

    @abstractmethod
    def status(self, state: TurnState, *, tool: str | None = None, label: str | None = None) -> None:
        """What the turn is doing while it writes nothing."""

    @abstractmethod
    def remembered(self, items: Sequence[RecalledItem]) -> None:
        """What the model is told of earlier conversations; before the first text."""

    @abstractmethod
    def end(
        self,
        reason: FinishReason,
        *,
        changes: Sequence[Change],
        usage: Usage | None,
        error: ErrorInfo | None,
        replacement: str | None = None,
    ) -> None:
        """The last frame. ``replacement`` is the model that answered in place of the chosen one."""

    def _write(self, frame: ServerFrame) -> None:
        self._log.append(encode(frame))


class TurnWriter(AnswerWriter):
    """The frames of home answers, popups and all later kinds: numbered, and ended by ``stream_end``."""

    def start(self, kind: TurnKind, *, session_id: str | None = None) -> None:
        self._write(StreamStart(request_id=self._request_id, kind=kind, session_id=session_id, seq=self._seq))

    def domain(self, domain: Domain) -> None:
        self._write(PopupDomain(request_id=self._request_id, domain=domain, seq=self._seq))

    def part(self, part: Part) -> None:
        match part:
            case TextPart():
                self._write(StreamText(request_id=self._request_id, chunk=part.text, seq=self._seq))
            case BlockPart():
                self._write(
                    StreamBlock(
                        request_id=self._request_id,
                        block_type=part.block_type,
                        data=cast("dict[str, JsonValue]", dict(part.data)),
                        seq=self._seq,
                    )
                )

    def status(self, state: TurnState, *, tool: str | None = None, label: str | None = None) -> None:
        self._write(
            StreamStatus(request_id=self._request_id, state=state, tool=tool, label=label or None, seq=self._seq)
        )

    def remembered(self, items: Sequence[RecalledItem]) -> None:
        told = [remembered_item(item) for item in items]
        self._write(RememberedFrame(request_id=self._request_id, items=told, seq=self._seq))

    def end(
        self,
        reason: FinishReason,
        *,
        changes: Sequence[Change],
        usage: Usage | None,
        error: ErrorInfo | None,
        replacement: str | None = None,
    ) -> None:
        counted = None
        if usage is not None:
            counted = TokenUsage(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens)
        self._write(
            StreamEnd(
                request_id=self._request_id,
                finish_reason=reason,
                mutations=[Mutation(action=change.action, table=change.table, id=change.id) for change in changes],
                usage=counted,
                model=replacement,
                error=error,
                seq=self._seq,
            )
        )

    @property
    def _seq(self) -> int:
        return len(self._log)


def remembered_item(item: RecalledItem) -> RememberedItem:
    """An item as a client gets it."""
    return RememberedItem(
        id=str(item.id),
        kind=item.kind,
        text=item.shown,
        why=list(item.why),
        said_at=None if item.said_at is None else round(item.said_at.timestamp() * 1000),
        said_in=None if item.said_in is None else str(item.said_in),
    )


class LegacyWriter(AnswerWriter):
    """The frames of the older chat: ``text_chunk`` as text comes, then ``final`` with the whole of it."""

    def __init__(self, log: FrameLog, request_id: str) -> None:
        super().__init__(log, request_id)
        self._said: list[str] = []

    def part(self, part: Part) -> None:
        if isinstance(part, TextPart):
            self._said.append(part.text)
            self._write(TextChunk(text=part.text))

    def status(self, state: TurnState, *, tool: str | None = None, label: str | None = None) -> None:
        """The older chat has no frame for this."""

    def remembered(self, items: Sequence[RecalledItem]) -> None:
        """Nor for this."""

    def end(
        self,
        reason: FinishReason,  # noqa: ARG002 - the older chat's last frame tells only the answer
        *,
        changes: Sequence[Change],  # noqa: ARG002
        usage: Usage | None,  # noqa: ARG002
        error: ErrorInfo | None,
        replacement: str | None = None,  # noqa: ARG002
    ) -> None:
        if error is not None:
            self.part(TextPart(text=error.message if not self._said else f"\n\n{error.message}"))
        self._write(FinalFrame(response="".join(self._said)))
