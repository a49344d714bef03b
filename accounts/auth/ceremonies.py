"""WebAuthn's two ceremonies: what a browser is asked, and whether its answer is right.

https://www.w3.org/TR/webauthn-3/. Shapes are WebAuthn's own JSON, with bytes as base64url. The library checks
signatures; which pages may ask is decided here. No database is used.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

import webauthn
from django.conf import settings
from django.http.request import validate_host
from webauthn.helpers import (
    base64url_to_bytes,
    options_to_json_dict,
    parse_authentication_credential_json,
    parse_client_data_json,
)
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    AuthenticatorTransport,
    CredentialDeviceType,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from accounts.auth.challenges import LIFETIME
from accounts.credential_models import MAX_CREDENTIAL_ID_BYTES, Passkey
from accounts.errors import AccountError, PasskeyRefused, PasskeysUnavailable, PasskeyUnfit
from accounts.models import User

WebAuthnJson: TypeAlias = Mapping[str, Any]
"""An object of WebAuthn as browsers read and write it: ``…OptionsJSON``, ``RegistrationResponseJSON`` and so on."""

_RP_NAME: Final = "Adiuva"
_TIMEOUT_MS: Final = round(LIFETIME.total_seconds() * 1000)


@dataclass(frozen=True, kw_only=True, slots=True)
class NewCredential:
    """What an authenticator has made. ``transports`` are the ways to reach it."""

    id: bytes
    public_key: bytes
    sign_count: int
    transports: tuple[str, ...]
    backup_eligible: bool
    backed_up: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Assertion:
    """What an authenticator says of itself when it signs."""

    sign_count: int
    backup_eligible: bool
    backed_up: bool


def creation_options(user: User, challenge: bytes, *, known: Iterable[Passkey]) -> WebAuthnJson:
    """``PublicKeyCredentialCreationOptionsJSON``, for authenticators without any of the passkeys in ``known``."""
    options = webauthn.generate_registration_options(
        rp_id=_rp_id(),
        rp_name=_RP_NAME,
        user_id=user.id.bytes,
        user_name=user.email,
        challenge=challenge,
        timeout=_TIMEOUT_MS,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED, user_verification=UserVerificationRequirement.REQUIRED
        ),
        exclude_credentials=_descriptors(known),
    )
    return options_to_json_dict(options)


def request_options(challenge: bytes, *, known: Iterable[Passkey] = ()) -> WebAuthnJson:
    """``PublicKeyCredentialRequestOptionsJSON`` for one of the passkeys in ``known``; without them for any."""
    options = webauthn.generate_authentication_options(
        rp_id=_rp_id(),
        challenge=challenge,
        timeout=_TIMEOUT_MS,
        allow_credentials=_descriptors(known),
        user_verification=UserVerificationRequirement.REQUIRED,
    )
    return options_to_json_dict(options)


def challenge_in(answer: WebAuthnJson) -> bytes:
    """The challenge that this answers, not verified. Raises ``PasskeyRefused``."""
    with _refusing(PasskeyRefused):
        return parse_client_data_json(_client_data(answer)).challenge


def credential_in(answer: WebAuthnJson) -> tuple[bytes, bytes | None]:
    """The credential's id and its user handle, not verified. Raises ``PasskeyRefused``."""
    with _refusing(PasskeyRefused):
        credential = parse_authentication_credential_json(dict(answer))
        return credential.raw_id, credential.response.user_handle


def registered(answer: WebAuthnJson, challenge: bytes) -> NewCredential:
    """The credential in this ``RegistrationResponseJSON`` to ``challenge``. Raises ``PasskeyUnfit``."""
    with _refusing(PasskeyUnfit):
        verified = webauthn.verify_registration_response(
            credential=dict(answer),
            expected_challenge=challenge,
            expected_rp_id=_rp_id(),
            expected_origin=_own_origin(answer),
            require_user_verification=True,
        )
        told = set(answer["response"].get("transports") or ())
    if len(verified.credential_id) > MAX_CREDENTIAL_ID_BYTES:
        raise PasskeyUnfit
    return NewCredential(
        id=verified.credential_id,
        public_key=verified.credential_public_key,
        sign_count=verified.sign_count,
        transports=tuple(transport.value for transport in AuthenticatorTransport if transport.value in told),
        backup_eligible=verified.credential_device_type is CredentialDeviceType.MULTI_DEVICE,
        backed_up=verified.credential_backed_up,
    )


def asserted(answer: WebAuthnJson, challenge: bytes, *, public_key: bytes) -> Assertion:
    """What this ``AuthenticationResponseJSON`` to ``challenge`` says, signed by the owner of ``public_key``.

    Raises ``PasskeyRefused``. Whether the sign count has gone back is not looked at.
    """
    with _refusing(PasskeyRefused):
        verified = webauthn.verify_authentication_response(
            credential=dict(answer),
            expected_challenge=challenge,
            expected_rp_id=_rp_id(),
            expected_origin=_own_origin(answer),
            credential_public_key=public_key,
            # The library would compare it before the signature, and a forged count would look like a clone.
            credential_current_sign_count=0,
            require_user_verification=True,
        )
    return Assertion(
        sign_count=verified.new_sign_count,
        backup_eligible=verified.credential_device_type is CredentialDeviceType.MULTI_DEVICE,
        backed_up=verified.credential_backed_up,
    )


def _rp_id() -> str:
    """Raises ``PasskeysUnavailable``."""
    found: str = settings.WEBAUTHN_RP_ID
    if not found:
        raise PasskeysUnavailable
    return found


def _own_origin(answer: WebAuthnJson) -> str:
    """The origin of the page that asked. Raises ``ValueError`` unless it is ours and is in no other page's frame."""
    client = parse_client_data_json(_client_data(answer))
    if client.cross_origin or not _is_ours(client.origin):
        raise ValueError("another page")
    return client.origin


def _is_ours(origin: str) -> bool:
    """Whether pages of this origin may ask: of ours, or of those in ``ADIUVA_ALLOWED_ORIGINS``, below our name."""
    parts, rp_id = urlsplit(origin), _rp_id()
    host = parts.hostname or ""
    if host != rp_id and not host.endswith(f".{rp_id}"):
        return False
    if origin in settings.ALLOWED_ORIGINS:
        return True
    if origin == f"https://{host}":
        return validate_host(host, settings.ALLOWED_HOSTS)
    # The port of a development server varies.
    return bool(settings.DEBUG) and host == "localhost" and origin in {f"http://{host}", f"http://{host}:{parts.port}"}


def _client_data(answer: WebAuthnJson) -> bytes:
    return base64url_to_bytes(answer["response"]["clientDataJSON"])


def _descriptors(known: Iterable[Passkey]) -> list[PublicKeyCredentialDescriptor]:
    return [
        PublicKeyCredentialDescriptor(
            id=bytes(passkey.credential_id),
            transports=[AuthenticatorTransport(name) for name in passkey.transports.split()],
        )
        for passkey in known
    ]


@contextmanager
def _refusing(error: type[AccountError]) -> Iterator[None]:
    try:
        yield
    except PasskeysUnavailable:
        raise
    except Exception:  # noqa: BLE001 - the parsers of the library raise many kinds for odd bytes; nothing else runs here
        raise error from None
