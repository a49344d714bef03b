"""This process as a node of a cluster of processes that serve the same users.

From the application's first event to its end, the node renews the lease of this process, handles the notifications of
other processes, and announces revoked access and open questions to them. A single process does none of this.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final, assert_never
from uuid import UUID

from channels.layers import InMemoryChannelLayer

from accounts.keys.vault import OpenVault
from accounts.signals import access_revoked
from chat.cluster.call_store import CallStore, MemoryCallStore, RedisCallStore
from chat.cluster.conversations import RedisConversations, redis_foreign_marks
from chat.cluster.leases import LEASE_S, RENEW_EVERY_S, Leases, MemoryLeases, RedisLeases
from chat.cluster.notifications import Layer, Notification, NotificationBus, Topic
from chat.cluster.presence import PresenceTracker
from chat.cluster.presence_store import MemoryPresence, PresenceStore, RedisPresence
from chat.cluster.redis_connection import RedisConnection, VaultCache
from chat.cluster.remote_calls import CallServer, RemoteCalls
from chat.cluster.remote_turns import MemoryDirectory, RedisDirectory, RemoteTurns, TurnDirectory
from chat.devices.connections import Connection, ConnectionManager
from chat.devices.links import DeviceKey
from chat.errors import ClusterUnavailable
from chat.rates import MAX_SOCKETS
from chat.revocation import RevocationWatch
from chat.tasks import OwnedTasks
from chat.turns.conversation_store import (
    CONVERSATION_S,
    ConversationStore,
    MemoryConversations,
    memory_foreign_marks,
)
from chat.turns.supervisor import TurnSupervisor

logger = logging.getLogger(__name__)

_FIRST_RENEWAL_S: Final = 3.0
_REPEAT_AFTER_S: Final = (0.5, 1.0, 2.0, 4.0)
_RESTORE_EVERY_S: Final = 1.0
_RESTORE_PARTS: Final = 60
"""All locations are stored again in parts, one a second. Everything else is renewed with the first part."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ClusterPorts:
    """The ports to the state that the processes of a server share, in memory or in Redis.

    ``shared``: whether there may be other processes.
    """

    bus: NotificationBus
    leases: Leases
    presence: PresenceStore
    directory: TurnDirectory
    calls: CallStore
    conversations: ConversationStore
    foreign_marks: ConversationStore
    shared: bool


def single_process_ports(*, conversation_s: int = CONVERSATION_S) -> ClusterPorts:
    """The ports of a process that shares nothing."""
    leases = MemoryLeases()
    return ClusterPorts(
        bus=NotificationBus(InMemoryChannelLayer()),
        leases=leases,
        presence=MemoryPresence(leases=leases),
        directory=MemoryDirectory(),
        calls=MemoryCallStore(),
        conversations=MemoryConversations(max_idle_s=conversation_s),
        foreign_marks=memory_foreign_marks(),
        shared=False,
    )


def redis_ports(
    redis: RedisConnection,
    *,
    layer: Layer,
    open_vault: OpenVault,
    lease_s: float = LEASE_S,
    conversation_s: int = CONVERSATION_S,
) -> ClusterPorts:
    """The ports over Redis. Users' content is encrypted with the keys that ``open_vault`` returns."""
    leases, vaults = RedisLeases(redis=redis, lease_s=lease_s), VaultCache(open_vault)
    return ClusterPorts(
        bus=NotificationBus(layer),
        leases=leases,
        presence=RedisPresence(redis=redis, leases=leases),
        directory=RedisDirectory(redis=redis, vaults=vaults),
        calls=RedisCallStore(redis=redis, vaults=vaults),
        conversations=RedisConversations(redis=redis, vaults=vaults, max_idle_s=conversation_s),
        foreign_marks=redis_foreign_marks(redis=redis, vaults=vaults),
        shared=True,
    )


