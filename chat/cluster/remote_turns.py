"""Turns of the other processes: claiming ids beside them, reading and cancelling what they write."""

import asyncio
import hashlib
import hmac
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, suppress
from typing import Final

from chat.cluster.directory import TurnDirectory, TurnRecord
from chat.cluster.hints import Hint, Hints, Topic
from chat.cluster.pulse import Pulse
from chat.devices.connections import DeviceKey
from chat.errors import FramesLost, NeighboursAway
from chat.protocol.frames.errors import FrameRejected
from chat.protocol.frames.vocabulary import ErrorCode
from chat.protocol.rejections import reused, unknown_request
from chat.turns.replay import FrameLog
from chat.turns.supervisor import Turn, TurnKey, Work

_PAUSE_S: Final = 0.25
_CANCEL_S: Final = 5.0


class RemoteTurns:
    """What this process does about turns that may be another's. ``secret`` keys the fingerprints of requests."""

    def __init__(self, *, directory: TurnDirectory, pulse: Pulse, hints: Hints, secret: bytes) -> None:
        self._directory = directory
        self._pulse = pulse
        self._hints = hints
        self._secret = secret
        self._copied: set[TurnKey] = set()

    def claiming(self, turn: Turn, work: Work) -> Work:
        """``work``, once the turn's id is ours over all processes; else a copy of the turn that has it.

        Of a request with another body nothing is copied: its log fails with ``request_id_reused``.
        """

        async def conducted(log: FrameLog) -> None:
            record = self._record(turn)
            other = await self._claimed(turn, record, log)
            if other is None:
                await work(log)
            elif other.fingerprint != record.fingerprint:
                log.fail(reused(turn.request_id))
            else:
                await self._copy(turn.key, log)

        return conducted

    def copies(self, key: TurnKey) -> bool:
        """Whether what this process shows of the turn is a copy."""
        return key in self._copied

    async def knows(self, key: TurnKey) -> bool:
        """Whether a process writes the turn, or has written it; not while nobody can say."""
        try:
            return await self._directory.find(key) is not None
        except NeighboursAway:
            return False

    async def running(self, device: DeviceKey) -> Mapping[str, int]:
        """The turns that the device may resume here: the number of the last frame known, by request id."""
        try:
            return await self._directory.running(device[1], user_id=device[0])
        except NeighboursAway:
            return {}

    async def frames(self, key: TurnKey, *, after_seq: int) -> AsyncGenerator[Sequence[str], None]:
        """The frames of another process's turn, to its end. Raises ``FrameRejected``.

        ``unknown_request``: there is no such turn of this user. ``turn_lost``: its process died before its end.
        """
        await self._known(key)
        over = False
        try:
            async with aclosing(self._directory.read(key, after_seq=after_seq, pause_s=_PAUSE_S)) as batches:
                async for batch in batches:
                    if batch:
                        yield batch
                    elif over:
                        break
                    else:
                        # Whatever was written before the end is there by now: the next pause is the last one.
                        over = await self._over(key)
                else:
                    return
        except FramesLost:
            pass
        raise _lost(key[1])

    async def cancel(self, key: TurnKey) -> None:
        """Have the turn's process cancel it. Raises ``FrameRejected`` with ``unknown_request``."""
        record = await self._known(key)
        hint = Hint(topic=Topic.CANCEL, sender=self._hints.name, user_id=key[0], subject=key[1])
        with suppress(TimeoutError):
            async with asyncio.timeout(_CANCEL_S):
                while not await self._over(key):
                    await self._hints.send(record.process, hint)
                    await asyncio.sleep(_PAUSE_S)

    async def _claimed(self, turn: Turn, record: TurnRecord, log: FrameLog) -> TurnRecord | None:
        try:
            return await self._directory.claim(turn.key, record, log)
        except asyncio.CancelledError:
            # Cancelled in its very first moment: the work is to say so, as that of every turn that is cancelled.
            task = asyncio.current_task()
            if task is not None:
                task.cancel()
            return None

    async def _copy(self, key: TurnKey, log: FrameLog) -> None:
        self._copied.add(key)
        try:
            async with aclosing(self.frames(key, after_seq=-1)) as batches:
                async for batch in batches:
                    for frame in batch:
                        log.append(frame)
        except FrameRejected as rejection:
            log.fail(rejection)
        finally:
            self._copied.discard(key)

    async def _known(self, key: TurnKey) -> TurnRecord:
        try:
            record = await self._directory.find(key)
        except NeighboursAway:
            raise FrameRejected(
                ErrorCode.INTERNAL_ERROR,
                "The server cannot look for this request now. Try again in a moment.",
                request_id=key[1],
                retryable=True,
            ) from None
        if record is None:
            raise unknown_request(key[1])
        return record

    async def _over(self, key: TurnKey) -> bool:
        """Whether nothing more is written of the turn, be it that it has ended or that its process has died."""
        try:
            record = await self._directory.find(key)
            return record is None or record.ended or not await self._pulse.lives(record.process)
        except NeighboursAway:
            return False

    def _record(self, turn: Turn) -> TurnRecord:
        # Keyed, so that nobody who reads Redis can try what a user may have asked.
        keyed = hmac.new(self._secret, turn.fingerprint.encode(), hashlib.sha256).hexdigest()
        return TurnRecord(process=self._hints.name, device_id=turn.device[1], fingerprint=keyed)


def _lost(request_id: str) -> FrameRejected:
    return FrameRejected(
        ErrorCode.TURN_LOST,
        "The server lost this answer before its end. Ask again.",
        request_id=request_id,
        retryable=True,
    )
