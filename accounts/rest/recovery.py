"""Links by e-mail: a forgotten password, and the proof of an address. No answer tells whether an address exists."""

from typing import Final

from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.auth.links import LinkPurpose, send_link
from accounts.auth.passwords import reset_password
from accounts.auth.verification import verify_address
from accounts.errors import LinkInvalid, MailUnavailable
from accounts.rest import serializers as shapes
from accounts.rest import throttles
from accounts.rest.base_views import OpenView
from accounts.rest.openapi import account_error
from accounts.rest.requests import validated

_TAGS: Final = ["Links by e-mail"]
_ASKED: Final = {
    202: OpenApiResponse(description="If there is such an account, it is sent a link."),
    409: account_error(MailUnavailable, "This server sends no e-mail."),
}
_INVALID: Final = account_error(
    LinkInvalid, "The link has expired or was used (`link_invalid`), or a field is wrong (`invalid`)."
)
_EMAIL: Final = OpenApiExample("request", value={"email": "alice@example.com"}, request_only=True)
_TOKEN: Final = "0f8fad5bd9cb469fa16570867728950e.cq3x9k-6c1b…"  # noqa: S105 - an example


class _LinkView(OpenView):
    throttle_classes = (throttles.LinkThrottle,)


class ForgottenView(_LinkView):
    @extend_schema(
        operation_id="forgotPassword",
        tags=_TAGS,
        summary="Ask for a link that resets the password",
        description="Sends a link to the account with this address. The answer is always the same, and always takes "
        "equally long. The link works once, for an hour, and ends with any other change of the password.",
        request=shapes.AddressSerializer,
        responses=_ASKED,
        examples=[_EMAIL],
    )
    def post(self, request: Request) -> Response:
        send_link(validated(shapes.AddressSerializer(data=request.data))["email"], LinkPurpose.RESET)
        return Response(status=202)


class ResetView(_LinkView):
    @extend_schema(
        operation_id="resetPassword",
        tags=_TAGS,
        summary="Set a new password with a link",
        description="`token` is the last part of the link's address. All sessions and tokens of the account end.",
        request=shapes.ResetSerializer,
        responses={204: OpenApiResponse(description="The password is set. Sign in with it."), 400: _INVALID},
        examples=[
            OpenApiExample(
                "request", value={"token": _TOKEN, "new_password": "another fine passphrase"}, request_only=True
            )
        ],
    )
    def post(self, request: Request) -> Response:
        reset_password(**validated(shapes.ResetSerializer(data=request.data)))
        return Response(status=204)


class SendVerificationView(OpenView):
    throttle_classes = (throttles.VerificationThrottle,)

    @extend_schema(
        operation_id="sendVerification",
        tags=_TAGS,
        summary="Ask for a link that verifies the address",
        description="Sends a link to the account with this address, if the address is not verified. The answer is "
        "always the same. Registering sends such a link by itself.",
        request=shapes.AddressSerializer,
        responses=_ASKED,
        examples=[_EMAIL],
    )
    def post(self, request: Request) -> Response:
        send_link(validated(shapes.AddressSerializer(data=request.data))["email"], LinkPurpose.VERIFY)
        return Response(status=202)


class VerifyView(_LinkView):
    @extend_schema(
        operation_id="verifyAddress",
        tags=_TAGS,
        summary="Verify the address with a link",
        description="`token` is the last part of the link's address.",
        request=shapes.LinkSerializer,
        responses={204: OpenApiResponse(description="The address is verified."), 400: _INVALID},
        examples=[OpenApiExample("request", value={"token": _TOKEN}, request_only=True)],
    )
    def post(self, request: Request) -> Response:
        verify_address(validated(shapes.LinkSerializer(data=request.data))["token"])
        return Response(status=204)
