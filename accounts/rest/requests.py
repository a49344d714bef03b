"""Reading a REST request: its user, and its body.

Nothing here imports REST framework's views, which import this module by the names in settings.
"""

from collections.abc import Mapping
from typing import IO, Any, cast

from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser
from rest_framework.request import Request
from rest_framework.serializers import BaseSerializer

from accounts.auth.tokens import Bearer, bearer_of, credentials_from
from accounts.models import User


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

    ``settings.DATA_UPLOAD_MAX_MEMORY_SIZE`` has bounded the size before.
    """

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        try:
            return super().parse(stream, media_type, {**(parser_context or {}), "encoding": "utf-8"})
        except RecursionError:
            raise ParseError("JSON parse error - nested too deeply") from None


def validated(asked: BaseSerializer[Any]) -> dict[str, Any]:
    """The values of a serializer with data. Raises REST framework's ``ValidationError``."""
    asked.is_valid(raise_exception=True)
    values: dict[str, Any] = asked.validated_data
    return values


def user_of(request: Request) -> User:
    """The user of a request to a view that requires authentication, as views do by default."""
    return cast("User", request.user)
