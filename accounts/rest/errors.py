"""Every error of REST has one shape, a problem of RFC 9457 with ``{code, message, details?}`` beside it, made here.

REST framework calls ``handle`` with any exception of a view; Django calls the handlers named in the root URLconf with
errors that never reach one. Packages above raise REST framework's own exceptions, with a ``code``, or Django's
``ValidationError``. ``details`` is ``{field: [sentence]}``: the names of nested fields are joined by dots, and ``_`` is
the request as a whole.
"""

import logging
import math
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from uuid import uuid4

from django.core.exceptions import (
    NON_FIELD_ERRORS,
    BadRequest,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
)
from django.core.exceptions import ValidationError as ModelValidationError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.multipartparser import MultiPartParserError
from django.shortcuts import render
from django.views import defaults
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import set_rollback

from accounts.database import DATABASE_ERRORS, RETRY_AFTER_S, UNREACHABLE, cause_of
from accounts.errors import (
    KEY_ERRORS,
    AccountError,
    AccountGone,
    AddressTaken,
    AddressUnverified,
    ExpiredCredentials,
    IdempotencyKeyInUse,
    IdempotencyKeyReused,
    InvalidCredentials,
    LastFactor,
    LastSignIn,
    LinkInvalid,
    LoginFailed,
    MailUnavailable,
    NoFactor,
    PasskeyNeeded,
    PasskeyRefused,
    PasskeysUnavailable,
    PasskeyUnfit,
    TooManyAttempts,
    TooManyFactors,
    TooManyPasskeys,
    TooManyTokens,
    UnknownFactor,
    UnknownPasskey,
    UnknownSession,
    UnknownToken,
    WrongCode,
    WrongPasskey,
    WrongPassword,
)
from accounts.rest.problems import MEDIA_TYPE, described

logger = logging.getLogger(__name__)

