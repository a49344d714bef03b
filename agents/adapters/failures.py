"""Our errors for the failures that a model's server reports. Pure.

The server's own messages are never repeated, because they may quote the user's text, or the key. Its status and code
are logged (``facts_of``), but not shown to the user, who has no use for them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from agents.errors import ModelBroken, ModelError, ModelIncapable, ModelRefused, ModelUnavailable

_CODE: Final = re.compile(r"[A-Za-z][\w.-]{0,63}")

_REFUSED: Final = frozenset({"content_filter", "content_policy_violation", "responsibleaipolicyviolation"})
_TOO_LONG: Final = frozenset(
    {"context_length_exceeded", "string_above_max_length", "exceed_context_size_error", "request_too_large"}
)
_NO_CREDIT: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_error"})
_BAD_KEY: Final = frozenset({"invalid_api_key", "authentication_error", "permission_error"})
_PASSING: Final = frozenset(
    {"rate_limit_exceeded", "rate_limit_error", "server_error", "internal_server_error", "overloaded_error",
     "engine_overloaded", "service_unavailable", "timeout", "timeout_error", "api_error", "unavailable_error",
     "resource_exhausted", "unavailable"}
)  # fmt: skip

_PASSING_STATUSES: Final = frozenset({408, 409, 425, 429})
_UNSUPPORTED: Final = frozenset({"unsupported_parameter", "unsupported_value"})
_PARAMETERS: Final = {
    "temperature": "temperature",
    "max_completion_tokens": "max_tokens",
    "max_output_tokens": "max_tokens",
    "max_tokens": "max_tokens",
}
"""Our parameters by their wire names."""

_ABOUT_LENGTH: Final = re.compile(r"context (?:length|window|size)|prompt (?:is )?too (?:long|large)", re.IGNORECASE)
_ABOUT_SUPPORT: Final = re.compile(r"\Aunsupported (?:parameter|value)", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportedError:
    """The content of an error object. ``status`` is the HTTP status; None for an error within a stream.

    ``message`` is only searched for what the error is about, for servers that have no code for it.
    """

    status: int | None = None
    code: object = None
    kind: object = None
    parameter: object = None
    message: str = ""


def reported(body: object, *, status: int | None = None) -> ReportedError:
    """The error in the body of a response or in an event, in OpenAI's form or in that of another server.

    Gemini wraps it in a list, and calls the kind ``status``. Anthropic's code is in ``details``. Other servers have no
    ``error`` around it.
    """
    found = body[0] if isinstance(body, list) and body else body
    outer: Mapping[str, object] = found if isinstance(found, dict) else {}
    inner = outer.get("error") or outer
    error: Mapping[str, object] = inner if isinstance(inner, dict) else {}
    details = error.get("details")
    code = error.get("code") or (details.get("error_code") if isinstance(details, dict) else None)
    message = error.get("message")
    return ReportedError(
        status=status,
        code=code,
        kind=error.get("status") or error.get("type"),
        parameter=error.get("param"),
        message=message if isinstance(message, str) else "",
    )


def model_failure(error: ReportedError) -> ModelError:
    """The error for what a server reported.

    A known code decides, or else the status. Without either, the answer is broken.
    """
    status = error.status
    if status is None and re.fullmatch(r"[45]\d\d", str(error.code)):
        # Some servers give the status as the code.
        status = int(str(error.code))
    names = frozenset(value.casefold() for value in (error.code, error.kind) if isinstance(value, str))
    if names & _REFUSED:
        return ModelRefused()
    too_long = names & _TOO_LONG or status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    if too_long or (status == HTTPStatus.BAD_REQUEST and _ABOUT_LENGTH.search(error.message)):
        return ModelError("The conversation is too long for the model.")
    if names & _NO_CREDIT or status == HTTPStatus.PAYMENT_REQUIRED:
        return ModelError("The account at the model's provider has no credit left: staff must add some.")
    if names & _BAD_KEY or status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return ModelError("The model's server refused the key: staff must check it.")
    if status == HTTPStatus.NOT_FOUND:
        return ModelError(
            "The model's server does not know the model or the address: "
            "staff must check its address and the names of the models."
        )
    passes = status is not None and (status in _PASSING_STATUSES or status >= HTTPStatus.INTERNAL_SERVER_ERROR)
    if names & _PASSING or passes:
        return ModelUnavailable("The model cannot answer right now.")
    if status is None:
        return ModelBroken("The model's server broke off with an error.")
    return ModelError("The model's server did not accept the request.")


def incapability(model: str, error: ReportedError) -> ModelIncapable | None:
    """The error for a parameter that ``model`` does not accept; None if ``error`` says something else."""
    ours = _PARAMETERS.get(error.parameter) if isinstance(error.parameter, str) else None
    is_unsupported = error.code in _UNSUPPORTED or _ABOUT_SUPPORT.match(error.message)
    return ModelIncapable(model, ours) if is_unsupported and ours is not None else None


def facts_of(*, status: int | None = None, code: object = None, kind: object = None) -> str:
    """An error for the log: the status, and ``code`` and ``kind`` if they are identifiers or numbers."""
    named = [value for value in (code, kind) if isinstance(value, str) and _CODE.fullmatch(value)]
    numbers = [value for value in (status, code, kind) if isinstance(value, int)]
    return ", ".join(map(str, [*numbers, *named])) or "no code"
