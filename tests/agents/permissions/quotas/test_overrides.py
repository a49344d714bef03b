import asyncio
import logging
import threading
from collections.abc import Mapping
from uuid import UUID, uuid4

import pytest
from channels.db import database_sync_to_async
from django.db import transaction

from accounts.models import User
from agents.allowances import QuotaOverride
from agents.permissions.models import UserQuota
from agents.permissions.quotas import OverrideCache

ALICE = uuid4()
THREE = QuotaOverride(turns=3)


async def test_before_the_first_read_nothing_is_known() -> None:
    cache = OverrideCache(read=lambda: {ALICE: THREE})
    assert cache.find(ALICE) is None
    await cache.read()
    assert (cache.find(ALICE), cache.find(uuid4())) == (THREE, QuotaOverride())


async def test_reading_goes_on_in_the_background_until_the_end() -> None:
    read = threading.Event()
    often: list[int] = []

    def count() -> Mapping[UUID, QuotaOverride]:
        often.append(1)
        if len(often) == 3:
            read.set()
        return {}

    cache = OverrideCache(read=count, every_s=0.001)
    cache.begin()
    cache.begin()
    assert await asyncio.to_thread(read.wait, 5)
    await cache.aclose()
    assert [task for task in asyncio.all_tasks() if task.get_name() == "reading quotas"] == []


async def test_a_database_that_is_away_leaves_what_was_known_and_is_warned_of_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tried = threading.Event()
    failures: list[int] = []

    def away() -> Mapping[UUID, QuotaOverride]:
        if not failures:
            failures.append(0)
            return {ALICE: THREE}
        failures.append(1)
        if len(failures) == 4:
            tried.set()
        raise OSError("the database is away")

    cache = OverrideCache(read=away, every_s=0.001)
    with caplog.at_level(logging.WARNING):
        cache.begin()
        assert await asyncio.to_thread(tried.wait, 5)
        await cache.aclose()
    assert cache.find(ALICE) == THREE
    assert [record.levelname for record in caplog.records] == ["WARNING"]


@pytest.mark.django_db(transaction=True)
class TestSaving:
    async def test_what_is_saved_here_is_known_once_it_is_committed(self, transactional_db: None) -> None:
        cache = OverrideCache()
        await cache.read()

        def save() -> tuple[User, QuotaOverride | None]:
            user = User.objects.create_user("alice@example.com", "correct horse battery staple")
            with transaction.atomic():
                UserQuota.objects.create(user=user, turns=3)
                before = cache.find(user.id)
            return user, before

        alice, before = await database_sync_to_async(save)()
        assert (before, cache.find(alice.id)) == (QuotaOverride(), THREE)
        await database_sync_to_async(UserQuota.objects.all().delete)()
        assert cache.find(alice.id) == QuotaOverride()

    async def test_what_is_saved_while_it_is_read_is_not_forgotten(self, transactional_db: None) -> None:
        def read() -> Mapping[UUID, QuotaOverride]:
            """Save after the rows were read and before the cache has them."""
            rows = {row.user_id: QuotaOverride(turns=row.turns, tokens=row.tokens) for row in UserQuota.objects.all()}
            if not rows:
                user = User.objects.create_user("alice@example.com", "correct horse battery staple")
                UserQuota.objects.create(user=user, turns=3)
            return rows

        cache = OverrideCache(read=read)
        await cache.read()
        user_id = await database_sync_to_async(lambda: UserQuota.objects.get().user_id)()
        assert cache.find(user_id) == THREE

    async def test_an_unknown_user_is_looked_up_in_the_database(self, transactional_db: None) -> None:
        def save() -> UUID:
            user = User.objects.create_user("alice@example.com", "correct horse battery staple")
            UserQuota.objects.create(user=user, tokens=9)
            return user.id

        assert await OverrideCache().of(await database_sync_to_async(save)()) == QuotaOverride(tokens=9)
