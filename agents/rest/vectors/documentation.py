"""What the OpenAPI document says of vectors: a decorator for the handler in ``api.py``."""

from typing import Final

from drf_spectacular.utils import OpenApiExample, OpenApiResponse, PolymorphicProxySerializer, extend_schema

from accounts.rest.openapi import error
from agents.rest.vectors.serializers import (
    MAX_TEXTS,
    EmbedTextSerializer,
    EmbedTextsSerializer,
    VectorSerializer,
    VectorsSerializer,
)

_TEXT: Final = {
    "text": "Call the plumber about the tap",
    "of": {"table": "notes", "id": "3f2a", "project_id": None},
    "device_id": "laptop",
}

embed = extend_schema(
    operation_id="embedText",
    tags=["Vectors"],
    summary="The vectors of texts",
    description=(
        "Makes the vector of a text, or of several, with the model that the server uses for its own searches. Neither "
        "texts nor vectors are kept. What a text is of (`of`) stands in the disclosures before it is sent to a model, "
        f"and gets no vector when the user never shares it. Several are at most {MAX_TEXTS}, and count as one request."
    ),
    request=PolymorphicProxySerializer(
        component_name="EmbedRequest",
        serializers=[EmbedTextSerializer, EmbedTextsSerializer],
        resource_type_field_name=None,
    ),
    responses={
        200: OpenApiResponse(
            PolymorphicProxySerializer(
                component_name="EmbedAnswer",
                serializers=[VectorSerializer, VectorsSerializer],
                resource_type_field_name=None,
            ),
            description="The vector, or the vectors.",
        ),
        403: error(
            "The user never shares what the one text is of. Of several, those have no vector instead.",
            code="withheld",
            message="The user never shares this, so no vector was made of it.",
        ),
        429: error("Too many requests in a minute.", code="rate_limited", message="Too many requests. Wait a little."),
        503: error(
            "No vector could be made, it could not be written down what would be sent, or it cannot be known what is "
            "never shared.",
            code="model_unavailable",
            message="The embedding server cannot be reached.",
        ),
    },
    examples=[
        OpenApiExample("one", value=_TEXT, request_only=True),
        OpenApiExample("several", value={"texts": [{"text": "Milk"}, {"text": "Bread"}]}, request_only=True),
    ],
)
