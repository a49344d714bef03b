"""This process as one node of a cluster of processes that serve the same users.

It works from the application's first event to its end: it renews the lease of this process, follows the notifications
of the others, and announces revoked access and open questions to them. For a process alone nothing of it runs.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final, TypeAlias, assert_never
from uuid import UUID

from accounts.signals import access_revoked
from chat.cluster.leases import RENEW_EVERY_S
from chat.cluster.notifications import Notification, Topic
from chat.cluster.ports import ClusterPorts
from chat.cluster.presence import PresenceTracker
from chat.cluster.remote_calls import CallServer, RemoteCalls
from chat.cluster.remote_turns import RemoteTurns
from chat.devices.connections import Connection, ConnectionManager, DeviceKey
from chat.errors import ClusterUnavailable
from chat.revocation import RevocationWatch
from chat.tasks import OwnedTasks
from chat.turns.supervisor import TurnSupervisor

logger = logging.getLogger(__name__)

OnJob: TypeAlias = Callable[[UUID], None]
ShowQuestions: TypeAlias = Callable[[Connection], Coroutine[Any, Any, None]]
"""Shows, on a socket, the questions that wait for its device."""

_FIRST_RENEWAL_S: Final = 3.0
_REPEAT_AFTER_S: Final = (0.5, 1.0, 2.0, 4.0)
_RESTORE_EVERY: Final = 60
"""Renewals of the lease between two renewals of what else expires."""


def _ignore(_: UUID) -> None:
    return None


class ClusterNode:
    """``presence`` knows which device is connected where, ``turns`` reaches the turns of other processes.

    ``calls`` are this process's own, over ``RemoteLink``; those of other processes are served here.
    """

    def __init__(
        self,
        ports: ClusterPorts,
        *,
        calls: RemoteCalls,
        connections: ConnectionManager,
        supervisor: TurnSupervisor,
        revocation: RevocationWatch,
        show_questions: ShowQuestions,
        secret: bytes,
        renew_every_s: float = RENEW_EVERY_S,
    ) -> None:
        bus = self._bus = ports.bus
        self._ports = ports
        self._calls = calls
        self._connections = connections
        self._supervisor = supervisor
        self._revocation = revocation
        self._show_questions = show_questions
        self._renew_every_s = renew_every_s
        self.presence = PresenceTracker(store=ports.presence, bus=bus, connections=connections)
        self.turns = RemoteTurns(directory=ports.directory, leases=ports.leases, bus=bus, secret=secret)
        self._server = CallServer(connections=connections, calls=ports.calls, bus=bus)
        self._tasks = OwnedTasks()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tried = asyncio.Event()
        supervisor.on_forgotten = ports.directory.forget
        self._unavailable = False
        self.on_job: OnJob = _ignore
        """Called with a job that has changed and whose device is on this process."""
        # The signal holds it weakly, so there is nothing to disconnect.
        access_revoked.connect(self._revoked)

    @property
    def name(self) -> str:
        """The address of this process."""
        return self._bus.name

    def begin(self) -> None:
        """Join the cluster. Idempotent."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            self._tasks.start(self._keep_alive(), name="renewing the lease of this process")
            if self._ports.shared:
                self._tasks.start(self._listen(), name="listening to other processes")

    async def known(self) -> None:
        """Wait until the others may know that this process is alive: what a dead one stores does not count."""
        self.begin()
        with suppress(TimeoutError):
            async with asyncio.timeout(_FIRST_RENEWAL_S):
                await self._tried.wait()

    async def aclose(self) -> None:
        """Publish what is left, and leave the cluster."""
        await self._ports.directory.aclose()
        await self._server.aclose()
        await self._calls.aclose()
        await self.presence.aclose()
        await self._tasks.aclose()
        if self._ports.shared:
            await self._bus.leave()
        with suppress(ClusterUnavailable):
            await self._ports.leases.release(self.name)

    def announce_question(self, device: DeviceKey) -> None:
        """Have a question shown by the process that ``device`` is connected to."""
        if self._ports.shared:
            self._tasks.start(self._announce_question(device), name="having a question shown elsewhere")

    def announce_job(self, device: DeviceKey, job_id: UUID) -> None:
        """Have the process that ``device`` is connected to tell it that the job has changed.

        If the notification is lost, the device still learns how the job ended: that is repeated.
        """
        if self._ports.shared:
            self._tasks.start(self._announce_job(device, job_id), name="telling of a job elsewhere")

    async def _keep_alive(self) -> None:
        renewals = 0
        while True:
            try:
                known = await self._ports.leases.renew(self.name)
                if not known or renewals % _RESTORE_EVERY == 0:
                    await self._restore(forgotten=not known)
                self._note_reachable()
            except ClusterUnavailable as error:
                self._note_unavailable(error)
            except Exception:  # the boundary of a task that must go on: without it, this process counts as dead
                logger.exception("telling the other processes that this one lives failed; it goes on")
            self._tried.set()
            if not self._ports.shared:
                return
            renewals += 1
            await asyncio.sleep(self._renew_every_s)

    async def _restore(self, *, forgotten: bool) -> None:
        self._tried.set()
        await self._bus.join()
        await self.presence.restore()
        if forgotten:
            await self._ports.directory.restore()
        await self._ports.directory.renew()

    async def _listen(self) -> None:
        while True:
            notification = await self._bus.receive()
            try:
                self._follow(notification)
            except Exception:  # the boundary of a task that must outlive any failure of one notification
                logger.exception("a notification could not be followed")

    def _follow(self, notification: Notification) -> None:
        match notification.topic:
            case Topic.CALL:
                self._server.serve(notification)
            case Topic.ANSWERED:
                self._calls.answered(notification.subject)
            case Topic.CANCEL:
                self._supervisor.cancel((notification.user_id, notification.subject))
            case Topic.REPLACED:
                self.presence.close((notification.user_id, notification.device_id), notification.subject)
            case Topic.ASKED:
                self._show_here((notification.user_id, notification.device_id))
            case Topic.JOB:
                self.on_job(UUID(notification.subject))
            case Topic.REVOKED:
                self._end_access(notification)
            case _:
                assert_never(notification.topic)

    async def _announce_job(self, device: DeviceKey, job_id: UUID) -> None:
        notification = Notification(
            topic=Topic.JOB, sender=self.name, user_id=device[0], device_id=device[1], subject=str(job_id)
        )
        with suppress(ClusterUnavailable):
            location = await self._ports.presence.find(device)
            if location is not None and location.process != self.name:
                await self._bus.send(location.process, notification)

    async def _announce_question(self, device: DeviceKey) -> None:
        notification = Notification(topic=Topic.ASKED, sender=self.name, user_id=device[0], device_id=device[1])
        # If all of these are lost, the question is still shown at the device's next hello.
        for pause_s in _REPEAT_AFTER_S:
            with suppress(ClusterUnavailable):
                location = await self._ports.presence.find(device)
                if location is not None:
                    await self._bus.send(location.process, notification)
            await asyncio.sleep(pause_s)

    def _show_here(self, device: DeviceKey) -> None:
        connection = self._connections.connection(device)
        if connection is not None:
            self._tasks.start(self._show_questions(connection), name="showing a question of another process")

    def _revoked(self, *, user_id: UUID, device_id: str | None, **_: object) -> None:
        # Runs in the thread that has committed; a closed loop has left the cluster.
        if self._loop is not None and self._ports.shared:
            notification = Notification(
                topic=Topic.REVOKED, sender=self.name, user_id=user_id, device_id=device_id or ""
            )
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._send_all, notification)

    def _send_all(self, notification: Notification) -> None:
        self._tasks.start(self._bus.send_all(notification), name="telling of revoked access")

    def _end_access(self, notification: Notification) -> None:
        """Ask about the sockets here, and cancel turns here whose device is elsewhere, since none asks about those."""
        self._revocation.ask_soon()
        for turn in self._supervisor.all_running():
            user_id, device_id = turn.device
            if (
                user_id == notification.user_id
                and notification.device_id in {"", device_id}
                and not self._connections.holds(turn.device)
            ):
                self._supervisor.cancel(turn.key)

    def _note_reachable(self) -> None:
        if self._unavailable:
            logger.warning("the other processes can be reached again")
        self._unavailable = False

    def _note_unavailable(self, error: ClusterUnavailable) -> None:
        if not self._unavailable:
            logger.warning("the other processes cannot be reached; this one goes on: %s", error)
        self._unavailable = True
