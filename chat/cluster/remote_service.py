"""Calls of other processes to the devices whose sockets are on this one."""

import asyncio
import logging
from contextlib import suppress
from typing import Final

from agents.errors import ClientError
from chat.cluster.hints import Hint, Hints, Topic
from chat.cluster.mailbox import Mailbox
from chat.cluster.orders import read
from chat.devices.connections import ConnectionManager, DeviceKey
from chat.devices.links import may_repeat
from chat.errors import NeighboursAway
from chat.tasks import OwnedTasks

logger = logging.getLogger(__name__)

_WAIT_S: Final = 90.0
"""Longer than the turn waits: a late answer still counts while the turn runs."""
_SAY_AGAIN_S: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
_AWAY_S: Final = 0.5


class RemoteService:
    """Brings the calls to the devices, and what they answer to the mailbox.

    A call that is being served is not served again when it is asked for again. One that somebody has served before,
    here or elsewhere, goes to the device again only where that cannot do it twice.
    """

    def __init__(self, *, connections: ConnectionManager, mailbox: Mailbox, hints: Hints) -> None:
        self._connections = connections
        self._mailbox = mailbox
        self._hints = hints
        self._serving: set[str] = set()
        self._tasks = OwnedTasks()

    def serve(self, hint: Hint) -> None:
        """A call waits for a device of this process; nothing happens when it is not here (any more)."""
        device = (hint.user_id, hint.device_id)
        if hint.subject in self._serving or not self._connections.holds(device):
            return
        self._serving.add(hint.subject)
        self._tasks.start(self._serve(device, hint), name="serving another process's call")

    async def aclose(self) -> None:
        await self._tasks.aclose()

    async def _serve(self, device: DeviceKey, hint: Hint) -> None:
        try:
            text = await self._asked(device, hint.subject)
            if text is not None and await self._left(device, hint.subject, text):
                await self._say_until_collected(hint)
        except (ClientError, NeighboursAway, TimeoutError) as error:
            # The turn's own wait ends by itself, and tells the model why.
            logger.info("another process's call was not answered: %r", error)
        finally:
            self._serving.discard(hint.subject)
            self._connections.release(device)

    async def _asked(self, device: DeviceKey, call_id: str) -> str | None:
        """The device's answer as text; nothing for a call that is not to be brought to it."""
        letter = await self._mailbox.take(device[0], call_id)
        if letter is None:
            return None
        order, link = read(letter.text), self._connections.link(device)
        if not (letter.first or may_repeat(order.call, link.capabilities)):
            return None
        answer = await link.bring(order.call, request_id=order.request_id, within_s=_WAIT_S)
        return answer.model_dump_json(exclude_unset=True)

    async def _left(self, device: DeviceKey, call_id: str, text: str) -> bool:
        """Leave the answer in the mailbox, as soon as that is there."""
        async with asyncio.timeout(_WAIT_S):
            while True:
                with suppress(NeighboursAway):
                    return await self._mailbox.answer(device[0], call_id, text)
                await asyncio.sleep(_AWAY_S)

    async def _say_until_collected(self, call: Hint) -> None:
        said = Hint(topic=Topic.ANSWERED, sender=self._hints.name, user_id=call.user_id, subject=call.subject)
        for pause_s in _SAY_AGAIN_S:
            await self._hints.send(call.sender, said)
            await asyncio.sleep(pause_s)
            if not await self._mailbox.waits(call.subject):
                return
