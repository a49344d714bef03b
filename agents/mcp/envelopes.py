"""What the endpoint needs to know of a request's body: the envelope of its message, by JSON-RPC 2.0 and MCP."""

import json
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

RequestId: TypeAlias = str | int

INVALID_REQUEST: Final = -32600


@dataclass(frozen=True, kw_only=True, slots=True)
class SaidMessage:
    """A message: its ``id``, the id of the request that it ``cancels``, and whether it asks for progress.

    ``problem`` says what is wrong with its envelope; empty if nothing is.
    """

    id: RequestId | None = None
    cancels: RequestId | None = None
    wants_progress: bool = False
    problem: str = ""


def read_message(body: bytes) -> SaidMessage:
    """The message in ``body``. Invalid JSON and wrong parameters are left to the SDK, which reports them."""
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return SaidMessage()
    if not isinstance(said, dict):
        return SaidMessage(problem="The body must be one JSON-RPC message; there are no batches.")
    params = said.get("params")
    params = params if isinstance(params, dict) else {}
    meta = params.get("_meta")
    cancels = params.get("requestId") if said.get("method") == "notifications/cancelled" else None
    return SaidMessage(
        id=_id(said.get("id")),
        cancels=_id(cancels),
        wants_progress=isinstance(meta, dict) and meta.get("progressToken") is not None,
        problem=_problem(said),
    )


def _problem(said: dict[str, Any]) -> str:
    if said.get("jsonrpc") != "2.0":
        return 'jsonrpc must be "2.0".'
    if "method" not in said and not {"result", "error"} & said.keys():
        return "A request needs a method."
    if not isinstance(said.get("method", ""), str):
        return "method must be a string."
    if not isinstance(said.get("params"), dict | None):
        return "params must be an object."
    # The SDK would take the request for a notification, and not answer it.
    if "method" in said and "id" in said and _id(said["id"]) is None:
        return "id must be a string or an integer."
    return ""


def _id(value: object) -> RequestId | None:
    return value if isinstance(value, str | int) and not isinstance(value, bool) else None
