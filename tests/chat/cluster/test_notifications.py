import asyncio
import logging
import uuid
from typing import Any

import pytest

from chat.cluster.notifications import Notification, NotificationBus, Topic
from tests.chat.cluster.backends import Backend
from tests.chat.sockets import WAIT_S


async def test_notification_comes_to_the_process_it_is_sent_to(backend: Backend) -> None:
    one, other = backend.ports().bus, backend.ports().bus
    user_id = uuid.uuid4()
    await one.send(other.name, Topic.CALL, user_id, "lap:top é", subject="call")
    async with asyncio.timeout(WAIT_S):
        assert await other.receive() == Notification(
            topic=Topic.CALL, sender=one.name, user_id=user_id, device_id="lap:top é", subject="call"
        )


class Broken:
    """A layer whose backend fails the first two requests."""

    def __init__(self) -> None:
        self.failures = 0

    async def send(self, channel: str, message: dict[str, Any]) -> None:
        raise ConnectionError("away")

    async def receive(self, channel: str) -> dict[str, Any]:
        self.failures += 1
        if self.failures < 3:
            raise ConnectionError("away")
        if self.failures == 3:
            return {"type": "adiuva.hint", "topic": "from a later version"}
        return {"topic": "cancel", "sender": "s", "user_id": str(uuid.UUID(int=1)), "device_id": "", "subject": "r"}


async def test_layer_that_is_away_loses_notifications_and_raises_nothing(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "chat.cluster.notifications")
    bus = NotificationBus(Broken())
    await bus.send("p", Topic.CALL, uuid.uuid4())
    assert (await bus.receive()).topic is Topic.CANCEL
    assert caplog.messages == [
        "a notification was lost: ConnectionError('away')",
        "no notifications can be received now: ConnectionError('away')",
    ]
