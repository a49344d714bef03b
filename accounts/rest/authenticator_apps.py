"""``/api/v1/auth/authenticator-apps`` and ``recovery-codes``: the second factor of users without a passkey."""

from typing import Final
from uuid import UUID

import segno
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from accounts.auth import second_factor
from accounts.auth.passwords import beginning_factor, confirm
from accounts.auth.second_factor import MAX_CODE_CHARS, MAX_NAME_CHARS, NewApp
from accounts.credential_models import AuthenticatorApp
from accounts.errors import LastFactor, NoFactor, TooManyFactors, UnknownFactor, WrongCode
from accounts.rest import throttles
from accounts.rest.lists import PageSerializer, whole
from accounts.rest.openapi import NO_KEY, account_error, answer, listing
from accounts.rest.passkey_shapes import NOT_CONFIRMED, ConfirmationSerializer, confirmation_in
from accounts.rest.requests import user_of, validated

_TAGS: Final = ["Authenticator apps"]
_ID: Final = "4f1c9f0e-2a64-4b0e-9d6b-0a6f5a1c7c11"
_APP: Final = {
    "id": _ID,
    "name": "Phone",
    "created_at": "2026-11-20T09:00:00Z",
    "last_used_at": "2026-11-24T08:30:00Z",
}
_IN_BASE_32: Final = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
_BEGUN: Final = {
    "id": _ID,
    "secret": _IN_BASE_32,
    "address": f"otpauth://totp/Adiuva:alice%40example.com?secret={_IN_BASE_32}&issuer=Adiuva"
    "&algorithm=SHA1&digits=6&period=30",
    "qr_code": ["1111111010011", "1000001001010"],
}
_CODES: Final = {"recovery_codes": ["abcd-efgh-jkmn-pqrs", "tuvw-xyz2-3456-789a"]}
_UNKNOWN: Final = account_error(
    UnknownFactor, "There is no such app, it is not yours, or it was begun over 10 minutes ago."
)
_TOO_MANY: Final = account_error(TooManyFactors, "There are 5 apps.")


class AuthenticatorAppSerializer(serializers.Serializer[AuthenticatorApp]):
    """One of the user's apps."""

    id = serializers.UUIDField()
    name = serializers.CharField(help_text="Empty if it has none, or can no longer be decrypted.")
    created_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField(allow_null=True)


class AuthenticatorAppsSerializer(PageSerializer):
    """All apps of a user."""

    results = AuthenticatorAppSerializer(many=True)


class NewAuthenticatorAppSerializer(serializers.Serializer[NewApp]):
    """An app that is being added. This is the only answer with its secret."""

    id = serializers.UUIDField()
    secret = serializers.CharField(help_text="In base 32, to be typed into the app.")
    address = serializers.CharField(help_text="An `otpauth:` address, which the QR code contains.")
    qr_code = serializers.SerializerMethodField(
        help_text="The rows of the QR code, without a margin: `1` for each dark module, `0` for each light one."
    )

    def get_qr_code(self, app: NewApp) -> list[str]:
        return ["".join(str(int(module)) for module in row) for row in segno.make_qr(app.address).matrix]


class AppConfirmationSerializer(serializers.Serializer[object]):
    """The code that the new app shows, and what the user calls it."""

    code = serializers.CharField(max_length=MAX_CODE_CHARS, help_text="The six digits that the app shows now.")
    name = serializers.CharField(max_length=MAX_NAME_CHARS, allow_blank=True, default="")


class RecoveryCodesSerializer(serializers.Serializer[object]):
    """New recovery codes. This is the only answer with them."""

    recovery_codes = serializers.ListField(
        child=serializers.CharField(), help_text="Each takes the place of a code once. Empty if there were some."
    )


class RecoveryCodesLeftSerializer(serializers.Serializer[object]):
    """How many recovery codes the user has left."""

    left = serializers.IntegerField()


