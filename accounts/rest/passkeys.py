"""``/api/v1/auth/passkeys``: signing in with a passkey, and the user's own passkeys.

Options and answers are WebAuthn's own JSON, as ``PublicKeyCredential.parseCreationOptionsFromJSON`` takes them and
``credential.toJSON()`` gives them, so their names are in camel case.
"""

from dataclasses import asdict
from typing import Final
from uuid import UUID

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from accounts.auth.passkeys import (
    authentication_options,
    log_in_with_passkey,
    passkeys_of,
    register_passkey,
    registration_options,
    rename_passkey,
)
from accounts.auth.passwords import beginning_factor, confirm_access_change
from accounts.auth.second_factor import remove_own_passkey
from accounts.auth.tokens import issue_tokens
from accounts.errors import (
    LastSignIn,
    PasskeyRefused,
    PasskeysUnavailable,
    PasskeyUnfit,
    TooManyPasskeys,
    UnknownPasskey,
    WrongPassword,
)
from accounts.networks import ip_of
from accounts.rest import passkey_shapes as shapes
from accounts.rest import throttles
from accounts.rest.base_views import OpenView
from accounts.rest.lists import whole
from accounts.rest.openapi import NO_KEY, account_error, answer, listing
from accounts.rest.requests import client_of, user_of, validated
from accounts.rest.views import TOKEN_PAIR, UNVERIFIED

_TAGS: Final = ["Passkeys"]
_CHALLENGE: Final = "q2n0CmYDzZ5s5a0Rr1hC8HnZ0r3kHk3rP5l0b5b8w2E"
_CREDENTIAL_ID: Final = "w5oYpJ0vC7lq3k2m"
_REQUEST: Final = {
    "challenge": _CHALLENGE,
    "timeout": 300_000,
    "rpId": "adiuva.example",
    "allowCredentials": [],
    "userVerification": "required",
}
_CREATION: Final = {
    "rp": {"id": "adiuva.example", "name": "Adiuva"},
    "user": {"id": "D4-tW9nLRp-hZXCGdwiVDg", "name": "alice@example.com", "displayName": "alice@example.com"},
    "challenge": _CHALLENGE,
    "pubKeyCredParams": [{"type": "public-key", "alg": -7}],
    "timeout": 300_000,
    "excludeCredentials": [{"id": _CREDENTIAL_ID, "type": "public-key", "transports": ["internal"]}],
    "authenticatorSelection": {
        "residentKey": "required",
        "requireResidentKey": True,
        "userVerification": "required",
    },
    "attestation": "none",
}
_PASSKEY: Final = {
    "id": "6fa459ea-ee8a-3ca4-894e-db77e160355e",
    "name": "Laptop",
    "transports": ["internal", "hybrid"],
    "backed_up": True,
    "created_at": "2026-03-29T10:00:00Z",
    "last_used_at": "2026-03-29T18:30:00Z",
}
_NO_NAME: Final = account_error(
    PasskeysUnavailable,
    "The server has no host name, so there are no passkeys (`passkeys_unavailable`), or it cannot open the key of the "
    "account (`key_unavailable`).",
)
_PASSKEY_NEEDED: Final = account_error(
    WrongPassword,
    "The password (`wrong_password`), the passkey (`wrong_passkey`) or the code (`wrong_code`) is wrong, or a second "
    "factor is needed beside the password (`passkey_needed`). Staff add their first in the admin.",
)
_UNKNOWN: Final = account_error(UnknownPasskey, "There is no such passkey, or it is not yours.")


class SignInOptionsView(OpenView):
    throttle_classes = (throttles.PasskeyThrottle,)

    @extend_schema(
        operation_id="getPasskeySignInOptions",
        tags=_TAGS,
        summary="Begin to sign in with a passkey",
        description="Returns options for `navigator.credentials.get`. They hold for any passkey of this server, for "
        "one answer, for 5 minutes.",
        request=None,
        responses={200: answer(shapes.RequestOptionsSerializer, "The options.", _REQUEST), 503: _NO_NAME},
    )
    def post(self, request: Request) -> Response:
        return Response(authentication_options(ip=ip_of(request)))


class SignInView(OpenView):
    throttle_classes = (throttles.PasskeyLoginThrottle,)

    @extend_schema(
        operation_id="logInWithPasskey",
        tags=_TAGS,
        summary="Sign in with a passkey",
        description="Returns a pair of tokens for the answer of a passkey, as signing in with a password does. It "
        "needs no address.",
        request=shapes.SignInSerializer,
        responses={
            200: TOKEN_PAIR,
            401: account_error(
                PasskeyRefused,
                "The passkey is not accepted: it is unknown, its answer is wrong or late, or the account is inactive.",
            ),
            403: UNVERIFIED,
            503: _NO_NAME,
        },
    )
    def post(self, request: Request) -> Response:
        user = log_in_with_passkey(**validated(shapes.SignInSerializer(data=request.data)))
        return Response(asdict(issue_tokens(user, client=client_of(request))))


