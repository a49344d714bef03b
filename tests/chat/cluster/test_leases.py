import pytest

from chat.cluster.pulse import MemoryPulse
from tests.chat.cluster.grounds import GROUNDS, Ground


class TestPulse:
    async def test_process_lives_from_its_first_beat_until_it_stops(self, ground: Ground) -> None:
        one, other = ground.commons().pulse, ground.commons().pulse
        assert await other.lives("one") is False
        assert [await one.beat("one"), await one.beat("one")] == [False, True]
        assert [await other.lives("one"), await other.lives("other")] == [True, False]

        await one.stop("one")
        assert await other.lives("one") is False
        assert await one.beat("one") is False

    @pytest.mark.parametrize("kind", ["memory", pytest.param("redis", marks=pytest.mark.redis)])
    async def test_process_that_beats_no_more_is_dead_when_its_lease_is_over(self, kind: str) -> None:
        async with GROUNDS[kind](lease_s=0.1) as ground:
            pulse = ground.commons().pulse
            await pulse.beat("one")
            while await pulse.lives("one"):
                pass
            assert await pulse.beat("one") is False


async def test_lease_in_memory_goes_by_its_clock() -> None:
    now = 100.0
    pulse = MemoryPulse(lease_s=3.0, clock=lambda: now)
    await pulse.beat("one")
    now = 102.9
    assert await pulse.lives("one") is True
    now = 103.0
    assert await pulse.lives("one") is False
