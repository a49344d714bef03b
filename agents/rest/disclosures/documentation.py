"""What the OpenAPI document says of disclosures and sharing: a decorator for each handler in ``api.py``."""

from typing import Final

from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema

from accounts.rest.openapi import NO_KEY, error
from agents.rest.disclosures.serializers import DisclosurePageSerializer, DisclosuresQuerySerializer, SharingSerializer

_TAGS: Final = ["Disclosures"]
_DISCLOSURE: Final = {
    "id": "2c5d1a90-7c1b-4f2e-8f7f-0c7a5a8f1d52",
    "request_id": "5b9f2a4e-7c1d-4f0a-9a63-2f4d1c9e8b70",
    "device_id": "laptop",
    "source": "home",
    "job_id": None,
    "model": "gpt-4.1",
    "left_server": True,
    "table": "tasks",
    "row_count": 2,
    "rows": ["t1", "t2"],
    "at": "2026-03-29T10:00:01Z",
}
_SHARING: Final = {"tables": ["notes"], "projects": ["p1"]}
_UNREADABLE: Final = error(
    "The marks are damaged. `PUT` puts new ones in their place.",
    code="unreadable",
    message="The server cannot read what is marked, so nothing is shared. Mark anew what is never to be shared.",
)
_SHARING_ANSWER: Final = OpenApiResponse(
    SharingSerializer, description="What holds now.", examples=[OpenApiExample("answer", value=_SHARING)]
)

disclosures = extend_schema(
    operation_id="listDisclosures",
    tags=_TAGS,
    summary="What models were sent",
    description=(
        "Which rows of the user's devices stood in what was sent to which model, the newest first. A row counts once "
        "for each request (or job) and model."
    ),
    parameters=[DisclosuresQuerySerializer],
    responses={
        200: OpenApiResponse(
            DisclosurePageSerializer,
            description="A page of them.",
            examples=[OpenApiExample("answer", value={"next": None, "results": [_DISCLOSURE]})],
        ),
        400: error("A filter, `limit` or `cursor` is wrong.", code="invalid", message="The request is not valid."),
    },
)
sharing = extend_schema(
    operation_id="getSharing",
    tags=_TAGS,
    summary="What is never shared",
    description="The tables and projects that the user has marked as never to be shared with a model.",
    responses={200: _SHARING_ANSWER, 409: _UNREADABLE, 503: NO_KEY},
)
change_sharing = extend_schema(
    operation_id="changeSharing",
    tags=_TAGS,
    summary="Decide what is never shared",
    description=(
        "Puts these marks in the place of all earlier ones. They hold for every request that begins to read after that."
    ),
    request=SharingSerializer,
    responses={200: _SHARING_ANSWER, 503: NO_KEY},
    examples=[OpenApiExample("request", value=_SHARING, request_only=True)],
)
