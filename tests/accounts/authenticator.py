"""A software authenticator and its browser. It sends what a user's passkey sends (WebAuthn level 3, section 5)."""

import hashlib
import json
import secrets
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

ORIGIN: Final = "https://localhost"
_PRESENT, _VERIFIED, _BACKUP_ELIGIBLE, _BACKED_UP, _ATTESTED = 0x01, 0x04, 0x08, 0x10, 0x40
_AAGUID: Final = bytes(16)

Json = dict[str, Any]


@dataclass(kw_only=True)
class Authenticator:
    """Holds one passkey. A test sets fields to make the next answer invalid.

    ``counts``: whether it counts signatures. Security keys do, synchronized passkeys do not.
    """

    origin: str = ORIGIN
    rp_id: str | None = None
    """Overrides the id in the options."""
    verifies: bool = True
    counts: bool = True
    backup_eligible: bool = False
    backed_up: bool = False
    attestation: str = "none"
    cross_origin: bool = False
    transports: tuple[str, ...] = ("internal", "hybrid")
    sign_count: int = 0
    user_handle: bytes | None = None
    id: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    def create(self, options: Mapping[str, Any]) -> Json:
        """``navigator.credentials.create``: a ``RegistrationResponseJSON``."""
        self.user_handle = decoded(options["user"]["id"])
        client = self._client_data("webauthn.create", options)
        data = self._data(self.rp_id or options["rp"]["id"], attested=True)
        statement: Json = {}
        if self.attestation == "packed":  # by the credential's own key
            statement = {"alg": -7, "sig": self._signature(data, client)}
        made = {"fmt": self.attestation, "attStmt": statement, "authData": data}
        response = {"attestationObject": encoded(cbor2.dumps(made)), "transports": list(self.transports)}
        return self._credential(client, response)

    def get(self, options: Mapping[str, Any]) -> Json:
        """``navigator.credentials.get``: an ``AuthenticationResponseJSON``."""
        client = self._client_data("webauthn.get", options)
        data = self._data(self.rp_id or options["rpId"])
        response = {"authenticatorData": encoded(data), "signature": encoded(self._signature(data, client))}
        if self.user_handle is not None:
            response["userHandle"] = encoded(self.user_handle)
        return self._credential(client, response)

    def _credential(self, client: bytes, response: Mapping[str, Any]) -> Json:
        return {
            "id": encoded(self.id),
            "rawId": encoded(self.id),
            "type": "public-key",
            "authenticatorAttachment": "platform",
            "clientExtensionResults": {},
            "response": {"clientDataJSON": encoded(client), **response},
        }

    def _client_data(self, kind: str, options: Mapping[str, Any]) -> bytes:
        said = {"type": kind, "challenge": options["challenge"], "origin": self.origin}
        return json.dumps({**said, "crossOrigin": self.cross_origin}).encode()

    def _data(self, rp_id: str, *, attested: bool = False) -> bytes:
        self.sign_count += self.counts
        flags = _PRESENT | _VERIFIED * self.verifies | _ATTESTED * attested
        flags |= _BACKUP_ELIGIBLE * self.backup_eligible | _BACKED_UP * self.backed_up
        head = hashlib.sha256(rp_id.encode()).digest() + struct.pack(">BI", flags, self.sign_count)
        return head + self._attested() if attested else head

    def _attested(self) -> bytes:
        point = self.key.public_key().public_numbers()
        x, y = point.x.to_bytes(32, "big"), point.y.to_bytes(32, "big")
        public_key = cbor2.dumps({1: 2, 3: -7, -1: 1, -2: x, -3: y})
        return _AAGUID + struct.pack(">H", len(self.id)) + self.id + public_key

    def _signature(self, data: bytes, client: bytes) -> bytes:
        return self.key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))


def encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    return urlsafe_b64decode(f"{text}===")
