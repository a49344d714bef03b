"""``/api/v1/auth/`` and ``/api/v1/devices``: registration, sign-in, the user's account, personal tokens, devices."""

from dataclasses import asdict
from uuid import UUID

from django.db import transaction
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from accounts.auth.devices import remove_device
from accounts.auth.passwords import confirm
from accounts.auth.personal_tokens import issue_personal_token, personal_tokens_of, revoke_personal_token
from accounts.auth.registration import log_in, register
from accounts.auth.tokens import issue_tokens, revoke_all_tokens, revoke_refresh_token, rotate_refresh_token
from accounts.auth.verification import check_may_sign_in
from accounts.erasure import forget
from accounts.errors import (
    AddressUnverified,
    InvalidCredentials,
    LoginFailed,
    PasskeyNeeded,
    TooManyTokens,
    UnknownToken,
)
from accounts.locks import lock_user
from accounts.networks import ip_of
from accounts.rest import serializers as shapes
from accounts.rest import throttles
from accounts.rest.base_views import OpenView
from accounts.rest.conditions import check_match, tagged, tagged_unless_known
from accounts.rest.lists import whole
from accounts.rest.openapi import (
    CHANGED_MEANWHILE,
    ETAG,
    IF_MATCH,
    IF_NONE_MATCH,
    NO_KEY,
    NOT_MODIFIED,
    account_error,
    answer,
    error,
    listing,
)
from accounts.rest.passkey_shapes import (
    NOT_CONFIRMED,
    ConfirmationSerializer,
    ConfirmedTokenSerializer,
    confirmation_in,
)
from accounts.rest.repeating import IDEMPOTENCY_KEY, KEY_REUSED, idempotent_in_thread
from accounts.rest.requests import client_of, user_of, validated
from accounts.session_models import Device

_ACCOUNTS, _DEVICES, _TOKENS = ["Accounts"], ["Devices"], ["Personal tokens"]
_EMAIL, _PASSWORD = "alice@example.com", "correct horse battery staple"
_TOKEN = "eyJhbGciOiJIUzI1NiIs…"  # noqa: S105 - an example
_PAIR = {"access": _TOKEN, "refresh": _TOKEN}
_USER = {
    "id": "0f8fad5b-d9cb-469f-a165-70867728950e",
    "email": _EMAIL,
    "language": "en",
    "timezone": "Europe/Rome",
    "memory_enabled": True,
    "memory_words_days": None,
    "date_joined": "2026-03-29T10:00:00Z",
    "email_verified": True,
}
_DEVICE = {
    "id": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
    "device_id": "laptop",
    "platform": "linux",
    "app_version": "1.4.0",
    "first_seen": "2026-03-29T10:00:00Z",
    "last_seen": "2026-03-29T18:30:00Z",
    "online": True,
}
_PERSONAL_TOKEN = {
    "id": "3f333df6-90a4-4fda-8dd3-9485d27cee36",
    "name": "Editor on the laptop",
    "created_at": "2026-03-29T10:00:00Z",
    "last_used_at": "2026-03-29T18:30:00Z",
    "expires_at": "2026-06-27T10:00:00Z",
    "scopes": ["tasks:read", "tasks:write"],
    "client_id": None,
}


def _body(**value: object) -> list[OpenApiExample]:
    return [OpenApiExample("request", value=value, request_only=True)]


TOKEN_PAIR = answer(shapes.TokenPairSerializer, "A new pair of tokens.", _PAIR)
_USER_ANSWER = answer(shapes.UserSerializer, "The account.", _USER)
_REFRESH_REFUSED = account_error(
    InvalidCredentials,
    "The refresh token is forged, used up or revoked (`unauthorized`), or expired (`token_expired`).",
)


UNVERIFIED = account_error(
    AddressUnverified, "The address must be verified before signing in, which some servers require."
)


class RegisterView(OpenView):
    throttle_classes = (throttles.RegistrationThrottle,)

    @extend_schema(
        operation_id="register",
        tags=_ACCOUNTS,
        summary="Create an account",
        description="Creates an account and signs it in. Language and time zone are `en` and `UTC` by default. Where "
        "addresses must be verified first, the account is created, but the answer is 403 `address_unverified`.",
        request=shapes.RegistrationSerializer,
        responses={
            201: answer(shapes.RegisteredSerializer, "The account, signed in.", {"user": _USER, **_PAIR}),
            403: UNVERIFIED,
            503: NO_KEY,
        },
        examples=_body(email=_EMAIL, password=_PASSWORD, language="en", timezone="Europe/Rome"),
    )
    def post(self, request: Request) -> Response:
        user = register(**validated(shapes.RegistrationSerializer(data=request.data)))
        check_may_sign_in(user)
        pair = issue_tokens(user, client=client_of(request), announced=True)
        body = {"user": shapes.UserSerializer(user).data, **asdict(pair)}
        return Response(body, status=status.HTTP_201_CREATED)


