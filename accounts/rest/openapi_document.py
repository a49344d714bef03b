"""What is the same all over the OpenAPI document: problems, headers, and bodies without defaults."""

from collections.abc import Iterable
from typing import Any, Final

from rest_framework.throttling import BaseThrottle

from accounts.rest.problems import MEDIA_TYPE, described
from accounts.rest.throttles import UserThrottle

_TEXT: Final = {"type": "string"}
_RATE_LIMIT: Final[dict[str, Any]] = {
    "RateLimit": {
        "description": "How many requests remain (`r`), and the seconds until there are more (`t`).",
        "schema": _TEXT,
        "example": '"rest";r=594;t=37',
    },
    "RateLimit-Policy": {
        "description": "How many requests (`q`) there may be in how many seconds (`w`).",
        "schema": _TEXT,
        "example": '"rest";q=600;w=60',
    },
}
_RETRY_AFTER: Final[dict[str, Any]] = {
    "Retry-After": {
        "description": "After how many seconds to try again, where that is known.",
        "schema": {"type": "integer", "minimum": 0},
        "example": 12,
    }
}
_CHALLENGE: Final[dict[str, Any]] = {
    "WWW-Authenticate": {"description": "The scheme to use.", "schema": _TEXT, "example": 'Bearer realm="adiuva"'}
}
_WAITING: Final = (429, 503)


def completed(response: dict[str, Any], status: int, throttles: Iterable[BaseThrottle]) -> dict[str, Any]:
    """The response of an operation with the headers that it may have, and as a problem if it is an error."""
    headers: dict[str, Any] = dict(response.get("headers", {}))
    if any(isinstance(each, UserThrottle) for each in throttles):
        headers |= _RATE_LIMIT
    if status in _WAITING:
        headers |= _RETRY_AFTER
    if status == 401:
        headers |= _CHALLENGE
    with_headers = {**response, "headers": headers} if headers else response
    return _as_problem(with_headers, status) if status >= 400 else with_headers


def _as_problem(response: dict[str, Any], status: int) -> dict[str, Any]:
    [content] = response["content"].values()
    finished = dict(content)
    if "example" in content:
        finished["example"] = _completed_example(content["example"], status)
    if "examples" in content:
        finished["examples"] = {
            name: {**example, "value": _completed_example(example["value"], status)}
            for name, example in content["examples"].items()
        }
    return {**response, "content": {MEDIA_TYPE: finished}}


def _completed_example(example: dict[str, Any], status: int) -> dict[str, Any]:
    return {**described(status, example["code"], example["message"]), **example}


def finish(result: dict[str, Any], **_: object) -> dict[str, Any]:
    """The last step, as drf-spectacular calls it: what a request's field is by default is said in words.

    Generators of clients take a field with a default for one that is always there, and require it in requests.
    """
    schemas = result["components"]["schemas"]
    for name in _in_requests(result, schemas):
        for field in schemas[name].get("properties", {}).values():
            default = field.pop("default", None)
            if default not in (None, "", []):
                said = f"By default {str(default).lower() if isinstance(default, bool) else default}."
                field["description"] = f"{field.get('description', '')} {said}".strip()
    return result


def _in_requests(document: dict[str, Any], schemas: dict[str, Any]) -> set[str]:
    """The names of the schemas that bodies of requests consist of."""
    operations = [each for path in document["paths"].values() for each in path.values() if isinstance(each, dict)]
    waiting = [*_references([operation.get("requestBody", {}) for operation in operations])]
    found: set[str] = set()
    while waiting:
        if (name := waiting.pop()) not in found:
            found.add(name)
            waiting += _references(schemas[name])
    return found


def _references(part: object) -> Iterable[str]:
    if isinstance(part, dict):
        if isinstance(reference := part.get("$ref"), str):
            yield reference.rsplit("/", 1)[1]
        for each in part.values():
            yield from _references(each)
    elif isinstance(part, list):
        for each in part:
            yield from _references(each)
