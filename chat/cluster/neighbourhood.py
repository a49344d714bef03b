"""The other processes that serve the same users, as one process sees them.

It lives from the first event of the application to its end: it says every second that this process lives, takes the
hints of the others, and tells them of revoked access and of questions. A process alone needs none of this, and then
nothing runs.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, Final, TypeAlias, assert_never
from uuid import UUID

from accounts.signals import access_revoked
from chat.cluster.arrivals import Arrivals
from chat.cluster.commons import Commons
from chat.cluster.hints import Hint, Topic
from chat.cluster.pulse import BEAT_S
from chat.cluster.remote_links import RemoteCalls
from chat.cluster.remote_service import RemoteService
from chat.cluster.remote_turns import RemoteTurns
from chat.devices.connections import Connection, ConnectionManager, DeviceKey
from chat.errors import NeighboursAway
from chat.revocation import RevocationWatch
from chat.tasks import OwnedTasks
from chat.turns.supervisor import TurnSupervisor

logger = logging.getLogger(__name__)

OnJob: TypeAlias = Callable[[UUID], None]
ShowQuestions: TypeAlias = Callable[[Connection], Coroutine[Any, Any, None]]
"""Shows, on a socket, the questions that wait for its device."""

_FIRST_BEAT_S: Final = 3.0
_SAY_AGAIN_S: Final = (0.5, 1.0, 2.0, 4.0)
_RENEW_EVERY: Final = 60
"""Beats between two renewals of what is kept with an expiry."""


def _ignore(_: UUID) -> None:
    return None


class Neighbourhood:
    """``arrivals`` says who is connected where, ``turns`` reaches turns of other processes.

    ``calls`` are this process's own, over ``RemoteLink``; those of others are served here.
    """

    def __init__(
        self,
        commons: Commons,
        *,
        calls: RemoteCalls,
        connections: ConnectionManager,
        supervisor: TurnSupervisor,
        revocation: RevocationWatch,
        show_questions: ShowQuestions,
        secret: bytes,
        beat_s: float = BEAT_S,
    ) -> None:
        hints = self._hints = commons.hints
        self._commons = commons
        self._calls = calls
        self._connections = connections
        self._supervisor = supervisor
        self._revocation = revocation
        self._show_questions = show_questions
        self._beat_s = beat_s
        self.arrivals = Arrivals(presence=commons.presence, hints=hints, connections=connections)
        self.turns = RemoteTurns(directory=commons.directory, pulse=commons.pulse, hints=hints, secret=secret)
        self._service = RemoteService(connections=connections, mailbox=commons.mailbox, hints=hints)
        self._tasks = OwnedTasks()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tried = asyncio.Event()
        supervisor.on_forgotten = commons.directory.forget
        self._away = False
        self.on_job: OnJob = _ignore
        """Told of a job whose device is on this process."""
        # Held weakly by the signal, so there is nothing to disconnect.
        access_revoked.connect(self._revoked)

    @property
    def name(self) -> str:
        """The address of this process."""
        return self._hints.name

    def begin(self) -> None:
        """Be one of the neighbours from now on; saying so again changes nothing."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            self._tasks.start(self._live(), name="saying that this process lives")
            if self._commons.shared:
                self._tasks.start(self._listen(), name="listening to other processes")

    async def known(self) -> None:
        """Wait until the others may know that this process lives: what a dead one says does not count."""
        self.begin()
        with suppress(TimeoutError):
            async with asyncio.timeout(_FIRST_BEAT_S):
                await self._tried.wait()

    async def aclose(self) -> None:
        """Publish what is left, and leave."""
        await self._commons.directory.aclose()
        await self._service.aclose()
        await self._calls.aclose()
        await self.arrivals.aclose()
        await self._tasks.aclose()
        if self._commons.shared:
            await self._hints.leave()
        with suppress(NeighboursAway):
            await self._commons.pulse.stop(self.name)

    def ask_elsewhere(self, device: DeviceKey) -> None:
        """A question waits for ``device``, which is not here: whoever holds its socket is to show it."""
        if self._commons.shared:
            self._tasks.start(self._ask_elsewhere(device), name="having a question shown elsewhere")

    async def _live(self) -> None:
        beats = 0
        while True:
            try:
                known = await self._commons.pulse.beat(self.name)
                if not known or beats % _RENEW_EVERY == 0:
                    await self._renew(forgotten=not known)
                self._back()
            except NeighboursAway as error:
                self._lost(error)
            except Exception:  # the boundary of a task that must go on: without it, this process counts as dead
                logger.exception("telling the other processes that this one lives failed; it goes on")
            self._tried.set()
            if not self._commons.shared:
                return
            beats += 1
            await asyncio.sleep(self._beat_s)

    async def _renew(self, *, forgotten: bool) -> None:
        self._tried.set()
        await self._hints.join()
        await self.arrivals.restore()
        if forgotten:
            await self._commons.directory.restore()
        await self._commons.directory.renew()

    async def _listen(self) -> None:
        while True:
            hint = await self._hints.receive()
            try:
                self._take(hint)
            except Exception:  # the boundary of a task that must outlive whatever a hint does
                logger.exception("a hint could not be followed")

    def _take(self, hint: Hint) -> None:
        match hint.topic:
            case Topic.CALL:
                self._service.serve(hint)
            case Topic.ANSWERED:
                self._calls.answered(hint.subject)
            case Topic.CANCEL:
                self._supervisor.cancel((hint.user_id, hint.subject))
            case Topic.REPLACED:
                self.arrivals.close((hint.user_id, hint.device_id), hint.subject)
            case Topic.ASKED:
                self._ask_here((hint.user_id, hint.device_id))
            case Topic.JOB:
                self.on_job(UUID(hint.subject))
            case Topic.REVOKED:
                self._end_access(hint)
            case _:
                assert_never(hint.topic)

    def tell_of_job(self, device: DeviceKey, job_id: UUID) -> None:
        """A job of ``device`` has moved on, which is not here: whoever holds its socket is to tell it.

        Should the hint be lost, how the job ended is told again.
        """
        if self._commons.shared:
            self._tasks.start(self._tell_of_job(device, job_id), name="telling of a job elsewhere")

    async def _tell_of_job(self, device: DeviceKey, job_id: UUID) -> None:
        hint = Hint(topic=Topic.JOB, sender=self.name, user_id=device[0], device_id=device[1], subject=str(job_id))
        with suppress(NeighboursAway):
            place = await self._commons.presence.find(device)
            if place is not None and place.process != self.name:
                await self._hints.send(place.process, hint)

    async def _ask_elsewhere(self, device: DeviceKey) -> None:
        hint = Hint(topic=Topic.ASKED, sender=self.name, user_id=device[0], device_id=device[1])
        # Should all of these be lost, the question is still shown at the device's next hello.
        for pause_s in _SAY_AGAIN_S:
            with suppress(NeighboursAway):
                place = await self._commons.presence.find(device)
                if place is not None:
                    await self._hints.send(place.process, hint)
            await asyncio.sleep(pause_s)

    def _ask_here(self, device: DeviceKey) -> None:
        connection = self._connections.connection(device)
        if connection is not None:
            self._tasks.start(self._show_questions(connection), name="showing a question of another process")

    def _revoked(self, *, user_id: UUID, device_id: str | None, **_: object) -> None:
        # In whichever thread has committed; a loop that is closed has no neighbours any more.
        if self._loop is not None and self._commons.shared:
            hint = Hint(topic=Topic.REVOKED, sender=self.name, user_id=user_id, device_id=device_id or "")
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._tell_all, hint)

    def _tell_all(self, hint: Hint) -> None:
        self._tasks.start(self._hints.send_all(hint), name="telling of revoked access")

    def _end_access(self, hint: Hint) -> None:
        """The sockets here are asked about; a turn here whose device is elsewhere has nobody who asks for it."""
        self._revocation.ask_soon()
        for turn in self._supervisor.all_running():
            user_id, device_id = turn.device
            if (
                user_id == hint.user_id
                and hint.device_id in {"", device_id}
                and not self._connections.holds(turn.device)
            ):
                self._supervisor.cancel(turn.key)

    def _back(self) -> None:
        if self._away:
            logger.warning("the other processes can be reached again")
        self._away = False

    def _lost(self, error: NeighboursAway) -> None:
        if not self._away:
            logger.warning("the other processes cannot be reached; this one goes on: %s", error)
        self._away = True
