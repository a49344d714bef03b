"""What goes wrong on the way to an answer, as REST framework's exceptions with the wire's codes."""

from collections.abc import Mapping
from typing import Final

from rest_framework import exceptions

from accounts.rest.errors import DetailedError, Details
from chat.protocol.frames.errors import FrameRejected
from chat.protocol.frames.server import StreamEnd
from chat.protocol.frames.vocabulary import ErrorCode, FinishReason

_STATUSES: Final[Mapping[ErrorCode, int]] = {
    ErrorCode.BUSY: 429,
    ErrorCode.RATE_LIMITED: 429,
    ErrorCode.QUOTA_EXCEEDED: 429,
    ErrorCode.SHUTTING_DOWN: 503,
    ErrorCode.MODEL_UNAVAILABLE: 503,
    ErrorCode.MODEL_REFUSED: 502,
    ErrorCode.MODEL_ERROR: 502,
}


class DeviceNotConnected(exceptions.APIException):
    status_code = 409
    default_code = "device_not_connected"
    default_detail = "No device of yours is connected. Open Adiuva on the device that holds your data and try again."


class AnswerCancelled(exceptions.APIException):
    status_code = 409
    default_code = "cancelled"
    default_detail = "The request was cancelled before its end."


class NotAnswered(DetailedError):
    """Carries one of the wire's codes. ``details`` says what stays done without an answer, or what is used up."""

    def __init__(
        self, code: ErrorCode, message: str, *, details: Details | None = None, retry_after_s: float | None = None
    ) -> None:
        super().__init__(message, code, details=details, retry_after_s=retry_after_s)
        self.status_code = _STATUSES.get(code, 500)


def refused(rejection: FrameRejected) -> NotAnswered:
    """The error for a request that did not become a turn."""
    details = {problem.field: [problem.problem] for problem in rejection.details or ()}
    return NotAnswered(
        rejection.code, rejection.message, details=details or None, retry_after_s=rejection.retry_after_s
    )


def failed(end: StreamEnd) -> exceptions.APIException:
    """The error for a turn that ended with ``end`` and without an answer."""
    if end.error is None or end.finish_reason is FinishReason.CANCELLED:
        return AnswerCancelled()
    changed = [f"{change.action} {change.table} {change.id}" for change in end.mutations]
    return NotAnswered(end.error.code, end.error.message, details={"mutations": changed} if changed else None)
