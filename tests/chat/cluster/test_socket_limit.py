"""How many sockets a user has at a time, over all processes."""

from chat.rates import SocketLimits
from tests.chat.accounts import ALICE, MemoryAccounts
from tests.chat.cluster.backends import Backend
from tests.chat.cluster.pairs import pair


async def test_a_user_has_only_so_many_sockets_and_keeps_those(backend: Backend) -> None:
    async with pair(backend, limits=SocketLimits(sockets=2)) as servers, servers.p.device(), servers.q.device("phone"):
        third = servers.q.socket()
        await third.connect()
        await third.send({"type": "device_hello", "device_id": "tablet"})
        refused = await third.receive()
        assert (refused["code"], refused["retryable"]) == ("rate_limited", True)
        assert await third.closed() == 1013
        await third.close()

        assert isinstance(servers.q.accounts, MemoryAccounts)
        assert servers.q.accounts.left == [(ALICE, "tablet")]
        assert [each.device for each in servers.q.services.connections.all()] == [(ALICE, "phone")]
        async with servers.q.device(token="bob"):
            pass
        # A device that comes back takes its own place, and one that leaves makes room.
        async with servers.q.device("laptop"):
            pass
        async with servers.p.device("tablet"):
            assert (ALICE, "tablet") in [each.device for each in servers.p.services.connections.all()]
