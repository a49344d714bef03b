"""``/api/v1/assistant``: which model answers."""

from dataclasses import asdict
from typing import Final

from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.asynchronous import AsyncAPIView
from chat.services import AssistantFacts

_EXAMPLE: Final = {"model": "gpt-4.1", "offline": False}


class AssistantSerializer(serializers.Serializer[object]):
    """Who answers."""

    model = serializers.CharField(help_text="The model that writes answers; `offline` where there is none.")
    offline = serializers.BooleanField(help_text="Whether answers come from the server itself, without a model.")


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
                examples=[OpenApiExample("answer", value=_EXAMPLE)],
            )
        },
    )
    async def get(self, request: Request) -> Response:  # noqa: ARG002 - the same for everybody
        if self.assistant is None:
            raise TypeError("AssistantView.as_view needs assistant")
        return Response(asdict(self.assistant))
