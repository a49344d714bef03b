"""``/api/v1/memory/``: what is remembered of oneself, to be read, corrected, searched, taken along and deleted.

Every row is looked for among the caller's own: another's reads like one that never was. All of it works, too, while the
memory is turned off.
"""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar
from uuid import UUID

from channels.db import database_sync_to_async
from django.http import Http404
from django.http.response import HttpResponseBase
from rest_framework import exceptions, serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from accounts.errors import WrongPassword
from accounts.rest.asynchronous import AsyncAPIView
from accounts.rest.callers import user_of
from accounts.rest.throttles import PasswordThrottle
from accounts.serializers import PasswordSerializer
from memory.core import delete_core, delete_core_row, set_core
from memory.embedders.base import Embedder
from memory.episodes import delete_episode, edit_episode
from memory.erasure import erase_memory
from memory.errors import Unfit
from memory.facts import delete_fact, edit_fact
from memory.habits import delete_habit, edit_habit
from memory.rest import documentation, shapes
from memory.rest.errors import telling
from memory.rest.export import exported
from memory.rest.paging import part_of
from memory.rest.tiers import ASSOCIATIVE, CORE, EPISODIC, PROACTIVE, Tier
from memory.search import search
from memory.vectors import meaning_if_possible

_P = ParamSpec("_P")
_T = TypeVar("_T")


class CoreListView(APIView):
    @documentation.list_core
    def get(self, request: Request) -> Response:
        with telling():
            return Response([row for page in CORE.rows(user_of(request).id) for row in page])


class CoreView(APIView):
    @documentation.put_core
    def put(self, request: Request, key: str) -> Response:
        asked = _valid(shapes.CoreChangeSerializer(data=request.data))
        with telling():
            if not key.isprintable():
                raise Unfit("The key has characters that cannot be printed.")
            return Response(CORE.shape(set_core(user_of(request).id, key, asked["value"])).data)

    @documentation.delete_core
    def delete(self, request: Request, key: str) -> Response:
        user_id, row_id = user_of(request).id, _uuid(key)
        with telling():
            # By the id first: of a row that cannot be opened nobody knows the key.
            return _deleted((row_id is not None and delete_core_row(user_id, row_id)) or delete_core(user_id, key))


class _TierView(APIView):
    tier: Tier

    def _page(self, request: Request) -> Response:
        part = part_of(request.query_params)
        with telling():
            return Response(self.tier.page(user_of(request).id, part))


class AssociativeView(_TierView):
    tier = ASSOCIATIVE

    @documentation.list_associative
    def get(self, request: Request) -> Response:
        return self._page(request)


class EpisodicView(_TierView):
    tier = EPISODIC

    @documentation.list_episodic
    def get(self, request: Request) -> Response:
        return self._page(request)


class ProactiveView(_TierView):
    tier = PROACTIVE

    @documentation.list_proactive
    def get(self, request: Request) -> Response:
        return self._page(request)


class AssociativeRowView(AsyncAPIView):
    """A fact in new words gets a new vector; when none can be made now, the words are kept and it follows later."""

    embedder: Embedder | None = None

    @documentation.change_associative
    async def patch(self, request: Request, row: UUID) -> Response:
        content: str = _valid(shapes.AssociativeChangeSerializer(data=request.data))["content"]
        with telling():
            meaning = await meaning_if_possible(_given(self.embedder), content)
            entry = await _in_thread(edit_fact, user_of(request).id, row, content, meaning)
        return Response(ASSOCIATIVE.shape(entry).data)

    @documentation.delete_associative
    async def delete(self, request: Request, row: UUID) -> Response:
        return _deleted(await _in_thread(delete_fact, user_of(request).id, row))


class EpisodicRowView(AsyncAPIView):
    """What is found of an episode follows it, vector and all."""

    embedder: Embedder | None = None

    @documentation.change_episodic
    async def patch(self, request: Request, row: UUID) -> Response:
        summary: str = _valid(shapes.EpisodicChangeSerializer(data=request.data))["summary"]
        with telling():
            meaning = await meaning_if_possible(_given(self.embedder), summary)
            entry = await _in_thread(edit_episode, user_of(request).id, row, summary, meaning)
        return Response(EPISODIC.shape(entry).data)

    @documentation.delete_episodic
    async def delete(self, request: Request, row: UUID) -> Response:
        return _deleted(await _in_thread(delete_episode, user_of(request).id, row))


class ProactiveRowView(APIView):
    @documentation.change_proactive
    def patch(self, request: Request, row: UUID) -> Response:
        asked = _valid(shapes.ProactiveChangeSerializer(data=request.data))
        with telling():
            return Response(PROACTIVE.shape(edit_habit(user_of(request).id, row, **asked)).data)

    @documentation.delete_proactive
    def delete(self, request: Request, row: UUID) -> Response:
        return _deleted(delete_habit(user_of(request).id, row))


class SearchView(AsyncAPIView):
    """``admit`` counts a request of a user; whether it may begin."""

    embedder: Embedder | None = None
    admit: Callable[[UUID], bool] | None = None

    @documentation.search
    async def post(self, request: Request) -> Response:
        asked, user_id = _valid(shapes.QuestionSerializer(data=request.data)), user_of(request).id
        if not _given(self.admit)(user_id):
            raise exceptions.Throttled(detail="Too many requests. Wait a little.")
        with telling():
            found = await search(_given(self.embedder), user_id, asked["query"], limit=asked["limit"])
        return Response({"items": shapes.FoundSerializer(found, many=True).data})


class ExportView(AsyncAPIView):
    @documentation.export
    async def get(self, request: Request) -> HttpResponseBase:
        with telling():
            return await exported(user_of(request).id)


class MemoryView(APIView):
    def get_throttles(self) -> list[BaseThrottle]:
        return [PasswordThrottle()]

    @documentation.wipe
    def delete(self, request: Request) -> Response:
        asked = _valid(PasswordSerializer(data=request.data))
        if not user_of(request).check_password(asked["password"]):
            raise WrongPassword
        erase_memory(user_of(request).id)
        return Response(status=status.HTTP_204_NO_CONTENT)


def _valid(asked: serializers.BaseSerializer[Any]) -> dict[str, Any]:
    asked.is_valid(raise_exception=True)
    values: dict[str, Any] = asked.validated_data
    return values


def _given(part: _T | None) -> _T:
    if part is None:
        raise TypeError("as_view needs what the view works with")
    return part


def _deleted(was_there: bool) -> Response:
    if not was_there:
        raise Http404
    return Response(status=status.HTTP_204_NO_CONTENT)


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


async def _in_thread(work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    made: _T = await database_sync_to_async(work, thread_sensitive=False)(*args, **kwargs)
    return made