class ConfirmationOptionsView(APIView):
    throttle_classes = (throttles.PasskeyThrottle,)

    @extend_schema(
        operation_id="getPasskeyConfirmationOptions",
        tags=_TAGS,
        summary="Begin to confirm with a passkey",
        description="Returns options for `navigator.credentials.get` with one of your own passkeys. Its answer takes "
        "the place of the password wherever a `passkey` can be given, once, within 5 minutes.",
        request=None,
        responses={200: answer(shapes.RequestOptionsSerializer, "The options.", _REQUEST), 503: _NO_NAME},
    )
    def post(self, request: Request) -> Response:
        return Response(authentication_options(user_of(request), ip=ip_of(request)))


class RegistrationOptionsView(APIView):
    throttle_classes = (throttles.PasswordThrottle, throttles.PasskeyThrottle)

    @extend_schema(
        operation_id="getPasskeyRegistrationOptions",
        tags=_TAGS,
        summary="Begin to add a passkey",
        description="Returns options for `navigator.credentials.create`, for one answer within 5 minutes. Requires "
        "the password or a passkey.",
        request=shapes.ConfirmationSerializer,
        responses={
            200: answer(shapes.CreationOptionsSerializer, "The options.", _CREATION),
            403: _PASSKEY_NEEDED,
            503: _NO_NAME,
        },
    )
    def post(self, request: Request) -> Response:
        user = user_of(request)
        with beginning_factor(user, **shapes.confirmation_in(request)):
            return Response(registration_options(user, ip=ip_of(request)))


class PasskeysView(APIView):
    def get_throttles(self) -> list[BaseThrottle]:
        return [throttles.PasskeyThrottle()] if self.request.method == "POST" else super().get_throttles()

    @extend_schema(
        operation_id="listPasskeys",
        tags=_TAGS,
        summary="Your own passkeys",
        description="Your passkeys, newest first.",
        responses={
            200: listing(shapes.PasskeysSerializer, "The passkeys.", _PASSKEY),
            503: NO_KEY,
        },
    )
    def get(self, request: Request) -> Response:
        return whole(shapes.PasskeySerializer, passkeys_of(user_of(request)))

    @extend_schema(
        operation_id="addPasskey",
        tags=_TAGS,
        summary="Add a passkey",
        description="Adds the passkey that a browser has made with the options. A user has at most 20.",
        request=shapes.NewPasskeySerializer,
        responses={
            201: answer(shapes.PasskeySerializer, "The passkey.", {**_PASSKEY, "last_used_at": None}),
            400: account_error(
                PasskeyUnfit,
                "Fields are missing or wrong (`invalid`), the body is not JSON (`malformed`), or the passkey cannot "
                "be added (`passkey_unfit`).",
            ),
            409: account_error(TooManyPasskeys, "There are 20 passkeys."),
            503: NO_KEY,
        },
    )
    def post(self, request: Request) -> Response:
        added = register_passkey(user_of(request), **validated(shapes.NewPasskeySerializer(data=request.data)))
        return Response(shapes.PasskeySerializer(added).data, status=status.HTTP_201_CREATED)


class PasskeyView(APIView):
    def get_throttles(self) -> list[BaseThrottle]:
        return [throttles.PasswordThrottle()] if self.request.method == "DELETE" else super().get_throttles()

    @extend_schema(
        operation_id="renamePasskey",
        tags=_TAGS,
        summary="Rename a passkey",
        description="Changes what you call the passkey.",
        request=shapes.PasskeyNameSerializer,
        responses={200: answer(shapes.PasskeySerializer, "The passkey.", _PASSKEY), 404: _UNKNOWN, 503: NO_KEY},
    )
    def patch(self, request: Request, passkey: UUID) -> Response:
        asked = validated(shapes.PasskeyNameSerializer(data=request.data))
        return Response(shapes.PasskeySerializer(rename_passkey(user_of(request), passkey, **asked)).data)

    @extend_schema(
        operation_id="removePasskey",
        tags=_TAGS,
        summary="Remove a passkey",
        description="It signs in no more; sessions that it has begun go on. Without any other factor the recovery "
        "codes end, too. Requires the password or a passkey.",
        request=shapes.ConfirmationSerializer,
        responses={
            204: OpenApiResponse(description="Removed."),
            403: _PASSKEY_NEEDED,
            404: _UNKNOWN,
            409: account_error(
                LastSignIn,
                "Without a password it is the only way to sign in (`last_sign_in`), or staff of this server must have "
                "a second factor, and it is the only one (`last_factor`).",
            ),
        },
    )
    def delete(self, request: Request, passkey: UUID) -> Response:
        user = user_of(request)
        confirm_access_change(user, **shapes.confirmation_in(request))
        remove_own_passkey(user, passkey)
        return Response(status=status.HTTP_204_NO_CONTENT)
