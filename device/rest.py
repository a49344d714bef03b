"""Requests to the server's REST interface by a signed-in user."""

import json
from collections.abc import Mapping
from datetime import datetime

import httpx
from pydantic import JsonValue

from device.addresses import ServerAddress
from device.errors import ConnectionFailed, RequestRejected, Unauthorized
from device.http import http_client


async def asked(
    server: ServerAddress,
    method: str,
    path: str,
    *,
    token: str,
    body: Mapping[str, JsonValue] | bytes | None = None,
    media_type: str = "application/json",
) -> JsonValue:
    """What ``path`` below ``/api/v1/`` answers; None where it answers nothing. ``body`` is JSON, or bytes as they are.

    Raises ``ConnectionFailed``, ``Unauthorized``, or ``RequestRejected`` with the server's code.
    """
    headers = {"authorization": f"Bearer {token}"} | ({} if body is None else {"content-type": media_type})
    content = json.dumps(body).encode() if isinstance(body, Mapping) else body
    try:
        async with http_client(server) as http:
            response = await http.request(method, f"{server.base}/api/v1/{path}", headers=headers, content=content)
        answer: JsonValue = response.json() if response.content else None
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise ConnectionFailed(f"No server answers at {server.base} ({str(error) or type(error).__name__}).") from error
    except ValueError:
        raise ConnectionFailed(f"The server at {server.base} did not answer in JSON.") from None
    if response.is_success:
        return answer
    said = answer if isinstance(answer, dict) else {}
    message = str(said.get("message") or f"The server answered {response.status_code}.")
    if response.status_code == httpx.codes.UNAUTHORIZED:
        raise Unauthorized(message)
    raise RequestRejected(message, code=str(said.get("code") or "internal_error"))


def milliseconds(moment: JsonValue) -> int | None:
    """A moment of an answer, in milliseconds since 1970; None if it is none."""
    try:
        return round(datetime.fromisoformat(str(moment)).timestamp() * 1000)
    except (ValueError, OverflowError):
        return None
