"""Hints: small messages between processes, which may be lost, come twice or out of order.

They go over a channel layer of Channels, in memory or in Redis. Whatever rides on a hint is repeated until it is seen
to be done, so a hint only ever makes something happen sooner.
"""

import asyncio
import logging
import uuid
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Final, Protocol
from uuid import UUID

logger = logging.getLogger(__name__)

_TYPE: Final = "adiuva.hint"
_EVERYBODY: Final = "adiuva.processes"
_SEND_S: Final = 1.0
_AWAY_S: Final = 0.5
_RECEIVE_S: Final = 20.0
"""How long one wait for a hint lasts: a connection that has died without a word is left then."""

NOBODY: Final = UUID(int=0)


class Topic(StrEnum):
    """What a hint is about."""

    CALL = "call"
    """A call waits for the device that hangs on you."""
    ANSWERED = "answered"
    """The answer to your call is there."""
    CANCEL = "cancel"
    """Stop this turn of yours."""
    REPLACED = "replaced"
    """The device has a newer socket: close the one with this id."""
    ASKED = "asked"
    """A question waits for the device that hangs on you."""
    JOB = "job"
    """A job of the device that hangs on you has moved on."""
    REVOKED = "revoked"
    """Somebody's access has ended: ask the database."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Hint:
    """``subject`` is the id of a call, a request, a job or a connection; ``device_id`` is one of the user's devices."""

    topic: Topic
    sender: str = ""
    user_id: UUID = NOBODY
    device_id: str = ""
    subject: str = ""


class Layer(Protocol):
    """The parts of a channel layer that hints need; Channels has no types of its own."""

    async def send(self, channel: str, message: dict[str, Any]) -> None: ...

    async def receive(self, channel: str) -> dict[str, Any]: ...

    async def group_add(self, group: str, channel: str) -> None: ...

    async def group_discard(self, group: str, channel: str) -> None: ...

    async def group_send(self, group: str, message: dict[str, Any]) -> None: ...


class Hints:
    """This process's address, ``name``, and the way to others'. Nothing here raises for a layer that is away."""

    def __init__(self, layer: Layer, *, name: str | None = None) -> None:
        self.name = name or f"adiuva.{uuid.uuid4().hex}"
        self._layer = layer

    async def send(self, to: str, hint: Hint) -> None:
        """Send ``hint`` to the process named ``to``, for what it is worth."""
        await self._try(self._layer.send(to, _written(hint)))

    async def send_all(self, hint: Hint) -> None:
        """Send ``hint`` to every process that has joined, this one too."""
        await self._try(self._layer.group_send(_EVERYBODY, _written(hint)))

    async def join(self) -> None:
        """Be one of those whom ``send_all`` reaches; again every now and then, because a layer forgets."""
        await self._try(self._layer.group_add(_EVERYBODY, self.name))

    async def leave(self) -> None:
        """Be it no more."""
        await self._try(self._layer.group_discard(_EVERYBODY, self.name))

    async def receive(self) -> Hint:
        """The next hint to this process; waits for it, and for a layer that is away to come back."""
        while True:
            try:
                async with asyncio.timeout(_RECEIVE_S):
                    hint = _read(await self._layer.receive(self.name))
            except TimeoutError:
                continue
            except Exception as error:  # the boundary of the layer, whose errors are its backend's  # noqa: BLE001
                logger.info("no hints can be received now: %r", error)
                await asyncio.sleep(_AWAY_S)
                continue
            if hint is not None:
                return hint

    async def _try(self, sending: Any) -> None:
        try:
            async with asyncio.timeout(_SEND_S):
                await sending
        except Exception as error:  # as above; a layer that is full loses hints, too  # noqa: BLE001
            logger.info("a hint was lost: %r", error)


def _written(hint: Hint) -> dict[str, Any]:
    return {"type": _TYPE, **asdict(hint), "topic": hint.topic.value, "user_id": str(hint.user_id)}


def _read(message: dict[str, Any]) -> Hint | None:
    """The hint, or nothing for one that another version of this server has sent."""
    try:
        return Hint(
            topic=Topic(message["topic"]),
            sender=str(message["sender"]),
            user_id=UUID(message["user_id"]),
            device_id=str(message["device_id"]),
            subject=str(message["subject"]),
        )
    except (KeyError, ValueError):
        return None
