"""The operations of a socket that need the database or other processes, one after another."""

import asyncio
import logging
import uuid
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeAlias

from accounts.database import DATABASE_ERRORS, cause_of
from chat.protocol.frames.errors import FrameRejected, incident_message, unreachable
from chat.protocol.frames.vocabulary import ErrorCode
from chat.tasks import OwnedTasks

logger = logging.getLogger(__name__)

MAX_WAITING: Final = 32

Operation: TypeAlias = Callable[[], Coroutine[Any, Any, None]]


@dataclass(kw_only=True, eq=False, slots=True)
class Backlog:
    """At most ``MAX_WAITING`` operations of one socket, run in order. Their rejections are passed to ``reject``.

    ``delay_s`` is called before each operation, and returns the seconds that it must wait. The operations of all of a
    user's sockets share a rate.
    """

    tasks: OwnedTasks
    delay_s: Callable[[], float]
    reject: Callable[[FrameRejected], None]
    _operations: list[Operation] = field(default_factory=list, init=False)

    def add(self, operation: Operation, *, name: str, request_id: str | None = None) -> None:
        """Run ``operation`` after those that were added before. Raises ``FrameRejected`` with ``rate_limited`` if too
        many are waiting.

        ``name`` is for the log, ``request_id`` for the rejection.
        """
        if len(self._operations) >= MAX_WAITING:
            raise too_many_waiting(request_id)
        self._operations.append(partial(or_reject, operation, self.reject, name=name, request_id=request_id))
        if len(self._operations) == 1:
            self.tasks.start(self._run_all(), name="backlog of a socket")

    async def _run_all(self) -> None:
        while self._operations:
            await asyncio.sleep(self.delay_s())
            # In a task of its own, so that the next operation runs even if this one is cancelled.
            await asyncio.wait({self.tasks.start(self._operations[0](), name="operation of a socket")})
            self._operations.pop(0)


async def or_reject(
    operation: Operation, reject: Callable[[FrameRejected], None], *, name: str, request_id: str | None = None
) -> None:
    """Run ``operation``. If it fails, pass a rejection to ``reject``. ``name`` is for the log."""
    try:
        await operation()
    except FrameRejected as rejection:
        reject(rejection)
    except DATABASE_ERRORS as error:
        logger.warning("a frame needs the database, which cannot be used: %s", cause_of(error))
        reject(unreachable(request_id))
    except Exception:  # the boundary of a frame: the client gets a number with which the log has the traceback
        incident, code = uuid.uuid4().hex[:12], ErrorCode.INTERNAL_ERROR
        logger.exception("%s failed unexpectedly (incident %s)", name, incident)
        reject(FrameRejected(code, incident_message(incident), request_id=request_id, retryable=True))


def too_many_waiting(request_id: str | None = None) -> FrameRejected:
    """The rejection of a frame that would have to wait after ``MAX_WAITING`` others."""
    return FrameRejected(
        ErrorCode.RATE_LIMITED,
        f"At most {MAX_WAITING} frames of a socket may wait at the same time. Send this one again in a moment.",
        request_id=request_id,
        retryable=True,
    )
