"""Why a client's frame is not taken."""

from collections.abc import Sequence

from chat.errors import ChatError
from chat.protocol.frames.server import Problem
from chat.protocol.frames.vocabulary import ErrorCode


class FrameRejected(ChatError):
    """A client's frame is not taken."""

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        *,
        request_id: str | None = None,
        call_id: str | None = None,
        retryable: bool = False,
        details: Sequence[Problem] | None = None,
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
