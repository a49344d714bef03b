"""One answer over as many connections as it takes: what a connection that drops does not end."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from typing import Final, TypeAlias

from device.client import DeviceClient
from device.errors import AnswerLost, ConnectionFailed, RequestRejected, ServerGone
from device.frames import TurnFrame
from device.link import Link

Ask: TypeAlias = Callable[[DeviceClient, str], AsyncGenerator[TurnFrame, None]]
"""Sends a request under the given id."""

_LOST: Final = frozenset({"unknown_request", "turn_lost"})


class LastingAnswer:
    """The frames of one answer, each once and in order, however often the connection drops meanwhile.

    ``on_lost`` is called when the connection is lost and the link reconnects; only once until the next frame.
    """

    def __init__(self, link: Link, ask: Ask, *, request_id: str, on_lost: Callable[[], None]) -> None:
        self._link = link
        self._ask = ask
        self._request_id = request_id
        self._on_lost = on_lost
        self._client: DeviceClient | None = None
        self._last_seq = -1
        self._begun = False
        self._waiting = False
        self._stopping = asyncio.Event()
        self._put_off_until: float | None = None

    async def frames(self) -> AsyncGenerator[TurnFrame, None]:
        """Up to and with the ``stream_end``.

        Raises ``RequestRejected`` when the server does not begin the answer, ``AnswerLost`` when it no longer has it,
        ``ServerGone`` when the connection ended for good, ``ConnectionFailed`` and ``Unauthorized`` when there is no
        new one.
        """
        client = await self._first_client()
        if self._stopping.is_set():
            raise AnswerLost("Stopped.")
        stream, pauses = self._ask(client, self._request_id), self._link.backoff.pauses()
        while True:
            self._client = client
            try:
                async with aclosing(stream):
                    async for frame in stream:
                        if self._is_new(frame):
                            yield frame
            except ServerGone as gone:
                self._lost(client, gone)
            except RequestRejected as rejection:
                if not self._is_put_off(rejection):
                    raise self._meaning(rejection) from None
                await asyncio.sleep(next(pauses))
            else:
                return
            client = await self._link.back()
            stream = await self._again(client)

    async def _first_client(self) -> DeviceClient:
        """The client to ask first: while a lost connection is being replaced, the one on the next connection.

        Raises ``AnswerLost`` if the answer is stopped meanwhile.
        """
        try:
            return await self._link.client()
        except ConnectionFailed:
            if not self._link.is_returning:
                raise
        self._tell_of_loss()
        back, stopped = asyncio.ensure_future(self._link.back()), asyncio.ensure_future(self._stopping.wait())
        try:
            await asyncio.wait({back, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not back.done():
                raise AnswerLost("Stopped.")
            return back.result()
        finally:
            back.cancel()
            stopped.cancel()
            await asyncio.wait({back, stopped})

    async def stop(self) -> None:
        """Ask the server to stop, now and on every later connection; the answer then ends as cancelled."""
        self._stopping.set()
        if self._client is not None:
            with suppress(ServerGone):
                await self._client.cancel(self._request_id)

    def _is_new(self, frame: TurnFrame) -> bool:
        if frame.seq <= self._last_seq:
            return False
        self._last_seq = frame.seq
        self._begun, self._waiting, self._put_off_until = True, False, None
        return True

    def _is_put_off(self, rejection: RequestRejected) -> bool:
        """Whether to try again: the answer has begun, and the server could not look for it for a short time only."""
        if not (self._begun and rejection.retryable) or rejection.code in _LOST:
            return False
        now = asyncio.get_running_loop().time()
        if self._put_off_until is None:
            self._put_off_until = now + self._link.backoff.patience_s
        return now < self._put_off_until

    def _lost(self, client: DeviceClient, gone: ServerGone) -> None:
        if gone.is_final:
            raise gone
        # A call of this answer proves as well as a frame that the server began it.
        self._begun = self._begun or client.was_called(self._request_id)
        self._tell_of_loss()

    def _tell_of_loss(self) -> None:
        if not self._waiting:
            self._on_lost()
        self._waiting = True

    async def _again(self, client: DeviceClient) -> AsyncGenerator[TurnFrame, None]:
        if not self._begun:
            if self._stopping.is_set():
                raise AnswerLost("Stopped.")
            # Perhaps the request never arrived. If it did, the server knows its id and does not begin twice.
            return self._ask(client, self._request_id)
        if self._stopping.is_set():
            with suppress(ServerGone):  # the reader of the frames gets the error
                await client.cancel(self._request_id)
        return client.resume(self._request_id, after_seq=self._last_seq)

    def _meaning(self, rejection: RequestRejected) -> RequestRejected | AnswerLost:
        return AnswerLost() if self._begun and rejection.code in _LOST else rejection
