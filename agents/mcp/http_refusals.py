"""How a refused request to ``/mcp`` is answered: with a status, how to sign in, what to ask for, and an error."""

import json
from collections.abc import Collection, Iterable
from http import HTTPStatus
from math import ceil
from typing import Final

from accounts.auth.token_scopes import Access, is_for_staff
from accounts.rest.errors import Problem
from agents.mcp.addresses import metadata_address, resource_of, values_of
from agents.mcp.cancelling import Message, Send
from agents.mcp.envelopes import INVALID_REQUEST, SaidMessage
from agents.mcp.refusals import MISSING_SCOPES, REFUSED

BEARER: Final = b"authorization"
JSON: Final = "application/json"
_JSON_TYPE: Final = (b"content-type", JSON.encode())


class RefusedRequest(Exception):
    """The request is refused. ``problem`` is what ``tell`` answers."""

    def __init__(self, status: int, code: str, message: str, **headers: str) -> None:
        super().__init__(code)
        self.problem = Problem(status=status, code=code, message=message, headers=headers)


def too_often() -> RefusedRequest:
    """The refusal for a user or a token that sends too many requests in a minute."""
    return RefusedRequest(429, "busy", "Too many requests in a minute. Wait a little.", **{"Retry-After": "1"})


def failed_too_often(wait_s: float) -> RefusedRequest:
    """The refusal for an IP address that has sent too many wrong tokens."""
    words = "Too many tokens from your network were not valid. Wait a little."
    return RefusedRequest(429, "rate_limited", words, **{"Retry-After": str(ceil(wait_s))})


async def tell(problem: Problem, send: Send, scope: Message) -> None:
    """Answer with an error of the protocol, which clients show. Its data has the code that REST would give."""
    error = {"code": REFUSED, "message": problem.message, "data": {"code": problem.code}}
    body = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
    headers = [(name.lower().encode(), value.encode()) for name, value in problem.all_headers.items()]
    if problem.status == HTTPStatus.UNAUTHORIZED:
        others = (each for each in headers if each[0] != b"www-authenticate")
        error_code = "invalid_token" if values_of(scope, BEARER) else ""
        headers = [*others, _challenge(scope, error=error_code, wanted=[*Access])]
    await send({"type": "http.response.start", "status": problem.status, "headers": [_JSON_TYPE, *headers]})
    await send({"type": "http.response.body", "body": body})


async def tell_invalid(said: SaidMessage, send: Send) -> None:
    """Answer a message whose envelope is not valid (JSON-RPC 2.0, 5.1)."""
    error = {"code": INVALID_REQUEST, "message": said.problem}
    body = json.dumps({"jsonrpc": "2.0", "id": said.id, "error": error}).encode()
    await send({"type": "http.response.start", "status": HTTPStatus.BAD_REQUEST, "headers": [_JSON_TYPE]})
    await send({"type": "http.response.body", "body": body})


def asking_for_more(scope: Message, send: Send, *, granted: Collection[str]) -> Send:
    """``send`` for a program that signs in by OAuth: if its token lacks a scope, the status is 403 (RFC 6750, 3.1).

    Such a program can ask the user for more scopes, unlike the owner of a personal token. Programs of the older
    revisions ask for exactly the scopes that the answer names, so it also names those that are ``granted``.
    """
    begun: list[Message] = []

    async def send_asking(message: Message) -> None:
        if message["type"] == "http.response.start":
            # Held back, because a stream begins before the request is handled, which may set the missing scopes.
            begun.append(message)
            return
        if begun:
            await send(asked_for_more(begun.pop()))
        await send(message)

    def asked_for_more(start: Message) -> Message:
        missing = scope.get(MISSING_SCOPES, ())
        # No program can get the scopes of staff.
        if not missing or any(map(is_for_staff, missing)):
            return start
        challenge = _challenge(scope, error="insufficient_scope", wanted=[*sorted(granted), *missing])
        return {**start, "status": HTTPStatus.FORBIDDEN, "headers": [*start.get("headers", ()), challenge]}

    return send_asking


def _challenge(scope: Message, *, error: str, wanted: Iterable[str]) -> tuple[bytes, bytes]:
    """The header that says where a program can ask the user, and for which scopes (RFC 6750, 3; RFC 9728, 5.1)."""
    parts = {"realm": "adiuva", "error": error, "scope": " ".join(wanted)}
    parts |= {"resource_metadata": metadata_address(resource_of(scope))}
    said = ", ".join(f'{name}="{value}"' for name, value in parts.items() if value)
    return b"www-authenticate", f"Bearer {said}".encode("latin-1", "replace")
