"""REST for clients without a socket: requests to the assistant, the models, and the documents of the protocol."""

from typing import IO, Any, Final

from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from pydantic import ValidationError
from rest_framework import exceptions, serializers
from rest_framework.parsers import JSONParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.base_views import AsyncAPIView, Document, DocumentView
from accounts.rest.openapi import document
from accounts.rest.repeating import idempotent
from accounts.rest.requests import access_of, check_values, user_of
from accounts.rest.strictness import UNKNOWN
from chat.protocol.frames.errors import sentence_of
from chat.protocol.schema import asyncapi, json_schema
from chat.rest.bodies import EVENT_STREAM, ChatQuestion, describe_chat
from chat.rest.images import ImagesView, ImageUploads
from chat.rest.turns import RestTurn, event_stream, requester_of, whole_answer
from chat.services import AssistantFacts, ChatServices


class RawJSONParser(JSONParser):
    """Returns the bytes of the body. Its Pydantic model parses them as strictly as frames."""

    def parse(self, stream: IO[Any], *_: object, **__: object) -> Any:
        body: bytes = stream.read()
        check_values(body)
        return body


class EventStreamRenderer(JSONRenderer):
    """Makes REST framework negotiate event streams. Responses that it renders itself, such as errors, are JSON."""

    media_type = EVENT_STREAM
    format = "events"


class ChatView(AsyncAPIView):
    """Answers like the home page, whole or, with ``Accept: text/event-stream``, frame by frame."""

    parser_classes = (RawJSONParser,)
    renderer_classes = (JSONRenderer, EventStreamRenderer)
    services: ChatServices | None = None

    @describe_chat
    @idempotent
    async def post(self, request: Request) -> HttpResponseBase:
        if self.services is None:
            raise TypeError("ChatView.as_view needs services")
        turn = RestTurn(
            services=self.services,
            requester=requester_of(user_of(request)),
            grant=access_of(request),
            question=_question(request),
        )
        if isinstance(request.accepted_renderer, EventStreamRenderer):
            return await event_stream(turn)
        answer = await whole_answer(turn)
        return Response(answer.model_dump(mode="json"))

    def handle_exception(self, exc: Exception) -> Response:
        # Errors are JSON, even when the answer would be an event stream.
        self.request.accepted_renderer, self.request.accepted_media_type = JSONRenderer(), JSONRenderer.media_type
        return super().handle_exception(exc)


def _question(request: Request) -> ChatQuestion:
    # Bytes from the parser. REST framework replaces a missing body with a dictionary.
    body: object = request.data
    try:
        return ChatQuestion.model_validate_json(body if isinstance(body, bytes) else b"{}")
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False, include_input=False)
    if problems[0]["type"] == "json_invalid":
        raise exceptions.ParseError(f"JSON parse error - {problems[0]['msg']}")
    details: dict[str, list[str]] = {}
    for problem in problems:
        sentence = UNKNOWN if problem["type"] == "extra_forbidden" else sentence_of(problem)
        details.setdefault(".".join(map(str, problem["loc"])) or "_", []).append(sentence)
    raise exceptions.ValidationError(details)


class ModelSerializer(serializers.Serializer[object]):
    """A model that a request may choose by its name."""

    name = serializers.CharField()
    display_name = serializers.CharField(help_text="For people.")
    default = serializers.BooleanField(help_text="Whether it answers requests that choose none.")
    images = serializers.BooleanField(help_text="Whether it sees images.")


class AssistantSerializer(serializers.Serializer[object]):
    """Who answers."""

    model = serializers.CharField(help_text="The model that writes answers; `offline` where there is none.")
    offline = serializers.BooleanField(help_text="Whether answers come from the server itself, without a model.")
    models = ModelSerializer(many=True, help_text="The models that a request may choose from.")


_ASSISTANT: Final = {
    "model": "gpt-4.1",
    "offline": False,
    "models": [
        {"name": "gpt_4_1", "display_name": "gpt-4.1", "default": True, "images": True},
        {"name": "local", "display_name": "On our own server", "default": False, "images": False},
    ],
}


class AssistantView(AsyncAPIView):
    assistant: AssistantFacts | None = None

    @extend_schema(
        operation_id="getAssistant",
        tags=["Assistant"],
        summary="Which model answers",
        description="The model that this server asks, and whether there is one at all.",
        responses={
            200: OpenApiResponse(
                AssistantSerializer,
                description="As the server was started.",
                examples=[OpenApiExample("answer", value=_ASSISTANT)],
            )
        },
    )
    async def get(self, request: Request) -> Response:  # noqa: ARG002 - the same for every user
        if self.assistant is None:
            raise TypeError("AssistantView.as_view needs assistant")
        models = [model.model_dump() for model in self.assistant.models]
        return Response({"model": self.assistant.model, "offline": self.assistant.offline, "models": models})


@document(
    "getFrameSchema",
    summary="The socket protocol as JSON Schema",
    description=(
        "JSON Schema 2020-12 of every frame, made from the models that the server itself reads and writes frames with. "
        "`$defs` holds `ClientFrame` and `ServerFrame`, the unions of what either side sends, and a definition for "
        "each frame."
    ),
)
class FrameSchemaView(DocumentView):
    document = Document(json_schema)


@document(
    "getAsyncapi",
    summary="The socket protocol as AsyncAPI",
    description="An AsyncAPI 3 document of the socket: its address, its credentials, and the frames either way.",
)
class AsyncapiView(DocumentView):
    document = Document(asyncapi)


def addresses(services: ChatServices) -> list[URLPattern]:
    """The addresses below ``/api/v1/``. ``services`` are shared with the sockets of the process."""
    uploads = ImageUploads(store=services.turns.images, wait_s=services.rate.wait_s)
    return [
        path("chat", ChatView.as_view(services=services)),
        path("images", ImagesView.as_view(uploads=uploads)),
        path("assistant", AssistantView.as_view(assistant=services.assistant)),
        path("ws/schema.json", FrameSchemaView.as_view()),
        path("ws/asyncapi.json", AsyncapiView.as_view()),
    ]
