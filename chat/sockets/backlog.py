"""What a socket's frames ask of the database or of other processes, one after another."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeAlias

from accounts.database import DATABASE_ERRORS
from chat.protocol.frames.errors import FrameRejected, unreachable
from chat.protocol.frames.vocabulary import ErrorCode
from chat.tasks import OwnedTasks

logger = logging.getLogger(__name__)

MOST: Final = 32

Work: TypeAlias = Callable[[], Coroutine[Any, Any, None]]


@dataclass(kw_only=True, eq=False, slots=True)
class Backlog:
    """At most ``MOST`` works of one socket, done in order. The rejection of one is passed to ``reject``.

    Before each, ``delay_s`` says how long the user has to wait for it: works are counted over all sockets of a user.
    """

    tasks: OwnedTasks
    delay_s: Callable[[], float]
    reject: Callable[[FrameRejected], None]
    _works: list[tuple[str, Work]] = field(default_factory=list, init=False)

    def add(self, work: Work, *, name: str, request_id: str | None = None) -> None:
        """Do ``work`` after what was added before. Raises ``FrameRejected`` with ``rate_limited`` if that is too much.

        ``name`` is for the log, ``request_id`` for the rejection.
        """
        if len(self._works) >= MOST:
            raise too_much(request_id)
        self._works.append((name, partial(or_reject, work, self.reject, request_id=request_id)))
        if len(self._works) == 1:
            self.tasks.start(self._do_all(), name="working on what a socket asked")

    async def _do_all(self) -> None:
        while self._works:
            name, work = self._works[0]
            await asyncio.sleep(self.delay_s())
            # A task of its own, so that a failure is logged by its name and the rest is still done.
            await asyncio.wait({self.tasks.start(work(), name=name)})
            self._works.pop(0)


async def or_reject(work: Work, reject: Callable[[FrameRejected], None], *, request_id: str | None = None) -> None:
    """Do ``work``; its rejection is passed to ``reject``, also that of ``request_id`` for want of the database."""
    try:
        await work()
    except FrameRejected as rejection:
        reject(rejection)
    except DATABASE_ERRORS as error:
        logger.warning("what a socket asked needs the database, which cannot be used: %s", type(error).__name__)
        reject(unreachable(request_id))


def too_much(request_id: str | None = None) -> FrameRejected:
    """The socket waits for as much as it may."""
    return FrameRejected(
        ErrorCode.RATE_LIMITED,
        f"At most {MOST} frames of a socket wait at a time. Send this one again in a moment.",
        request_id=request_id,
        retryable=True,
    )
