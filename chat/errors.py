"""Every error of the chat floor.

ChatError
├── FrameRejected      a client's frame is not taken; carries the wire's code (``chat.protocol.frames.errors``)
├── FramesLost         a turn's frames on another process are not all there any more
├── LogClosed          a turn wrote after its last frame
├── NeighboursAway     what the processes share cannot be reached now
└── SocketClosed       nothing can be sent any more
"""


class ChatError(Exception):
    """The wire could not carry this."""


class FramesLost(ChatError):
    """Frames of the turn are missing."""


class LogClosed(ChatError):
    """A frame was written after the last one of its turn."""


class NeighboursAway(ChatError):
    """The other processes cannot be reached now."""


class SocketClosed(ChatError):
    """The socket is closed or closing."""
