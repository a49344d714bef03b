"""``/api/v1/auth/``: registering, signing in, staying signed in, and one's own account."""

from dataclasses import asdict

from rest_framework import status
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from accounts import documentation
from accounts.erasure import erase_account
from accounts.login import log_in
from accounts.registration import register
from accounts.rest.callers import user_of
from accounts.rest.throttles import LoginThrottle, PasswordThrottle, RefreshThrottle, RegistrationThrottle
from accounts.serializers import (
    LoginSerializer,
    PasswordSerializer,
    PreferencesSerializer,
    RefreshSerializer,
    RegistrationSerializer,
    UserSerializer,
)
from accounts.tokens import issue_tokens, revoke_all_tokens, revoke_refresh_token, rotate_refresh_token


class OpenView(APIView):
    """For whoever has no access token, or a spent one: what the header brings is not looked at."""

    authentication_classes = ()
    permission_classes = (AllowAny,)


class RegisterView(OpenView):
    throttle_classes = (RegistrationThrottle,)

    @documentation.register
    def post(self, request: Request) -> Response:
        asked = RegistrationSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        user = register(**asked.validated_data)
        body = {"user": UserSerializer(user).data, **asdict(issue_tokens(user))}
        return Response(body, status=status.HTTP_201_CREATED)


class TokenView(OpenView):
    throttle_classes = (LoginThrottle,)

    @documentation.log_in
    def post(self, request: Request) -> Response:
        asked = LoginSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        return Response(asdict(issue_tokens(log_in(**asked.validated_data))))


class RefreshView(OpenView):
    throttle_classes = (RefreshThrottle,)

    @documentation.refresh
    def post(self, request: Request) -> Response:
        return Response(asdict(rotate_refresh_token(_refresh_token(request))))


class LogoutView(OpenView):
    """Signing out is proven by the refresh token itself, so it works when the access token has expired."""

    throttle_classes = (RefreshThrottle,)

    @documentation.log_out
    def post(self, request: Request) -> Response:
        revoke_refresh_token(_refresh_token(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


class LogoutEverywhereView(APIView):
    @documentation.log_out_everywhere
    def post(self, request: Request) -> Response:
        revoke_all_tokens(user_of(request).id)
        return Response(status=status.HTTP_204_NO_CONTENT)


class MeView(APIView):
    def get_throttles(self) -> list[BaseThrottle]:
        return [PasswordThrottle()] if self.request.method == "DELETE" else []

    @documentation.me
    def get(self, request: Request) -> Response:
        return Response(UserSerializer(user_of(request)).data)

    @documentation.change_me
    def patch(self, request: Request) -> Response:
        asked = PreferencesSerializer(user_of(request), data=request.data, partial=True)
        asked.is_valid(raise_exception=True)
        return Response(UserSerializer(asked.save()).data)

    @documentation.erase_me
    def delete(self, request: Request) -> Response:
        asked = PasswordSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        erase_account(user_of(request), **asked.validated_data)
        return Response(status=status.HTTP_204_NO_CONTENT)


def _refresh_token(request: Request) -> str:
    asked = RefreshSerializer(data=request.data)
    asked.is_valid(raise_exception=True)
    return str(asked.validated_data["refresh"])
