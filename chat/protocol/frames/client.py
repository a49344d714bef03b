"""The frames that a client may send, and their union."""

from typing import Annotated, Literal, TypeAlias
from uuid import UUID

from pydantic import Field, JsonValue, SkipValidation, StringConstraints, model_validator

from agents.calls import UndoEffect
from agents.images import MAX_IMAGES
from agents.scopes import PageScope, PopupScope
from chat.protocol.frames.vocabulary import PROTOCOL_VERSION, Day, Frame, Name, RequestId, Text, WithNulls


class HistoryMessage(Frame):
    role: Literal["user", "assistant", "system"]
    content: str


History: TypeAlias = Annotated[list[HistoryMessage], Field(fail_fast=True)]
Images: TypeAlias = Annotated[
    list[UUID], Field(max_length=MAX_IMAGES, description="The ids of images that were uploaded before.")
]
Model: TypeAlias = Annotated[
    Name, Field(description="The name of one of the `models` in `device_welcome`; without it the default answers.")
]
Row: TypeAlias = dict[str, Annotated[JsonValue, SkipValidation]]
"""The values are not validated: they come from a JSON parser, and checking their types takes longer than parsing."""
Rows: TypeAlias = Annotated[list[Row], Field(fail_fast=True)]


class DeviceHello(Frame):
    type: Literal["device_hello"] = "device_hello"
    device_id: Name
    platform: Annotated[str, StringConstraints(max_length=100)] | None = None
    app_version: Annotated[str, StringConstraints(max_length=100)] | None = None
    protocol: int = PROTOCOL_VERSION
    timezone: Annotated[str, StringConstraints(max_length=100), Field(description="IANA name.")] | None = None
    language: Annotated[str, StringConstraints(max_length=35), Field(description="IETF tag.")] | None = None
    capabilities: list[str] = Field(
        default_factory=list, max_length=50, description="Names the server does not know are ignored."
    )


class Authenticate(Frame):
    type: Literal["authenticate"] = "authenticate"
    token: Text


class HomeRequest(Frame):
    type: Literal["home_request"] = "home_request"
    message: Text
    request_id: RequestId | None = None
    session_id: Name | None = None
    conversation_history: History = Field(default_factory=list)
    images: Images = Field(default_factory=list)
    model: Model | None = None


class PopupRequest(Frame):
    type: Literal["popup_request"] = "popup_request"
    message: Text
    scope: PopupScope
    request_id: RequestId | None = None
    images: Images = Field(default_factory=list)
    model: Model | None = None


class ContextualRequest(Frame):
    type: Literal["contextual_request"] = "contextual_request"
    session_id: Name
    message: Text
    scope: PageScope
    history: History | None = None
    request_id: RequestId | None = None
    images: Images = Field(default_factory=list)
    model: Model | None = None


class ContextualScopeUpdate(Frame):
    type: Literal["contextual_scope_update"] = "contextual_scope_update"
    session_id: Name
    scope: PageScope


class BriefRequest(Frame):
    type: Literal["brief_request"] = "brief_request"
    request_id: RequestId | None = None
    date: Day | None = None
    model: Model | None = None


class TaskBriefRequest(Frame):
    type: Literal["task_brief_request"] = "task_brief_request"
    task_id: Name
    request_id: RequestId | None = None
    model: Model | None = None


class ChatRequest(Frame):
    type: Literal["chat_request"] = "chat_request"
    message: Text
    context: dict[str, JsonValue] | None = None
    model: Model | None = None


class UndoneRow(WithNulls):
    """A row that an undo changed; null where there was, or is, no such row."""

    table: Name
    id: Name
    effect: UndoEffect
    before: Row | None
    after: Row | None


class UndoConflict(WithNulls):
    """A row that an undo left unchanged, because it, or a row that refers to it, was changed since."""

    table: Name
    id: Name
    now: Row | None
    would_be: Row | None


class UndoResult(Frame):
    """The result of an undo. If there are conflicts and the call is not ``partial``, nothing was changed."""

    undone: Annotated[list[UndoneRow], Field(fail_fast=True)]
    conflicts: Annotated[list[UndoConflict], Field(fail_fast=True)]


class Answer(Frame):
    """An answer to a call: its id, and exactly one of the other fields. ``rows`` may be accompanied by ``count``."""

    id: Name
    row: Row | None = None
    rows: Rows | None = None
    count: (
        Annotated[int, Field(ge=0, description="Of rows: how many fit the filters, beyond the limit too.")] | None
    ) = None
    results: Rows | None = None
    deleted: bool | None = None
    ok: bool | None = None
    undo: UndoResult | None = None
    error: str | None = None

    @model_validator(mode="after")
    def _one_answer(self) -> "Answer":
        given = self.model_fields_set - {"type", "id"}
        if "rows" in given:
            given.discard("count")
        if len(given) != 1 or given == {"count"}:
            raise ValueError("give exactly one of row, rows, results, deleted, ok, undo or error")
        if given != {"row"} and getattr(self, next(iter(given))) is None:
            raise ValueError("only row may be null")
        return self


class ToolResult(Answer):
    type: Literal["tool_result"] = "tool_result"


class DataResponse(Answer):
    type: Literal["data_response"] = "data_response"


class ApprovalResponse(Frame):
    type: Literal["approval_response"] = "approval_response"
    id: Name
    approved: bool
    reason: Annotated[str, StringConstraints(max_length=2000)] | None = None
    remember: bool = False


class CancelRequest(Frame):
    type: Literal["cancel_request"] = "cancel_request"
    request_id: RequestId


class ResumeRequest(Frame):
    type: Literal["resume_request"] = "resume_request"
    request_id: RequestId
    after_seq: Annotated[int, Field(ge=-1, description="The last number received; -1: send everything.")]


class JobAck(Frame):
    type: Literal["job_ack"] = "job_ack"
    job_id: Name


class Ping(Frame):
    type: Literal["ping"] = "ping"


class Pong(Frame):
    type: Literal["pong"] = "pong"


TurnRequest: TypeAlias = HomeRequest | PopupRequest | ContextualRequest | BriefRequest | TaskBriefRequest | ChatRequest
"""The frames that begin a turn. ``work_of`` in ``chat.runner`` maps each to its kind of turn."""
SessionFrame: TypeAlias = (
    TurnRequest
    | ContextualScopeUpdate
    | ToolResult
    | DataResponse
    | ApprovalResponse
    | CancelRequest
    | ResumeRequest
    | JobAck
    | Ping
    | Pong
)
"""The frames that a device may send after its hello."""
ClientFrame: TypeAlias = Annotated[
    DeviceHello | Authenticate | SessionFrame,
    Field(discriminator="type"),
]
