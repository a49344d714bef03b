"""This process as one node of a cluster of processes that serve the same users.

It works from the application's first event to its end: it renews the lease of this process, follows the notifications
of the others, and announces revoked access and open questions to them. For a process alone nothing of it runs.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, assert_never
from uuid import UUID

from channels.layers import InMemoryChannelLayer

from accounts.signals import access_revoked
from chat.cluster.call_store import CallStore, MemoryCallStore, RedisCallStore
from chat.cluster.notifications import Layer, Notification, NotificationBus, Topic
from chat.cluster.presence import (
    LEASE_S,
    RENEW_EVERY_S,
    Leases,
    MemoryLeases,
    MemoryPresence,
    PresenceStore,
    PresenceTracker,
    RedisLeases,
    RedisPresence,
)
from chat.cluster.redis_connection import OpenVault, RedisConnection, VaultCache
from chat.cluster.remote_calls import CallServer, RemoteCalls
from chat.cluster.remote_turns import MemoryDirectory, RedisDirectory, RemoteTurns, TurnDirectory
from chat.devices.connections import Connection, ConnectionManager
from chat.devices.links import DeviceKey
from chat.errors import ClusterUnavailable
from chat.rates import MAX_SOCKETS
from chat.revocation import RevocationWatch
from chat.tasks import OwnedTasks
from chat.turns.supervisor import TurnSupervisor

logger = logging.getLogger(__name__)

_FIRST_RENEWAL_S: Final = 3.0
_REPEAT_AFTER_S: Final = (0.5, 1.0, 2.0, 4.0)
_RESTORE_EVERY: Final = 60
"""Renewals of the lease between two renewals of what else expires."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ClusterPorts:
    """The ports of one process to what the processes of a server share, in memory or in Redis.

    ``shared`` is whether there may be other processes.
    """

    bus: NotificationBus
    leases: Leases
    presence: PresenceStore
    directory: TurnDirectory
    calls: CallStore
    shared: bool


def single_process_ports() -> ClusterPorts:
    """The ports of a process that shares nothing."""
    leases = MemoryLeases()
    return ClusterPorts(
        bus=NotificationBus(InMemoryChannelLayer()),
        leases=leases,
        presence=MemoryPresence(leases=leases),
        directory=MemoryDirectory(),
        calls=MemoryCallStore(),
        shared=False,
    )


def redis_ports(
    redis: RedisConnection, *, layer: Layer, open_vault: OpenVault, lease_s: float = LEASE_S
) -> ClusterPorts:
    """The ports over Redis. Users' content is encrypted with the keys that ``open_vault`` gives."""
    leases, vaults = RedisLeases(redis=redis, lease_s=lease_s), VaultCache(open_vault)
    return ClusterPorts(
        bus=NotificationBus(layer),
        leases=leases,
        presence=RedisPresence(redis=redis, leases=leases),
        directory=RedisDirectory(redis=redis, vaults=vaults),
        calls=RedisCallStore(redis=redis, vaults=vaults),
        shared=True,
    )


