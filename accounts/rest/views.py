"""``/api/v1/auth/`` and ``/api/v1/devices``: registration, sign-in, the user's account, personal tokens, devices."""

from dataclasses import asdict
from uuid import UUID

from django.shortcuts import get_object_or_404
from rest_framework import status
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from accounts.auth.devices import remove_device
from accounts.auth.personal_tokens import issue_personal_token, personal_tokens_of, revoke_personal_token
from accounts.auth.registration import log_in, register
from accounts.auth.tokens import issue_tokens, revoke_all_tokens, revoke_refresh_token, rotate_refresh_token
from accounts.erasure import erase_account
from accounts.models import Device
from accounts.rest import documentation
from accounts.rest.requests import user_of, validated
from accounts.rest.serializers import (
    DeviceSerializer,
    IssuedTokenSerializer,
    LoginSerializer,
    NewTokenSerializer,
    PasswordSerializer,
    PersonalTokenSerializer,
    PreferencesSerializer,
    RefreshSerializer,
    RegistrationSerializer,
    UserSerializer,
)
from accounts.rest.throttles import (
    LoginThrottle,
    PasswordThrottle,
    PersonalTokenThrottle,
    RefreshThrottle,
    RegistrationThrottle,
)


class OpenView(APIView):
    """For anyone without an access token, or with an expired one: the header is not looked at."""

    authentication_classes = ()
    permission_classes = (AllowAny,)


class RegisterView(OpenView):
    throttle_classes = (RegistrationThrottle,)

    @documentation.register
    def post(self, request: Request) -> Response:
        user = register(**validated(RegistrationSerializer(data=request.data)))
        body = {"user": UserSerializer(user).data, **asdict(issue_tokens(user))}
        return Response(body, status=status.HTTP_201_CREATED)


class TokenView(OpenView):
    throttle_classes = (LoginThrottle,)

    @documentation.log_in
    def post(self, request: Request) -> Response:
        return Response(asdict(issue_tokens(log_in(**validated(LoginSerializer(data=request.data))))))


class RefreshView(OpenView):
    throttle_classes = (RefreshThrottle,)

    @documentation.refresh
    def post(self, request: Request) -> Response:
        return Response(asdict(rotate_refresh_token(_refresh_token(request))))


class LogoutView(OpenView):
    """The refresh token itself proves who signs out, so it works when the access token has expired."""

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
        erase_account(user_of(request), **validated(PasswordSerializer(data=request.data)))
        return Response(status=status.HTTP_204_NO_CONTENT)


class PersonalTokensView(APIView):
    """A personal token cannot create others: it does not authenticate here."""

    def get_throttles(self) -> list[BaseThrottle]:
        return [PersonalTokenThrottle()] if self.request.method == "POST" else []

    @documentation.personal_tokens
    def get(self, request: Request) -> Response:
        return Response([PersonalTokenSerializer(token).data for token in personal_tokens_of(user_of(request))])

    @documentation.create_personal_token
    def post(self, request: Request) -> Response:
        issued = issue_personal_token(user_of(request), **validated(NewTokenSerializer(data=request.data)))
        body = IssuedTokenSerializer(issued).data
        return Response(body, status=status.HTTP_201_CREATED, headers={"Cache-Control": "no-store"})


class PersonalTokenView(APIView):
    @documentation.revoke_personal_token
    def delete(self, request: Request, token: UUID) -> Response:
        revoke_personal_token(user_of(request), token)
        return Response(status=status.HTTP_204_NO_CONTENT)


class DevicesView(APIView):
    @documentation.devices
    def get(self, request: Request) -> Response:
        devices = Device.objects.for_user(user_of(request).id).present().order_by("-last_seen", "id")
        return Response(DeviceSerializer(devices, many=True).data)


class DeviceView(APIView):
    @documentation.remove_device
    def delete(self, request: Request, device: UUID) -> Response:
        # Another user's device and a removed one look like one that never existed.
        remove_device(get_object_or_404(Device.objects.for_user(user_of(request).id).present(), id=device))
        return Response(status=status.HTTP_204_NO_CONTENT)


def _refresh_token(request: Request) -> str:
    return str(validated(RefreshSerializer(data=request.data))["refresh"])
