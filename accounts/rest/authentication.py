"""Who sends a REST request."""

from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.request import Request

from accounts.models import User
from accounts.socket_auth import credentials_from
from accounts.tokens import Bearer, bearer_of


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
