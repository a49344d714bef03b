"""Requests over HTTP that come too fast are answered late, so that a client that goes on spends its time waiting.

What is allowed in a period is counted elsewhere (``accounts/rest/throttles.py``, ``agents/mcp/endpoint.py``). This only
spreads a burst, before Django or the database sees it.
"""

import asyncio
from collections.abc import Hashable, Mapping
from typing import Any, Final

from accounts.auth.attempts import network_of
from chat.rates import RequestRate

_TOO_MANY: Final = 429
_AUTHORIZATION: Final = b"authorization"
_PATHS: Final = ("/api/", "/mcp")
"""Pages and their files are cheap, and many at once."""


class HttpPace:
    """``application``, where API requests of one token begin one by one, and so do those without one of a network.

    Refusals of too many wait ``refusal_s`` seconds.
    """

    def __init__(self, application: Any, *, rate: RequestRate, refusal_s: float = 1.0) -> None:
        self._application, self._rate, self._refusal_s = application, rate, refusal_s

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def answer(message: Mapping[str, Any]) -> None:
            if message["type"] == "http.response.start" and message["status"] == _TOO_MANY:
                await asyncio.sleep(self._refusal_s)
            await send(message)

        if scope["path"].startswith(_PATHS):
            await asyncio.sleep(self._rate.delay_s(_sender(scope)))
        await self._application(scope, receive, answer)


def _sender(scope: Any) -> Hashable:
    token = next((value for name, value in scope["headers"] if name == _AUTHORIZATION), None)
    # Of a token, only its hash is kept, in memory.
    return network_of((scope.get("client") or ("",))[0]) if token is None else hash(token)
