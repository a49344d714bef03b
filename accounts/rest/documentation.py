"""The OpenAPI document of the accounts: a decorator for each handler in ``accounts/rest/views.py``."""

from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework import serializers

from accounts.models import User
from accounts.rest.openapi import NO_KEY, error
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

_TAGS, _DEVICE_TAGS, _TOKEN_TAGS = ["Accounts"], ["Devices"], ["Personal tokens"]
_EMAIL, _PASSWORD = "alice@example.com", "correct horse battery staple"
_TOKEN = "eyJhbGciOiJIUzI1NiIs…"  # noqa: S105 - an example
_PAIR = {"access": _TOKEN, "refresh": _TOKEN}
_USER = {
    "id": "0f8fad5b-d9cb-469f-a165-70867728950e",
    "email": _EMAIL,
    "language": "en",
    "timezone": "Europe/Rome",
    "memory_enabled": True,
    "date_joined": "2026-03-29T10:00:00Z",
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
    "expires_at": None,
}


class TokenPairSerializer(serializers.Serializer[User]):
    """The tokens of a signed-in client: `access` goes with every request, `refresh` buys the next pair, once."""

    access = serializers.CharField()
    refresh = serializers.CharField()


class RegisteredSerializer(TokenPairSerializer):
    """A new user, signed in."""

    user = UserSerializer()


def _body(**value: str) -> OpenApiExample:
    return OpenApiExample("request", value=value, request_only=True)


def _answer(serializer: type[serializers.BaseSerializer[User]], description: str, value: object) -> OpenApiResponse:
    return OpenApiResponse(serializer, description=description, examples=[OpenApiExample("answer", value=value)])


_PAIR_ANSWER = _answer(TokenPairSerializer, "A new pair of tokens.", _PAIR)
_USER_ANSWER = _answer(UserSerializer, "The account.", _USER)
_REFRESH_REFUSED = error(
    "The refresh token is forged, used up or revoked (`unauthorized`), or expired (`token_expired`).",
    code="unauthorized",
    message="The token is not valid.",
)

register = extend_schema(
    operation_id="register",
    tags=_TAGS,
    summary="Create an account",
    description="Creates an account and signs it in. Language and time zone are `en` and `UTC` by default.",
    request=RegistrationSerializer,
    responses={201: _answer(RegisteredSerializer, "The account, signed in.", {"user": _USER, **_PAIR})},
    examples=[_body(email=_EMAIL, password=_PASSWORD, language="en", timezone="Europe/Rome")],
)
log_in = extend_schema(
    operation_id="logIn",
    tags=_TAGS,
    summary="Sign in",
    description="Returns a pair of tokens for an address and its password.",
    request=LoginSerializer,
    responses={
        200: _PAIR_ANSWER,
        401: error(
            "The address or the password is wrong.",
            code="login_failed",
            message="The address or the password is wrong.",
        ),
    },
    examples=[_body(email=_EMAIL, password=_PASSWORD)],
)
refresh = extend_schema(
    operation_id="refreshTokens",
    tags=_TAGS,
    summary="Stay signed in",
    description="Returns a new pair of tokens for a refresh token, which is used up.",
    request=RefreshSerializer,
    responses={200: _PAIR_ANSWER, 401: _REFRESH_REFUSED},
    examples=[_body(refresh=_TOKEN)],
)
log_out = extend_schema(
    operation_id="logOut",
    tags=_TAGS,
    summary="Sign out",
    description="Uses up the refresh token. It needs no access token, so it works when that has expired.",
    request=RefreshSerializer,
    responses={204: OpenApiResponse(description="Signed out."), 401: _REFRESH_REFUSED},
    examples=[_body(refresh=_TOKEN)],
)
me = extend_schema(
    operation_id="getAccount",
    tags=_TAGS,
    summary="Your own account",
    description="The account of the access token.",
    responses={200: _USER_ANSWER},
)
change_me = extend_schema(
    operation_id="changeAccount",
    tags=_TAGS,
    summary="Change your own account",
    description=(
        "Changes language, time zone, and whether anything is remembered and used. Naming any other field is an error."
    ),
    request=PreferencesSerializer,
    responses={200: _USER_ANSWER},
    examples=[_body(timezone="Europe/Rome")],
)
log_out_everywhere = extend_schema(
    operation_id="logOutEverywhere",
    tags=_TAGS,
    summary="Sign out everywhere",
    description="Ends all tokens of the account and closes its sockets within 5 s.",
    request=None,
    responses={204: OpenApiResponse(description="Signed out everywhere.")},
)
erase_me = extend_schema(
    operation_id="eraseAccount",
    tags=_TAGS,
    summary="Erase your own account",
    description="Erases the account and all its data. Requires the password.",
    request=PasswordSerializer,
    responses={
        204: OpenApiResponse(description="Erased."),
        403: error("The password is wrong.", code="wrong_password", message="The password is wrong."),
    },
)
personal_tokens = extend_schema(
    operation_id="listPersonalTokens",
    tags=_TOKEN_TAGS,
    summary="Your own personal tokens",
    description="The tokens with which programs use `/mcp`, newest first, without the tokens themselves.",
    responses={
        200: OpenApiResponse(
            PersonalTokenSerializer(many=True),
            description="The tokens.",
            examples=[OpenApiExample("answer", value=_PERSONAL_TOKEN)],
        ),
        503: NO_KEY,
    },
)
create_personal_token = extend_schema(
    operation_id="createPersonalToken",
    tags=_TOKEN_TAGS,
    summary="Create a personal token",
    description=(
        "Creates a token with which a program works for its user at `/mcp` and nowhere else. Only this answer shows "
        "it. It ends when it is revoked, at `expires_at`, with a new password, and with signing out everywhere. A user "
        "has at most 20."
    ),
    request=NewTokenSerializer,
    responses={
        201: OpenApiResponse(
            IssuedTokenSerializer,
            description="The token.",
            examples=[
                OpenApiExample("answer", value={**_PERSONAL_TOKEN, "last_used_at": None, "token": "adv_9f2Kd0aW…"})
            ],
        ),
        409: error(
            "There are 20 tokens.",
            code="too_many_tokens",
            message="There are as many personal tokens as there may be: revoke one that is not used any more.",
        ),
        503: NO_KEY,
    },
    examples=[_body(name="Editor on the laptop")],
)
revoke_personal_token = extend_schema(
    operation_id="revokePersonalToken",
    tags=_TOKEN_TAGS,
    summary="Revoke a personal token",
    description="Ends the token at once.",
    request=None,
    responses={
        204: OpenApiResponse(description="Revoked."),
        404: error("There is no such token, or it is not yours.", code="not_found", message="There is no such token."),
    },
)
devices = extend_schema(
    operation_id="listDevices",
    tags=_DEVICE_TAGS,
    summary="Your own devices",
    description="The devices that have connected, the last seen first.",
    responses={
        200: OpenApiResponse(
            DeviceSerializer(many=True),
            description="The devices.",
            examples=[OpenApiExample("answer", value=_DEVICE)],
        )
    },
)
remove_device = extend_schema(
    operation_id="removeDevice",
    tags=_DEVICE_TAGS,
    summary="Remove a device",
    description="Closes the device's socket within 5 s and ends its tokens. Its id cannot be used again.",
    request=None,
    responses={
        204: OpenApiResponse(description="Removed."),
        404: error("There is no such device, or it is not yours.", code="not_found", message="Not found."),
    },
)
