"""The shapes of passkeys: WebAuthn's own JSON, whose names are in camel case, and what is told of a passkey."""

from typing import Any, Final, TypeAlias, cast

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers
from rest_framework.request import Request

from accounts.auth.passkeys import MAX_NAME_CHARS
from accounts.auth.passwords import MAX_PASSWORD_CHARS, Confirmation
from accounts.auth.second_factor import MAX_CODE_CHARS
from accounts.credential_models import Passkey
from accounts.errors import WrongPassword
from accounts.networks import ip_of
from accounts.rest.lists import PageSerializer
from accounts.rest.openapi import account_error
from accounts.rest.requests import validated
from accounts.rest.serializers import NewTokenSerializer

_Shape: TypeAlias = serializers.Serializer[Any]

_MAX_ID_CHARS: Final = 1_400
"""1,023 bytes as base64url."""
_MAX_PART_CHARS: Final = 16_384
_MAX_TRANSPORTS: Final = 20
CODE: Final = "A code of an authenticator app, or a recovery code."
NOT_CONFIRMED: Final = account_error(
    WrongPassword,
    "The password (`wrong_password`), the passkey (`wrong_passkey`) or the code (`wrong_code`) is wrong, or a second "
    "factor is needed beside the password (`passkey_needed`).",
)


class _WebAuthnSerializer(_Shape):
    """What a browser made: it may have more members than the server reads."""

    may_have_more = True


class AssertionResponseSerializer(_WebAuthnSerializer):
    """`AuthenticatorAssertionResponseJSON`"""

    clientDataJSON = serializers.CharField(max_length=_MAX_PART_CHARS)  # noqa: N815 - WebAuthn's names
    authenticatorData = serializers.CharField(max_length=_MAX_PART_CHARS)  # noqa: N815
    signature = serializers.CharField(max_length=_MAX_PART_CHARS)
    userHandle = serializers.CharField(max_length=_MAX_ID_CHARS, required=False, allow_null=True)  # noqa: N815


class AttestationResponseSerializer(_WebAuthnSerializer):
    """`AuthenticatorAttestationResponseJSON`"""

    clientDataJSON = serializers.CharField(max_length=_MAX_PART_CHARS)  # noqa: N815
    attestationObject = serializers.CharField(max_length=_MAX_PART_CHARS)  # noqa: N815
    transports = serializers.ListField(
        child=serializers.CharField(max_length=100), max_length=_MAX_TRANSPORTS, required=False
    )


class _CredentialSerializer(_WebAuthnSerializer):
    id = serializers.CharField(max_length=_MAX_ID_CHARS)
    rawId = serializers.CharField(max_length=_MAX_ID_CHARS)  # noqa: N815
    type = serializers.CharField(max_length=100, help_text="`public-key`")


class AssertionSerializer(_CredentialSerializer):
    """`AuthenticationResponseJSON`: what `navigator.credentials.get` has answered. Other members are ignored."""

    response = AssertionResponseSerializer()


class AttestationSerializer(_CredentialSerializer):
    """`RegistrationResponseJSON`: what `navigator.credentials.create` has answered. Other members are ignored."""

    response = AttestationResponseSerializer()


class SignInSerializer(_Shape):
    """The answer of a passkey."""

    credential = AssertionSerializer()


class ConfirmationSerializer(_Shape):
    """The password of the signed-in user, or one of their passkeys, asked for again.

    Users with a second factor give a passkey, or a `code` beside the password.
    """

    # For the OpenAPI document; ``validate`` checks it.
    either = ("password", "passkey")

    password = serializers.CharField(max_length=MAX_PASSWORD_CHARS, trim_whitespace=False, required=False)
    passkey = AssertionSerializer(required=False, help_text="The answer to the options for confirming.")
    code = serializers.CharField(max_length=MAX_CODE_CHARS, required=False, help_text=CODE)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "password" in attrs and "passkey" in attrs:
            raise serializers.ValidationError("Give either the password or a passkey.")
        if "password" not in attrs and "passkey" not in attrs:
            raise serializers.ValidationError({"password": ["This field is required."]})
        return attrs


