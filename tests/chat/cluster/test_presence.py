import asyncio
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from chat.cluster.node import ClusterPorts
from chat.cluster.presence import PresenceTracker
from chat.cluster.presence_store import DeviceLocation, PresenceStore
from chat.devices.connections import ConnectionManager
from chat.devices.links import DeviceKey
from chat.errors import ClusterUnavailable, Replaced
from chat.protocol.frames.vocabulary import Capability
from tests.chat.cluster.backends import Backend, RedisBackend

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

    async def test_connection_that_took_longer_than_a_later_one_is_refused(self, backend: Backend) -> None:
        one, other = await two(backend)
        given_up, later = location("p", since=1000), location("q", since=1500)
        await other.presence.arrive(LAPTOP, later)
        with pytest.raises(Replaced):
            await one.presence.arrive(LAPTOP, given_up, waited_ms=700)
        assert await one.presence.find(LAPTOP) == later

    async def test_connection_is_not_refused_because_another_hosts_clock_is_ahead(self, backend: Backend) -> None:
        one, other = await two(backend)
        before, later = location("q", since=3000), location("p", since=1000)
        await other.presence.arrive(LAPTOP, before)
        assert await one.presence.arrive(LAPTOP, later, waited_ms=700) == before
        assert await one.presence.find(LAPTOP) == later

    async def test_leaving_removes_an_earlier_location_on_the_same_process_alone(self, backend: Backend) -> None:
        one, other = await two(backend)
        earlier, later = location("p", since=1000), location("p", since=1001)
        await one.presence.arrive(LAPTOP, later)
        await one.presence.leave(LAPTOP, earlier)
        assert await one.presence.find(LAPTOP) == later
        await one.presence.arrive(LAPTOP, earlier)
        await other.presence.leave(LAPTOP, location("q", since=1001))
        await other.presence.leave(LAPTOP, location("p", since=1000))
        assert await one.presence.find(LAPTOP) == earlier
        await one.presence.leave(LAPTOP, later)
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

    async def test_forgotten_locations_are_restored_unless_a_later_one_is_known(self, backend: Backend) -> None:
        one, other = await two(backend)
        early, late, bobs = location("p", since=1000), location("q", since=2000), location("p")
        assert await one.presence.restore({LAPTOP: early, (BOB, "laptop"): bobs}) == {}
        assert await other.presence.find(LAPTOP) == early
        assert await other.presence.find((BOB, "laptop")) == bobs
        assert await one.presence.restore({LAPTOP: early, (BOB, "laptop"): bobs}) == {}

        assert await other.presence.restore({LAPTOP: late}) == {LAPTOP: early}
        assert await one.presence.restore({LAPTOP: early, (BOB, "laptop"): bobs}) == {LAPTOP: late}
        assert await one.presence.find(LAPTOP) == late

    async def test_holders_are_the_living_processes_of_a_users_devices(self, backend: Backend) -> None:
        one, other = await two(backend)
        await one.presence.arrive(LAPTOP, location("p"))
        await one.presence.arrive((ALICE, "tablet"), location("p"))
        await other.presence.arrive(PHONE, location("q"))
        await other.presence.arrive((BOB, "laptop"), location("q"))
        assert set(await one.presence.holders(ALICE)) == {"p", "q"}
        assert set(await one.presence.holders(BOB)) == {"q"}
        assert set(await one.presence.holders(uuid.uuid4())) == set()
        await one.leases.release("p")
        assert set(await other.presence.holders(ALICE)) == {"q"}


@dataclass
class Watched:
    """A store that can be away, and shows how many locations were restored at a time, and which devices left."""

    store: PresenceStore
    away: bool = False
    restored: list[int] = field(default_factory=list)
    left: list[DeviceKey] = field(default_factory=list)
    on_restore: Callable[[], Awaitable[None]] | None = None

    def __getattr__(self, name: str) -> Any:
        if self.away:
            raise ClusterUnavailable
        return getattr(self.store, name)

    async def leave(self, device: DeviceKey, location: DeviceLocation) -> None:
        if self.away:
            raise ClusterUnavailable
        self.left.append(device)
        await self.store.leave(device, location)

    async def restore(self, locations: Mapping[DeviceKey, DeviceLocation]) -> Mapping[DeviceKey, DeviceLocation]:
        if self.away:
            raise ClusterUnavailable
        self.restored.append(len(locations))
        if self.on_restore is not None:
            await self.on_restore()
        return await self.store.restore(locations)


