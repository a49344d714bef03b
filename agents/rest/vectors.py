"""``/api/v1/storage/vectors/embed``: vectors of texts, made by the server's embedding model."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias
from uuid import UUID, uuid4

from drf_spectacular.utils import OpenApiExample, OpenApiResponse, PolymorphicProxySerializer, extend_schema
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import MAX_DEVICE_ID_CHARS
from accounts.rest.base_views import AsyncAPIView
from accounts.rest.openapi import error
from accounts.rest.requests import user_of
from agents.calls import Table
from agents.errors import Unrecorded, Withheld
from agents.requests import MAX_NAME_CHARS, RequestOrigin
from agents.rest.embedding import Embedding, OwnText, Subject
from memory.errors import EmbeddingFailed
from memory.index import DIMENSIONS, Vector
from memory.rest.errors import EmbeddingUnavailable

_Given: TypeAlias = Mapping[str, Any]
_BOTH: Final = "Give `text` or `texts`, not both."
MAX_TEXT_CHARS: Final = 20_000
"""The longest text; the body of a request is limited, too."""
MAX_TEXTS: Final = 32
"""An answer has about 30 KB for each."""
_TABLES: Final = [table.value for table in Table]
_TEXT: Final = {
    "text": "Call the plumber about the tap",
    "of": {"table": "notes", "id": "3f2a", "project_id": None},
    "device_id": "laptop",
}


class SubjectSerializer(serializers.Serializer[object]):
    """The user's row that a text belongs to."""

    table = serializers.ChoiceField(choices=_TABLES)
    id = serializers.CharField(max_length=MAX_NAME_CHARS, trim_whitespace=False)
    project_id = serializers.CharField(
        max_length=MAX_NAME_CHARS,
        trim_whitespace=False,
        allow_null=True,
        required=False,
        help_text="The project that the row belongs to; null: none. Without it, the row counts as part of a project "
        "that is never shared, if there is one.",
    )


class TextSerializer(serializers.Serializer[object]):
    """A text to make a vector of."""

    text = serializers.CharField(max_length=MAX_TEXT_CHARS)
    of = SubjectSerializer(required=False, help_text="The row that it belongs to, if any.")


class _RequestSerializer(serializers.Serializer[object]):
    device_id = serializers.CharField(
        max_length=MAX_DEVICE_ID_CHARS,
        required=False,
        help_text="The device that stores the rows, by the id it gave itself; for the disclosures.",
    )


class EmbedTextSerializer(_RequestSerializer, TextSerializer):
    """One text."""


class EmbedTextsSerializer(_RequestSerializer):
    """Several texts."""

    texts = serializers.ListField(child=TextSerializer(), min_length=1, max_length=MAX_TEXTS)


class VectorField(serializers.ListField):
    """A vector of unit length."""

    def __init__(self, *, allow_null: bool = False, help_text: str = "Of unit length.") -> None:
        super().__init__(
            child=serializers.FloatField(),
            min_length=DIMENSIONS,
            max_length=DIMENSIONS,
            allow_null=allow_null,
            help_text=help_text,
        )


class VectorSerializer(serializers.Serializer[object]):
    """A vector of unit length. Vectors of different models are never compared."""

    vector = VectorField()
    model = serializers.CharField(help_text="The model that made it.")


class VectorsSerializer(serializers.Serializer[object]):
    """A vector for each text, in order."""

    vectors = serializers.ListField(
        child=VectorField(allow_null=True, help_text="Null: the user never shares what the text is of."),
        max_length=MAX_TEXTS,
    )
    model = serializers.CharField(help_text="The model that made them.")


_DOC_EMBED = extend_schema(
    operation_id="embedText",
    tags=["Vectors"],
    summary="The vectors of texts",
    description=(
        "Makes the vector of a text, or of several, with the model that the server uses for its own searches. Neither "
        "texts nor vectors are stored. The row that a text belongs to (`of`) is in the disclosures before the text is "
        "sent to a model, and gets no vector if the user never shares it. "
        f"At most {MAX_TEXTS} texts; they count as one request."
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


class NeverShared(exceptions.APIException):
    status_code = 403
    default_code = "withheld"
    default_detail = "The user never shares this, so no vector was made of it."


class EmbedView(AsyncAPIView):
    """Makes vectors for a client. ``admit`` counts a user's request and returns whether it may begin."""

    embedding: Embedding | None = None
    admit: Callable[[UUID], bool] | None = None

    @_DOC_EMBED
    async def post(self, request: Request) -> Response:
        if self.embedding is None or self.admit is None:
            raise TypeError("EmbedView.as_view needs an embedding and a limit")
        given = _given(request.data)
        user_id = user_of(request).id
        if not self.admit(user_id):
            raise exceptions.Throttled(detail="Too many requests. Wait a little.")
        origin = RequestOrigin(user_id=user_id, request_id=str(uuid4()), device_id=given.get("device_id", ""))
        model = self.embedding.embedder.name
        if "texts" in given:
            vectors = await _made(self.embedding, origin, [_own_text(each) for each in given["texts"]])
            return Response({"vectors": [None if each is None else each.tolist() for each in vectors], "model": model})
        [vector] = await _made(self.embedding, origin, [_own_text(given)])
        if vector is None:
            raise NeverShared
        return Response({"vector": vector.tolist(), "model": model})


def _given(data: object) -> _Given:
    """The validated body: one text or ``texts``."""
    has_several = isinstance(data, Mapping) and "texts" in data
    kind: type[serializers.Serializer[object]] = EmbedTextsSerializer if has_several else EmbedTextSerializer
    asked = kind(data=data)
    asked.is_valid(raise_exception=True)
    if has_several and isinstance(data, Mapping) and "text" in data:
        raise exceptions.ValidationError({"texts": [_BOTH]})
    given: _Given = asked.validated_data
    return given


def _own_text(given: _Given) -> OwnText:
    of = given.get("of")
    return OwnText(text=given["text"], subject=None if of is None else _subject(of))


def _subject(of: _Given) -> Subject:
    project = {"projectId": of["project_id"]} if "project_id" in of else {}
    return Subject(table=Table(of["table"]), row={"id": of["id"], **project})


async def _made(embedding: Embedding, origin: RequestOrigin, texts: Sequence[OwnText]) -> list[Vector | None]:
    try:
        return await embedding.vectors(origin, texts)
    except (EmbeddingFailed, Unrecorded, Withheld) as failure:
        raise EmbeddingUnavailable(str(failure)) from failure
