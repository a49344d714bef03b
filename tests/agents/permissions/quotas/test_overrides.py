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


async def test_no_override_is_known_before_first_read() -> None:
    cache = OverrideCache(read=lambda: {ALICE: THREE})
    assert cache.find(ALICE) is None
    await cache.read()
    assert (cache.find(ALICE), cache.find(uuid4())) == (THREE, QuotaOverride())


async def test_overrides_are_read_in_background_until_close() -> None:
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


async def test_unavailable_database_keeps_overrides_and_warns_once(
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
    async def test_override_saved_in_process_is_known_on_commit(self, transactional_db: None) -> None:
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

    async def test_override_saved_during_read_is_kept(self, transactional_db: None) -> None:
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

    async def test_unread_user_is_looked_up_in_database(self, transactional_db: None) -> None:
        def save() -> UUID:
            user = User.objects.create_user("alice@example.com", "correct horse battery staple")
            UserQuota.objects.create(user=user, tokens=9)
            return user.id

        assert await OverrideCache().of(await database_sync_to_async(save)()) == QuotaOverride(tokens=9)
