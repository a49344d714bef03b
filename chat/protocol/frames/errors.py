"""The rejection of a client's frame, rejections that several modules raise, and the errors of turns that fail."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Final

from pydantic_core import ErrorDetails

from accounts.database import RETRY_AFTER_S, UNREACHABLE
from agents.allowances import Allowance, written
from agents.errors import ImageError, ImagesUnavailable, ModelError, ModelRefused, ModelUnavailable, Unrecorded
from chat.errors import ChatError
from chat.protocol.frames.server import ErrorInfo, Problem
from chat.protocol.frames.vocabulary import ErrorCode


@dataclass(eq=False, repr=False)
class FrameRejected(ChatError):
    """A client's frame is rejected."""

    code: ErrorCode
    message: str
    _: KW_ONLY
    request_id: str | None = None
    call_id: str | None = None
    retryable: bool = False
    details: Sequence[Problem] | None = None
    retry_after_s: float | None = None

    def __post_init__(self) -> None:
        super().__init__(self.message)

    @property
    def is_abuse(self) -> bool:
        """Whether a correct client never sends such a frame."""
        return self.code in _ABUSE


_ABUSE: Final = frozenset(
    {
        ErrorCode.BAD_FRAME,
        ErrorCode.UNKNOWN_TYPE,
        ErrorCode.INVALID,
        ErrorCode.TOO_LARGE,
        ErrorCode.HELLO_REQUIRED,
    }
)


def sentence_of(problem: ErrorDetails) -> str:
    """The message of ``problem``, without the words that Pydantic puts before that of a ``ValueError``."""
    return problem["msg"].removeprefix("Value error, ")


def unknown_request(request_id: str) -> FrameRejected:
    """The user has no such request. The same for a request of another user, and for one that is no longer kept."""
    return FrameRejected(ErrorCode.UNKNOWN_REQUEST, "There is no such request.", request_id=request_id)


def unreachable(request_id: str | None = None) -> FrameRejected:
    """The database cannot be reached."""
    return FrameRejected(
        ErrorCode.NOT_AVAILABLE, UNREACHABLE, request_id=request_id, retryable=True, retry_after_s=RETRY_AFTER_S
    )


def incident_message(incident: str) -> str:
    """The message of an unexpected error, whose traceback is in the log with the number ``incident``."""
    return f"Something went wrong on the server (incident {incident})."


def reused(request_id: str) -> FrameRejected:
    """The id belongs to a request with another body."""
    return FrameRejected(
        ErrorCode.REQUEST_ID_REUSED,
        "This request_id belongs to another request. Choose a new one.",
        request_id=request_id,
    )


def over_quota(allowance: Allowance, request_id: str) -> FrameRejected:
    """The quota of the day is used up. Not retryable, because it is renewed only at the end of the day."""
    used_up = [Problem(field=meter.name, problem=f"{meter.limit} of {meter.limit}") for meter in allowance.used_up]
    return FrameRejected(
        ErrorCode.QUOTA_EXCEEDED,
        allowance.sentence,
        request_id=request_id,
        details=[Problem(field="renews_at", problem=written(allowance.renews_at)), *used_up],
        retry_after_s=allowance.waits_s,
    )


def model_error_info(error: ModelError) -> ErrorInfo:
    """The error of a turn whose model gave no answer."""
    match error:
        case Unrecorded():
            code = ErrorCode.NOT_AVAILABLE
        case ModelUnavailable():
            code = ErrorCode.MODEL_UNAVAILABLE
        case ModelRefused():
            code = ErrorCode.MODEL_REFUSED
        case _:
            code = ErrorCode.MODEL_ERROR
    return ErrorInfo(code=code, message=str(error), retryable=error.retryable)


def image_error_info(error: ImageError) -> ErrorInfo:
    """The error of a turn whose images cannot be sent to a model."""
    is_retryable = isinstance(error, ImagesUnavailable)
    code = ErrorCode.NOT_AVAILABLE if is_retryable else ErrorCode.INVALID
    return ErrorInfo(code=code, message=str(error), retryable=is_retryable)
