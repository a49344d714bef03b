"""Our errors for the failures that a model's server reports. Pure.

The server's own words are never repeated: they may quote the user's text, or the key. Its status and code are for the
log (``facts_of``) and not for the user, who can do nothing with them.
"""

import re
from http import HTTPStatus
from typing import Final

from agents.errors import ModelBroken, ModelError, ModelIncapable, ModelRefused, ModelUnavailable

_CODE: Final = re.compile(r"[A-Za-z][\w.-]{0,63}")

_REFUSED: Final = frozenset({"content_filter", "content_policy_violation", "responsibleaipolicyviolation"})
_TOO_LONG: Final = frozenset({"context_length_exceeded", "string_above_max_length", "exceed_context_size_error"})
_NO_CREDIT: Final = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
_BAD_KEY: Final = frozenset({"invalid_api_key", "authentication_error", "permission_error"})
_PASSING: Final = frozenset(
    {"rate_limit_exceeded", "rate_limit_error", "server_error", "internal_server_error", "overloaded_error",
     "engine_overloaded", "service_unavailable", "timeout"}
)  # fmt: skip

_PASSING_STATUSES: Final = frozenset({408, 409, 425, 429})
_NOT_TAKEN: Final = frozenset({"unsupported_parameter", "unsupported_value"})
_PARAMETERS: Final = {"temperature": "temperature", "max_completion_tokens": "max_tokens", "max_tokens": "max_tokens"}
"""Our parameters by their wire names."""


def model_failure(*, status: int | None = None, code: object = None, kind: object = None) -> ModelError:
    """The error for an HTTP ``status`` (None inside a stream), and the ``code`` and ``type`` of an error object.

    The code decides where it is known, else the status. Without either the answer is broken.
    """
    if status is None and re.fullmatch(r"[45]\d\d", str(code)):
        # Some servers give the status as the code.
        status = int(str(code))
    names = frozenset(value.casefold() for value in (code, kind) if isinstance(value, str))
    if names & _REFUSED:
        return ModelRefused()
    if names & _TOO_LONG or status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return ModelError("The conversation is too long for the model.")
    if names & _NO_CREDIT:
        return ModelError("The account at the model's provider has no credit left: staff must see to it.")
    if names & _BAD_KEY or status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        return ModelError("The model's server refused the key: staff must check OPENAI_API_KEY.")
    if status == HTTPStatus.NOT_FOUND:
        return ModelError(
            "The model's server does not know the model or the address: "
            "staff must check OPENAI_BASE_URL and the names of the models."
        )
    passes = status is not None and (status in _PASSING_STATUSES or status >= HTTPStatus.INTERNAL_SERVER_ERROR)
    if names & _PASSING or passes:
        return ModelUnavailable("The model cannot answer right now.")
    if status is None:
        return ModelBroken("The model's server broke off with an error.")
    return ModelError("The model's server did not accept the request.")


def incapability(model: str, *, code: object, parameter: object) -> ModelIncapable | None:
    """The error for one of our parameters that ``model`` does not take, if ``code`` says so."""
    ours = _PARAMETERS.get(parameter) if isinstance(parameter, str) else None
    return ModelIncapable(model, ours) if code in _NOT_TAKEN and ours is not None else None


def facts_of(*, status: int | None = None, code: object = None, kind: object = None) -> str:
    """The same for the log: the status, and what is an identifier or a number among ``code`` and ``kind``."""
    named = [value for value in (code, kind) if isinstance(value, str) and _CODE.fullmatch(value)]
    numbers = [value for value in (status, code, kind) if isinstance(value, int)]
    return ", ".join(map(str, [*numbers, *named])) or "no code"