@dataclass(kw_only=True, eq=False)
class ClusterNode:
    """``presence`` knows which device is connected where, ``turns`` reaches the turns of other processes.

    ``calls`` are this process's own; those of other processes are served here.
    """

    ports: ClusterPorts
    calls: RemoteCalls
    connections: ConnectionManager
    supervisor: TurnSupervisor
    revocation: RevocationWatch
    show_questions: Callable[[Connection], Coroutine[Any, Any, None]]
    """Shows, on a socket, the questions that wait for its device."""
    secret: bytes = field(repr=False)
    renew_every_s: float = RENEW_EVERY_S
    max_sockets: int = MAX_SOCKETS
    """Of a user, on all processes."""
    on_job: Callable[[UUID], None] = field(default=lambda _: None, init=False)
    """Called with a job that has changed and whose device is on this process."""
    _tasks: OwnedTasks = field(default_factory=OwnedTasks, init=False)
    _loop: asyncio.AbstractEventLoop | None = field(default=None, init=False)
    _tried: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _unavailable: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        ports, connections = self.ports, self.connections
        self.presence = PresenceTracker(
            store=ports.presence, bus=ports.bus, connections=connections, max_sockets=self.max_sockets
        )
        self.turns = RemoteTurns(directory=ports.directory, leases=ports.leases, bus=ports.bus, secret=self.secret)
        self._server = CallServer(connections=connections, calls=ports.calls, bus=ports.bus)
        self.supervisor.on_forgotten = ports.directory.forget
        # The signal holds it weakly, so there is nothing to disconnect.
        access_revoked.connect(self._revoked)

    @property
    def name(self) -> str:
        """The address of this process."""
        return self.ports.bus.name

    def begin(self) -> None:
        """Join the cluster. Idempotent."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            self._tasks.start(self._keep_alive(), name="renewing the lease of this process")
            if self.ports.shared:
                self._tasks.start(self._listen(), name="listening to other processes")

    async def known(self) -> None:
        """Wait until the others may know that this process is alive: what a dead one stores does not count."""
        self.begin()
        with suppress(TimeoutError):
            async with asyncio.timeout(_FIRST_RENEWAL_S):
                await self._tried.wait()

    async def aclose(self) -> None:
        """Publish what is left, and leave the cluster."""
        await self.ports.directory.aclose()
        await self._server.aclose()
        await self.calls.aclose()
        await self.presence.aclose()
        await self._tasks.aclose()
        if self.ports.shared:
            await self.ports.bus.leave()
        with suppress(ClusterUnavailable):
            await self.ports.leases.release(self.name)

    def announce_question(self, device: DeviceKey) -> None:
        """Have a question shown by the process that ``device`` is connected to."""
        # If all of these are lost, the question is still shown at the device's next hello.
        announcing = self._announce(device, Topic.ASKED, repeat_after_s=_REPEAT_AFTER_S)
        self._tasks.start(announcing, name="having a question shown elsewhere")

    def announce_job(self, device: DeviceKey, job_id: UUID) -> None:
        """Have the process that ``device`` is connected to tell it that the job has changed.

        If the notification is lost, the device still learns how the job ended: that is repeated.
        """
        announcing = self._announce(device, Topic.JOB, str(job_id))
        self._tasks.start(announcing, name="telling of a job elsewhere")

    async def _keep_alive(self) -> None:
        renewals = 0
        while True:
            try:
                known = await self.ports.leases.renew(self.name)
                if not known or renewals % _RESTORE_EVERY == 0:
                    await self._restore(forgotten=not known)
                if self._unavailable:
                    logger.warning("the other processes can be reached again")
                self._unavailable = False
            except ClusterUnavailable as error:
                if not self._unavailable:
                    logger.warning("the other processes cannot be reached; this one goes on: %s", error)
                self._unavailable = True
            except Exception:  # the boundary of a task that must go on: without it, this process counts as dead
                logger.exception("telling the other processes that this one lives failed; it goes on")
            self._tried.set()
            if not self.ports.shared:
                return
            renewals += 1
            await asyncio.sleep(self.renew_every_s)

    async def _restore(self, *, forgotten: bool) -> None:
        self._tried.set()
        await self.ports.bus.join()
        await self.presence.restore()
        await self.ports.directory.renew(forgotten=forgotten)

    async def _listen(self) -> None:
        while True:
            notification = await self.ports.bus.receive()
            try:
                self._follow(notification)
            except Exception:  # the boundary of a task that must outlive any failure of one notification
                logger.exception("a notification could not be followed")

    def _follow(self, notification: Notification) -> None:
        device = (notification.user_id, notification.device_id)
        match notification.topic:
            case Topic.CALL:
                self._server.serve(notification)
            case Topic.ANSWERED:
                self.calls.answered(notification.subject)
            case Topic.CANCEL:
                self.supervisor.cancel((notification.user_id, notification.subject))
            case Topic.REPLACED:
                self.presence.close(device, notification.subject)
            case Topic.ASKED:
                connection = self.connections.connection(device)
                if connection is not None:
                    self._tasks.start(self.show_questions(connection), name="showing a question of another process")
            case Topic.JOB:
                self.on_job(UUID(notification.subject))
            case Topic.REVOKED:
                self._end_access(notification)
            case _:
                assert_never(notification.topic)

    async def _announce(
        self, device: DeviceKey, topic: Topic, subject: str = "", *, repeat_after_s: Sequence[float] = (0.0,)
    ) -> None:
        for pause_s in repeat_after_s if self.ports.shared else ():
            with suppress(ClusterUnavailable):
                location = await self.ports.presence.find(device)
                if location is not None:
                    await self.ports.bus.send(location.process, topic, *device, subject=subject)
            await asyncio.sleep(pause_s)

    def _revoked(self, *, user_id: UUID, device_id: str | None, **_: object) -> None:
        # Runs in the thread that has committed; a closed loop has left the cluster.
        def tell() -> None:
            telling = self.ports.bus.send_all(Topic.REVOKED, user_id, device_id or "")
            self._tasks.start(telling, name="telling of revoked access")

        if self._loop is not None and self.ports.shared:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(tell)

    def _end_access(self, notification: Notification) -> None:
        """Ask about the sockets here, and cancel turns here whose device is elsewhere, since none asks about those."""
        self.revocation.ask_soon()
        for turn in self.supervisor.running():
            user_id, device_id = turn.device
            ended = user_id == notification.user_id and notification.device_id in {"", device_id}
            if ended and self.connections.connection(turn.device) is None:
                self.supervisor.cancel(turn.key)
