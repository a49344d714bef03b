import uuid

from chat.cluster.node import ClusterPorts
from chat.cluster.presence import DeviceLocation
from chat.protocol.frames.vocabulary import Capability
from tests.chat.cluster.backends import Backend

ALICE, BOB = uuid.uuid4(), uuid.uuid4()
LAPTOP, PHONE = (ALICE, "lap:top é"), (ALICE, "phone")


def location(process: str, *, since: int = 1000, capabilities: frozenset[Capability] = frozenset()) -> DeviceLocation:
    return DeviceLocation(process=process, connection_id=uuid.uuid4().hex, since=since, capabilities=capabilities)


async def two(backend: Backend) -> tuple[ClusterPorts, ClusterPorts]:
    """Two live processes, p and q."""
    one, other = backend.ports(), backend.ports()
    await one.leases.renew("p")
    await other.leases.renew("q")
    return one, other


class TestPresence:
    async def test_device_is_found_where_it_arrived_with_what_its_client_can_do(self, backend: Backend) -> None:
        one, other = await two(backend)
        here = location("p", capabilities=frozenset({Capability.LEDGER, Capability.PONG}))
        assert await one.presence.arrive(LAPTOP, here) is None
        assert await other.presence.find(LAPTOP) == here
        assert await other.presence.find(PHONE) is None
        assert await other.presence.find((BOB, LAPTOP[1])) is None

    async def test_newer_location_takes_over_and_leaving_the_older_changes_nothing(self, backend: Backend) -> None:
        one, other = await two(backend)
        older, newer = location("p"), location("q")
        await one.presence.arrive(LAPTOP, older)
        assert await other.presence.arrive(LAPTOP, newer) == older
        await one.presence.leave(LAPTOP, older)
        assert await one.presence.find(LAPTOP) == newer
        await other.presence.leave(LAPTOP, newer)
        assert await one.presence.find(LAPTOP) is None

    async def test_devices_of_a_dead_process_vanish(self, backend: Backend) -> None:
        one, other = await two(backend)
        await one.presence.arrive(LAPTOP, location("p"))
        await other.presence.arrive(PHONE, location("q"))
        await one.presence.use(LAPTOP)
        await one.leases.release("p")
        assert await other.presence.find(LAPTOP) is None
        assert await other.presence.latest(ALICE) == PHONE
        assert await other.presence.arrive(LAPTOP, location("q")) is None

    async def test_device_used_last_is_the_one_that_arrived_or_was_asked_last(self, backend: Backend) -> None:
        one, other = await two(backend)
        assert await one.presence.latest(ALICE) is None
        on_phone = location("q")
        await one.presence.arrive(LAPTOP, location("p"))
        await other.presence.arrive(PHONE, on_phone)
        assert await one.presence.latest(ALICE) == PHONE
        await one.presence.use(LAPTOP)
        await one.presence.use((ALICE, "never seen"))
        assert await other.presence.latest(ALICE) == LAPTOP
        assert await other.presence.latest(BOB) is None
        await other.presence.use(PHONE)
        await other.presence.leave(PHONE, on_phone)
        assert await other.presence.latest(ALICE) == LAPTOP

    async def test_forgotten_location_is_restored_unless_a_later_one_is_known(self, backend: Backend) -> None:
        one, other = await two(backend)
        early, late = location("p", since=1000), location("q", since=2000)
        assert await one.presence.restore(LAPTOP, early) is None
        assert await other.presence.find(LAPTOP) == early
        assert await one.presence.restore(LAPTOP, early) is None

        assert await other.presence.restore(LAPTOP, late) == early
        assert await one.presence.restore(LAPTOP, early) == late
        assert await one.presence.find(LAPTOP) == late
