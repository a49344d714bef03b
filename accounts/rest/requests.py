"""Reading a REST request: its user, and its body.

Nothing here imports REST framework's views, which import this module by the names in settings.
"""

from collections.abc import Mapping
from io import BytesIO
from typing import IO, Any, cast
from uuid import UUID

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import QueryDict
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import ParseError, ValidationError
from rest_framework.fields import ListField
from rest_framework.parsers import JSONParser
from rest_framework.request import Request
from rest_framework.serializers import BaseSerializer

from accounts.auth.tokens import AccessGrant, Bearer, bearer_of, credentials_from
from accounts.json_values import count_values
from accounts.models import User
from accounts.rest.strictness import faults, query_faults


class BearerAuthentication(BaseAuthentication):
    """``Authorization: Bearer <access token>``: the same check as on the socket.

    ``request.auth`` is the ``Bearer``. Raises ``InvalidCredentials`` or ``ExpiredCredentials``.
    """

    def authenticate(self, request: Request) -> tuple[User, Bearer] | None:
        credentials = credentials_from([(b"authorization", get_authorization_header(request))], ())
        if credentials is None:
            return None
        bearer = bearer_of(credentials.token)
        return bearer.user, bearer

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002 (REST framework passes it)
        return "Bearer"


class Utf8JSONParser(JSONParser):
    """JSON in UTF-8, regardless of a charset in the Content-Type (RFC 8259, 8.1).

    ``settings.DATA_UPLOAD_MAX_MEMORY_SIZE`` has bounded the size before. Raises as ``check_values``.
    """

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        body = stream.read()
        check_values(body)
        try:
            return super().parse(BytesIO(body), media_type, {**(parser_context or {}), "encoding": "utf-8"})
        except RecursionError:
            raise ParseError("JSON parse error - nested too deeply") from None


def check_values(body: bytes) -> None:
    """Raises ``RequestDataTooBig`` for more values than a request may hold: each costs more than its bytes."""
    if count_values(body.decode("utf-8", "replace"), settings.MAX_REQUEST_VALUES) > settings.MAX_REQUEST_VALUES:
        raise RequestDataTooBig


class BoundedListField(ListField):
    """A list that is refused by its length before any of its items is looked at."""

    def to_internal_value(self, data: Any) -> list[Any]:
        if isinstance(data, list) and self.max_length is not None and len(data) > self.max_length:
            raise ValidationError(self.error_messages["max_length"].format(max_length=self.max_length), "max_length")
        found: list[Any] = super().to_internal_value(data)
        return found


def validated(asked: BaseSerializer[Any]) -> dict[str, Any]:
    """The values of a serializer with data. Raises REST framework's ``ValidationError``.

    A body is read strictly: nothing is converted, and fields that are not known are refused. The values of a query are
    texts, which are all converted; an empty one is refused, and an unknown one if the shape may not have more.
    """
    given = asked.initial_data
    strange = query_faults(asked, given) if isinstance(given, QueryDict) else faults(asked, given)
    if strange:
        asked.is_valid()
        others: dict[str, Any] = dict(asked.errors)
        raise ValidationError({**others, **strange})
    asked.is_valid(raise_exception=True)
    values: dict[str, Any] = asked.validated_data
    return values


def client_of(request: Request) -> str:
    """What the client calls itself; empty if it does not."""
    return str(request.headers.get("User-Agent", ""))


def access_of(request: Request) -> AccessGrant:
    """The grant of a request with an access token."""
    return cast("Bearer", request.auth).grant


def session_of(request: Request) -> UUID:
    """The id of the session of a request with an access token."""
    return access_of(request).family


def user_of(request: Request) -> User:
    """The user of a request to a view that requires authentication, as views do by default."""
    return cast("User", request.user)
