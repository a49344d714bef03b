"""Notifications: small messages between processes, which may be lost, arrive twice or out of order.

They go over a channel layer of Channels, in memory or in Redis. No behaviour depends on them: what a notification
announces can be looked up, and is repeated until it is done. So it only makes something happen sooner.
"""

import asyncio
import logging
import uuid
from collections.abc import Awaitable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Protocol
from uuid import UUID

logger = logging.getLogger(__name__)

_TYPE: Final = "adiuva.hint"
_SEND_S: Final = 1.0
_AWAY_S: Final = 0.5
_RECEIVE_S: Final = 20.0
"""How long one wait for a notification lasts, in seconds, so that a connection that was lost silently is replaced."""


class Topic(StrEnum):
    """What a notification is about."""

    CALL = "call"
    """A call waits for a device that is connected to the receiver."""
    ANSWERED = "answered"
    """The answer to a call of the receiver is stored."""
    CANCEL = "cancel"
    """Cancel this turn of the receiver."""
    REPLACED = "replaced"
    """The device has a newer socket: close the one with this id."""
    ASKED = "asked"
    """A question waits for a device that is connected to the receiver."""
    JOB = "job"
    """A job of a device that is connected to the receiver has changed."""
    REVOKED = "revoked"
    """Some of the user's access has ended: ask the database."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Notification:
    """``subject`` is the id of a call, a request, a job or a connection; ``device_id`` is one of the user's devices."""

    topic: Topic
    sender: str
    user_id: UUID
    device_id: str = ""
    subject: str = ""


class Layer(Protocol):
    """The parts of a channel layer that notifications need; Channels has no types of its own."""

    async def send(self, channel: str, message: dict[str, Any]) -> None: ...

    async def receive(self, channel: str) -> dict[str, Any]: ...


@dataclass(frozen=True)
class NotificationBus:
    """Sends and receives notifications for one process. ``name`` is its address.

    Raises nothing if the layer cannot be reached.
    """

    layer: Layer
    name: str = field(default_factory=lambda: f"adiuva.{uuid.uuid4().hex}")

    async def send(self, to: str, topic: Topic, user_id: UUID, device_id: str = "", *, subject: str = "") -> None:
        """Send a notification, which may be lost, to the process named ``to``."""
        await self._try(self.layer.send(to, self._message(topic, user_id, device_id, subject)))

    async def receive(self) -> Notification:
        """Wait for the next notification to this process, also while the layer cannot be reached."""
        away = False
        while True:
            try:
                async with asyncio.timeout(_RECEIVE_S):
                    notification = _read(await self.layer.receive(self.name))
            except TimeoutError:
                away = False
                continue
            except Exception as error:  # the boundary of the layer, whose errors are its backend's  # noqa: BLE001
                if not away:
                    logger.info("no notifications can be received now: %r", error)
                away = True
                await asyncio.sleep(_AWAY_S)
                continue
            if notification is not None:
                return notification

    async def _try(self, sending: Awaitable[None]) -> None:
        try:
            async with asyncio.timeout(_SEND_S):
                await sending
        except Exception as error:  # as above; a layer that is full loses messages, too  # noqa: BLE001
            logger.info("a notification was lost: %r", error)

    def _message(self, topic: Topic, user_id: UUID, device_id: str, subject: str) -> dict[str, Any]:
        fields = {"topic": topic.value, "user_id": str(user_id), "device_id": device_id, "subject": subject}
        return {"type": _TYPE, "sender": self.name, **fields}


def _read(message: dict[str, Any]) -> Notification | None:
    """The notification; None for one of another version of this server."""
    try:
        return Notification(
            topic=Topic(message["topic"]),
            sender=str(message["sender"]),
            user_id=UUID(message["user_id"]),
            device_id=str(message["device_id"]),
            subject=str(message["subject"]),
        )
    except (KeyError, ValueError):
        return None
