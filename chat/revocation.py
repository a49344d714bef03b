"""Closing the sockets whose access has ended (protocol: logout everywhere, deactivated user, removed device)."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Protocol

from accounts.auth.tokens import AccessGrant
from accounts.signals import access_revoked
from chat.devices.connections import Socket
from chat.devices.links import DeviceKey
from chat.protocol.frames.vocabulary import CloseCode
from chat.tasks import OwnedTasks
from chat.turns.supervisor import TurnSupervisor

logger = logging.getLogger(__name__)

ASK_EVERY_S: Final = 4.0
"""The protocol allows 5 s, of which the query takes some and sending what is queued up to one."""


class WatchedSocket(Socket, Protocol):
    """A socket that was opened with a token."""

    @property
    def grant(self) -> AccessGrant:
        """The grant of its latest token."""

    @property
    def device(self) -> DeviceKey | None:
        """The device, after its hello."""


@dataclass(kw_only=True, eq=False)
class RevocationWatch:
    """Asks about all sockets of this process every ``every_s`` seconds, and at once when ``access_revoked`` is sent.

    A socket whose access has ended is closed with 4403, and the turns of its device are cancelled; so are turns that
    go on after their socket has gone. The signal is only a reason to ask the database: it may be lost. While there is
    no socket and no such turn, nothing runs.
    """

    ask: Callable[[Collection[AccessGrant]], Awaitable[Collection[AccessGrant]]]
    """Gives those of the grants that have ended, by one query however many there are."""
    supervisor: TurnSupervisor
    every_s: float = ASK_EVERY_S
    _sockets: set[WatchedSocket] = field(default_factory=set, init=False)
    _left: dict[DeviceKey, AccessGrant] = field(default_factory=dict, init=False)
    """The devices whose turns go on without a socket."""
    _tasks: OwnedTasks = field(default_factory=OwnedTasks, init=False)
    _watching: asyncio.Task[None] | None = field(default=None, init=False)
    _loop: asyncio.AbstractEventLoop | None = field(default=None, init=False)
    _ask_now: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _away: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        # The signal holds it weakly, so there is nothing to disconnect.
        access_revoked.connect(self._on_revoked)

    def watch(self, socket: WatchedSocket) -> None:
        """Ask about ``socket`` from now on."""
        self._sockets.add(socket)
        if self._watching is None or self._watching.done():
            self._loop = asyncio.get_running_loop()
            self._watching = self._tasks.start(self._watch(), name="asking for revoked access")

    async def unwatch(self, socket: WatchedSocket) -> None:
        """``socket`` has ended; turns of it that go on are still watched."""
        if socket in self._sockets:
            self._sockets.remove(socket)
            if socket.device is not None and self.supervisor.running(socket.device):
                self._left[socket.device] = socket.grant
        if not (self._sockets or self._left):
            await self.aclose()

    async def aclose(self) -> None:
        """Stop asking until there is another socket."""
        self._watching = None
        await self._tasks.aclose()

    def ask_soon(self) -> None:
        """Ask at once, without waiting for the interval to end."""
        self._ask_now.set()

    def _on_revoked(self, **_: object) -> None:
        # Runs in the thread that has committed; a closed loop has no sockets left.
        if self._loop is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._ask_now.set)

    async def _watch(self) -> None:
        while self._sockets or self._left:
            with suppress(TimeoutError):
                async with asyncio.timeout(self.every_s):
                    await self._ask_now.wait()
            # Before asking, because a signal that comes during the query is a reason to ask again.
            self._ask_now.clear()
            here = {socket.device for socket in self._sockets}
            for device in list(self._left):
                if device in here or not self.supervisor.running(device):
                    del self._left[device]
            if self._sockets or self._left:
                await self._ask_about_all()

    async def _ask_about_all(self) -> None:
        asked = {socket: socket.grant for socket in self._sockets}
        try:
            revoked = await self.ask({*asked.values(), *self._left.values()})
        except Exception:  # the boundary of a task that outlives a database that is away
            if not self._away:
                logger.exception("asking for revoked access failed; asking goes on")
            self._away = True
            return
        self._away = False
        for socket, grant in asked.items():
            # A fresh token may have come in the meantime.
            if grant in revoked and grant == socket.grant:
                # Forgotten at once: if it closes slowly, a newer socket of the device is not affected.
                self._sockets.discard(socket)
                if socket.device is not None:
                    self._cancel_turns(socket.device)
                socket.close_soon(CloseCode.REVOKED)
        for device, grant in list(self._left.items()):
            if grant in revoked:
                del self._left[device]
                self._cancel_turns(device)

    def _cancel_turns(self, device: DeviceKey) -> None:
        for turn in self.supervisor.running(device):
            self.supervisor.cancel(turn.key)
