"""What is said in the same words wherever it is found out."""

from agents.allowances import Allowance, written
from chat.protocol.frames.errors import FrameRejected
from chat.protocol.frames.server import Problem
from chat.protocol.frames.vocabulary import ErrorCode


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


def over_quota(allowance: Allowance, request_id: str) -> FrameRejected:
    """There is nothing left for the request today. It is not retryable: nothing changes before the renewal."""
    used_up = [Problem(field=meter.name, problem=f"{meter.limit} of {meter.limit}") for meter in allowance.used_up]
    return FrameRejected(
        ErrorCode.QUOTA_EXCEEDED,
        allowance.sentence,
        request_id=request_id,
        details=[Problem(field="renews_at", problem=written(allowance.renews_at)), *used_up],
        retry_after_s=allowance.waits_s,
    )
