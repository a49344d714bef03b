from collections.abc import Iterator
from uuid import uuid4

import pytest
from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.test import override_settings
from django.utils import timezone as clock

from accounts.models import User
from agents.permissions.models import Disclosure
from tests.accounts.device_rows import stored_device
from tests.conftest import PASSWORD

BEFORE, AFTER = [("agents", "0014_approval_source")], [("agents", "0016_rewrite_device_ids")]


def migrate(to: list[tuple[str, str]]) -> None:
    MigrationExecutor(connection).migrate(to)


@pytest.fixture
def alice_before(transactional_db: None) -> Iterator[User]:
    """Alice, whose disclosures name her devices as these named themselves."""
    latest = MigrationExecutor(connection).loader.graph.leaf_nodes()
    migrate(BEFORE)
    alice = User.objects.create_user("alice@example.com", PASSWORD)
    for name in ("alices-laptop", "gone", ""):
        disclosed_on(name, alice)
    yield alice
    migrate(latest)


def disclosed_on(name: str, user: User) -> None:
    values = {"request_id": name or "none", "device_id": name, "source": "home", "model": "m", "table": "tasks"}
    Disclosure.objects.create(id=uuid4(), user=user, left_server=True, row_count=1, at=clock.now(), **values)


def devices() -> dict[str, str]:
    return dict(Disclosure.objects.values_list("request_id", "device_id"))


def test_device_names_are_replaced_by_row_ids(alice_before: User) -> None:
    laptop, _ = stored_device(alice_before, "alices-laptop"), stored_device(alice_before, "phone")

    migrate(AFTER)

    assert devices() == {"alices-laptop": str(laptop.id), "gone": "", "none": ""}


def test_migration_fails_without_master_key_and_changes_nothing(alice_before: User) -> None:
    before = devices()

    with override_settings(MASTER_KEYS=""), pytest.raises(CommandError, match="Nothing was changed"):
        migrate(AFTER)

    assert devices() == before
