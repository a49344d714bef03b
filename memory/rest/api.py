"""``/api/v1/memory/``: users read, correct, search, export and delete what is remembered of them.

A row of another user is answered like one that does not exist. Everything works while the memory is turned off, too.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar
from uuid import UUID

from django.http import Http404
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from drf_spectacular.utils import extend_schema_view
from rest_framework import exceptions, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from accounts.auth.passwords import confirm
from accounts.database import in_database
from accounts.errors import AccountGone, EncryptionError, KeyConfigurationError
from accounts.rest.base_views import AsyncAPIView
from accounts.rest.errors import KeyUnavailable
from accounts.rest.passkey_shapes import confirmation_in
from accounts.rest.requests import user_of, validated
from accounts.rest.throttles import PasswordThrottle
from memory.errors import InvalidMemory, MemoryNotFound, UnreadableRow
from memory.facts import edit_fact, embedded_if_possible
from memory.forgetting import forget_between, forget_everything, forget_exchange, forget_fact
from memory.index import Embedder
from memory.rest import documentation
from memory.rest import serializers as shapes
from memory.rest.lists import ASSOCIATIVE, CORE, EPISODIC, PROACTIVE, Tier, export
from memory.service import search
from memory.supersession import restore_fact
from memory.tiers import delete_core, delete_core_row, delete_habit, edit_episode, edit_habit, set_core

logger = logging.getLogger(__name__)

_T = TypeVar("_T")


class RowUnreadable(exceptions.APIException):
    status_code = 409
    default_code = "unreadable"
    default_detail = "The server cannot open this row, so it cannot be changed. It can be deleted."


@contextmanager
def translated() -> Iterator[None]:
    """In the block, raise the memory's errors as REST framework's exceptions."""
    try:
        yield
    except MemoryNotFound as error:
        raise exceptions.NotFound("Not found.") from error
    except InvalidMemory as error:
        raise exceptions.ValidationError(str(error)) from error
    except UnreadableRow as error:
        raise RowUnreadable from error
    except AccountGone as error:
        raise exceptions.NotAuthenticated("The token is not valid.") from error
    except (EncryptionError, KeyConfigurationError) as error:
        logger.warning("a memory cannot be read: %s", error)
        raise KeyUnavailable from error


class CoreListView(APIView):
    @documentation.list_core
    def get(self, request: Request) -> Response:
        with translated():
            rows = [row for page in CORE.pages(user_of(request).id) for row in page]
        return Response({"next": None, "results": rows})


class CoreView(APIView):
    @documentation.put_core
    def put(self, request: Request, key: str) -> Response:
        asked = validated(shapes.CoreChangeSerializer(data=request.data))
        with translated():
            if not key.isprintable():
                raise InvalidMemory("The key has characters that cannot be printed.")
            return Response(CORE.shape(set_core(user_of(request).id, key, asked["value"])).data)

    @documentation.delete_core
    def delete(self, request: Request, key: str) -> Response:
        user_id = user_of(request).id
        with translated():
            # By the id first: the key of a row that cannot be decrypted is unknown.
            with suppress(ValueError):
                if delete_core_row(user_id, UUID(key)):
                    return _deleted(True)
            return _deleted(delete_core(user_id, key))


class _TierView(APIView):
    tier: Tier

    def get(self, request: Request) -> Response:
        with translated():
            return Response(self.tier.page(user_of(request).id, request.query_params))


@extend_schema_view(get=documentation.list_associative)
class AssociativeView(_TierView):
    tier = ASSOCIATIVE


@extend_schema_view(get=documentation.list_episodic)
class EpisodicView(_TierView):
    tier = EPISODIC

    @documentation.forget_span
    def delete(self, request: Request) -> Response:
        span = validated(shapes.SpanSerializer(data=request.query_params))
        forgotten = forget_between(user_of(request).id, span.get("since"), span.get("until"))
        return Response({"forgotten": forgotten})


@extend_schema_view(get=documentation.list_proactive)
class ProactiveView(_TierView):
    tier = PROACTIVE


class AssociativeRowView(AsyncAPIView):
    """A corrected fact gets a new vector, later if none can be made now. Nothing said earlier supersedes it."""

    embedder: Embedder | None = None

    @documentation.change_associative
    async def patch(self, request: Request, row: UUID) -> Response:
        content: str = validated(shapes.AssociativeChangeSerializer(data=request.data))["content"]
        with translated():
            embedding = await embedded_if_possible(_given(self.embedder), content)
            entry = await in_database(edit_fact, user_of(request).id, row, content, embedding)
        return Response(ASSOCIATIVE.shape(entry).data)

    @documentation.delete_associative
    async def delete(self, request: Request, row: UUID) -> Response:
        return _deleted(await in_database(forget_fact, user_of(request).id, row))


class RestoreView(APIView):
    """Changes only a fact that another one has superseded."""

    @documentation.restore_associative
    def post(self, request: Request, row: UUID) -> Response:
        with translated():
            return Response(ASSOCIATIVE.shape(restore_fact(user_of(request).id, row)).data)


class EpisodicRowView(AsyncAPIView):
    """Correcting or deleting an episode does the same to its associative row."""

    embedder: Embedder | None = None

    @documentation.change_episodic
    async def patch(self, request: Request, row: UUID) -> Response:
        summary: str = validated(shapes.EpisodicChangeSerializer(data=request.data))["summary"]
        with translated():
            embedding = await embedded_if_possible(_given(self.embedder), summary)
            entry = await in_database(edit_episode, user_of(request).id, row, summary, embedding)
        return Response(EPISODIC.shape(entry).data)

    @documentation.delete_episodic
    async def delete(self, request: Request, row: UUID) -> Response:
        return _deleted(await in_database(forget_exchange, user_of(request).id, row))


class ProactiveRowView(APIView):
    @documentation.change_proactive
    def patch(self, request: Request, row: UUID) -> Response:
        asked = validated(shapes.ProactiveChangeSerializer(data=request.data))
        with translated():
            return Response(PROACTIVE.shape(edit_habit(user_of(request).id, row, **asked)).data)

    @documentation.delete_proactive
    def delete(self, request: Request, row: UUID) -> Response:
        return _deleted(delete_habit(user_of(request).id, row))


class SearchView(AsyncAPIView):
    """``wait_s`` returns 0 and counts the request if the user may make one now, else the seconds until then."""

    embedder: Embedder | None = None
    wait_s: Callable[[UUID], float] | None = None

    @documentation.search
    async def post(self, request: Request) -> Response:
        asked, user_id = validated(shapes.QuestionSerializer(data=request.data)), user_of(request).id
        if (wait_s := _given(self.wait_s)(user_id)) > 0:
            raise exceptions.Throttled(wait_s)
        with translated():
            found = await search(_given(self.embedder), user_id, asked["query"], limit=asked["limit"])
        rows = shapes.FoundSerializer(found, many=True).data
        return Response({"next": None, "results": rows, "items": rows})


class ExportView(AsyncAPIView):
    @documentation.export
    async def get(self, request: Request) -> HttpResponseBase:
        with translated():
            return await export(user_of(request).id)


class MemoryView(APIView):
    def get_throttles(self) -> list[BaseThrottle]:
        return [PasswordThrottle()]

    @documentation.wipe
    def delete(self, request: Request) -> Response:
        user = user_of(request)
        confirm(user, **confirmation_in(request))
        forget_everything(user.id)
        return Response(status=status.HTTP_204_NO_CONTENT)


def _given(part: _T | None) -> _T:
    if part is None:
        raise TypeError("as_view needs an argument that addresses() passes")
    return part


def _deleted(was_there: bool) -> Response:
    if not was_there:
        raise Http404
    return Response(status=status.HTTP_204_NO_CONTENT)


def addresses(embedder: Embedder, *, wait_s: Callable[[UUID], float]) -> list[URLPattern]:
    """The addresses below ``/api/v1/``. ``wait_s`` as of ``SearchView``."""
    return [
        path("memory", MemoryView.as_view()),
        path("memory/core", CoreListView.as_view()),
        path("memory/core/<path:key>", CoreView.as_view()),
        path("memory/associative", AssociativeView.as_view()),
        path("memory/associative/<uuid:row>", AssociativeRowView.as_view(embedder=embedder)),
        path("memory/associative/<uuid:row>/restore", RestoreView.as_view()),
        path("memory/episodic", EpisodicView.as_view()),
        path("memory/episodic/<uuid:row>", EpisodicRowView.as_view(embedder=embedder)),
        path("memory/proactive", ProactiveView.as_view()),
        path("memory/proactive/<uuid:row>", ProactiveRowView.as_view()),
        path("memory/search", SearchView.as_view(embedder=embedder, wait_s=wait_s)),
        path("memory/export", ExportView.as_view()),
    ]