def confirmation_in(request: Request) -> Confirmation:
    """Raises as ``validated``."""
    given = validated(ConfirmationSerializer(data=request.data))
    return cast("Confirmation", given | {"ip": ip_of(request)})


class NewPasswordSerializer(ConfirmationSerializer):
    """A new password, with the present one or a passkey."""

    new_password = serializers.CharField(max_length=MAX_PASSWORD_CHARS, trim_whitespace=False)


class ConfirmedTokenSerializer(NewTokenSerializer):
    """A new personal token. Users with a second factor confirm it with a passkey, or with password and code."""

    password = serializers.CharField(max_length=MAX_PASSWORD_CHARS, trim_whitespace=False, required=False)
    passkey = AssertionSerializer(required=False, help_text="The answer to the options for confirming.")
    code = serializers.CharField(max_length=MAX_CODE_CHARS, required=False, help_text=CODE)


class NewPasskeySerializer(_Shape):
    """A new passkey."""

    name = serializers.CharField(max_length=MAX_NAME_CHARS, help_text="What the user calls it, such as a device.")
    credential = AttestationSerializer()


class PasskeyNameSerializer(_Shape):
    """Another name of a passkey."""

    name = serializers.CharField(max_length=MAX_NAME_CHARS)


class PasskeySerializer(serializers.Serializer[Passkey]):
    """One of the user's passkeys."""

    id = serializers.UUIDField()
    name = serializers.CharField(allow_null=True, help_text="Null if it can no longer be decrypted.")
    transports = serializers.SerializerMethodField(help_text="How browsers reach it: `internal`, `usb`, `hybrid`, …")
    backed_up = serializers.BooleanField(help_text="Whether its owner's other devices have it, too.")
    created_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField(allow_null=True)

    def get_transports(self, passkey: Passkey) -> list[str]:
        return passkey.transports.split()


class PasskeysSerializer(PageSerializer):
    """All passkeys of a user."""

    results = PasskeySerializer(many=True)


class _DescriptorSerializer(_Shape):
    id = serializers.CharField()
    type = serializers.CharField()
    transports = serializers.ListField(child=serializers.CharField(), required=False)


class _RelyingPartySerializer(_Shape):
    id = serializers.CharField()
    name = serializers.CharField()


class _EntitySerializer(_Shape):
    id = serializers.CharField()
    name = serializers.CharField()
    displayName = serializers.CharField()  # noqa: N815


class _AlgorithmSerializer(_Shape):
    type = serializers.CharField()
    alg = serializers.IntegerField()


class _SelectionSerializer(_Shape):
    residentKey = serializers.CharField()  # noqa: N815
    requireResidentKey = serializers.BooleanField()  # noqa: N815
    userVerification = serializers.CharField()  # noqa: N815


@extend_schema_serializer(component_name="PasskeyCreationOptions")
class CreationOptionsSerializer(_Shape):
    """`PublicKeyCredentialCreationOptionsJSON`, for `navigator.credentials.create`. Bytes are base64url."""

    rp = _RelyingPartySerializer()
    user = _EntitySerializer()
    challenge = serializers.CharField()
    pubKeyCredParams = _AlgorithmSerializer(many=True)  # noqa: N815
    timeout = serializers.IntegerField(help_text="ms")
    excludeCredentials = _DescriptorSerializer(many=True)  # noqa: N815
    authenticatorSelection = _SelectionSerializer()  # noqa: N815
    attestation = serializers.CharField()


@extend_schema_serializer(component_name="PasskeyRequestOptions")
class RequestOptionsSerializer(_Shape):
    """`PublicKeyCredentialRequestOptionsJSON`, for `navigator.credentials.get`. Bytes are base64url."""

    challenge = serializers.CharField()
    timeout = serializers.IntegerField(help_text="ms")
    rpId = serializers.CharField()  # noqa: N815
    allowCredentials = _DescriptorSerializer(many=True)  # noqa: N815
    userVerification = serializers.CharField()  # noqa: N815
