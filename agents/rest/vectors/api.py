"""``/api/v1/storage/``: vectors of texts, made by the model that makes all of them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias
from uuid import UUID, uuid4

from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest.asynchronous import AsyncAPIView
from accounts.rest.callers import user_of
from agents.calls import Table
from agents.errors import Unrecorded, Withheld
from agents.permissions.approvals.questions import Origin
from agents.rest.vectors import documentation
from agents.rest.vectors.embedding import Embedding, OwnText, Subject
from agents.rest.vectors.serializers import EmbedTextSerializer, EmbedTextsSerializer
from memory.embedders.base import Vector
from memory.errors import EmbeddingFailed
from memory.rest.errors import EmbeddingUnavailable

_Given: TypeAlias = Mapping[str, Any]

_BOTH: Final = "Give `text` or `texts`, not both."


class NeverShared(exceptions.APIException):
    status_code = 403
    default_code = "withheld"
    default_detail = "The user never shares this, so no vector was made of it."


class EmbedView(AsyncAPIView):
    """Makes vectors for a client that keeps them. ``admit`` counts a request of a user; whether it may begin."""

    embedding: Embedding | None = None
    admit: Callable[[UUID], bool] | None = None

    @documentation.embed
    async def post(self, request: Request) -> Response:
        if self.embedding is None or self.admit is None:
            raise TypeError("EmbedView.as_view needs an embedding and a limit")
        given = _given(request.data)
        user_id = user_of(request).id
        if not self.admit(user_id):
            raise exceptions.Throttled(detail="Too many requests. Wait a little.")
        origin = Origin(user_id=user_id, request_id=str(uuid4()), device_id=given.get("device_id", ""))
        model = self.embedding.embedder.name
        if "texts" in given:
            vectors = await _made(self.embedding, origin, [_own_text(each) for each in given["texts"]])
            return Response({"vectors": [None if each is None else each.tolist() for each in vectors], "model": model})
        [vector] = await _made(self.embedding, origin, [_own_text(given)])
        if vector is None:
            raise NeverShared
        return Response({"vector": vector.tolist(), "model": model})


def _given(data: object) -> _Given:
    """What is asked for, one text or ``texts``."""
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


async def _made(embedding: Embedding, origin: Origin, texts: Sequence[OwnText]) -> list[Vector | None]:
    try:
        return await embedding.vectors(origin, texts)
    except (EmbeddingFailed, Unrecorded, Withheld) as failure:
        raise EmbeddingUnavailable(str(failure)) from failure
