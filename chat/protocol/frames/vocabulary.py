"""The enumerations of the protocol, and the field types and the base classes of its frames."""

from datetime import date
from enum import IntEnum, StrEnum
from typing import Annotated, Final, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    SerializerFunctionWrapHandler,
    StringConstraints,
    model_serializer,
)

PROTOCOL_VERSION: Final = 3


class ErrorCode(StrEnum):
    """The code of an error. The list is complete."""

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
    TRY_LATER = 1013
    PROTOCOL_ABUSE = 4400
    CREDENTIALS = 4401
    REVOKED = 4403
    SILENT = 4408
    REPLACED = 4409
    TOO_SLOW = 4413


class Capability(StrEnum):
    """Something that the oldest clients cannot do. The list is complete."""

    PONG = "pong"
    DATA_FRAMES = "data_frames"
    PAGE_DETAILS = "page_details"
    APPROVALS = "approvals"
    LEDGER = "ledger"
    JOB_ACK = "job_ack"
    COUNTS = "counts"
    REMEMBERED = "remembered"
    UNDO = "undo"


class TurnKind(StrEnum):
    """The kind of a turn's answer."""

    HOME = "home"
    POPUP = "popup"
    CONTEXTUAL = "contextual"
    BRIEF = "brief"
    TASK_BRIEF = "task_brief"


class Domain(StrEnum):
    """The subject of a popup's answer."""

    TASKS = "tasks"
    CHECKPOINTS = "checkpoints"
    NOTES = "notes"
    PROJECTS = "projects"


class TurnState(StrEnum):
    """What a turn is doing while it sends no text."""

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
    """The state of a queued tool run."""

    WAITING_APPROVAL = "waiting_approval"
    QUEUED = "queued"
    RUNNING = "running"
    WAITING_DEVICE = "waiting_device"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    DELIVERED = "delivered"


_UUID = r"^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"

_YEARS: Final = range(1970, 3000)


def _calendar_day(text: str) -> str:
    if date.fromisoformat(text).year not in _YEARS:
        raise ValueError(f"the year must be {_YEARS[0]} to {_YEARS[-1]}")
    return text


RequestId: TypeAlias = Annotated[str, StringConstraints(pattern=_UUID)]
Name: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Text: TypeAlias = Annotated[str, StringConstraints(min_length=1)]
Row: TypeAlias = dict[str, JsonValue]
Milliseconds: TypeAlias = Annotated[int, Field(description="Milliseconds since 1970, UTC.")]
SeqNumber: TypeAlias = Annotated[int, Field(ge=0, description="Counts from 0 within a turn, without gaps.")]
Day: TypeAlias = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$"), AfterValidator(_calendar_day)]


class Frame(BaseModel):
    """The base class of frames: immutable, with fields of exactly the declared types."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


class WithNulls(Frame):
    """A part of a frame in which null has a meaning, so null is written. Frames omit absent fields."""

    # Without a return type, because Pydantic would use it for the schema instead of the fields.
    @model_serializer(mode="wrap")
    def _all_fields(self, handler: SerializerFunctionWrapHandler):  # type: ignore[no-untyped-def]
        return {**dict.fromkeys(type(self).model_fields), **handler(self)}
