"""The kinds of problems that REST answers with (RFC 9457), by their ``code``: what each is called, and what it means.

The page at ``PAGE`` shows them all, so that the ``type`` of a problem is an address that explains it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

PAGE: Final = "/api/v1/docs/errors"
MEDIA_TYPE: Final = "application/problem+json"


@dataclass(frozen=True, kw_only=True, slots=True)
class ProblemKind:
    """A kind of problem. ``title`` is the same each time; ``meaning`` says to a developer what to do about it."""

    title: str
    meaning: str


def _kind(title: str, meaning: str) -> ProblemKind:
    return ProblemKind(title=title, meaning=meaning)


KINDS: Final[Mapping[str, ProblemKind]] = {
    "address_taken": _kind("Address taken", "The address has an account already: sign in instead."),
    "address_unverified": _kind("Address not verified", "The link that was sent to the address must be opened first."),
    "busy": _kind("Busy", "Too much runs at the moment. Repeat the request after Retry-After seconds, if it is said."),
    "cancelled": _kind("Cancelled", "The request was cancelled before its end, by a device or as the server stopped."),
    "changed_meanwhile": _kind("Changed meanwhile", "What is stored is not what If-Match names: read it again."),
    "device_not_connected": _kind("Device not connected", "No device that holds the user's data is connected."),
    "forbidden": _kind("Forbidden", "The user may not do this."),
    "https_required": _kind("HTTPS required", "The request came unencrypted. What it carried is no longer a secret."),
    "idempotency_key_in_use": _kind(
        "Idempotency key in use", "The first request with this key is still running, or was cut off. Repeat it later."
    ),
    "idempotency_key_reused": _kind(
        "Idempotency key reused", "The key belongs to a request with another body: use a new key for each request."
    ),
    "internal_error": _kind("Internal error", "A mistake of the server. The message has the number of its log entry."),
    "invalid": _kind("Invalid request", "Fields are missing, wrong or unknown: `details` has them by name."),
    "key_unavailable": _kind("Key unavailable", "The server cannot open the account's key. Its operator must look."),
    "last_factor": _kind("Last second factor", "Staff must have a second factor, so the only one stays."),
    "last_sign_in": _kind("Last way to sign in", "The passkey is the only way to sign in, so it stays."),
    "link_invalid": _kind("Link invalid", "The link has expired or was used: ask for a new one."),
    "login_failed": _kind("Sign-in failed", "The address, the password or the passkey is wrong."),
    "mail_unavailable": _kind("No e-mail", "The server sends no e-mail."),
    "malformed": _kind("Malformed request", "The body is not JSON, or the request cannot be read."),
    "method_not_allowed": _kind("Method not allowed", "The address has other methods: see the header Allow."),
    "model_error": _kind("Model error", "The model's answer broke off or could not be read."),
    "model_refused": _kind("Model refused", "The model would not answer."),
    "model_unavailable": _kind("Model unavailable", "The model cannot be reached. Repeat the request later."),
    "no_factor": _kind("No second factor", "There is no second factor: add one first."),
    "not_acceptable": _kind("Not acceptable", "The address has no format that the header Accept names."),
    "not_available": _kind("Not available", "The server lacks something for now. Repeat it after Retry-After seconds."),
    "not_found": _kind("Not found", "There is no such thing, or it is another user's."),
    "passkey_needed": _kind("Passkey needed", "This must be confirmed with a second factor."),
    "passkey_unfit": _kind("Passkey unfit", "The new passkey's answer is not valid, came too late, or is known."),
    "passkeys_unavailable": _kind("No passkeys", "The server has no host name, and without one there are no passkeys."),
    "quota_exceeded": _kind("Quota exceeded", "What a user may use in a day is used up until `details.renews_at`."),
    "rate_limited": _kind("Rate limited", "Too many requests. Repeat it after Retry-After seconds."),
    "settled": _kind("Settled", "It has ended or was answered already, and cannot be changed any more."),
    "shutting_down": _kind("Shutting down", "The server is restarting. Repeat the request in a moment."),
    "token_expired": _kind("Token expired", "The access token's time is over: get a new one with the refresh token."),
    "too_large": _kind("Too large", "The body has more bytes or more values than a request may have."),
    "too_many_apps": _kind("Too many apps", "There are as many authenticator apps as there may be."),
    "too_many_passkeys": _kind("Too many passkeys", "There are as many passkeys as there may be."),
    "too_many_tokens": _kind("Too many tokens", "There are as many personal tokens as there may be."),
    "unauthorized": _kind("Unauthorized", "There is no valid token: sign in again."),
    "unreadable": _kind("Unreadable", "What is stored cannot be decrypted. It can be deleted or replaced."),
    "unsupported_media_type": _kind("Unsupported media type", "The address takes bodies of another Content-Type."),
    "withheld": _kind("Withheld", "The user never shares this with a model."),
    "wrong_code": _kind("Wrong code", "The code is wrong or was used."),
    "wrong_passkey": _kind("Wrong passkey", "The passkey is not accepted."),
    "wrong_password": _kind("Wrong password", "The password is wrong."),
}


def type_of(code: str) -> str:
    """Where the kind is explained, relative to the server's address."""
    return f"{PAGE}#{code}"


def described(status: int, code: str, message: str) -> dict[str, object]:
    """A problem's members of RFC 9457, and beside them those of our own, ``code`` and ``message``."""
    title = KINDS[code].title if code in KINDS else code.replace("_", " ").capitalize()
    standard = {"type": type_of(code), "title": title, "status": status, "detail": message}
    return {**standard, "code": code, "message": message}