class TokenView(OpenView):
    throttle_classes = (throttles.LoginThrottle,)

    @extend_schema(
        operation_id="logIn",
        tags=_ACCOUNTS,
        summary="Sign in",
        description="Returns a pair of tokens for an address and its password.",
        request=shapes.LoginSerializer,
        responses={
            200: TOKEN_PAIR,
            401: account_error(LoginFailed, "The address or the password is wrong."),
            403: UNVERIFIED,
            503: NO_KEY,
        },
        examples=_body(email=_EMAIL, password=_PASSWORD),
    )
    def post(self, request: Request) -> Response:
        user = log_in(**validated(shapes.LoginSerializer(data=request.data)))
        return Response(asdict(issue_tokens(user, client=client_of(request))))


class RefreshView(OpenView):
    throttle_classes = (throttles.RefreshThrottle,)

    @extend_schema(
        operation_id="refreshTokens",
        tags=_ACCOUNTS,
        summary="Stay signed in",
        description="Returns a new pair of tokens for a refresh token, which is used up. Sending it again within "
        "30 s returns the same refresh token as before; using it later ends the session.",
        request=shapes.RefreshSerializer,
        responses={200: TOKEN_PAIR, 401: _REFRESH_REFUSED},
        examples=_body(refresh=_TOKEN),
    )
    def post(self, request: Request) -> Response:
        asked = validated(shapes.RefreshSerializer(data=request.data))
        return Response(asdict(rotate_refresh_token(asked["refresh"])))


class LogoutView(OpenView):
    """The refresh token itself proves who signs out, so it works when the access token has expired."""

    throttle_classes = (throttles.RefreshThrottle,)

    @extend_schema(
        operation_id="logOut",
        tags=_ACCOUNTS,
        summary="Sign out",
        description="Ends the session of the refresh token with all its tokens and sockets. It needs no access token, "
        "so it works when that has expired.",
        request=shapes.RefreshSerializer,
        responses={204: OpenApiResponse(description="Signed out."), 401: _REFRESH_REFUSED},
        examples=_body(refresh=_TOKEN),
    )
    def post(self, request: Request) -> Response:
        revoke_refresh_token(validated(shapes.RefreshSerializer(data=request.data))["refresh"])
        return Response(status=status.HTTP_204_NO_CONTENT)


class LogoutEverywhereView(APIView):
    @extend_schema(
        operation_id="logOutEverywhere",
        tags=_ACCOUNTS,
        summary="Sign out everywhere",
        description="Ends all tokens of the account and closes its sockets within 5 s.",
        request=None,
        responses={204: OpenApiResponse(description="Signed out everywhere.")},
    )
    def post(self, request: Request) -> Response:
        revoke_all_tokens(user_of(request).id)
        return Response(status=status.HTTP_204_NO_CONTENT)


class MeView(APIView):
    def get_throttles(self) -> list[BaseThrottle]:
        return [throttles.PasswordThrottle()] if self.request.method == "DELETE" else super().get_throttles()

    @extend_schema(
        operation_id="getAccount",
        tags=_ACCOUNTS,
        summary="Your own account",
        description="The account of the access token.",
        parameters=[IF_NONE_MATCH, ETAG],
        responses={200: _USER_ANSWER, 304: NOT_MODIFIED},
    )
    def get(self, request: Request) -> Response:
        return tagged_unless_known(request, shapes.UserSerializer(user_of(request)).data)

    @extend_schema(
        operation_id="changeAccount",
        tags=_ACCOUNTS,
        summary="Change your own account",
        description="Changes language, time zone, and whether anything is remembered and used. Naming any other field "
        "is an error.",
        parameters=[IF_MATCH, ETAG],
        request=shapes.PreferencesSerializer,
        responses={200: _USER_ANSWER, 412: CHANGED_MEANWHILE},
        examples=_body(timezone="Europe/Rome"),
    )
    def patch(self, request: Request) -> Response:
        with transaction.atomic():
            user = lock_user(user_of(request).id)
            asked = shapes.PreferencesSerializer(user, data=request.data, partial=True)
            validated(asked)
            check_match(request, lambda: shapes.UserSerializer(user).data)
            changed = asked.save()
        return tagged(shapes.UserSerializer(changed).data)

    @extend_schema(
        operation_id="eraseAccount",
        tags=_ACCOUNTS,
        summary="Erase your own account",
        description="Erases the account and all its data. Requires the password or a passkey; users with a second "
        "factor give a code beside the password.",
        request=ConfirmationSerializer,
        responses={
            204: OpenApiResponse(description="Erased."),
            403: NOT_CONFIRMED,
        },
    )
    def delete(self, request: Request) -> Response:
        user = user_of(request)
        confirm(user, **confirmation_in(request))
        forget(user.id)
        return Response(status=status.HTTP_204_NO_CONTENT)


