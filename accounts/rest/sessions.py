"""``/api/v1/auth/sessions``: where the user is signed in, and ending that; and a new password."""

from dataclasses import asdict
from typing import Any, Final
from uuid import UUID

from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.auth.passwords import change_password
from accounts.auth.sessions import end_other_sessions, end_session, sessions_of
from accounts.errors import UnknownSession
from accounts.networks import ip_of
from accounts.rest import serializers as shapes
from accounts.rest import throttles
from accounts.rest.lists import whole
from accounts.rest.openapi import NO_KEY, account_error, answer, listing
from accounts.rest.passkey_shapes import NOT_CONFIRMED, NewPasswordSerializer
from accounts.rest.requests import session_of, user_of, validated

_TAGS: Final = ["Sessions"]
_TOKEN: Final = "eyJhbGciOiJIUzI1NiIs…"  # noqa: S105 - an example
_SESSION: Final[dict[str, Any]] = {
    "id": "5b0a3d0c-6a4e-4f5e-9a51-5f0f6f2a8e7b",
    "client": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0",
    "created_at": "2026-03-29T10:00:00Z",
    "last_used_at": "2026-03-29T18:30:00Z",
    "current": True,
    "device": None,
}


class SessionsView(APIView):
    @extend_schema(
        operation_id="listSessions",
        tags=_TAGS,
        summary="Your own sessions",
        description="Where you are signed in: the sign-ins that have not ended, the one used last first.",
        responses={
            200: listing(shapes.SessionsSerializer, "The sessions.", _SESSION),
            503: NO_KEY,
        },
    )
    def get(self, request: Request) -> Response:
        return whole(shapes.SessionSerializer, sessions_of(user_of(request)), current=session_of(request))


class SessionView(APIView):
    @extend_schema(
        operation_id="endSession",
        tags=_TAGS,
        summary="End a session",
        description="Ends all tokens of the session at once and closes its sockets within 5 s.",
        request=None,
        responses={
            204: OpenApiResponse(description="Ended."),
            404: account_error(UnknownSession, "There is no such session, or it is not yours."),
        },
    )
    def delete(self, request: Request, session: UUID) -> Response:
        end_session(user_of(request), session)
        return Response(status=204)


class LogoutOthersView(APIView):
    @extend_schema(
        operation_id="logOutOthers",
        tags=_TAGS,
        summary="End all other sessions",
        description="Ends all your sessions but that of this request. Personal tokens stay.",
        request=None,
        responses={204: OpenApiResponse(description="Ended.")},
    )
    def post(self, request: Request) -> Response:
        end_other_sessions(user_of(request), session_of(request))
        return Response(status=204)


class PasswordView(APIView):
    throttle_classes = (throttles.PasswordThrottle,)

    @extend_schema(
        operation_id="changePassword",
        tags=_TAGS,
        summary="Change your password",
        description="Sets a new password and returns new tokens for this session. Requires the password or a passkey, "
        "with which users without a password set their first. All earlier tokens end, personal "
        "tokens too, and all sockets close: connect again with the new access token.",
        request=NewPasswordSerializer,
        responses={
            200: answer(
                shapes.TokenPairSerializer, "New tokens for this session.", {"access": _TOKEN, "refresh": _TOKEN}
            ),
            403: NOT_CONFIRMED,
        },
        examples=[
            OpenApiExample(
                "request",
                value={"password": "correct horse battery staple", "new_password": "another fine passphrase"},
                request_only=True,
            )
        ],
    )
    def post(self, request: Request) -> Response:
        asked = validated(NewPasswordSerializer(data=request.data))
        pair = change_password(user_of(request), **asked, family=session_of(request), ip=ip_of(request))
        return Response(asdict(pair))
