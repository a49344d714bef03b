"""The bodies of ``/api/v1/chat``, and its description in the OpenAPI document."""

import json
from typing import Annotated, Final

from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from pydantic import AfterValidator, ConfigDict, Field, JsonValue

from accounts.rest.openapi import error
from accounts.rest.repeating import IDEMPOTENCY_KEY, KEY_REUSED
from agents.engine.roster import AgentName
from chat.formatters.blocks import BlockType
from chat.protocol.frames.client import History, Images
from chat.protocol.frames.server import Mutation, RememberedItem
from chat.protocol.frames.vocabulary import Frame, Name, RequestId, Text

MAX_CONTEXT_CHARS: Final = 8000
EVENT_STREAM: Final = "text/event-stream"


def _bounded(context: dict[str, JsonValue]) -> dict[str, JsonValue]:
    if len(json.dumps(context, ensure_ascii=False)) > MAX_CONTEXT_CHARS:
        raise ValueError(f"is at most {MAX_CONTEXT_CHARS} characters of JSON")
    return context


class ChatQuestion(Frame):
    """A request to the assistant."""

    model_config = ConfigDict(extra="forbid")

    message: Annotated[Text, Field(description="What the user says.")]
    session_id: Annotated[Name | None, Field(description="The client's name for the conversation.")] = None
    device_id: Annotated[
        Name | None,
        Field(description="The device whose database is asked, by the id it gave itself; else the one used last."),
    ] = None
    context: Annotated[
        Annotated[dict[str, JsonValue], AfterValidator(_bounded)] | None,
        Field(description=f"What the application says of its own state; at most {MAX_CONTEXT_CHARS} characters."),
    ] = None
    history: Annotated[History, Field(description="What was said before, oldest first.")] = Field(default_factory=list)
    model: Annotated[
        Name | None, Field(description="The name of one of the `models` at `/api/v1/assistant`; else the default.")
    ] = None
    images: Images = Field(default_factory=list)


class Block(Frame):
    """A chart, a table, a timeline or cards, for the client to draw."""

    block_type: BlockType
    data: dict[str, JsonValue]


class ChatAnswer(Frame):
    """A whole answer."""

    response: Annotated[str, Field(description="The text, in markdown.")]
    agent: Annotated[AgentName, Field(description="Who answered.")]
    blocks: Annotated[list[Block], Field(description="In the order in which they were written.")]
    mutations: Annotated[list[Mutation], Field(description="What the device changed in its database, in order.")]
    remembered: Annotated[
        list[RememberedItem], Field(description="What the model was told of earlier conversations, as in `remembered`.")
    ]
    request_id: RequestId


_REQUEST_ID: Final = "5b9f2a4e-7c1d-4f0a-9a63-2f4d1c9e8b70"
_STREAM: Final = f"""\
event: stream_start
id: 0
data: {{"type":"stream_start","request_id":"{_REQUEST_ID}","kind":"home","seq":0}}

event: stream_text
id: 1
data: {{"type":"stream_text","request_id":"{_REQUEST_ID}","chunk":"One task is due today.","seq":1}}

event: stream_end
id: 2
data: {{"type":"stream_end","request_id":"{_REQUEST_ID}","finish_reason":"done","mutations":[],"seq":2}}

"""
_ANSWER: Final = {
    "response": "One task is due today.",
    "agent": "task_agent",
    "blocks": [
        {
            "block_type": "entity_ref",
            "data": {"entity": "task", "items": [{"id": "t1", "title": "Water the roses", "status": "todo"}]},
        }
    ],
    "mutations": [],
    "remembered": [
        {
            "id": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
            "kind": "preference",
            "text": "favourite tea: Assam, without milk",
            "why": ["always"],
            "said_at": None,
            "said_in": None,
        }
    ],
    "request_id": _REQUEST_ID,
}

describe_chat = extend_schema(
    operation_id="chat",
    tags=["Assistant"],
    summary="Ask the assistant",
    description=(
        "Answers like the home page. Tools run in the database of the user's connected device that "
        "`device_id` names, or else of the one that was used last. "
        "With `Accept: text/event-stream` the frames of the socket protocol come as "
        "server-sent events while the answer is written: `event` is the frame's type, `data` the frame, `id` its "
        "`seq`. A client that disconnects before the end cancels the answer."
    ),
    parameters=[IDEMPOTENCY_KEY],
    request=ChatQuestion,
    responses={
        (200, "application/json"): OpenApiResponse(
            ChatAnswer,
            description="The whole answer, or its frames.",
            examples=[OpenApiExample("answer", value=_ANSWER, media_type="application/json")],
        ),
        (200, EVENT_STREAM): OpenApiResponse(
            str, examples=[OpenApiExample("frames", value=_STREAM, media_type=EVENT_STREAM)]
        ),
        (409, "application/json"): error(
            "None of the user's devices, or not the one named, is connected (`device_not_connected`), "
            "the request was cancelled, by a device or because the server stopped (`cancelled`), or the first request "
            "with its `Idempotency-Key` is still running or was cut off (`idempotency_key_in_use`).",
            code="device_not_connected",
            message="No device of yours is connected. Open Adiuva on the device that holds your data and try again.",
        ),
        (422, "application/json"): KEY_REUSED,
        (429, "application/json"): error(
            "Too many requests are running, or were begun in a minute (`busy`), or what the user may use in a day is "
            "used up (`quota_exceeded`): then `details.renews_at` and `Retry-After` say until when.",
            code="busy",
            message="Too many requests in a minute. Wait a little.",
        ),
        (502, "application/json"): error(
            "The model would not answer (`model_refused`), or its answer broke off (`model_error`). "
            "`details` lists what was done before: `mutations` what the device changed, `tools` which tools acted, or "
            "may have.",
            code="model_error",
            message="The model's answer broke off or could not be read.",
        ),
        (503, "application/json"): error(
            "The model cannot be reached (`model_unavailable`), or the server is restarting (`shutting_down`). "
            "`details` as of 502.",
            code="model_unavailable",
            message="The model cannot be reached right now.",
        ),
    },
    examples=[OpenApiExample("request", value={"message": "Which tasks are due today?"}, request_only=True)],
)
