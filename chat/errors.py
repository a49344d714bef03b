"""Every error of the chat.

ChatError
├── FrameRejected      a client's frame is rejected; carries the code of the protocol (``chat.protocol.frames.errors``)
├── FramesLost         frames of another process's turn are no longer stored
├── LogClosed          a turn wrote a frame after its last one
├── ClusterUnavailable the store that the processes share cannot be reached
├── SocketClosed       nothing more can be sent
├── Replaced           the device has a later connection
└── TooManySockets     the user has the maximum number of sockets
"""


class ChatError(Exception):
    """The request failed."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


class FramesLost(ChatError):
    """Frames of the turn are missing."""


class LogClosed(ChatError):
    """A frame was written after the last one of its turn."""


class ClusterUnavailable(ChatError):
    """The other processes cannot be reached at the moment."""


class TooManySockets(ChatError):
    """Too many of this user's devices are connected. Disconnect one, or connect again later."""


class Replaced(ChatError):
    """The device has a later connection."""


class SocketClosed(ChatError):
    """The socket is closed or closing."""
