"""The errors that clients get for failures of turns."""

from agents.errors import ImageError, ImagesUnavailable, ModelError, ModelRefused, ModelUnavailable, Unrecorded
from chat.protocol.frames.server import ErrorInfo
from chat.protocol.frames.vocabulary import ErrorCode


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
    away = isinstance(error, ImagesUnavailable)
    code = ErrorCode.NOT_AVAILABLE if away else ErrorCode.INVALID
    return ErrorInfo(code=code, message=str(error), retryable=away)
