import pytest

from tests.chat.cluster.backends import Backend, in_redis


class TestLeases:
    async def test_process_lives_from_its_first_renewal_until_its_release(self, backend: Backend) -> None:
        one, other = backend.ports().leases, backend.ports().leases
        assert await other.alive("one") is False
        assert [await one.renew("one"), await one.renew("one")] == [False, True]
        assert [await other.alive("one"), await other.alive("other")] == [True, False]

        await one.release("one")
        assert await other.alive("one") is False
        assert await one.renew("one") is False

    @pytest.mark.redis
    async def test_process_that_renews_no_more_is_dead_when_its_lease_is_over(self) -> None:
        async with in_redis(lease_s=0.1) as backend:
            leases = backend.ports().leases
            await leases.renew("one")
            while await leases.alive("one"):
                pass
            assert await leases.renew("one") is False
