"""Closing the sockets of those who may not stay (protocol: logout everywhere, deactivated user, removed device)."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from typing import Final, Protocol, TypeAlias

from accounts.signals import access_revoked
from accounts.standing import Standing
from chat.devices.connections import DeviceKey
from chat.protocol.frames.vocabulary import CloseCode
from chat.tasks import OwnedTasks
from chat.turns.supervisor import TurnSupervisor

logger = logging.getLogger(__name__)

ASK_EVERY_S: Final = 4.0
"""The protocol gives 5 s, of which the question takes some and sending what is queued up to one."""

AskRevoked: TypeAlias = Callable[[Collection[Standing]], Awaitable[Collection[Standing]]]
"""Which of these may not stay? One question to the database, however many there are."""


class WatchedSocket(Protocol):
    """A socket that somebody has opened with a token."""

    @property
    def standing(self) -> Standing:
        """What its latest token stands for."""

    @property
    def device(self) -> DeviceKey | None:
        """Which device it is, once it has said hello."""

    def close_soon(self, code: CloseCode) -> None:
        """Send what is queued and close with ``code``, without waiting for it."""


class RevocationWatch:
    """Asks about all sockets of this process every ``every_s`` seconds, and at once when ``access_revoked`` is sent.

    Whoever may not stay is closed with 4403, and the turns of the device are cancelled; so are turns that go on after
    their socket has gone. The signal is only a reason to ask: it may get lost, and the answer is the database's. While
    there is nobody to ask about, nothing runs.
    """

    def __init__(self, *, ask: AskRevoked, supervisor: TurnSupervisor, every_s: float = ASK_EVERY_S) -> None:
        self._ask = ask
        self._supervisor = supervisor
        self._every_s = every_s
        self._sockets: set[WatchedSocket] = set()
        self._left: dict[DeviceKey, Standing] = {}
        self._tasks = OwnedTasks()
        self._watching: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._hint = asyncio.Event()
        self._away = False
        # Held weakly by the signal, so there is nothing to disconnect.
        access_revoked.connect(self._hinted)

    def watch(self, socket: WatchedSocket) -> None:
        """Keep an eye on ``socket`` from now on."""
        self._sockets.add(socket)
        if self._watching is None or self._watching.done():
            self._loop = asyncio.get_running_loop()
            self._watching = self._tasks.start(self._watch(), name="asking for revoked access")

    async def unwatch(self, socket: WatchedSocket) -> None:
        """``socket`` is gone; its turns, if any go on, are still watched."""
        if socket in self._sockets:
            self._sockets.remove(socket)
            if socket.device is not None and self._supervisor.running(socket.device):
                self._left[socket.device] = socket.standing
        if not (self._sockets or self._left):
            await self.aclose()

    async def aclose(self) -> None:
        """Stop asking, until the next socket comes."""
        self._watching = None
        await self._tasks.aclose()

    def ask_soon(self) -> None:
        """Ask at once, and not only when it is time."""
        self._hint.set()

    def _hinted(self, **_: object) -> None:
        # In whichever thread has committed; a loop that is closed has no sockets left.
        if self._loop is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._hint.set)

    async def _watch(self) -> None:
        while self._sockets or self._left:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._every_s):
                    await self._hint.wait()
            # Before asking: a hint that comes while the answer is on its way is a reason to ask again.
            self._hint.clear()
            self._forget_ended()
            if self._sockets or self._left:
                await self._ask_about_all()

    def _forget_ended(self) -> None:
        """A device that is back, or whose turns have ended, needs no watching for what it left behind."""
        back = {socket.device for socket in self._sockets}
        self._left = {
            device: standing
            for device, standing in self._left.items()
            if device not in back and self._supervisor.running(device)
        }

    async def _ask_about_all(self) -> None:
        asked = {socket: socket.standing for socket in self._sockets}
        try:
            revoked = await self._ask({*asked.values(), *self._left.values()})
        except Exception:  # the boundary of a task that outlives a database that is away
            if not self._away:
                logger.exception("asking for revoked access failed; asking goes on")
            self._away = True
            return
        self._away = False
        for socket, standing in asked.items():
            # A fresh token may have come in the meantime.
            if standing in revoked and standing == socket.standing:
                self._turn_out(socket)
        for device, standing in list(self._left.items()):
            if standing in revoked:
                del self._left[device]
                self._cancel_turns(device)

    def _turn_out(self, socket: WatchedSocket) -> None:
        # Forgotten at once: should it close slowly, a newer socket of the device has nothing to do with it.
        self._sockets.discard(socket)
        if socket.device is not None:
            self._cancel_turns(socket.device)
        socket.close_soon(CloseCode.REVOKED)

    def _cancel_turns(self, device: DeviceKey) -> None:
        for turn in self._supervisor.running(device):
            self._supervisor.cancel(turn.key)