class TestTracker:
    @pytest.fixture
    async def watched(self, backend: Backend) -> Watched:
        self.ports = backend.ports()
        await self.ports.leases.renew(self.ports.bus.name)
        return Watched(self.ports.presence)

    def tracker(self, watched: Watched) -> PresenceTracker:
        return PresenceTracker(store=watched, bus=self.ports.bus, connections=ConnectionManager())

    async def arrive(self, tracker: PresenceTracker, *devices: DeviceKey) -> None:
        for device in devices:
            await tracker.arrive(
                device,
                connection_id=f"to {device[1]}",
                capabilities=frozenset(),
                opened_at=asyncio.get_running_loop().time(),
            )

    async def known(self, *devices: DeviceKey) -> list[bool]:
        return [await self.ports.presence.find(device) is not None for device in devices]

    async def test_parts_restore_each_location_once(self, watched: Watched, backend: Backend) -> None:
        tracker, devices = self.tracker(watched), [(uuid.uuid4(), "laptop") for _ in range(10)]
        await self.arrive(tracker, *devices)
        if isinstance(backend, RedisBackend):
            await backend.connection().client.delete(*[key for key in await backend.keys() if ":places:" in key])
        else:
            tracker.store.store._locations.clear()  # type: ignore[attr-defined]
        assert await self.known(*devices) == [False] * 10
        for _ in range(3):
            await tracker.restore(share=0.3)
        assert (await self.known(*devices)).count(True) == 9
        await tracker.restore(share=0.3)
        assert await self.known(*devices) == [True] * 10
        assert watched.restored == [3, 3, 3, 1]

    async def test_many_locations_are_few_requests(self, watched: Watched) -> None:
        tracker = self.tracker(watched)
        await self.arrive(tracker, *((uuid.uuid4(), "laptop") for _ in range(120)))
        await tracker.restore()
        assert watched.restored == [100, 20]

    async def test_what_could_not_be_stored_is_stored_next_time(self, watched: Watched) -> None:
        tracker = self.tracker(watched)
        await self.arrive(tracker, LAPTOP)
        watched.away = True
        await self.arrive(tracker, PHONE)
        await tracker.leave(LAPTOP, connection_id="to lap:top é")
        with pytest.raises(ClusterUnavailable):
            await tracker.restore(share=0.0)
        watched.away = False
        assert await self.known(LAPTOP, PHONE) == [True, False]
        await tracker.restore(share=0.0)
        assert await self.known(LAPTOP, PHONE) == [False, True]
        assert watched.restored == [1]

    async def test_later_connection_stays_while_nothing_can_be_stored(self, watched: Watched) -> None:
        tracker, before = self.tracker(watched), asyncio.get_running_loop().time() - 1
        watched.away = True
        await self.arrive(tracker, LAPTOP)
        with pytest.raises(Replaced):
            await tracker.arrive(LAPTOP, connection_id="given up", capabilities=frozenset(), opened_at=before)
        watched.away = False
        await tracker.restore()
        found = await self.ports.presence.find(LAPTOP)
        assert found is not None
        assert found.connection_id == "to lap:top é"

    async def test_however_often_a_device_comes_and_goes_meanwhile_it_is_removed_once(self, watched: Watched) -> None:
        tracker = self.tracker(watched)
        await self.arrive(tracker, LAPTOP)
        watched.away = True
        for _ in range(3):
            await tracker.leave(LAPTOP, connection_id="to lap:top é")
            await self.arrive(tracker, LAPTOP)
        await tracker.leave(LAPTOP, connection_id="to lap:top é")
        watched.away = False
        await tracker.restore()
        assert await self.known(LAPTOP) == [False]
        assert watched.left == [LAPTOP]

    async def test_device_that_leaves_while_it_is_restored_stays_away(self, watched: Watched) -> None:
        tracker = self.tracker(watched)

        async def leave() -> None:
            await tracker.leave(LAPTOP, connection_id="to lap:top é")

        await self.arrive(tracker, LAPTOP)
        watched.on_restore = leave
        await tracker.restore()
        assert await self.known(LAPTOP) == [False]
