"""``/api/v1/storage/vectors/embed``: vectors of texts, made by the server's embedding model.

Sharing marks apply, and the ledger records rows before they are embedded.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any, Final
from uuid import UUID, uuid4

from drf_spectacular.utils import OpenApiExample, OpenApiResponse, PolymorphicProxySerializer, extend_schema
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.auth.devices import id_of_device
from accounts.database import in_database
from accounts.rest.base_views import AsyncAPIView
from accounts.rest.openapi import error
from accounts.rest.requests import BoundedListField, user_of, validated
from accounts.session_models import MAX_DEVICE_ID_CHARS
from agents.calls import Row, Table
from agents.errors import Unrecorded, Withheld
from agents.permissions.disclosures import DisclosureStore, Occasion, Sent, TableRow, ids_by_table
from agents.permissions.sharing import Marks, MarkStore
from agents.requests import MAX_NAME_CHARS, RequestKind, RequestOrigin
from memory.errors import EmbeddingFailed
from memory.index import MAX_DIMENSIONS, MIN_DIMENSIONS, Embedder, Vector

MAX_TEXT_CHARS: Final = 20_000
"""The longest text; the body of a request is limited, too."""
MAX_TEXTS: Final = 32
"""An answer has about 30 KB for each."""
_TEXT: Final = {
    "text": "Call the plumber about the tap",
    "of": {"table": "notes", "id": "3f2a", "project_id": None},
    "device_id": "laptop",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnText:
    """A user's text, and the row that it belongs to: its id, and its ``projectId`` if the client gives it."""

    text: str
    subject: TableRow | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Embedding:
    """Embeds users' texts."""

    embedder: Embedder
    disclosures: DisclosureStore
    marks: MarkStore

    async def vectors(self, origin: RequestOrigin, texts: Sequence[OwnText]) -> list[Vector | None]:
        """A vector for each text, in order; None for a row that the user never shares, with any embedder.

        Raises ``EmbeddingFailed``, ``Unrecorded`` if the ledger cannot record, and ``Withheld`` if the marks cannot be
        read. In the latter two cases nothing was sent.
        """
        # Without rows no marks apply.
        marks = await self.marks.marks(origin.user_id) if any(each.subject for each in texts) else Marks()
        may_be_sent = [each.subject is None or _is_shared(*each.subject, marks) for each in texts]
        shared = list(compress(texts, may_be_sent))
        rows = ids_by_table(each.subject for each in shared if each.subject is not None)
        if rows:
            await self.disclosures.record(
                Occasion(origin=origin, source=RequestKind.VECTORS), Sent(model=self.embedder.name, rows=rows)
            )
        made = iter(await self.embedder.embed([each.text for each in shared]) if shared else ())
        return [next(made) if may else None for may in may_be_sent]


def _is_shared(table: Table, row: Row, marks: Marks) -> bool:
    return marks.shares_table(table) and marks.shares(table, row)


class SubjectSerializer(serializers.Serializer[object]):
    """The user's row that a text belongs to."""

    table = serializers.ChoiceField(choices=[table.value for table in Table])
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

    texts = BoundedListField(child=TextSerializer(), min_length=1, max_length=MAX_TEXTS)


def _vector(**options: Any) -> serializers.ListField:
    return serializers.ListField(
        child=serializers.FloatField(), min_length=MIN_DIMENSIONS, max_length=MAX_DIMENSIONS, **options
    )


class VectorSerializer(serializers.Serializer[object]):
    """A vector of unit length. Vectors of different models are never compared."""

    vector = _vector(help_text="Of unit length.")
    model = serializers.CharField(help_text="The model that made it.")


class VectorsSerializer(serializers.Serializer[object]):
    """A vector for each text, in order."""

    vectors = serializers.ListField(
        child=_vector(allow_null=True, help_text="Null: the user never shares what the text is of."),
        max_length=MAX_TEXTS,
    )
    model = serializers.CharField(help_text="The model that made them.")


