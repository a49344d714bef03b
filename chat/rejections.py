"""What is said in the same words wherever it is found out."""

from chat.errors import FrameRejected
from chat.frames.vocabulary import ErrorCode


def unknown_request(request_id: str) -> FrameRejected:
    """There is no such request of this user: the same for another user's, and for one that is no longer kept."""
    return FrameRejected(ErrorCode.UNKNOWN_REQUEST, "There is no such request.", request_id=request_id)


def reused(request_id: str) -> FrameRejected:
    """The id was given to a request with another body."""
    return FrameRejected(
        ErrorCode.REQUEST_ID_REUSED,
        "This request_id belongs to another request. Choose a new one.",
        request_id=request_id,
    )
