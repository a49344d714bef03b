"""``GET /api/v1/auth/me/export``: everything that is stored of the user, decrypted, as a download.

The export reads as of one moment, so it holds a database connection and a transaction until it is sent. A process sends
few at once, one for each user, and ends those whose client does not read.
"""

import asyncio
from collections.abc import AsyncGenerator, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import connections
from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request

from accounts.audit import record_event
from accounts.database import in_database
from accounts.export import export_account
from accounts.rest import throttles
from accounts.rest.base_views import AsyncAPIView
from accounts.rest.errors import DetailedError
from accounts.rest.openapi import NO_KEY, error
from accounts.rest.requests import user_of

FILE_NAME: Final = "adiuva-account.json"
AT_ONCE: Final = 2
"""How many exports a process sends at once."""
_CHUNK_CHARS: Final = 64 * 1024
_BUSY: Final = "Other downloads are running: try again in a minute."
_running: "set[_Export]" = set()


class Busy(DetailedError):
    status_code = 429


class ExportTooSlow(Exception):
    """A client has not read its export in time."""


class ExportView(AsyncAPIView):
    throttle_classes = (throttles.ExportThrottle,)

    @extend_schema(
        operation_id="exportAccount",
        tags=["Accounts"],
        summary="Download everything",
        description="Everything that this server stores of you, decrypted, as one JSON object: the account, its "
        "devices, and a list for each table. `unreadable` lists rows that cannot be decrypted. What your own device "
        "stores is not in it. The answer ends early if it is not read within 10 minutes.",
        responses={
            200: OpenApiResponse(OpenApiTypes.OBJECT, description="The file, sent while it is read."),
            429: error(
                "Too many attempts (`rate_limited`), or other downloads are running (`busy`); `Retry-After` says for "
                "how many seconds to wait.",
                code="busy",
                message=_BUSY,
            ),
            503: NO_KEY,
        },
    )
    async def get(self, request: Request) -> StreamingHttpResponse:
        user = user_of(request)
        chunks = exported(user.id)
        # Read before the response exists, so that a key that does not open is answered like any other error.
        beginning = await anext(chunks)
        await in_database(record_event, actor=user, subject_id=user.id, action="export-account")
        return StreamingHttpResponse(
            _joined(beginning, chunks),
            content_type="application/json",
            headers={"Content-Disposition": f'attachment; filename="{FILE_NAME}"'},
        )


async def exported(user_id: UUID) -> AsyncGenerator[bytes, None]:
    """The export in chunks. Raises ``Busy``, ``ExportTooSlow``, and as ``open_vault``."""
    if len(_running) >= AT_ONCE or any(each.user_id == user_id for each in _running):
        raise Busy(_BUSY, "busy", retry_after_s=60)
    export = _Export(user_id)
    try:
        while chunk := await export.chunk():
            yield chunk
    finally:
        export.end()


class _Export:
    """An export that runs, until its end or ``settings.EXPORT_TIMEOUT_S``."""

    def __init__(self, user_id: UUID) -> None:
        self.user_id = user_id
        self._pieces = export_account(user_id)
        # A thread of its own, because the transaction of the export is in the connection of one thread.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="export")
        # The time passes also while the client does not read, when no one asks for the next chunk.
        self._timer = asyncio.get_running_loop().call_later(settings.EXPORT_TIMEOUT_S, self.end)
        self._ended = False
        _running.add(self)

    async def chunk(self) -> bytes:
        """The next chunk; empty at the end. Raises ``ExportTooSlow``."""
        if self._ended:
            raise ExportTooSlow
        return await asyncio.get_running_loop().run_in_executor(self._thread, _chunk, self._pieces)

    def end(self) -> None:
        """End the transaction. Idempotent."""
        if not self._ended:
            self._ended = True
            self._timer.cancel()
            self._thread.submit(_end, self._pieces)
            self._thread.shutdown(wait=False)
            _running.discard(self)


async def _joined(beginning: bytes, rest: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    async with aclosing(rest):
        yield beginning
        async for chunk in rest:
            yield chunk


def _chunk(pieces: Generator[str, None, None]) -> bytes:
    """The next pieces, about ``_CHUNK_CHARS`` of them; empty at the end."""
    taken, size = [], 0
    for piece in pieces:
        taken.append(piece)
        size += len(piece)
        if size >= _CHUNK_CHARS:
            break
    return "".join(taken).encode("ascii")


def _end(pieces: Generator[str, None, None]) -> None:
    try:
        pieces.close()
    finally:
        connections.close_all()
