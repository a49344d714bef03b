"""Closes sockets whose access has ended: after a logout everywhere, a deactivation, or the removal of a device."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from contextvars import Context
from dataclasses import dataclass, field
from typing import Final, Protocol
from uuid import UUID

from accounts.auth.tokens import AccessGrant
from accounts.signals import access_revoked
from chat.devices.connections import Socket
from chat.devices.links import DeviceKey
from chat.protocol.frames.vocabulary import CloseCode
from chat.tasks import OwnedTasks
from chat.turns.supervisor import Turn, TurnSupervisor

logger = logging.getLogger(__name__)

ASK_EVERY_S: Final = 4.0
"""The protocol allows 5 s, including the query and up to a second for sending queued frames."""
_GATHER_S: Final = 0.1
"""How long users are gathered after a query, so that many revocations need few queries."""


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
    """Asks the database about all sockets of this process every ``every_s`` seconds, in one query.

    When ``access_revoked`` names a user with sockets here, it asks about these at once. A socket whose access has ended
    is closed with 4403, and the turns of its device are cancelled. So are turns that continue after their socket has
    closed, and those of REST requests whose device is on another process. The signal can be lost, so it only makes the
    watch ask sooner. While there is no socket and no such turn, nothing runs.
    """

    ask: Callable[[Collection[AccessGrant]], Awaitable[Collection[AccessGrant]]]
    """Returns the grants that have ended, in one query."""
    supervisor: TurnSupervisor
    every_s: float = ASK_EVERY_S
    _sockets: dict[UUID, set[WatchedSocket]] = field(default_factory=dict, init=False)
    """By user."""
    _left: dict[Turn, AccessGrant] = field(default_factory=dict, init=False)
    """The turns that continue without a socket."""
    _tasks: OwnedTasks = field(default_factory=OwnedTasks, init=False)
    _watching: asyncio.Task[None] | None = field(default=None, init=False)
    _loop: asyncio.AbstractEventLoop | None = field(default=None, init=False)
    _named: set[UUID] = field(default_factory=set, init=False)
    """The users to ask about soon."""
    _woken: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _away: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        # The signal has only a weak reference, so there is nothing to disconnect.
        access_revoked.connect(self._on_revoked)

    def watch(self, socket: WatchedSocket) -> None:
        """Ask about ``socket`` from now on."""
        self._sockets.setdefault(socket.grant.user_id, set()).add(socket)
        self._begin()

    def watch_turn(self, turn: Turn, grant: AccessGrant) -> None:
        """Ask about ``turn``, which was begun by ``grant``, until it ends or its device has a socket here."""
        self._left[turn] = grant
        self._begin()

    def _begin(self) -> None:
        if self._watching is None or self._watching.done():
            self._loop = asyncio.get_running_loop()
            self._watching = self._tasks.start(self._watch(), name="asking for revoked access", context=Context())

    async def unwatch(self, socket: WatchedSocket) -> None:
        """``socket`` has closed. Its running turns are still watched."""
        if self._dropped(socket) and socket.device is not None:
            self._left.update(dict.fromkeys(self.supervisor.running(socket.device), socket.grant))
        if not (self._sockets or self._left):
            await self.aclose()

    async def aclose(self) -> None:
        """Stop asking until there is another socket."""
        self._watching = None
        await self._tasks.aclose()

    def ask_about(self, user_id: UUID) -> None:
        """Ask about this user's sockets and turns at once, if there are any."""
        if user_id in self._sockets or any(turn.key[0] == user_id for turn in self._left):
            self._named.add(user_id)
            self._woken.set()

    def _on_revoked(self, *, user_id: UUID, **_: object) -> None:
        # Runs in the thread that has committed; a closed loop has no sockets left.
        if self._loop is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self.ask_about, user_id)

    async def _watch(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time() + self.every_s
        while self._sockets or self._left:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(due):
                    await self._woken.wait()
            # Before asking, because a signal during the query is a reason to ask again.
            named, self._named = self._named, set()
            self._woken.clear()
            self._forget_ended()
            if loop.time() < due:
                await self._ask_about(named)
                await asyncio.sleep(_GATHER_S)
            else:
                await self._ask_about(None)
                due = loop.time() + self.every_s

    def _forget_ended(self) -> None:
        """Forget the turns that have ended and those whose device is here."""
        for turn in list(self._left):
            here = any(socket.device == turn.device for socket in self._sockets.get(turn.key[0], ()))
            if here or turn.log.closed:
                del self._left[turn]

    async def _ask_about(self, users: Collection[UUID] | None) -> None:
        """Ask about the sockets and turns of these users, or of all."""
        asked = {
            socket: socket.grant
            for user_id in (self._sockets if users is None else users)
            for socket in self._sockets.get(user_id, ())
        }
        left = {turn: grant for turn, grant in self._left.items() if users is None or turn.key[0] in users}
        if not (asked or left):
            return
        try:
            revoked = await self.ask({*asked.values(), *left.values()})
        except Exception:  # the boundary of a task that outlives failures of the database
            if not self._away:
                logger.exception("asking for revoked access failed; it is tried again")
            self._away = True
            return
        self._away = False
        for socket, grant in asked.items():
            # The socket may have got a new token meanwhile.
            if grant in revoked and grant == socket.grant:
                # Now, so that turns of a newer socket of the device are not affected if this one closes slowly.
                self._dropped(socket)
                if socket.device is not None:
                    self._cancel_turns(socket.device)
                socket.close_soon(CloseCode.REVOKED)
        for turn, grant in left.items():
            if grant in revoked and self._left.get(turn) == grant:
                del self._left[turn]
                self.supervisor.cancel(turn.key)

    def _dropped(self, socket: WatchedSocket) -> bool:
        """Stop asking about ``socket``. Returns whether it was watched."""
        of_user = self._sockets.get(socket.grant.user_id, set())
        if socket not in of_user:
            return False
        of_user.remove(socket)
        if not of_user:
            del self._sockets[socket.grant.user_id]
        return True

    def _cancel_turns(self, device: DeviceKey) -> None:
        for turn in self.supervisor.running(device):
            self.supervisor.cancel(turn.key)
