"""In production tokens and passwords are accepted over TLS only, as the connection or a trusted proxy says it is.

A request that came unencrypted has shown its token to everyone on the way. A redirection to HTTPS, which pages get,
would hide that from a client: the next request works, and so does the one after that, each with its token in the clear.
So it is refused, and the client's author sees it at once.
"""

import json
from collections.abc import Awaitable
from typing import Any, Final

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase, JsonResponse
from django.utils.decorators import async_only_middleware

from accounts.rest.problems import MEDIA_TYPE, described
from adiuva.server.access_log import GetResponse

_BODY: Final = described(403, "https_required", "Tokens and passwords are accepted over HTTPS and wss only.")
_API: Final = "/api/"
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})


@async_only_middleware
def encrypted_only_middleware(get_response: GetResponse) -> GetResponse:
    """Answers 403 to what has a token or, in the API, may have a password. Others go on, and are redirected."""

    async def answer(request: HttpRequest) -> HttpResponseBase:
        if settings.SECURE_SSL_REDIRECT and not request.is_secure() and _has_secrets(request):
            headers = {"Cache-Control": "no-store"}
            return JsonResponse(_BODY, status=403, headers=headers, content_type=MEDIA_TYPE)
        return await get_response(request)

    return answer


def _has_secrets(request: HttpRequest) -> bool:
    return "Authorization" in request.headers or (request.path.startswith(_API) and request.method not in _SAFE)


class EncryptedSockets:
    """Refuses unencrypted handshakes with 403 in production, before anything reads their token."""

    def __init__(self, application: Any) -> None:
        self._application = application

    def __call__(self, scope: Any, receive: Any, send: Any) -> Awaitable[None]:
        refused = settings.SECURE_SSL_REDIRECT and scope.get("scheme") != "wss"
        # Not awaited here: a frame would stay for as long as the socket.
        answering: Awaitable[None] = (_refuse if refused else self._application)(scope, receive, send)
        return answering


async def _refuse(scope: Any, receive: Any, send: Any) -> None:
    await receive()  # the handshake
    if "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close"})
        return
    headers = [(b"content-type", MEDIA_TYPE.encode()), (b"cache-control", b"no-store")]
    await send({"type": "websocket.http.response.start", "status": 403, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": json.dumps(_BODY).encode()})
