"""What the OpenAPI document says of all our views: the access token, and the errors that any view may answer.

A view documents its successful answers and its own errors (``error``); the common errors are added here.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.views import APIView

from accounts.errors import AccountError
from accounts.rest.conditions import ChangedMeanwhile
from accounts.rest.errors import KeyUnavailable, problem_of
from accounts.rest.openapi_document import completed

_View = TypeVar("_View", bound=type[APIView])
_TEXT: Final = r"^[^\x00]*$"
_TEXT_NOT_BLANK: Final = r"^[^\x00]*[^\x00\s\x1c-\x1f\x85][^\x00]*$"
"""With a character that Python does not strip. JSON Schema's regular expressions take these controls for no space."""


class ErrorSerializer(serializers.Serializer[object]):
    """A problem (RFC 9457). Every error has this shape."""

    type = serializers.CharField(help_text="Where this kind of problem is explained, on this server.")
    title = serializers.CharField(help_text="What this kind of problem is called.")
    status = serializers.IntegerField(min_value=400, max_value=599, help_text="That of the answer.")
    detail = serializers.CharField(help_text="The same as `message`.")
    code = serializers.CharField(help_text="For programs.")
    message = serializers.CharField(help_text="A sentence for a person.")
    details = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField()),
        required=False,
        help_text="Sentences by field; fields of nested values are joined by dots, `_` is the request as a whole.",
    )


_KNOWN: Final[Mapping[int, tuple[str, Mapping[str, object]]]] = {
    400: (
        "Fields are missing or wrong (`invalid`), or the body is not JSON (`malformed`).",
        {"code": "invalid", "message": "The request is not valid.", "details": {"email": ["This field is required."]}},
    ),
    401: (
        "No valid access token (`unauthorized`), or an expired one (`token_expired`).",
        {"code": "token_expired", "message": "The token has expired."},
    ),
    406: (
        "The `Accept` header names no format of this address.",
        {"code": "not_acceptable", "message": "Could not satisfy the request Accept header."},
    ),
    413: (
        "The body is over 256 KiB, or holds too many values.",
        {"code": "too_large", "message": "The body of the request is too large."},
    ),
    415: (
        "The body is not `application/json`.",
        {"code": "unsupported_media_type", "message": 'Unsupported media type "text/plain" in request.'},
    ),
    429: (
        "Too many attempts; `Retry-After` says for how many seconds to wait.",
        {"code": "rate_limited", "message": "Request was throttled. Expected available in 12 seconds."},
    ),
}


def answer(serializer: object, description: str, value: object) -> OpenApiResponse:
    """A successful answer of one view, with an example."""
    return OpenApiResponse(serializer, description=description, examples=[OpenApiExample("answer", value=value)])


def listing(serializer: object, description: str, row: object) -> OpenApiResponse:
    """A list that one view answers with, all in one page."""
    return answer(serializer, description, {"next": None, "results": [row]})


def error(description: str, *, code: str, message: str | None = None) -> OpenApiResponse:
    """An error that one view may answer, with an example. The message is the description unless it is given."""
    # ``completed`` adds the rest, where the status is known.
    example = OpenApiExample(code, value={"code": code, "message": message or description})
    return OpenApiResponse(ErrorSerializer, description=description, examples=[example])


def account_error(kind: type[AccountError], description: str) -> OpenApiResponse:
    """As ``error``, with the code and the message that REST gives to ``kind``."""
    problem = problem_of(kind())
    return error(description, code=problem.code, message=problem.message)


