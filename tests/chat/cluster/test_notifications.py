import asyncio
import uuid
from typing import Any

from chat.cluster.hints import Hint, Hints, Topic
from tests.chat.cluster.grounds import Ground
from tests.chat.sockets import WAIT_S


async def test_hint_comes_to_the_process_it_is_sent_to(ground: Ground) -> None:
    one, other = ground.commons().hints, ground.commons().hints
    hint = Hint(topic=Topic.CALL, sender=one.name, user_id=uuid.uuid4(), device_id="lap:top é", subject="call")
    await one.send(other.name, hint)
    async with asyncio.timeout(WAIT_S):
        assert await other.receive() == hint


async def test_hint_to_all_comes_to_each_that_has_joined_and_not_left(ground: Ground) -> None:
    one, other, third = (ground.commons().hints for _ in range(3))
    for hints in (one, other, third):
        await hints.join()
    await third.leave()
    hint = Hint(topic=Topic.REVOKED, sender=one.name)
    await one.send_all(hint)
    await one.send(third.name, Hint(topic=Topic.CANCEL))
    async with asyncio.timeout(WAIT_S):
        assert [await one.receive(), await other.receive()] == [hint, hint]
        assert (await third.receive()).topic is Topic.CANCEL


class Broken:
    """A layer whose backend is away until it is told otherwise."""

    def __init__(self) -> None:
        self.failures = 0

    async def send(self, channel: str, message: dict[str, Any]) -> None:
        raise ConnectionError("away")

    group_send = send

    async def group_add(self, group: str, channel: str) -> None:
        raise ConnectionError("away")

    group_discard = group_add

    async def receive(self, channel: str) -> dict[str, Any]:
        self.failures += 1
        if self.failures == 1:
            raise ConnectionError("away")
        if self.failures == 2:
            return {"type": "adiuva.hint", "topic": "from a later version"}
        return {"topic": "cancel", "sender": "s", "user_id": str(uuid.UUID(int=1)), "device_id": "", "subject": "r"}


async def test_layer_that_is_away_loses_hints_and_raises_nothing() -> None:
    hints = Hints(Broken())
    await hints.join()
    await hints.send("p", Hint(topic=Topic.CALL))
    await hints.send_all(Hint(topic=Topic.REVOKED))
    await hints.leave()
    assert (await hints.receive()).topic is Topic.CANCEL
