"""The server's frames that a device reads, as values. Pure.

Only what this client uses: other types are ignored, as the protocol asks, and so are fields it does not know. Calls
into the tables stay plain JSON for the executor, which has to answer even one that is malformed.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal, TypeAlias, get_args

from pydantic import Discriminator, JsonValue, TypeAdapter, ValidationError

from device.errors import ServerGone

CALLS: Final = {"tool_call": "tool_result", "data_request": "data_response", "mutation": "data_response"}
"""The frames that call into the tables, and the type of their answers."""
_ENDS: Final = frozenset({"done", "failed", "cancelled"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    max_frame_bytes: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelInfo:
    """A model that may be chosen by its ``name``; ``images`` is whether it sees them."""

    name: str
    display_name: str
    default: bool = False
    images: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class DeviceWelcome:
    limits: Limits
    models: tuple[ModelInfo, ...] = ()
    type: Literal["device_welcome"] = "device_welcome"


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerShutdown:
    """The server will close this connection soon; milliseconds."""

    retry_after_ms: int
    type: Literal["server_shutdown"] = "server_shutdown"


@dataclass(frozen=True, kw_only=True, slots=True)
class Ping:
    type: Literal["ping"] = "ping"


@dataclass(frozen=True, kw_only=True, slots=True)
class StreamStart:
    request_id: str
    seq: int
    kind: str
    session_id: str | None = None
    type: Literal["stream_start"] = "stream_start"


@dataclass(frozen=True, kw_only=True, slots=True)
class PopupDomain:
    request_id: str
    seq: int
    domain: str
    type: Literal["popup_domain"] = "popup_domain"


@dataclass(frozen=True, kw_only=True, slots=True)
class RememberedItem:
    """One thing that the model was told of what is remembered; ``id`` is that of its row.

    ``kind`` is preference, fact, exchange or habit. ``why`` names what brought it, the strongest first. ``said_at``
    (ms since 1970) is when it was said and ``said_in`` the exchange in which it was, where that is known.
    """

    id: str
    kind: str
    text: str
    why: tuple[str, ...] = ()
    said_at: int | None = None
    said_in: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Remembered:
    request_id: str
    seq: int
    items: tuple[RememberedItem, ...]
    type: Literal["remembered"] = "remembered"


@dataclass(frozen=True, kw_only=True, slots=True)
class StreamText:
    request_id: str
    seq: int
    chunk: str
    type: Literal["stream_text"] = "stream_text"


@dataclass(frozen=True, kw_only=True, slots=True)
class StreamBlock:
    request_id: str
    seq: int
    block_type: str
    data: Mapping[str, JsonValue]
    type: Literal["stream_block"] = "stream_block"


@dataclass(frozen=True, kw_only=True, slots=True)
class StreamStatus:
    request_id: str
    seq: int
    state: str
    tool: str | None = None
    label: str | None = None
    type: Literal["stream_status"] = "stream_status"


@dataclass(frozen=True, kw_only=True, slots=True)
class Mutation:
    """A row that the turn changed in this device's tables."""

    action: str
    table: str
    id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Usage:
    """Tokens."""

    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnError:
    code: str
    message: str
    retryable: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class StreamEnd:
    """The last frame of a turn; ``finish_reason`` is done, cancelled or error.

    ``model`` has answered in place of the chosen one.
    """

    request_id: str
    seq: int
    finish_reason: str
    mutations: tuple[Mutation, ...] = ()
    usage: Usage | None = None
    model: str | None = None
    error: TurnError | None = None
    type: Literal["stream_end"] = "stream_end"


@dataclass(frozen=True, kw_only=True, slots=True)
class Preview:
    """A row before and after a change; None where there is none."""

    before: Mapping[str, JsonValue] | None = None
    after: Mapping[str, JsonValue] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """A text that may have led to a question: what people call it, and an excerpt."""

    name: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ApprovalRequest:
    """A question to the person at this device; ``risk`` is read, write or destructive.

    ``source`` is there where not the person's own words led to it; ``group`` is the same for questions that are asked
    at the same time.
    """

    id: str
    request_id: str
    tool: str
    summary: str
    risk: str
    preview: Preview | None = None
    source: Source | None = None
    group: str | None = None
    type: Literal["approval_request"] = "approval_request"


@dataclass(frozen=True, kw_only=True, slots=True)
class JobUpdate:
    """The state of a job: a tool run on the server, independent of any answer. ``fraction`` is 0 to 1."""

    job_id: str
    request_id: str
    state: str
    session_id: str | None = None
    fraction: float | None = None
    label: str | None = None
    response: str | None = None
    error: TurnError | None = None
    type: Literal["job_update"] = "job_update"

    @property
    def tells_end(self) -> bool:
        """Whether it says how the job ended, which the server repeats until it is acknowledged."""
        return self.state in _ENDS


@dataclass(frozen=True, kw_only=True, slots=True)
class TextChunk:
    text: str
    type: Literal["text_chunk"] = "text_chunk"


@dataclass(frozen=True, kw_only=True, slots=True)
class FinalAnswer:
    response: str
    type: Literal["final"] = "final"


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    field: str
    problem: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ErrorFrame:
    code: str
    message: str
    request_id: str | None = None
    retryable: bool = False
    details: tuple[Problem, ...] | None = None
    type: Literal["error"] = "error"


@dataclass(frozen=True, kw_only=True, slots=True)
class CallFrame:
    """A call into the tables, as it came."""

    answer_type: str
    call: Mapping[str, JsonValue] = field(repr=False)


TurnFrame: TypeAlias = StreamStart | PopupDomain | Remembered | StreamText | StreamBlock | StreamStatus | StreamEnd
ChatFrame: TypeAlias = TextChunk | FinalAnswer
_Described: TypeAlias = (
    DeviceWelcome | ServerShutdown | Ping | TurnFrame | ChatFrame | ApprovalRequest | JobUpdate | ErrorFrame
)
ServerFrame: TypeAlias = _Described | CallFrame

_ADAPTER: Final[TypeAdapter[_Described]] = TypeAdapter(Annotated[_Described, Discriminator("type")])
_TYPES: Final = frozenset(kind.__dataclass_fields__["type"].default for kind in get_args(_Described))


def read_frame(text: str) -> ServerFrame | None:
    """The frame in ``text``; None for a type this client has no use for.

    Raises ``ServerGone`` for anything that is no frame: the sender does not speak the protocol.
    """
    frame = _object(text)
    kind = frame.get("type")
    if not isinstance(kind, str):
        raise _unreadable("The server sent a frame without a type.")
    if kind in CALLS:
        return CallFrame(answer_type=CALLS[kind], call=frame)
    if kind not in _TYPES:
        return None
    try:
        return _ADAPTER.validate_python(frame)
    except ValidationError:
        raise _unreadable(f"The server sent a {kind} that cannot be read.") from None


def _object(text: str) -> dict[str, JsonValue]:
    try:
        frame = json.loads(text)
    except (ValueError, RecursionError):
        frame = None
    if not isinstance(frame, dict):
        raise _unreadable("The server sent something that is not a frame.")
    return frame


def _unreadable(sentence: str) -> ServerGone:
    return ServerGone(sentence, is_final=True)