class PersonalTokensView(APIView):
    """A personal token cannot create others: it does not authenticate here."""

    def get_throttles(self) -> list[BaseThrottle]:
        limits: list[BaseThrottle] = [throttles.PersonalTokenThrottle(), throttles.PasswordThrottle()]
        return limits if self.request.method == "POST" else super().get_throttles()

    @extend_schema(
        operation_id="listPersonalTokens",
        tags=_TOKENS,
        summary="Your own personal tokens",
        description="The tokens with which programs use `/mcp`, newest first, without the tokens themselves.",
        responses={
            200: listing(shapes.PersonalTokensSerializer, "The tokens.", _PERSONAL_TOKEN),
            503: NO_KEY,
        },
    )
    def get(self, request: Request) -> Response:
        return whole(shapes.PersonalTokenSerializer, personal_tokens_of(user_of(request)))

    @extend_schema(
        operation_id="createPersonalToken",
        tags=_TOKENS,
        summary="Create a personal token",
        description="Creates a token with which a program works for its user at `/mcp` and nowhere else. Only this "
        "answer shows it. It may call the tools that its `scopes` allow. It ends when it is revoked, at `expires_at`, "
        "with a new password, and with signing out everywhere. A user has at most 20.",
        parameters=[IDEMPOTENCY_KEY],
        request=ConfirmedTokenSerializer,
        responses={
            201: answer(
                shapes.IssuedTokenSerializer,
                "The token.",
                {**_PERSONAL_TOKEN, "last_used_at": None, "token": "adv_9f2Kd0aW…"},
            ),
            403: account_error(
                PasskeyNeeded,
                "Users with a second factor confirm it with a passkey, or with password and code (`passkey_needed`); "
                "what they gave is wrong (`wrong_passkey`, `wrong_password`, `wrong_code`).",
            ),
            422: KEY_REUSED,
            409: account_error(
                TooManyTokens,
                "There are 20 tokens, or the first request with this `Idempotency-Key` is still running "
                "(`idempotency_key_in_use`).",
            ),
            503: NO_KEY,
        },
        examples=_body(name="Editor on the laptop", scopes=["tasks:read", "tasks:write"]),
    )
    @idempotent_in_thread
    def post(self, request: Request) -> Response:
        asked = validated(ConfirmedTokenSerializer(data=request.data))
        issued = issue_personal_token(user_of(request), **asked, ip=ip_of(request))
        body = shapes.IssuedTokenSerializer(issued).data
        return Response(body, status=status.HTTP_201_CREATED)


class PersonalTokenView(APIView):
    @extend_schema(
        operation_id="revokePersonalToken",
        tags=_TOKENS,
        summary="Revoke a personal token",
        description="Ends the token at once.",
        request=None,
        responses={
            204: OpenApiResponse(description="Revoked."),
            404: account_error(UnknownToken, "There is no such token, or it is not yours."),
        },
    )
    def delete(self, request: Request, token: UUID) -> Response:
        revoke_personal_token(user_of(request), token)
        return Response(status=status.HTTP_204_NO_CONTENT)


class DevicesView(APIView):
    @extend_schema(
        operation_id="listDevices",
        tags=_DEVICES,
        summary="Your own devices",
        description="The devices that have connected, the last seen first.",
        responses={200: listing(shapes.DevicesSerializer, "The devices.", _DEVICE)},
    )
    def get(self, request: Request) -> Response:
        devices = (
            Device.objects.for_user(user_of(request).id).present().select_related("user").order_by("-last_seen", "id")
        )
        return whole(shapes.DeviceSerializer, devices)


class DeviceView(APIView):
    @extend_schema(
        operation_id="removeDevice",
        tags=_DEVICES,
        summary="Remove a device",
        description="Closes the device's socket within 5 s and ends its tokens. Its id cannot be used again.",
        request=None,
        responses={
            204: OpenApiResponse(description="Removed."),
            404: error("There is no such device, or it is not yours.", code="not_found", message="Not found."),
        },
    )
    def delete(self, request: Request, device: UUID) -> Response:
        # Another user's device and a removed one look like one that never existed.
        remove_device(get_object_or_404(Device.objects.for_user(user_of(request).id).present(), id=device))
        return Response(status=status.HTTP_204_NO_CONTENT)
