"""Tokens from the server's REST interface."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import httpx

from device.addresses import ServerAddress
from device.errors import ConnectionFailed, Unauthorized
from device.http import http_client


@dataclass(frozen=True, kw_only=True, slots=True)
class Tokens:
    """``access`` opens the socket; ``refresh`` buys one new pair."""

    access: str = field(repr=False)
    refresh: str = field(repr=False)


async def sign_in(server: ServerAddress, *, email: str, password: str) -> Tokens:
    """Tokens for an account. Raises ``ConnectionFailed`` and ``Unauthorized``."""
    return await _asked(server, server.sign_in, {"email": email, "password": password})


async def renewed(server: ServerAddress, refresh: str) -> Tokens:
    """A new pair for a refresh token, which is spent by it. Raises ``ConnectionFailed`` and ``Unauthorized``."""
    return await _asked(server, server.refresh, {"refresh": refresh})


async def _asked(server: ServerAddress, url: str, body: Mapping[str, str]) -> Tokens:
    try:
        async with http_client(server) as http:
            response = await http.post(url, json=body)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise ConnectionFailed(f"No server answers at {server.base} ({_reason(error)}).") from error
    answer = _json_object(response)
    # Without a code it is the answer of a proxy, which knows nothing of credentials.
    if response.status_code in {400, 401, 403} and _text(answer, "code"):
        raise Unauthorized(_text(answer, "message") or "The server did not accept these credentials.")
    access, refresh = _text(answer, "access"), _text(answer, "refresh")
    if response.status_code != 200 or not access or not refresh:
        said = _text(answer, "message")
        raise ConnectionFailed(
            f"The server at {server.base} did not sign us in: it answered {response.status_code}"
            + (f" ({said})." if said else ".")
        )
    return Tokens(access=access, refresh=refresh)


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__


def _json_object(response: httpx.Response) -> Mapping[str, object]:
    try:
        answer = response.json()
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def _text(answer: Mapping[str, object], name: str) -> str:
    value = answer.get(name)
    return value if isinstance(value, str) else ""
