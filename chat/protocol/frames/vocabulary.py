"""The closed lists of the protocol: codes, states and kinds."""

from enum import IntEnum, StrEnum
from typing import Final

PROTOCOL_VERSION: Final = 3


class ErrorCode(StrEnum):
    """Every code an ``error`` may carry; the list is closed."""

    UNAUTHORIZED = "unauthorized"
    TOKEN_EXPIRED = "token_expired"  # noqa: S105 - a code
    HELLO_REQUIRED = "hello_required"
    BAD_FRAME = "bad_frame"
    UNKNOWN_TYPE = "unknown_type"
    INVALID = "invalid"
    TOO_LARGE = "too_large"
    BUSY = "busy"
    RATE_LIMITED = "rate_limited"
    NOT_AVAILABLE = "not_available"
    UNKNOWN_REQUEST = "unknown_request"
    REQUEST_ID_REUSED = "request_id_reused"
    TURN_LOST = "turn_lost"
    SHUTTING_DOWN = "shutting_down"
    QUOTA_EXCEEDED = "quota_exceeded"
    MODEL_UNAVAILABLE = "model_unavailable"
    MODEL_REFUSED = "model_refused"
    MODEL_ERROR = "model_error"
    INTERNAL_ERROR = "internal_error"


class CloseCode(IntEnum):
    """Why the server closes a socket."""

    NORMAL = 1000
    TOO_LARGE = 1009
    RESTARTING = 1012
    PROTOCOL_ABUSE = 4400
    CREDENTIALS = 4401
    REVOKED = 4403
    SILENT = 4408
    REPLACED = 4409
    TOO_SLOW = 4413


class Capability(StrEnum):
    """What a client can do beyond the oldest one; the list is closed."""

    PONG = "pong"
    DATA_FRAMES = "data_frames"
    PAGE_DETAILS = "page_details"
    APPROVALS = "approvals"
    LEDGER = "ledger"
    JOB_ACK = "job_ack"


class TurnKind(StrEnum):
    """What kind of answer a turn writes."""

    HOME = "home"
    POPUP = "popup"
    CONTEXTUAL = "contextual"
    BRIEF = "brief"
    TASK_BRIEF = "task_brief"


class Domain(StrEnum):
    """What a popup's answer is about."""

    TASKS = "tasks"
    CHECKPOINTS = "checkpoints"
    NOTES = "notes"
    PROJECTS = "projects"


class TurnState(StrEnum):
    """What a turn is doing while it writes nothing."""

    THINKING = "thinking"
    CALLING_TOOL = "calling_tool"
    WAITING_APPROVAL = "waiting_approval"
    QUEUED = "queued"


class FinishReason(StrEnum):
    """How a turn ended."""

    DONE = "done"
    CANCELLED = "cancelled"
    ERROR = "error"


class JobState(StrEnum):
    """Where a queued tool run stands."""

    WAITING_APPROVAL = "waiting_approval"
    QUEUED = "queued"
    RUNNING = "running"
    WAITING_DEVICE = "waiting_device"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    DELIVERED = "delivered"
