"""What the OpenAPI document says of ``/api/v1/chat``: a decorator for the handler in ``chat/rest/api.py``."""

from typing import Final

from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema

from accounts.rest.openapi import error
from chat.rest.bodies import ChatAnswer, ChatQuestion
from chat.rest.events import MEDIA_TYPE

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
    "request_id": _REQUEST_ID,
}

chat = extend_schema(
    operation_id="chat",
    tags=["Assistant"],
    summary="Ask the assistant",
    description=(
        "Answers as the home page is answered. Tools run in the database of the user's connected device that "
        "`device_id` names, or else of the one that was used last. "
        "With `Accept: text/event-stream` the frames of the socket protocol come as "
        "server-sent events while the answer is written: `event` is the frame's type, `data` the frame, `id` its "
        "`seq`. Whoever leaves before the end cancels the answer."
    ),
    request=ChatQuestion,
    responses={
        (200, "application/json"): OpenApiResponse(
            ChatAnswer,
            description="The whole answer, or its frames.",
            examples=[OpenApiExample("answer", value=_ANSWER, media_type="application/json")],
        ),
        (200, MEDIA_TYPE): OpenApiResponse(
            str, examples=[OpenApiExample("frames", value=_STREAM, media_type=MEDIA_TYPE)]
        ),
        (409, "application/json"): error(
            "None of the user's devices, or not the one named, is connected (`device_not_connected`), "
            "or the request was cancelled, by a device or because the server stopped (`cancelled`).",
            code="device_not_connected",
            message="No device of yours is connected. Open Adiuva on the device that holds your data and try again.",
        ),
        (429, "application/json"): error(
            "Too many requests are running, or were begun in a minute (`busy`), or what the user may use in a day is "
            "used up (`quota_exceeded`): then `details.renews_at` and `Retry-After` say until when.",
            code="busy",
            message="Too many requests in a minute. Wait a little.",
        ),
        (502, "application/json"): error(
            "The model would not answer (`model_refused`), or its answer broke off (`model_error`). "
            "`details.mutations` lists what the device changed before.",
            code="model_error",
            message="The model's answer broke off or could not be read.",
        ),
        (503, "application/json"): error(
            "The model cannot be reached (`model_unavailable`), or the server is restarting (`shutting_down`).",
            code="model_unavailable",
            message="The model cannot be reached right now.",
        ),
    },
    examples=[OpenApiExample("request", value={"message": "Which tasks are due today?"}, request_only=True)],
)
