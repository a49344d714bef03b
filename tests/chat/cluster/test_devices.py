"""Which device receives a call over MCP."""

import asyncio
import uuid

from agents.calls import CallAction, ClientAnswer, ClientCall, Table
from chat.cluster.devices import RemoteDevices
from tests.chat.accounts import ALICE, BOB
from tests.chat.sockets import Server

REQUEST = str(uuid.uuid4())


def devices_of(server: Server) -> RemoteDevices:
    services = server.services
    return RemoteDevices(connections=services.connections, presence=services.cluster.presence)


def ignore(_: ClientAnswer) -> None:
    return None


async def test_a_call_reaches_the_device_that_was_used_last() -> None:
    server = Server()
    call = ClientCall(id=str(uuid.uuid4()), action=CallAction.SELECT, table=Table.TASKS)
    async with (
        server.device("laptop"),
        server.device("phone") as phone,
        devices_of(server).reached(ALICE, REQUEST) as reached,
    ):
        asking = asyncio.create_task(reached.client.execute(call, on_late=ignore))
        wanted = await phone.receive()
        await phone.send({"type": "tool_result", "id": wanted["id"], "rows": [{"id": "t1"}]})
        answer = await asking
    assert (reached.device_id, answer.rows) == ("phone", ({"id": "t1"},))


async def test_without_a_device_none_is_named() -> None:
    server = Server()
    async with server.device("laptop"), devices_of(server).reached(BOB, REQUEST) as reached:
        assert reached.device_id == ""


async def test_the_link_to_a_device_that_left_goes_with_the_call() -> None:
    server = Server()
    async with server.device("laptop") as laptop:
        reaching = devices_of(server).reached(ALICE, REQUEST)
        await reaching.__aenter__()
        await laptop.close()
        assert not server.services.connections.link((ALICE, "laptop")).idle
        await reaching.__aexit__(None, None, None)
    assert server.services.connections._links == {}
