"""Requests over HTTP that come too fast are answered late, so that a client that goes on spends its time waiting.

What is allowed in a period is counted elsewhere (``accounts/rest/throttles.py``, ``agents/mcp/endpoint.py``). This only
spreads a burst, before Django or the database sees it.
"""

import asyncio
from collections.abc import Hashable, Mapping
from typing import Any, Final

from accounts.networks import network_of
from chat.rates import RequestRate

_TOO_MANY: Final = 429
_AUTHORIZATION: Final = b"authorization"
_PATHS: Final = ("/api/", "/mcp")
"""Pages and their files are cheap, and many at once."""
_LARGE_BYTES: Final = 256 * 1024
"""A body of more costs more than its request."""
_MAX_DIGITS: Final = 18


class HttpPace:
    """``application``, where API requests of one token begin one by one, and so do those without one of a network.

    Those with a large body, or one of unknown length, begin at the rate ``large`` besides. Refusals of too many wait
    ``refusal_s`` seconds.
    """

    def __init__(self, application: Any, *, rate: RequestRate, large: RequestRate, refusal_s: float = 1.0) -> None:
        self._application, self._rate, self._large = application, rate, large
        self._refusal_s = refusal_s

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def answer(message: Mapping[str, Any]) -> None:
            if message["type"] == "http.response.start" and message["status"] == _TOO_MANY:
                await asyncio.sleep(self._refusal_s)
            await send(message)

        if scope["path"].startswith(_PATHS):
            sender = _sender(scope)
            delay_s = self._rate.delay_s(sender)
            if _has_large_body(scope):
                delay_s = max(delay_s, self._large.delay_s(sender))
            await asyncio.sleep(delay_s)
        await self._application(scope, receive, answer)


def _has_large_body(scope: Any) -> bool:
    length = _header(scope, b"content-length")
    if length is None:
        return _header(scope, b"transfer-encoding") is not None
    return len(length) > _MAX_DIGITS or (length.isdigit() and int(length) > _LARGE_BYTES)


def _header(scope: Any, wanted: bytes) -> bytes | None:
    return next((value for name, value in scope["headers"] if name == wanted), None)


def _sender(scope: Any) -> Hashable:
    token = _header(scope, _AUTHORIZATION)
    # Of a token, only its hash is kept, in memory.
    return network_of((scope.get("client") or ("",))[0]) if token is None else hash(token)
