"""Every error of the chat floor.

ChatError
├── FrameRejected      a client's frame is not taken; carries the wire's code
├── FramesLost         a turn's frames on another process are not all there any more
├── LogClosed          a turn wrote after its last frame
├── NeighboursAway     what the processes share cannot be reached now
└── SocketClosed       nothing can be sent any more
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chat.frames.server import Problem
    from chat.frames.vocabulary import ErrorCode


class ChatError(Exception):
    """The wire could not carry this."""


class FrameRejected(ChatError):
    """A client's frame is not taken."""

    def __init__(
        self,
        code: "ErrorCode",
        message: str,
        *,
        request_id: str | None = None,
        call_id: str | None = None,
        retryable: bool = False,
        details: Sequence["Problem"] | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.request_id = request_id
        self.call_id = call_id
        self.retryable = retryable
        self.details = details
        self.retry_after_s = retry_after_s


class FramesLost(ChatError):
    """Frames of the turn are missing."""


class LogClosed(ChatError):
    """A frame was written after the last one of its turn."""


class NeighboursAway(ChatError):
    """The other processes cannot be reached now."""


class SocketClosed(ChatError):
    """The socket is closed or closing."""
