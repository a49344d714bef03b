"""Why there is no answer: REST framework's exceptions with the wire's codes."""

from typing import assert_never

from rest_framework import exceptions

from accounts.rest.errors import DetailedError, Details
from chat.protocol.frames.errors import FrameRejected
from chat.protocol.frames.server import StreamEnd
from chat.protocol.frames.vocabulary import ErrorCode, FinishReason


class DeviceNotConnected(exceptions.APIException):
    status_code = 409
    default_code = "device_not_connected"
    default_detail = "No device of yours is connected. Open Adiuva on the device that holds your data and try again."


class AnswerCancelled(exceptions.APIException):
    status_code = 409
    default_code = "cancelled"
    default_detail = "The request was cancelled before its end."


class NotAnswered(DetailedError):
    """Carries one of the wire's codes. ``details`` lists what was changed without an answer, or what is used up."""

    def __init__(
        self, code: ErrorCode, message: str, *, details: Details | None = None, retry_after_s: float | None = None
    ) -> None:
        super().__init__(message, code, details=details, retry_after_s=retry_after_s)
        self.status_code = _status_of(code)


def refused(rejection: FrameRejected) -> NotAnswered:
    """The error for a request that did not begin a turn."""
    details = {problem.field: [problem.problem] for problem in rejection.details or ()}
    return NotAnswered(
        rejection.code, rejection.message, details=details or None, retry_after_s=rejection.retry_after_s
    )


def failed(end: StreamEnd) -> exceptions.APIException:
    """The error for a turn that ended without an answer."""
    if end.error is None or end.finish_reason is FinishReason.CANCELLED:
        return AnswerCancelled()
    changed = [f"{change.action} {change.table} {change.id}" for change in end.mutations]
    return NotAnswered(end.error.code, end.error.message, details={"mutations": changed} if changed else None)


def _status_of(code: ErrorCode) -> int:
    match code:
        case ErrorCode.BUSY | ErrorCode.RATE_LIMITED | ErrorCode.QUOTA_EXCEEDED:
            return 429
        case ErrorCode.SHUTTING_DOWN | ErrorCode.MODEL_UNAVAILABLE:
            return 503
        case ErrorCode.MODEL_REFUSED | ErrorCode.MODEL_ERROR:
            return 502
        case (
            ErrorCode.UNAUTHORIZED
            | ErrorCode.TOKEN_EXPIRED
            | ErrorCode.HELLO_REQUIRED
            | ErrorCode.BAD_FRAME
            | ErrorCode.UNKNOWN_TYPE
            | ErrorCode.INVALID
            | ErrorCode.TOO_LARGE
            | ErrorCode.NOT_AVAILABLE
            | ErrorCode.UNKNOWN_REQUEST
            | ErrorCode.REQUEST_ID_REUSED
            | ErrorCode.TURN_LOST
            | ErrorCode.INTERNAL_ERROR
        ):
            # Most of them cannot happen over REST, where the server itself makes the request's frame.
            return 500
        case _:
            assert_never(code)
