"""Calls between the process of a turn and the process with the socket of its device: both ends."""

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import Final

from pydantic import TypeAdapter

from agents.calls import ClientCall
from agents.errors import ClientError
from chat.cluster.call_store import CallStore
from chat.cluster.notifications import Notification, NotificationBus, Topic
from chat.cluster.presence_store import DeviceLocation, PresenceStore
from chat.devices.connections import ConnectionManager
from chat.devices.links import DeviceKey, OnAnswer, PendingCall, may_repeat
from chat.errors import ClusterUnavailable
from chat.protocol.frames.client import Answer
from chat.tasks import OwnedTasks

logger = logging.getLogger(__name__)

_PAUSES_S: Final = (0.25, 0.5)
_LATER_S: Final = 1.0
_SERVE_S: Final = 90.0
"""In seconds: longer than the turn waits, because a late answer still counts while the turn runs."""
_ANNOUNCE_AFTER_S: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
_AWAY_S: Final = 0.5


@dataclass(frozen=True, kw_only=True, slots=True)
class RoutedCall:
    """A call and the request that makes it, as they are stored."""

    request_id: str
    call: ClientCall


_ROUTED_CALLS: Final = TypeAdapter(RoutedCall)


@dataclass(kw_only=True, eq=False)
class _Expected:
    """A call whose answer may still arrive. ``news`` is set when the answer is announced."""

    device: DeviceKey
    pending: PendingCall
    on_answer: OnAnswer
    forwarding: bool = True
    news: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(kw_only=True, eq=False)
class RemoteCalls:
    """The ``CallForwarder``: the calls of this process to devices that are connected to other processes."""

    presence: PresenceStore
    calls: CallStore
    bus: NotificationBus
    _expected: dict[str, _Expected] = field(default_factory=dict, init=False)
    _tasks: OwnedTasks = field(default_factory=OwnedTasks, init=False)

    def answered(self, call_id: str) -> None:
        """The answer to this call was announced. If no turn waits for it any more, it is late."""
        expected = self._expected.get(call_id)
        if expected is None:
            return
        if expected.forwarding:
            expected.news.set()
        else:
            self._tasks.start(self._collect(expected), name="collecting a late answer")

    async def forward(self, device: DeviceKey, pending: PendingCall, on_answer: OnAnswer) -> None:
        """As ``CallForwarder.forward``."""
        call, repeated, posted = pending.call, pending.sent, False
        expected = self._expected[call.id] = _Expected(device=device, pending=pending, on_answer=on_answer)
        try:
            for pause_s in chain(_PAUSES_S, repeat(_LATER_S)):
                with suppress(ClusterUnavailable):
                    location = await self._reachable(device, call, repeated=repeated)
                    if location is not None and not posted:
                        routed = _ROUTED_CALLS.dump_json(RoutedCall(request_id=pending.request_id, call=call))
                        await self.calls.post(device[0], call.id, routed.decode())
                        posted = True
                    if location is not None:
                        pending.sent = True
                        await self.bus.send(location.process, Topic.CALL, *device, subject=call.id)
                if posted and await self._collect(expected):
                    return
                with suppress(TimeoutError):
                    async with asyncio.timeout(pause_s):
                        await expected.news.wait()
                expected.news.clear()
        finally:
            expected.forwarding = False

    def forget(self, request_id: str) -> None:
        """The turn has ended: late answers to its calls are ignored."""
        self._expected = {key: each for key, each in self._expected.items() if each.pending.request_id != request_id}

    async def aclose(self) -> None:
        await self._tasks.aclose()

    async def _reachable(self, device: DeviceKey, call: ClientCall, *, repeated: bool) -> DeviceLocation | None:
        location = await self.presence.find(device)
        if location is None or location.process == self.bus.name:
            return None
        return location if not repeated or may_repeat(call, location.capabilities) else None

    async def _collect(self, expected: _Expected) -> bool:
        """Pass the answer on, if there is one and the store can be reached. Returns whether it was passed on."""
        with suppress(ClusterUnavailable):
            text = await self.calls.collect(expected.device[0], expected.pending.call.id)
            if text is not None:
                self._expected.pop(expected.pending.call.id, None)
                expected.on_answer(Answer.model_validate_json(text))
                return True
        return False


@dataclass(kw_only=True, eq=False)
class CallServer:
    """Sends the calls of other processes to the devices of this one, and stores their answers.

    A call is not served twice at the same time. One that was served before, here or elsewhere, is sent to the device
    again only if the device will not execute it twice.
    """

    connections: ConnectionManager
    calls: CallStore
    bus: NotificationBus
    _serving: set[str] = field(default_factory=set, init=False)
    _tasks: OwnedTasks = field(default_factory=OwnedTasks, init=False)

    def serve(self, notification: Notification) -> None:
        """Serve the call that is announced, if its device is still connected to this process."""
        device = (notification.user_id, notification.device_id)
        if notification.subject in self._serving or self.connections.connection(device) is None:
            return
        self._serving.add(notification.subject)
        self._tasks.start(self._serve(device, notification), name="serving another process's call")

    async def aclose(self) -> None:
        await self._tasks.aclose()

    async def _serve(self, device: DeviceKey, notification: Notification) -> None:
        try:
            text = await self._executed(device, notification.subject)
            if text is not None and await self._stored(device, notification.subject, text):
                await self._announce_until_collected(notification)
        except (ClientError, ClusterUnavailable, TimeoutError) as error:
            # The turn's own wait times out, and the model is sent the reason.
            logger.info("another process's call was not answered: %r", error)
        finally:
            self._serving.discard(notification.subject)
            self.connections.release(device)

    async def _executed(self, device: DeviceKey, call_id: str) -> str | None:
        """The device's answer as text; None if the call must not be sent."""
        stored = await self.calls.take(device[0], call_id)
        if stored is None:
            return None
        routed, link = _ROUTED_CALLS.validate_json(stored.text), self.connections.link(device)
        if not (stored.first or may_repeat(routed.call, link.capabilities)):
            return None
        answer = await link.execute_forwarded(routed.call, request_id=routed.request_id, within_s=_SERVE_S)
        return answer.model_dump_json(exclude_unset=True)

    async def _stored(self, device: DeviceKey, call_id: str, text: str) -> bool:
        """Store the answer as soon as the store can be reached. Returns whether the call was still stored."""
        async with asyncio.timeout(_SERVE_S):
            while True:
                with suppress(ClusterUnavailable):
                    return await self.calls.answer(device[0], call_id, text)
                await asyncio.sleep(_AWAY_S)

    async def _announce_until_collected(self, call: Notification) -> None:
        for pause_s in _ANNOUNCE_AFTER_S:
            await self.bus.send(call.sender, Topic.ANSWERED, call.user_id, subject=call.subject)
            await asyncio.sleep(pause_s)
            if not await self.calls.waits(call.subject):
                return
