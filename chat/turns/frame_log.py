"""The numbered log of a turn's frames, from which sockets copy, and the writers that append to it."""

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

FRAME_SEPARATOR: Final = "\n"
"""A frame is one line of JSON."""
_LARGEST_COMPRESSED: Final = 256 * 1024
"""In bytes. Compressing more would hold up the event loop for over 10 ms."""


class _PackedFrames:
    """Frames that are rarely read, compressed to about a tenth of their size."""

    __slots__ = ("_content", "_is_compressed")

    def __init__(self, frames: Sequence[str]) -> None:
        text = FRAME_SEPARATOR.join(frames).encode("utf-8", "surrogatepass")
        self._is_compressed = len(text) <= _LARGEST_COMPRESSED
        self._content = zlib.compress(text, 1) if self._is_compressed else text

    def unpacked(self) -> list[str]:
        text = zlib.decompress(self._content) if self._is_compressed else self._content
        return text.decode("utf-8", "surrogatepass").split(FRAME_SEPARATOR)


class FrameLog:
    """Every frame of one turn, encoded, in this process's memory. One turn writes it; any number of readers copy from
    it at their own pace.

    The contract:

    - Order: a frame's position is its ``seq``, and readers get frames in this order.
    - No gaps, no duplicates: a reader gets every frame after the number that it names exactly once, whether the frame
      was appended before or during the reading, and independently of other readers.
    - One end: reading ends once, after the last frame of a closed log, and never before. A log that can no longer
      provide the next frame raises; it neither skips the frame nor ends.
    - A turn never waits: ``append`` and ``close`` return at once.

    A closed log is kept for clients that resume its turn. Few do, so its frames are compressed.
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
        """The number of frames, which is the ``seq`` of the next one."""
        return self._count

    @property
    def last_seq(self) -> int:
        """The ``seq`` of the newest frame; -1 if there is none."""
        return self._count - 1

    def append(self, frame: str) -> None:
        """Append the next frame. Raises ``LogClosed`` after ``close``."""
        if self.closed or not isinstance(self._frames, list):
            raise LogClosed
        self._frames.append(frame)
        self._count += 1
        self._changed.notify()

    def close(self) -> None:
        """Append no more frames. Idempotent."""
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
        """Whether ``fail`` ended the log."""
        return self._error is not None

    def since(self, position: int) -> Sequence[str]:
        """The frames so far, from number ``position`` on."""
        return self._all()[position:]

    async def read(self, *, after_seq: int = -1, pause_s: float | None = None) -> AsyncGenerator[Sequence[str], None]:
        """The frames after ``after_seq``, in batches of all available ones, until the log is closed and read.

        With ``pause_s``, an empty batch follows each ``pause_s`` seconds without a frame.
        """
        # This list remains valid when the log is closed, so a reader that is waiting then decompresses nothing.
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
        """The frames so far. The list of an open log grows."""
        return self._frames if isinstance(self._frames, list) else self._frames.unpacked()


class AnswerWriter(ABC):
    """Writes the parts of an answer into ``log`` as frames, as they arrive."""

    def __init__(self, log: FrameLog, request_id: str) -> None:
        self._log = log
        self._request_id = request_id

    @abstractmethod
    def part(self, part: Part) -> None:
        """Write text or a block of the answer."""

    @abstractmethod
    def status(self, state: TurnState, *, tool: str | None = None, label: str | None = None) -> None:
        """Write what the turn is doing while there is no text."""

    @abstractmethod
    def remembered(self, items: Sequence[RecalledItem]) -> None:
        """Write what was recalled from the memory, before the first text."""

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
        """Write the last frame. ``replacement`` is the model that answered instead of the chosen one."""

    def _write(self, frame: ServerFrame) -> None:
        self._log.append(encode(frame))


class TurnWriter(AnswerWriter):
    """Writes the frames of all kinds except the older chat: numbered, and ended by ``stream_end``."""

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
        remembered = [remembered_item(item) for item in items]
        self._write(RememberedFrame(request_id=self._request_id, items=remembered, seq=self._seq))

    def end(
        self,
        reason: FinishReason,
        *,
        changes: Sequence[Change],
        usage: Usage | None,
        error: ErrorInfo | None,
        replacement: str | None = None,
    ) -> None:
        tokens = None
        if usage is not None:
            tokens = TokenUsage(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens)
        self._write(
            StreamEnd(
                request_id=self._request_id,
                finish_reason=reason,
                mutations=[Mutation(action=change.action, table=change.table, id=change.id) for change in changes],
                usage=tokens,
                model=replacement,
                error=error,
                seq=self._seq,
            )
        )

    @property
    def _seq(self) -> int:
        return len(self._log)


def remembered_item(item: RecalledItem) -> RememberedItem:
    """The item as a client is sent it."""
    return RememberedItem(
        id=str(item.id),
        kind=item.kind,
        text=item.shown,
        why=list(item.why),
        said_at=None if item.said_at is None else round(item.said_at.timestamp() * 1000),
        said_in=None if item.said_in is None else str(item.said_in),
    )


class LegacyWriter(AnswerWriter):
    """Writes the frames of the older chat: a ``text_chunk`` for each text, then ``final`` with the complete answer."""

    def __init__(self, log: FrameLog, request_id: str) -> None:
        super().__init__(log, request_id)
        self._texts: list[str] = []

    def part(self, part: Part) -> None:
        if isinstance(part, TextPart):
            self._texts.append(part.text)
            self._write(TextChunk(text=part.text))

    def status(self, state: TurnState, *, tool: str | None = None, label: str | None = None) -> None:
        """The older chat has no frame for this."""

    def remembered(self, items: Sequence[RecalledItem]) -> None:
        """The older chat has no frame for this either."""

    def end(
        self,
        reason: FinishReason,  # noqa: ARG002 - the last frame of the older chat contains only the answer
        *,
        changes: Sequence[Change],  # noqa: ARG002
        usage: Usage | None,  # noqa: ARG002
        error: ErrorInfo | None,
        replacement: str | None = None,  # noqa: ARG002
    ) -> None:
        if error is not None:
            self.part(TextPart(text=error.message if not self._texts else f"\n\n{error.message}"))
        self._write(FinalFrame(response="".join(self._texts)))
