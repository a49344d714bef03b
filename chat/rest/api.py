"""``/api/v1/chat``: the assistant for clients without a socket of their own."""

from collections.abc import Mapping
from typing import IO, Any

from django.http.response import HttpResponseBase
from pydantic import ValidationError
from rest_framework import exceptions
from rest_framework.parsers import JSONParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.asynchronous import AsyncAPIView
from accounts.rest.callers import user_of
from chat.rest import documentation
from chat.rest.answers import whole_answer
from chat.rest.bodies import ChatQuestion
from chat.rest.events import EventStreamRenderer, event_stream
from chat.rest.turns import RestTurn, person_of
from chat.services import ChatServices


class RawJSONParser(JSONParser):
    """Leaves the reading of JSON to the model of the body, which is as strict there as on the socket."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,  # noqa: ARG002 (REST framework passes it)
        parser_context: Mapping[str, Any] | None = None,  # noqa: ARG002
    ) -> Any:
        return stream.read()


class ChatView(AsyncAPIView):
    """Answers as the home page is answered, whole or, to ``Accept: text/event-stream``, frame by frame."""

    parser_classes = (RawJSONParser,)
    renderer_classes = (JSONRenderer, EventStreamRenderer)
    services: ChatServices | None = None

    @documentation.chat
    async def post(self, request: Request) -> HttpResponseBase:
        if self.services is None:
            raise TypeError("ChatView.as_view needs services")
        turn = RestTurn(services=self.services, person=person_of(user_of(request)), question=_question(request))
        if isinstance(request.accepted_renderer, EventStreamRenderer):
            return await event_stream(turn.frames())
        answer = await whole_answer(turn)
        return Response(answer.model_dump(mode="json"))

    def handle_exception(self, exc: Exception) -> Response:
        # Errors are JSON, whatever an answer would have been.
        self.request.accepted_renderer, self.request.accepted_media_type = JSONRenderer(), JSONRenderer.media_type
        return super().handle_exception(exc)


def _body(request: Request) -> bytes:
    # What the parser left; REST framework puts a dictionary in the place of a body that is absent.
    data: object = request.data
    return data if isinstance(data, bytes) else b"{}"


def _question(request: Request) -> ChatQuestion:
    try:
        return ChatQuestion.model_validate_json(_body(request))
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False, include_input=False)
    if problems[0]["type"] == "json_invalid":
        raise exceptions.ParseError(f"JSON parse error - {problems[0]['msg']}")
    details: dict[str, list[str]] = {}
    for problem in problems:
        details.setdefault(".".join(map(str, problem["loc"])) or "_", []).append(problem["msg"])
    raise exceptions.ValidationError(details)
