"""The running calls, which a later request may cancel, and how a cancelled one is answered."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any, TypeAlias

from agents.mcp.envelopes import RequestId

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]


class CancellableCalls:
    """The running calls of this process, by their credentials and ids.

    Clients number their requests themselves. If two calls with the same token have the same id, they come from
    different programs, and neither can be cancelled.
    """

    def __init__(self) -> None:
        self._running: dict[tuple[bytes, RequestId], list[asyncio.Task[None]]] = {}

    @contextmanager
    def running(self, credentials: bytes, request_id: RequestId | None, task: asyncio.Task[None]) -> Iterator[None]:
        """In the block, ``task`` can be cancelled by this id."""
        if request_id is None:
            yield
            return
        key = (credentials, request_id)
        self._running.setdefault(key, []).append(task)
        try:
            yield
        finally:
            self._running[key].remove(task)
            if not self._running[key]:
                del self._running[key]

    def cancel(self, credentials: bytes, request_id: RequestId) -> None:
        """Cancel the call with these credentials and this id, if there is exactly one."""
        match self._running.get((credentials, request_id), ()):
            case [task]:
                task.cancel()


class AnswerOnce:
    """The answer to a request, which may be cancelled before the answer ends."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._began = self.has_ended = False

    async def send(self, message: Message) -> None:
        self._began = self._began or message["type"] == "http.response.start"
        self.has_ended = message["type"] == "http.response.body" and not message.get("more_body", False)
        await self._send(message)

    async def end_cancelled(self) -> None:
        """End the answer of a cancelled request, unless it has ended.

        HTTP needs an answer to every request, but it must not contain a response to this one (MCP, cancellation).
        """
        if not self._began:
            headers = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-cache, no-transform")]
            await self._send({"type": "http.response.start", "status": 200, "headers": headers})
        if not self.has_ended:
            await self._send({"type": "http.response.body", "body": b""})
