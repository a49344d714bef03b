"""Calls to a device whose socket is on another process, seen from the process of the turn."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import Final

from agents.calls import ClientCall
from chat.cluster.hints import Hint, Hints, Topic
from chat.cluster.mailbox import Mailbox
from chat.cluster.orders import Order
from chat.cluster.presence import Place, Presence
from chat.devices.connections import DeviceKey
from chat.devices.links import may_repeat
from chat.errors import NeighboursAway
from chat.protocol.frames.client import Answer
from chat.tasks import OwnedTasks

_PAUSES_S: Final = (0.25, 0.5)
_LATER_S: Final = 1.0

OnAnswer = Callable[[Answer], None]


@dataclass(kw_only=True, eq=False)
class _Expected:
    """A call whose answer may still come. ``news`` is set when it is said to be there."""

    device: DeviceKey
    call_id: str
    request_id: str
    on_answer: OnAnswer
    carried: bool = True
    news: asyncio.Event = field(default_factory=asyncio.Event)


class RemoteCalls:
    """The calls of this process that are on their way over other processes."""

    def __init__(self, *, presence: Presence, mailbox: Mailbox, hints: Hints) -> None:
        self._presence = presence
        self._mailbox = mailbox
        self._hints = hints
        self._expected: dict[str, _Expected] = {}
        self._tasks = OwnedTasks()

    def link(self, device: DeviceKey) -> "RemoteLink":
        """The way to ``device`` over other processes."""
        return RemoteLink(calls=self, device=device)

    def answered(self, call_id: str) -> None:
        """The answer to this call is said to be there; one that nobody waits for any more is late."""
        expected = self._expected.get(call_id)
        if expected is None:
            return
        if expected.carried:
            expected.news.set()
        else:
            self._tasks.start(self._collect_late(expected), name="collecting a late answer")

    async def carry(
        self, device: DeviceKey, order: Order, *, repeated: bool, sent: Callable[[], None], on_answer: OnAnswer
    ) -> None:
        """See ``chat.devices.links.Elsewhere.carry``."""
        expected = self._expected[order.call.id] = _Expected(
            device=device, call_id=order.call.id, request_id=order.request_id, on_answer=on_answer
        )
        posted = False
        try:
            for pause_s in _pauses():
                with suppress(NeighboursAway):
                    place = await self._reachable(device, order.call, repeated=repeated)
                    if place is not None and not posted:
                        await self._mailbox.post(device[0], order.call.id, order.text())
                        posted = True
                    if place is not None:
                        sent()
                        await self._hints.send(place.process, self._hint(device, order.call))
                    if posted and await self._collect(expected):
                        return
                with suppress(TimeoutError):
                    async with asyncio.timeout(pause_s):
                        await expected.news.wait()
                expected.news.clear()
        finally:
            expected.carried = False

    def forget(self, request_id: str) -> None:
        """The turn is over: late answers to its calls mean nothing any more."""
        self._expected = {
            call_id: expected for call_id, expected in self._expected.items() if expected.request_id != request_id
        }

    async def aclose(self) -> None:
        await self._tasks.aclose()

    async def _reachable(self, device: DeviceKey, call: ClientCall, *, repeated: bool) -> Place | None:
        place = await self._presence.find(device)
        if place is None or place.process == self._hints.name:
            return None
        return place if not repeated or may_repeat(call, place.capabilities) else None

    async def _collect(self, expected: _Expected) -> bool:
        """Hand the answer on, if it is there; whether it was."""
        text = await self._mailbox.collect(expected.device[0], expected.call_id)
        if text is None:
            return False
        self._expected.pop(expected.call_id, None)
        expected.on_answer(Answer.model_validate_json(text))
        return True

    async def _collect_late(self, expected: _Expected) -> None:
        with suppress(NeighboursAway):
            await self._collect(expected)

    def _hint(self, device: DeviceKey, call: ClientCall) -> Hint:
        return Hint(topic=Topic.CALL, sender=self._hints.name, user_id=device[0], device_id=device[1], subject=call.id)


@dataclass(frozen=True, kw_only=True, slots=True)
class RemoteLink:
    """The way to one device over other processes: ``chat.devices.links.Elsewhere``."""

    calls: RemoteCalls
    device: DeviceKey

    async def carry(
        self, call: ClientCall, *, request_id: str, repeated: bool, sent: Callable[[], None], on_answer: OnAnswer
    ) -> None:
        order = Order(request_id=request_id, call=call)
        await self.calls.carry(self.device, order, repeated=repeated, sent=sent, on_answer=on_answer)

    def forget(self, request_id: str) -> None:
        self.calls.forget(request_id)


def _pauses() -> Iterator[float]:
    return chain(_PAUSES_S, repeat(_LATER_S))
