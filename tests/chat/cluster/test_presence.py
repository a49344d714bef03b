import uuid

from chat.cluster.commons import Commons
from chat.cluster.presence import Place
from chat.protocol.frames.vocabulary import Capability
from tests.chat.cluster.grounds import Ground

ALICE, BOB = uuid.uuid4(), uuid.uuid4()
LAPTOP, PHONE = (ALICE, "lap:top é"), (ALICE, "phone")


def place(process: str, *, since: int = 1000, capabilities: frozenset[Capability] = frozenset()) -> Place:
    return Place(process=process, connection_id=uuid.uuid4().hex, since=since, capabilities=capabilities)


async def two(ground: Ground) -> tuple[Commons, Commons]:
    """Two living processes, called p and q."""
    one, other = ground.commons(), ground.commons()
    await one.pulse.beat("p")
    await other.pulse.beat("q")
    return one, other


class TestPresence:
    async def test_device_is_found_where_it_arrived_with_what_its_client_can_do(self, ground: Ground) -> None:
        one, other = await two(ground)
        here = place("p", capabilities=frozenset({Capability.LEDGER, Capability.PONG}))
        assert await one.presence.arrive(LAPTOP, here) is None
        assert await other.presence.find(LAPTOP) == here
        assert await other.presence.find(PHONE) is None
        assert await other.presence.find((BOB, LAPTOP[1])) is None

    async def test_newer_place_takes_over_and_leaving_the_older_changes_nothing(self, ground: Ground) -> None:
        one, other = await two(ground)
        older, newer = place("p"), place("q")
        await one.presence.arrive(LAPTOP, older)
        assert await other.presence.arrive(LAPTOP, newer) == older
        await one.presence.leave(LAPTOP, older)
        assert await one.presence.find(LAPTOP) == newer
        await other.presence.leave(LAPTOP, newer)
        assert await one.presence.find(LAPTOP) is None

    async def test_devices_of_a_dead_process_vanish(self, ground: Ground) -> None:
        one, other = await two(ground)
        await one.presence.arrive(LAPTOP, place("p"))
        await other.presence.arrive(PHONE, place("q"))
        await one.presence.use(LAPTOP)
        await one.pulse.stop("p")
        assert await other.presence.find(LAPTOP) is None
        assert await other.presence.latest(ALICE) == PHONE
        assert await other.presence.arrive(LAPTOP, place("q")) is None

    async def test_device_used_last_is_the_one_that_arrived_or_was_asked_last(self, ground: Ground) -> None:
        one, other = await two(ground)
        assert await one.presence.latest(ALICE) is None
        on_phone = place("q")
        await one.presence.arrive(LAPTOP, place("p"))
        await other.presence.arrive(PHONE, on_phone)
        assert await one.presence.latest(ALICE) == PHONE
        await one.presence.use(LAPTOP)
        await one.presence.use((ALICE, "never seen"))
        assert await other.presence.latest(ALICE) == LAPTOP
        assert await other.presence.latest(BOB) is None
        await other.presence.use(PHONE)
        await other.presence.leave(PHONE, on_phone)
        assert await other.presence.latest(ALICE) == LAPTOP

    async def test_forgotten_place_is_restored_unless_a_later_one_is_known(self, ground: Ground) -> None:
        one, other = await two(ground)
        early, late = place("p", since=1000), place("q", since=2000)
        assert await one.presence.restore(LAPTOP, early) is None
        assert await other.presence.find(LAPTOP) == early
        assert await one.presence.restore(LAPTOP, early) is None

        assert await other.presence.restore(LAPTOP, late) == early
        assert await one.presence.restore(LAPTOP, early) == late
        assert await one.presence.find(LAPTOP) == late