@dataclass(kw_only=True, eq=False)
class ClusterNode:
    """The node of this process.

    ``presence`` finds the process of a device, and ``turns`` the turns of other processes. ``calls`` are the calls of
    this process to devices of others. The node also serves the calls of other processes.
    """

    ports: ClusterPorts
    calls: RemoteCalls
    connections: ConnectionManager
    supervisor: TurnSupervisor
    revocation: RevocationWatch
    show_questions: Callable[[Connection], Coroutine[Any, Any, None]]
    """Shows the open questions for its device on a socket."""
    secret: bytes = field(repr=False)
    renew_every_s: float = RENEW_EVERY_S
    max_sockets: int = MAX_SOCKETS
    """Of a user, on all processes."""
    on_job: Callable[[UUID], None] = field(default=lambda _: None, init=False)
    """Called with a job that has changed and whose device is on this process."""
    _tasks: OwnedTasks = field(default_factory=OwnedTasks, init=False)
    _loop: asyncio.AbstractEventLoop | None = field(default=None, init=False)
    _tried: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    _forgotten: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    """Set when Redis may have lost what this process has stored."""
    _unavailable: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        ports, connections = self.ports, self.connections
        self.presence = PresenceTracker(
            store=ports.presence, bus=ports.bus, connections=connections, max_sockets=self.max_sockets
        )
        self.turns = RemoteTurns(directory=ports.directory, leases=ports.leases, bus=ports.bus, secret=self.secret)
        self._server = CallServer(connections=connections, calls=ports.calls, bus=ports.bus)
        self.supervisor.on_forgotten = ports.directory.forget
        # The signal has only a weak reference, so there is nothing to disconnect.
        access_revoked.connect(self._revoked)

    @property
    def name(self) -> str:
        """The address of this process."""
        return self.ports.bus.name

    def begin(self) -> None:
        """Join the cluster. Idempotent."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            self._tasks.start(self._renew(), name="renewing the lease of this process")
            if self.ports.shared:
                self._tasks.start(self._restore(), name="storing again what this process has stored")
                self._tasks.start(self._listen(), name="listening to other processes")

    async def joined(self) -> None:
        """Wait for a lease of this process, for 3 s at most. Locations on processes without a lease do not count."""
        self.begin()
        with suppress(TimeoutError):
            async with asyncio.timeout(_FIRST_RENEWAL_S):
                await self._tried.wait()

    async def aclose(self) -> None:
        """Publish the remaining frames, and leave the cluster."""
        await self.ports.directory.aclose()
        await self._server.aclose()
        await self.calls.aclose()
        await self.presence.aclose()
        await self._tasks.aclose()
        with suppress(ClusterUnavailable):
            await self.ports.leases.release(self.name)

    def announce_question(self, device: DeviceKey) -> None:
        """Ask the process to which ``device`` is connected to show a question."""
        # If all notifications are lost, the question is still shown at the device's next hello.
        announcing = self._announce(device, Topic.ASKED, repeat_after_s=_REPEAT_AFTER_S)
        self._tasks.start(announcing, name="having a question shown elsewhere")

    def announce_job(self, device: DeviceKey, job_id: UUID) -> None:
        """Ask the process to which ``device`` is connected to send it the state of the job.

        If the notification is lost, the device still gets the result of the job, which is sent repeatedly.
        """
        announcing = self._announce(device, Topic.JOB, str(job_id))
        self._tasks.start(announcing, name="announcing a job elsewhere")

    async def _renew(self) -> None:
        """Renew the lease. Nothing else may be done here, because a process that renews too late counts as dead."""
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            try:
                was_alive = await self.ports.leases.renew(self.name)
                if not was_alive or self._unavailable:
                    self._forgotten.set()
                if self._unavailable:
                    logger.warning("the other processes can be reached again")
                self._unavailable = False
            except ClusterUnavailable as error:
                if not self._unavailable:
                    logger.warning("the other processes cannot be reached; this one continues: %s", error)
                self._unavailable = True
            except Exception:  # the boundary of a task that must continue: without it, this process counts as dead
                logger.exception("renewing the lease of this process failed; it is tried again")
            self._tried.set()
            if not self.ports.shared:
                return
            # Counted from the beginning of this renewal; but after a slow failure there is a pause.
            left_s = began + self.renew_every_s - loop.time()
            await asyncio.sleep(max(left_s, self.renew_every_s / 2))

    async def _restore(self) -> None:
        for part in count():
            with suppress(TimeoutError):
                async with asyncio.timeout(_RESTORE_EVERY_S):
                    await self._forgotten.wait()
            forgotten = self._forgotten.is_set()
            self._forgotten.clear()
            try:
                await self.presence.restore(share=1.0 if forgotten else 1 / _RESTORE_PARTS)
                if forgotten or part % _RESTORE_PARTS == 0:
                    await self.ports.directory.renew(forgotten=forgotten)
            except Exception as error:  # the boundary of a task that must outlive any failure of one part
                if not isinstance(error, ClusterUnavailable):
                    logger.exception("storing again what this process has stored failed; it is tried again")
                if forgotten:
                    self._forgotten.set()
                await asyncio.sleep(self.renew_every_s)

    async def _listen(self) -> None:
        while True:
            notification = await self.ports.bus.receive()
            try:
                self._follow(notification)
            except Exception:  # the boundary of a task that must outlive any failure of one notification
                logger.exception("a notification could not be handled")

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
                self.revocation.ask_about(notification.user_id)
                self._cancel_turns_without_socket(notification.user_id, notification.device_id)
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
        def announce() -> None:
            announcing = self._announce_revocation(user_id, device_id or "")
            self._tasks.start(announcing, name="announcing revoked access")

        if self._loop is not None and self.ports.shared:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(announce)

    async def _announce_revocation(self, user_id: UUID, device_id: str) -> None:
        """Notify the processes that have sockets or turns of the user. The watch of this process asks by itself.

        A process that gets no notification asks a few seconds later anyway.
        """
        self._cancel_turns_without_socket(user_id, device_id)
        with suppress(ClusterUnavailable):
            processes = {*await self.ports.presence.holders(user_id), *await self.ports.directory.writers(user_id)}
            for process in processes - {self.name}:
                await self.ports.bus.send(process, Topic.REVOKED, user_id, device_id)

    def _cancel_turns_without_socket(self, user_id: UUID, device_id: str) -> None:
        """Cancel the turns here whose device is elsewhere, because no socket here is watched for them."""
        for turn in self.supervisor.running():
            ended = turn.device[0] == user_id and device_id in {"", turn.device[1]}
            if ended and self.connections.connection(turn.device) is None:
                self.supervisor.cancel(turn.key)