IF_MATCH: Final = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    description="The `ETag` of what was read: if it was changed since, nothing is changed, and the answer is 412.",
)
CHANGED_MEANWHILE: Final = error(
    "What is stored is not what `If-Match` names.",
    code=ChangedMeanwhile.default_code,
    message=ChangedMeanwhile.default_detail,
)
IF_NONE_MATCH: Final = OpenApiParameter(
    "If-None-Match",
    str,
    OpenApiParameter.HEADER,
    description="The `ETag` of what the client has: if that is still the same, the answer is 304.",
)
NOT_MODIFIED: Final = OpenApiResponse(description="The client has this already.")
ETAG: Final = OpenApiParameter(
    "ETag",
    str,
    OpenApiParameter.HEADER,
    response=[200, 304],
    description="For `If-None-Match`, and for `If-Match` where there is one.",
    required=True,
)
NO_KEY: Final = error(
    "The server cannot open the key of the account.",
    code=KeyUnavailable.default_code,
    message=KeyUnavailable.default_detail,
)
"""The answer of any view that decrypts the user's data, if the key cannot be unwrapped."""


def document(operation_id: str, *, summary: str, description: str) -> Callable[[_View], _View]:
    """Describes a ``DocumentView``."""
    described = extend_schema(
        operation_id=operation_id,
        tags=["Documents"],
        summary=summary,
        description=description,
        parameters=[IF_NONE_MATCH, ETAG],
        responses={
            200: OpenApiResponse(OpenApiTypes.OBJECT, description="The document."),
            304: NOT_MODIFIED,
        },
    )
    return extend_schema_view(get=described)


class ApiSchema(AutoSchema):
    """REST framework's ``DEFAULT_SCHEMA_CLASS``."""

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        operation = super().get_operation(*args, **kwargs)
        if operation is not None:
            if self.method == "DELETE" and (body := self.get_request_serializer()) is not None:
                # The base class leaves it out.
                schema = self.resolve_serializer(body, "request").ref
                operation["requestBody"] = {"content": {"application/json": {"schema": schema}}, "required": True}
            schema = self.resolve_serializer(ErrorSerializer, "response").ref
            statuses = [406, *((400, 413, 415) if "requestBody" in operation else ())]
            statuses += [401] if self.view.authentication_classes else []
            statuses += [429] if self.view.get_throttles() else []
            for status in statuses:
                description, example = _KNOWN[status]
                content = {"application/json": {"schema": schema, "example": example}}
                operation["responses"].setdefault(str(status), {"description": description, "content": content})
            operation["responses"] = dict(sorted(operation["responses"].items()))
            operation["responses"] = {
                status: completed(response, int(status), self.view.get_throttles())
                for status, response in operation["responses"].items()
            }
        return operation

    def _map_serializer(self, serializer: Any, direction: str, bypass_extensions: bool = False) -> dict[str, Any]:
        schema: dict[str, Any] = super()._map_serializer(  # type: ignore[no-untyped-call] # spectacular's
            serializer, direction, bypass_extensions
        )
        # As ``validated`` reads bodies.
        if direction == "request" and "properties" in schema and not getattr(serializer, "may_have_more", False):
            schema["additionalProperties"] = False
            if (either := getattr(serializer, "either", None)) is not None:
                schema |= _exactly_one(*either)
            # A pydantic model says by itself what its fields are.
            fields = serializer.fields if isinstance(serializer, serializers.Serializer) else {}
            for name in schema["properties"].keys() & fields.keys():
                if (pattern := _pattern_of(fields[name])) is not None:
                    schema["properties"][name].setdefault("pattern", pattern)
        return schema


def _exactly_one(one: str, other: str) -> dict[str, Any]:
    """That one of two fields is required, and not both.

    Generators of clients would make a union of a ``oneOf``, and lose the fields.
    """
    return {
        "if": {"required": [other]},
        "then": {"not": {"required": [one]}},
        "else": {"required": [one]},
    }


def _pattern_of(field: serializers.Field[Any, Any, Any, Any]) -> str | None:
    """What REST framework asks of each text: no null character, and not only spaces."""
    if not isinstance(field, serializers.CharField):
        return None
    return _TEXT_NOT_BLANK if field.trim_whitespace and not field.allow_blank else _TEXT


class BearerScheme(OpenApiAuthenticationExtension):
    """The access token."""

    target_class = "accounts.rest.requests.BearerAuthentication"
    name = "accessToken"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:  # noqa: ARG002 (spectacular passes it)
        return {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}