def _either(name: str, *shapes: type[serializers.Serializer[object]]) -> PolymorphicProxySerializer:
    return PolymorphicProxySerializer(component_name=name, serializers=shapes, resource_type_field_name=None)


class NeverShared(exceptions.APIException):
    status_code = 403
    default_code = "withheld"
    default_detail = "The user never shares this, so no vector was made of it."


class EmbeddingUnavailable(exceptions.APIException):
    status_code = 503
    default_code = "model_unavailable"


class EmbedView(AsyncAPIView):
    """Makes vectors for a client.

    ``wait_s`` returns 0 and counts the request if the user may make one now, else the seconds until then.
    """

    embedding: Embedding | None = None
    wait_s: Callable[[UUID], float] | None = None

    @extend_schema(
        operation_id="embedText",
        tags=["Vectors"],
        summary="The vectors of texts",
        description=(
            "Makes the vector of a text, or of several, with the model that the server uses for its own searches. "
            "Neither texts nor vectors are stored. The row that a text belongs to (`of`) is in the disclosures before "
            "the text is sent to a model, and gets no vector if the user never shares it. "
            f"At most {MAX_TEXTS} texts; they count as one request."
        ),
        request=_either("EmbedRequest", EmbedTextSerializer, EmbedTextsSerializer),
        responses={
            200: OpenApiResponse(
                _either("EmbedAnswer", VectorSerializer, VectorsSerializer), description="The vector, or the vectors."
            ),
            403: error(
                "The user never shares what the one text is of. Of several, those have no vector instead.",
                code=NeverShared.default_code,
                message=NeverShared.default_detail,
            ),
            503: error(
                "No vector could be made, it could not be written down what would be sent, or it cannot be known what "
                "is never shared.",
                code="model_unavailable",
                message="The embedding server cannot be reached.",
            ),
        },
        examples=[
            OpenApiExample("one", value=_TEXT, request_only=True),
            OpenApiExample("several", value={"texts": [{"text": "Milk"}, {"text": "Bread"}]}, request_only=True),
        ],
    )
    async def post(self, request: Request) -> Response:
        if self.embedding is None or self.wait_s is None:
            raise TypeError("EmbedView.as_view needs an embedding and a limit")
        given = _given(request.data)
        user_id = user_of(request).id
        if (wait_s := self.wait_s(user_id)) > 0:
            raise exceptions.Throttled(wait_s)
        origin = RequestOrigin(user_id=user_id, request_id=str(uuid4()), device_id=await _device(user_id, given))
        texts = [_own_text(each) for each in given.get("texts", [given])]
        try:
            made = await self.embedding.vectors(origin, texts)
        except (EmbeddingFailed, Unrecorded, Withheld) as failure:
            raise EmbeddingUnavailable(str(failure)) from failure
        # Known only now: another embedder may have served.
        model = self.embedding.embedder.name
        vectors = [None if each is None else each.tolist() for each in made]
        if "texts" in given:
            return Response({"vectors": vectors, "model": model})
        if vectors[0] is None:
            raise NeverShared
        return Response({"vector": vectors[0], "model": model})


async def _device(user_id: UUID, given: Mapping[str, Any]) -> str:
    if (name := given.get("device_id")) is None:
        return ""
    return await in_database(id_of_device, user_id, name) or ""


def _given(data: object) -> Mapping[str, Any]:
    """The validated body: one text or ``texts``."""
    names = data.keys() if isinstance(data, Mapping) else ()
    if "texts" in names and "text" in names:
        raise exceptions.ValidationError({"texts": ["Give `text` or `texts`, not both."]})
    return validated(EmbedTextsSerializer(data=data) if "texts" in names else EmbedTextSerializer(data=data))


def _own_text(given: Mapping[str, Any]) -> OwnText:
    of = given.get("of")
    if of is None:
        return OwnText(text=given["text"])
    project = {"projectId": of["project_id"]} if "project_id" in of else {}
    return OwnText(text=given["text"], subject=(Table(of["table"]), {"id": of["id"], **project}))