Details = Mapping[str, list[str]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """An answer to a client: an HTTP status, a code for programs, a sentence for people."""

    status: int
    code: str
    message: str
    details: Details | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def body(self) -> dict[str, object]:
        body = described(self.status, self.code, self.message)
        if self.details is not None:
            body["details"] = self.details
        return body

    @property
    def all_headers(self) -> dict[str, str]:
        # RFC 9110, 15.5.2: an answer 401 names the scheme to use.
        challenge = {"WWW-Authenticate": 'Bearer realm="adiuva"'} if self.status == 401 else {}
        return {**challenge, **self.headers}


class DetailedError(exceptions.APIException):
    """An error with a sentence of its own and ``details``. ``retry_after_s``: after how many seconds to try again.

    ``did_something`` is whether anything was done before, or may have been.
    """

    def __init__(
        self,
        message: str,
        code: str,
        *,
        details: Details | None = None,
        retry_after_s: float | None = None,
        did_something: bool = False,
    ) -> None:
        super().__init__(message, code)
        self.details = details
        self.retry_after_s = retry_after_s
        self.did_something = did_something


class RequestTooLarge(exceptions.APIException):
    status_code = 413
    default_detail = "The body of the request is too large."
    default_code = "too_large"


class DatabaseUnavailable(DetailedError):
    status_code = 503

    def __init__(self) -> None:
        super().__init__(UNREACHABLE, "not_available", retry_after_s=RETRY_AFTER_S)


class KeyUnavailable(exceptions.APIException):
    status_code = 503
    default_code = "key_unavailable"
    default_detail = "The server cannot open the key of this account, so nothing can be read or written."


_ACCOUNT_ERRORS: Mapping[type[AccountError], tuple[int, str]] = {
    LoginFailed: (401, "login_failed"),
    PasskeyRefused: (401, "login_failed"),
    InvalidCredentials: (401, "unauthorized"),
    # It was erased while the request ran.
    AccountGone: (401, "unauthorized"),
    ExpiredCredentials: (401, "token_expired"),
    WrongPassword: (403, "wrong_password"),
    AddressTaken: (400, "address_taken"),
    AddressUnverified: (403, "address_unverified"),
    LinkInvalid: (400, "link_invalid"),
    MailUnavailable: (409, "mail_unavailable"),
    UnknownSession: (404, "not_found"),
    WrongPasskey: (403, "wrong_passkey"),
    PasskeyNeeded: (403, "passkey_needed"),
    WrongCode: (403, "wrong_code"),
    UnknownFactor: (404, "not_found"),
    TooManyFactors: (409, "too_many_apps"),
    LastFactor: (409, "last_factor"),
    NoFactor: (409, "no_factor"),
    PasskeyUnfit: (400, "passkey_unfit"),
    PasskeysUnavailable: (503, "passkeys_unavailable"),
    TooManyPasskeys: (409, "too_many_passkeys"),
    LastSignIn: (409, "last_sign_in"),
    UnknownPasskey: (404, "not_found"),
    TooManyTokens: (409, "too_many_tokens"),
    UnknownToken: (404, "not_found"),
    IdempotencyKeyInUse: (409, "idempotency_key_in_use"),
    IdempotencyKeyReused: (422, "idempotency_key_reused"),
}
_DJANGO_ERRORS: tuple[tuple[type[Exception], type[exceptions.APIException]], ...] = (
    (Http404, exceptions.NotFound),
    (PermissionDenied, exceptions.PermissionDenied),
    (RequestDataTooBig, RequestTooLarge),  # before SuspiciousOperation, which it is one of
    (SuspiciousOperation, exceptions.ParseError),
    (BadRequest, exceptions.ParseError),
    (MultiPartParserError, exceptions.ParseError),
)
# Where REST framework's names differ from those of the socket protocol.
_RENAMED = {
    "authentication_failed": "unauthorized",
    "not_authenticated": "unauthorized",
    "permission_denied": "forbidden",
    "parse_error": "malformed",
    "throttled": "rate_limited",
    "error": "internal_error",
}


def handle(error: Exception, _context: Mapping[str, object]) -> Response:
    """REST framework's ``EXCEPTION_HANDLER``."""
    set_rollback()
    problem = problem_of(error)
    return Response(problem.body, status=problem.status, headers=problem.all_headers, content_type=MEDIA_TYPE)


def problem_of(error: Exception) -> Problem:
    """The answer for this error; for an unexpected one it holds only the number under which it is logged."""
    if isinstance(error, AccountError) and type(error) in _ACCOUNT_ERRORS:
        status, code = _ACCOUNT_ERRORS[type(error)]
        return Problem(status=status, code=code, message=str(error))
    if isinstance(error, TooManyAttempts):
        return _of_rest_framework(exceptions.Throttled(error.wait_s))
    if isinstance(error, KEY_ERRORS):
        logger.warning("the key of an account cannot be opened: %s", error)
        return _of_rest_framework(KeyUnavailable())
    if isinstance(error, DATABASE_ERRORS):
        logger.warning("the database cannot be used: %s", cause_of(error))
        return _of_rest_framework(DatabaseUnavailable())
    if isinstance(error, ModelValidationError):
        return _invalid(error.message_dict if hasattr(error, "error_dict") else error.messages)
    if isinstance(error, exceptions.APIException):
        return _of_rest_framework(error)
    for kind, translated in _DJANGO_ERRORS:
        if isinstance(error, kind):
            return _of_rest_framework(translated())
    error_id = uuid4().hex[:12]
    logger.error("Error %s in a REST request", error_id, exc_info=error)
    message = f"Something went wrong on the server. When you report it, name the number {error_id}."
    return Problem(status=500, code="internal_error", message=message)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """``handler400``: JSON below ``/api/``, a page elsewhere. The three others do the same."""
    return _answer(exception) if _is_rest(request) else defaults.bad_request(request, exception)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """``handler403``."""
    return _answer(PermissionDenied()) if _is_rest(request) else defaults.permission_denied(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """``handler404``."""
    return _answer(Http404()) if _is_rest(request) else defaults.page_not_found(request, exception)


def unreachable(request: HttpRequest) -> HttpResponse:
    """The page that says that the database cannot be reached."""
    page = render(request, "503_database.html", status=503)
    page["Retry-After"] = str(RETRY_AFTER_S)
    return page


def server_error(request: HttpRequest) -> HttpResponse:
    """``handler500``, which Django calls while it handles the error."""
    error = sys.exc_info()[1]
    if _is_rest(request) and isinstance(error, Exception):
        return _answer(error)
    return unreachable(request) if isinstance(error, DATABASE_ERRORS) else defaults.server_error(request)


def _is_rest(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")


def _answer(error: Exception) -> JsonResponse:
    problem = problem_of(error)
    return JsonResponse(problem.body, status=problem.status, headers=problem.all_headers, content_type=MEDIA_TYPE)


def _of_rest_framework(error: exceptions.APIException) -> Problem:
    if isinstance(error, exceptions.ValidationError):
        return _invalid(error.detail)
    code, message, details, wait_s = error.default_code, f"{HTTPStatus(error.status_code).phrase}.", None, None
    if isinstance(error.detail, exceptions.ErrorDetail):
        code, message = error.detail.code or code, str(error.detail)
    else:
        details = _by_field(error.detail)
    if isinstance(error, DetailedError):
        details, wait_s = error.details, error.retry_after_s
    elif isinstance(error, exceptions.Throttled):
        wait_s = getattr(error, "wait", None)  # an attribute that REST framework's stubs do not know
    return Problem(
        status=error.status_code,
        code=_RENAMED.get(code, code),
        message=message,
        details=details,
        headers={} if wait_s is None else {"Retry-After": str(math.ceil(wait_s))},
    )


def _invalid(detail: object) -> Problem:
    return Problem(status=400, code="invalid", message="The request is not valid.", details=_by_field(detail))


def _by_field(detail: object) -> Details:
    fields: dict[str, list[str]] = {}
    for path, sentence in _sentences(detail, ()):
        fields.setdefault(".".join(path) or "_", []).append(sentence)
    return fields


def _sentences(detail: object, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            names_no_field = name in (NON_FIELD_ERRORS, api_settings.NON_FIELD_ERRORS_KEY)
            yield from _sentences(inner, path if names_no_field else (*path, str(name)))
    elif isinstance(detail, Iterable) and not isinstance(detail, str):
        for position, inner in enumerate(detail):
            yield from _sentences(inner, path if isinstance(inner, str) else (*path, str(position)))
    else:
        yield path, str(detail)
