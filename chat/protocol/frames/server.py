"""The frames that the server sends, and their union."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, JsonValue

from agents.calls import CallAction
from agents.tools.spec import Risk
from chat.formatters.blocks import BlockType
from chat.protocol.frames.client import Ping
from chat.protocol.frames.vocabulary import (
    PROTOCOL_VERSION,
    Domain,
    ErrorCode,
    FinishReason,
    Frame,
    JobState,
    Milliseconds,
    RequestId,
    Row,
    SeqNumber,
    TurnKind,
    TurnState,
    WithNulls,
)
from memory.recalled import ItemKind


class Limits(Frame):
    max_frame_bytes: int
    max_concurrent_requests: int


class EmbeddingInfo(Frame):
    model: str
    dimensions: int


class ModelInfo(Frame):
    """A model that a request may choose by its ``name``."""

    name: str
    display_name: str
    default: Annotated[bool, Field(description="Whether it answers requests that choose none.")]
    images: Annotated[bool, Field(description="Whether it sees images.")]


class RunningTurn(Frame):
    request_id: RequestId
    last_seq: Annotated[int, Field(ge=-1)]


class TokenUsage(Frame):
    input_tokens: int
    output_tokens: int


class ErrorInfo(Frame):
    code: ErrorCode
    message: str
    retryable: bool = False


class Mutation(Frame):
    """A change that the client made in its database for this turn."""

    action: CallAction
    table: str
    id: str


class DeviceWelcome(Frame):
    type: Literal["device_welcome"] = "device_welcome"
    connection_id: str
    server_time: Milliseconds
    protocol: int = PROTOCOL_VERSION
    heartbeat_s: int
    limits: Limits
    embedding: EmbeddingInfo
    models: list[ModelInfo] | None = None
    running: list[RunningTurn]


class TokenExpiring(Frame):
    type: Literal["token_expiring"] = "token_expiring"
    expires_at: Milliseconds


class Authenticated(Frame):
    type: Literal["authenticated"] = "authenticated"
    expires_at: Milliseconds


class StreamStart(Frame):
    type: Literal["stream_start"] = "stream_start"
    request_id: RequestId
    kind: TurnKind
    session_id: str | None = None
    seq: SeqNumber


class PopupDomain(Frame):
    type: Literal["popup_domain"] = "popup_domain"
    request_id: RequestId
    domain: Domain
    seq: SeqNumber


class RememberedItem(WithNulls):
    """An item of the memory that the model was sent with the message. Fields that are not known are null."""

    id: Annotated[str, Field(description="Of its row at `/api/v1/memory`.")]
    kind: ItemKind
    text: str
    why: Annotated[list[str], Field(description="The signals that brought it, the strongest first.")]
    said_at: Milliseconds | None
    said_in: Annotated[str | None, Field(description="The id of the exchange, in the episodic memory.")]


class RememberedFrame(Frame):
    type: Literal["remembered"] = "remembered"
    request_id: RequestId
    items: list[RememberedItem]
    seq: SeqNumber


class StreamText(Frame):
    type: Literal["stream_text"] = "stream_text"
    request_id: RequestId
    chunk: str
    seq: SeqNumber


class StreamBlock(Frame):
    type: Literal["stream_block"] = "stream_block"
    request_id: RequestId
    block_type: BlockType
    data: dict[str, JsonValue]
    seq: SeqNumber


class StreamStatus(Frame):
    type: Literal["stream_status"] = "stream_status"
    request_id: RequestId
    state: TurnState
    tool: str | None = None
    label: str | None = None
    seq: SeqNumber


class StreamEnd(Frame):
    type: Literal["stream_end"] = "stream_end"
    request_id: RequestId
    finish_reason: FinishReason
    mutations: list[Mutation]
    usage: TokenUsage | None = None
    model: Annotated[str | None, Field(description="The model that answered in place of one that was away.")] = None
    error: ErrorInfo | None = None
    seq: SeqNumber


class Call(Frame):
    """A call to the client's database. Absent fields are omitted, not null."""

    id: str
    request_id: RequestId
    action: CallAction
    table: str | None = None
    data: dict[str, JsonValue] | None = None
    filters: dict[str, JsonValue] | None = None
    vector: list[float] | None = None
    limit: int | None = None
    count: Annotated[bool, Field(description="Also say how many rows fit the filters of a select.")] | None = None
    by: Annotated[str, Field(description="Of a write: the agent, tool or program that makes it.")] | None = None


class ToolCallFrame(Call):
    type: Literal["tool_call"] = "tool_call"


class DataRequest(Call):
    type: Literal["data_request"] = "data_request"


class MutationFrame(Call):
    type: Literal["mutation"] = "mutation"


class Preview(WithNulls):
    """The row before and after the change; null if there is none."""

    before: Row | None
    after: Row | None


class Source(Frame):
    name: Annotated[str, Field(description="What people call it, in the user's language.")]
    text: Annotated[str, Field(description="An excerpt.")]


class ApprovalRequest(Frame):
    type: Literal["approval_request"] = "approval_request"
    id: str
    request_id: RequestId
    tool: str
    arguments: dict[str, JsonValue]
    summary: str
    risk: Risk
    preview: Preview | None = None
    expires_at: Milliseconds
    source: Annotated[
        Source | None, Field(description="The text that may have led to it, if not the user's own words did.")
    ] = None
    group: Annotated[str | None, Field(description="The same for questions that are asked at the same time.")] = None


class ContextualScopeAck(Frame):
    type: Literal["contextual_scope_ack"] = "contextual_scope_ack"
    session_id: str


class TextChunk(Frame):
    type: Literal["text_chunk"] = "text_chunk"
    text: str


class FinalFrame(Frame):
    type: Literal["final"] = "final"
    response: str
    done: Literal[True] = True


class JobUpdate(Frame):
    type: Literal["job_update"] = "job_update"
    job_id: str
    request_id: RequestId
    session_id: str | None = None
    state: JobState
    fraction: Annotated[float, Field(ge=0, le=1)] | None = None
    label: str | None = None
    response: str | None = None
    error: ErrorInfo | None = None


class Problem(Frame):
    """An error in one field of a frame."""

    field: str
    problem: str


class ErrorFrame(Frame):
    type: Literal["error"] = "error"
    code: ErrorCode
    message: str
    request_id: str | None = None
    retryable: bool = False
    details: list[Problem] | None = None


class ServerShutdown(Frame):
    type: Literal["server_shutdown"] = "server_shutdown"
    retry_after_ms: Annotated[int, Field(ge=0)]


ServerFrame: TypeAlias = Annotated[
    DeviceWelcome
    | TokenExpiring
    | Authenticated
    | Ping
    | StreamStart
    | PopupDomain
    | RememberedFrame
    | StreamText
    | StreamBlock
    | StreamStatus
    | StreamEnd
    | ToolCallFrame
    | DataRequest
    | MutationFrame
    | ApprovalRequest
    | ContextualScopeAck
    | TextChunk
    | FinalFrame
    | JobUpdate
    | ErrorFrame
    | ServerShutdown,
    Field(discriminator="type"),
]
