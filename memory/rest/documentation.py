"""The OpenAPI documentation of ``/api/v1/memory/``: a decorator for each handler in ``memory/rest/api.py``."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, TypeVar

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers

from accounts.rest.openapi import NO_KEY, answer, error, listing
from accounts.rest.passkey_shapes import NOT_CONFIRMED, ConfirmationSerializer
from memory.rest import serializers as shapes
from memory.rest.lists import AssociativeQuerySerializer, TierQuerySerializer

_Handler = TypeVar("_Handler", bound=Callable[..., Any])
_Serializer = type[serializers.Serializer[object]]

_operation: Final = partial(extend_schema, tags=["Memory"])
_ID: Final = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
_MORNING, _EVENING = "2026-03-29T10:00:00Z", "2026-03-29T18:30:00Z"
_DATES: Final = {"created_at": _MORNING, "updated_at": _EVENING}
_READABLE: Final = {"id": _ID, "unreadable": False}
_CORE: Final = {**_READABLE, "updated_at": _EVENING, "key": "favourite tea", "value": "Assam, without milk"}
_FACT: Final = {
    **_READABLE,
    **_DATES,
    "content": "The budget of Apollo is 5,000 euros.",
    "entity_type": "project",
    "entity_id": "p1",
    "about": {"entity_type": "project", "entity_id": "p1"},
    "said_in": "2c5ea4c0-4067-41e7-8f8e-0f2b2c1f3a4d",
    "superseded_by": None,
    "superseded_as": "",
    "superseded_at": None,
}
_EPISODE: Final = {
    **_READABLE,
    "created_at": _MORNING,
    "summary": "The user moved the review to Thursday.",
    "session_id": "s1",
}
_HABIT: Final = {
    **_READABLE,
    **_DATES,
    "pattern": "Asks on Monday mornings what is due in the week.",
    "confidence": 0.8,
    "source": "weekday",
}
_FOUND: Final = {
    "id": _ID,
    "content": "The office is closed on Fridays.",
    "score": 0.83,
    "entity_type": "",
    "entity_id": "",
    "updated_at": _EVENING,
    "outdated_at": None,
}
_SEARCHED: Final = {"next": None, "results": [_FOUND], "items": [_FOUND]}
_CURSOR: Final = "1774804200000000.7c9e6679742540de944be07fc1f90ae7"

_VECTOR: Final = (
    " If the vector cannot be made at once, it is made later; until then a search finds the row only by its words."
)

_KEY: Final = OpenApiParameter(
    "key",
    str,
    OpenApiParameter.PATH,
    description="Printable text of at most 100 characters, percent-encoded, slashes too.",
)
_NO_SUCH: Final = error("You have no such row.", code="not_found", message="Not found.")
_UNREADABLE: Final = error(
    "The row cannot be decrypted.",
    code="unreadable",
    message="The server cannot open this row, so it cannot be changed. It can be deleted.",
)


def _listed(
    tier: str,
    of_what: str,
    page: _Serializer,
    row: Mapping[str, object],
    query: type[TierQuerySerializer] = TierQuerySerializer,
) -> Callable[[_Handler], _Handler]:
    return _operation(
        operation_id=f"list{tier}Memory",
        summary=f"The {tier.lower()} memory",
        description=f"{of_what} Newest first, in pages. Rows added meanwhile move no other row to another page.",
        parameters=[query],
        responses={
            200: answer(page, "Part of the list.", {"results": [row], "items": [row], "next": _CURSOR}),
            400: error("A parameter is wrong.", code="invalid", message="The request is not valid."),
            503: NO_KEY,
        },
    )


def _changed(
    tier: str,
    what: str,
    change: _Serializer,
    row: _Serializer,
    *,
    body: object,
    example: object,
    more: str = "",
) -> Callable[[_Handler], _Handler]:
    return _operation(
        operation_id=f"change{tier}Memory",
        summary=f"Correct {what}",
        description=f"Replaces {what}.{more}",
        request=change,
        responses={200: answer(row, "The row.", example), 404: _NO_SUCH, 409: _UNREADABLE, 503: NO_KEY},
        examples=[OpenApiExample("request", value=body, request_only=True)],
    )


def _deleted(tier: str, what: str, *, more: str = "") -> Callable[[_Handler], _Handler]:
    return _operation(
        operation_id=f"delete{tier}Memory",
        summary=f"Delete {what}",
        description=f"Deletes {what} for good, even one that cannot be decrypted.{more}",
        request=None,
        responses={204: OpenApiResponse(description="Deleted."), 404: _NO_SUCH},
    )


list_core = _operation(
    operation_id="listCoreMemory",
    summary="The core memory",
    description="The preferences, sorted by key. The model gets them with every request.",
    responses={
        200: listing(shapes.CoreListSerializer, "The preferences.", _CORE),
        503: NO_KEY,
    },
)
put_core = _operation(
    operation_id="keepCoreMemory",
    summary="Store a value under a key",
    description=(
        "Stores a value under a key and replaces an earlier one. Keys that differ only in case or spaces are the same. "
        "A user has at most 200 keys."
    ),
    parameters=[_KEY],
    request=shapes.CoreChangeSerializer,
    responses={
        200: answer(shapes.CoreSerializer, "The row.", _CORE),
        404: error("There is no key in the address.", code="not_found", message="Not found."),
        503: NO_KEY,
    },
    examples=[OpenApiExample("request", value={"value": "Assam, without milk"}, request_only=True)],
)
delete_core = _operation(
    operation_id="forgetCoreMemory",
    summary="Delete the value under a key",
    description=(
        "Deletes the row of a key, with the facts and exchanges that say its value. "
        "The id of the row may be given instead of the key, which is unknown if the row cannot be decrypted."
    ),
    parameters=[_KEY],
    request=None,
    responses={204: OpenApiResponse(description="Deleted."), 404: _NO_SUCH, 503: NO_KEY},
)
list_associative = _listed(
    "Associative",
    "Facts and episodes, found by their meaning.",
    shapes.AssociativePageSerializer,
    _FACT,
    AssociativeQuerySerializer,
)
change_associative = _changed(
    "Associative",
    "a fact and its vector",
    shapes.AssociativeChangeSerializer,
    shapes.AssociativeSerializer,
    body={"content": _FACT["content"]},
    example=_FACT,
    more=f" The owner's words are final: nothing that was said before supersedes them.{_VECTOR}",
)
delete_associative = _deleted(
    "Associative",
    "a fact",
    more=" The exchange in which it was said is deleted too, and everything that says the same.",
)
restore_associative = _operation(
    operation_id="restoreAssociativeMemory",
    summary="Restore a fact",
    description="Makes a fact current again that another one has superseded; that one stays. Idempotent.",
    request=None,
    responses={
        200: answer(shapes.AssociativeSerializer, "The row.", _FACT),
        404: _NO_SUCH,
        409: _UNREADABLE,
        503: NO_KEY,
    },
)
list_episodic = _listed("Episodic", "What happened in earlier conversations.", shapes.EpisodicPageSerializer, _EPISODE)
change_episodic = _changed(
    "Episodic",
    "an episode and its vector",
    shapes.EpisodicChangeSerializer,
    shapes.EpisodicSerializer,
    body={"summary": _EPISODE["summary"]},
    example=_EPISODE,
    more=_VECTOR,
)
delete_episodic = _deleted("Episodic", "an episode and its row in the associative memory")
forget_span = _operation(
    operation_id="forgetEpisodicMemory",
    summary="Delete the episodes of a span of time",
    description="Deletes the episodes of exchanges from `since` on and before `until`, with their words, for good.",
    parameters=[shapes.SpanSerializer],
    request=None,
    responses={
        200: answer(shapes.ForgottenSerializer, "They are deleted.", {"forgotten": 12}),
        400: error("There is no bound, or one is wrong.", code="invalid", message="The request is not valid."),
    },
)
list_proactive = _listed(
    "Proactive", "Habits. Those with a confidence above 0.6 are used.", shapes.ProactivePageSerializer, _HABIT
)
change_proactive = _changed(
    "Proactive",
    "a habit",
    shapes.ProactiveChangeSerializer,
    shapes.ProactiveSerializer,
    body={"confidence": 0.8},
    example=_HABIT,
)
delete_proactive = _deleted("Proactive", "a habit")
search = _operation(
    operation_id="searchMemory",
    summary="Search the memory by meaning and words",
    description=(
        "Finds the rows of the associative memory that are most similar to the query, and then those that have its "
        "words; only these while no vector of the query can be made. Counts as a request."
    ),
    request=shapes.QuestionSerializer,
    responses={
        200: answer(
            shapes.AnswerSerializer,
            "Search results: what is similar, then what has the words, each with the best first.",
            _SEARCHED,
        ),
        503: NO_KEY,
    },
    examples=[OpenApiExample("request", value={"query": "When is the office open?"}, request_only=True)],
)
export = _operation(
    operation_id="exportMemory",
    summary="Export the memory",
    description="All rows of the four tiers as one JSON object, sent while it is read.",
    responses={
        200: answer(
            shapes.ExportSerializer,
            "The memory.",
            {
                "core": [_CORE],
                "associative": [_FACT],
                "episodic": [_EPISODE],
                "proactive": [_HABIT],
            },
        ),
        503: NO_KEY,
    },
)
wipe = _operation(
    operation_id="wipeMemory",
    summary="Delete the whole memory",
    description="Deletes all rows of the four tiers. Needs the password or a passkey.",
    request=ConfirmationSerializer,
    responses={
        204: OpenApiResponse(description="Deleted."),
        403: NOT_CONFIRMED,
    },
)
