"""``/api/v1/storage/``: vectors of texts, made by the model that makes all of them."""

from collections.abc import Callable
from typing import Final
from uuid import UUID

from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.asynchronous import AsyncAPIView
from accounts.rest.callers import user_of
from accounts.rest.openapi import error
from memory.embedders.base import DIMENSIONS, Embedder
from memory.errors import EmbeddingFailed

MAX_TEXT_CHARS: Final = 20_000
"""Models take about 8,000 tokens; what a text holds beyond this would not be in its vector."""


class TextSerializer(serializers.Serializer[object]):
    """A text to make a vector of."""

    text = serializers.CharField(max_length=MAX_TEXT_CHARS)


class VectorSerializer(serializers.Serializer[object]):
    """A vector of unit length. Vectors of different models are never compared."""

    vector = serializers.ListField(
        child=serializers.FloatField(), min_length=DIMENSIONS, max_length=DIMENSIONS, help_text="Of unit length."
    )
    model = serializers.CharField(help_text="The model that made it.")


class EmbeddingUnavailable(exceptions.APIException):
    status_code = 503
    default_code = "model_unavailable"


class EmbedView(AsyncAPIView):
    """Makes vectors for a client that keeps them. ``admit`` counts a request of a user; whether it may begin."""

    embedder: Embedder | None = None
    admit: Callable[[UUID], bool] | None = None

    @extend_schema(
        operation_id="embedText",
        tags=["Vectors"],
        summary="The vector of a text",
        description=(
            "Makes the vector of a text with the model that the server uses for its own searches. Neither the text nor "
            "the vector is kept."
        ),
        request=TextSerializer,
        responses={
            200: OpenApiResponse(VectorSerializer, description="The vector."),
            429: error(
                "Too many requests in a minute.", code="rate_limited", message="Too many requests. Wait a little."
            ),
            503: error(
                "No vector could be made.",
                code="model_unavailable",
                message="The embedding server cannot be reached.",
            ),
        },
        examples=[OpenApiExample("request", value={"text": "Call the plumber about the tap"}, request_only=True)],
    )
    async def post(self, request: Request) -> Response:
        asked = TextSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        embedder, admit = self.embedder, self.admit
        if embedder is None or admit is None:
            raise TypeError("EmbedView.as_view needs an embedder and a limit")
        if not admit(user_of(request).id):
            raise exceptions.Throttled(detail="Too many requests. Wait a little.")
        try:
            [vector] = await embedder.embed([asked.validated_data["text"]])
        except EmbeddingFailed as failure:
            raise EmbeddingUnavailable(str(failure)) from failure
        return Response({"vector": vector.tolist(), "model": embedder.name})
