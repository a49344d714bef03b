"""What older and newer processes read of each other during a rolling deployment: keys, stored values, messages."""

import asyncio
import json
import uuid
from typing import Any

import pytest

from accounts.cipher import Place
from agents.calls import CallAction, ClientCall, Table
from chat.cluster.frame_streams import TurnRecord
from chat.cluster.notifications import Notification, NotificationBus, Topic
from chat.cluster.presence_store import DeviceLocation
from chat.cluster.remote_calls import RemoteCalls
from chat.devices.links import PendingCall
from chat.protocol.frames.vocabulary import Capability
from chat.turns.frame_log import FrameLog
from tests.chat.accounts import ALICE
from tests.chat.cluster.backends import RedisBackend, in_redis
from tests.chat.cluster.waiting import until
from tests.chat.sockets import WAIT_S

REQUEST, CALL = str(uuid.uuid4()), str(uuid.uuid4())


@pytest.mark.redis
class TestStoredValues:
    async def test_lease_is_a_key_of_its_process(self) -> None:
        async with in_redis() as backend:
            await backend.ports().leases.renew("p")
            assert await backend.connection().client.get(f"{backend.prefix}:process:p") == "1"

    async def test_locations_are_a_hash_and_uses_a_sorted_set(self) -> None:
        location = DeviceLocation(
            process="p", connection_id="c", since=5, capabilities=frozenset({Capability.PONG, Capability.LEDGER})
        )
        async with in_redis() as backend:
            await backend.ports().presence.arrive((ALICE, "laptop"), location)
            client = backend.connection().client
            assert await client.hgetall(f"{backend.prefix}:places:{ALICE}") == {
                "laptop": '{"process": "p", "connection": "c", "since": 5, "capabilities": ["ledger", "pong"]}'
            }
            assert await client.zrange(f"{backend.prefix}:uses:{ALICE}", 0, -1, withscores=True) == [("laptop", 1.0)]

    async def test_turn_is_a_record_and_a_stream_of_encrypted_frames(self) -> None:
        async with in_redis() as backend:
            directory, client, log = backend.ports().directory, backend.connection().client, FrameLog()
            running = f"{backend.prefix}:running:{ALICE}"
            await directory.claim((ALICE, REQUEST), TurnRecord(process="p", device_id="laptop", fingerprint="f"), log)
            turn = f"{backend.prefix}:turn:{ALICE}:{REQUEST}"
            assert (await client.get(turn), await client.smembers(running)) == (
                '["p", "laptop", "f", false]',
                {REQUEST},
            )
            log.append('{"seq":0}')
            log.append('{"seq":1}')
            log.close()
            await directory.aclose()
            entries: Any = await client.xrange(f"{backend.prefix}:frames:{ALICE}:{REQUEST}:p")
            assert (await client.get(turn), await client.smembers(running)) == ('["p", "laptop", "f", true]', set())
        (_, first), (_, last) = entries
        place = Place(table="frames", column="0", row_id=uuid.UUID(REQUEST))
        assert await decrypted(backend, place, first.pop("frames")) == '{"seq":0}\n{"seq":1}'
        assert (first, last) == ({"first": "0", "count": "2"}, {"total": "2"})

    async def test_call_is_a_hash_of_encrypted_texts(self) -> None:
        call = ClientCall(id=CALL, action=CallAction.INSERT, table=Table.TASKS, data={"title": "Buy milk"})
        async with in_redis() as backend:
            ports, client = backend.ports(), backend.connection().client
            await ports.leases.renew("q")
            await ports.presence.arrive((ALICE, "laptop"), DeviceLocation(process="q", connection_id="c", since=5))
            calls, laptop = RemoteCalls(presence=ports.presence, calls=ports.calls, bus=ports.bus), (ALICE, "laptop")
            pending = PendingCall(call=call, request_id=REQUEST, on_late=lambda _: None)
            forwarding = asyncio.create_task(calls.forward(laptop, pending, lambda _: None))

            async def sent() -> bool:
                return pending.sent

            await until(sent)
            await ports.calls.take(ALICE, CALL)
            await ports.calls.answer(ALICE, CALL, "the answer")
            async with asyncio.timeout(WAIT_S):
                with pytest.raises(ValueError, match="Invalid JSON"):
                    await forwarding
            stored: Any = await client.hgetall(f"{backend.prefix}:call:{CALL}")
        places = {part: Place(table="mailbox", column=part, row_id=uuid.UUID(CALL)) for part in ("call", "answer")}
        text = await decrypted(backend, places["call"], stored.pop("call"))
        assert json.loads(text) == {
            "request_id": REQUEST,
            "call": {
                "id": CALL,
                "action": "insert",
                "table": "tasks",
                "data": {"title": "Buy milk"},
                "filters": None,
                "vector": None,
                "limit": None,
                "count": False,
                "by": "",
                "request_id": "",
            },
        }
        assert await decrypted(backend, places["answer"], stored.pop("answer")) == "the answer"
        assert stored == {"taken": "1", "collected": "1"}


class Recording:
    """A layer that keeps what is sent."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, dict[str, Any]]] = []

    async def send(self, channel: str, message: dict[str, Any]) -> None:
        self.sent.append((channel, message))

    async def receive(self, channel: str) -> dict[str, Any]:
        return self.sent.pop()[1]


async def test_notification_is_a_message_of_plain_texts() -> None:
    layer = Recording()
    bus = NotificationBus(layer, name="p")
    await bus.send("q", Topic.REVOKED, ALICE, "laptop")
    await bus.send("q", Topic.CALL, ALICE, "laptop", subject=CALL)
    message = {"type": "adiuva.hint", "sender": "p", "user_id": str(ALICE), "device_id": "laptop"}
    assert layer.sent == [
        ("q", {**message, "topic": "revoked", "subject": ""}),
        ("q", {**message, "topic": "call", "subject": CALL}),
    ]
    assert await bus.receive() == Notification(
        topic=Topic.CALL, sender="p", user_id=ALICE, device_id="laptop", subject=CALL
    )


def test_topics_have_the_names_that_older_processes_know() -> None:
    assert {topic.value for topic in Topic} >= {
        "call", "answered", "cancel", "replaced", "asked", "job", "revoked",
    }  # fmt: skip


async def decrypted(backend: RedisBackend, place: Place, token: str) -> str:
    vault = await backend.open_vault(ALICE)
    return vault.decrypt(place, token)
