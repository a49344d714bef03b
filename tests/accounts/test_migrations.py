from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import StateApps

from accounts.auth.devices import DeviceFacts, register_device
from accounts.auth.tokens import bearer_of, issue_tokens
from accounts.cipher import new_user_key
from accounts.encryption import master_keys
from accounts.keys.vault import open_vault
from accounts.models import User
from tests.conftest import PASSWORD


def migrated(name: str) -> StateApps:
    """Migrate the database to this migration and return the historical models."""
    executor = MigrationExecutor(connection)
    return executor.migrate([("accounts", name)]).apps


@pytest.fixture
def before_devices(transactional_db: None) -> Iterator[None]:
    latest = [node for node in MigrationExecutor(connection).loader.graph.leaf_nodes() if node[0] == "accounts"]
    migrated("0001_user")
    yield
    MigrationExecutor(connection).migrate(latest)


def test_users_of_the_time_before_devices_keep_everything_and_sign_in(before_devices: None) -> None:
    made = User(email="alice@example.com", timezone="Europe/Rome")
    made.set_password(PASSWORD)
    key = new_user_key()
    wrapped = master_keys().wrap(key, user_id=made.id)
    joined = datetime(2025, 6, 1, tzinfo=UTC)
    migrated("0001_user").get_model("accounts", "User").objects.create(
        id=made.id,
        email=made.email,
        password=made.password,
        timezone=made.timezone,
        date_joined=joined,
        encryption_key=wrapped.token,
        master_key_id=wrapped.master_key_id,
    )

    executor = MigrationExecutor(connection)
    executor.migrate([node for node in executor.loader.graph.leaf_nodes() if node[0] == "accounts"])

    alice = User.objects.get()
    assert (alice.id, alice.timezone, alice.date_joined, alice.token_generation) == (
        made.id,
        "Europe/Rome",
        joined,
        0,
    )
    assert alice.check_password(PASSWORD)
    assert open_vault(alice.id).key == key
    bearer = bearer_of(issue_tokens(alice).access)
    assert register_device(bearer.grant, DeviceFacts(device_id="laptop")).user == alice