class AuthenticatorAppsView(APIView):
    def get_throttles(self) -> list[BaseThrottle]:
        return [throttles.PasswordThrottle()] if self.request.method == "POST" else super().get_throttles()

    @extend_schema(
        operation_id="listAuthenticatorApps",
        tags=_TAGS,
        summary="Your own authenticator apps",
        description="Your apps, oldest first; not those that are being added.",
        responses={200: listing(AuthenticatorAppsSerializer, "The apps.", _APP), 503: NO_KEY},
    )
    def get(self, request: Request) -> Response:
        return whole(AuthenticatorAppSerializer, second_factor.factors_of(user_of(request)).apps)

    @extend_schema(
        operation_id="beginAuthenticatorApp",
        tags=_TAGS,
        summary="Begin to add an authenticator app",
        description="Returns a new secret (RFC 6238: SHA-1, 6 digits, 30 s). The app counts once a code of it is "
        "confirmed, within 10 minutes. Requires the password or a passkey. A user has at most 5.",
        request=ConfirmationSerializer,
        responses={
            201: answer(NewAuthenticatorAppSerializer, "The new app.", _BEGUN),
            403: NOT_CONFIRMED,
            409: _TOO_MANY,
            503: NO_KEY,
        },
    )
    def post(self, request: Request) -> Response:
        user = user_of(request)
        with beginning_factor(user, **confirmation_in(request)):
            begun = NewAuthenticatorAppSerializer(second_factor.begin_app(user))
        return Response(begun.data, status=status.HTTP_201_CREATED)


class AuthenticatorAppView(APIView):
    throttle_classes = (throttles.PasswordThrottle,)

    @extend_schema(
        operation_id="removeAuthenticatorApp",
        tags=_TAGS,
        summary="Remove an authenticator app",
        description="Its codes count no more. Without any other factor the recovery codes end, too. Requires the "
        "password with a code, or a passkey.",
        request=ConfirmationSerializer,
        responses={
            204: OpenApiResponse(description="Removed."),
            403: NOT_CONFIRMED,
            404: _UNKNOWN,
            409: account_error(LastFactor, "Staff of this server must have a second factor, and this is the only one."),
        },
    )
    def delete(self, request: Request, app: UUID) -> Response:
        user = user_of(request)
        confirm(user, **confirmation_in(request))
        second_factor.remove_app(user, app)
        return Response(status=status.HTTP_204_NO_CONTENT)


class AuthenticatorAppConfirmationView(APIView):
    throttle_classes = (throttles.PasswordThrottle,)

    @extend_schema(
        operation_id="confirmAuthenticatorApp",
        tags=_TAGS,
        summary="Show that a new authenticator app works",
        description="The app counts from now on. If the user had no recovery codes, the answer has new ones.",
        request=AppConfirmationSerializer,
        responses={
            200: answer(RecoveryCodesSerializer, "Added.", _CODES),
            403: account_error(WrongCode, "The app shows another code."),
            404: _UNKNOWN,
            409: _TOO_MANY,
            503: NO_KEY,
        },
    )
    def post(self, request: Request, app: UUID) -> Response:
        asked = validated(AppConfirmationSerializer(data=request.data))
        # What a password alone began ends when a first factor is added, so this app needs no further proof.
        codes = second_factor.confirm_app(user_of(request), app, asked["code"], name=asked["name"], first=False)
        return Response({"recovery_codes": codes})


class RecoveryCodesView(APIView):
    def get_throttles(self) -> list[BaseThrottle]:
        return [throttles.PasswordThrottle()] if self.request.method == "POST" else super().get_throttles()

    @extend_schema(
        operation_id="countRecoveryCodes",
        tags=_TAGS,
        summary="How many recovery codes are left",
        description="The server has only digests of them.",
        responses={200: answer(RecoveryCodesLeftSerializer, "The number.", {"left": 9}), 503: NO_KEY},
    )
    def get(self, request: Request) -> Response:
        return Response({"left": second_factor.factors_of(user_of(request)).recovery_codes})

    @extend_schema(
        operation_id="renewRecoveryCodes",
        tags=_TAGS,
        summary="New recovery codes",
        description="They take the place of all earlier ones. Requires the password with a code, or a passkey.",
        request=ConfirmationSerializer,
        responses={
            200: answer(RecoveryCodesSerializer, "The new codes.", _CODES),
            403: NOT_CONFIRMED,
            409: account_error(NoFactor, "There is no second factor."),
        },
    )
    def post(self, request: Request) -> Response:
        user = user_of(request)
        confirm(user, **confirmation_in(request))
        return Response({"recovery_codes": second_factor.renew_recovery_codes(user)})
