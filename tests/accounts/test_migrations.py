import json
from collections.abc import Iterator
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from cryptography.fernet import Fernet
from django.contrib.admin.models import LogEntry
from django.contrib.auth.hashers import make_password
from django.contrib.contenttypes.models import ContentType
from django.core.management.base import CommandError
from django.db import IntegrityError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import StateApps
from django.test import override_settings

from accounts.auth.devices import DeviceFacts, register_device
from accounts.auth.registration import log_in
from accounts.auth.tokens import bearer_of, issue_tokens
from accounts.cipher import new_user_key
from accounts.encryption import master_keys
from accounts.erasure import half_erased
from accounts.keys.vault import open_vault
from accounts.models import User
from accounts.session_models import Device
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


def test_users_from_before_devices_keep_their_data_and_can_sign_in(before_devices: None) -> None:
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


# The migrations of the last release that stored addresses unencrypted.
CLEAR = [("accounts", "0008_sessions"), ("admin", "0003_logentry_add_action_flag_choices")]
WORDS = ("alice@example.com", "alices-laptop", "plan9")


@pytest.fixture
def migrated_again(transactional_db: None) -> Iterator[None]:
    """Migrates to the latest migration after the test."""
    yield
    # A test may have left rows that stop the migration.
    connection.cursor().execute("TRUNCATE accounts_user CASCADE")
    to_the_present()


@pytest.fixture
def in_the_clear(migrated_again: None) -> StateApps:
    """The historical models of ``CLEAR``."""
    return MigrationExecutor(connection).migrate(CLEAR).apps


def to_the_present() -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def clear_user(apps: StateApps, email: str, **values: object) -> UUID:
    user_id, key = uuid4(), new_user_key()
    wrapped = master_keys().wrap(key, user_id=user_id)
    fields = {"encryption_key": wrapped.token, "master_key_id": wrapped.master_key_id, **values}
    apps.get_model("accounts", "User").objects.create(id=user_id, email=email, **fields)
    return user_id


def clear_world(apps: StateApps) -> UUID:
    """Alice with a device and a line in the admin's log, Bob, and someone whose erasure was interrupted."""
    alice_id = clear_user(apps, WORDS[0], password=make_password(PASSWORD))
    bob_id = clear_user(apps, "bob@example.com")
    clear_user(apps, "carol@example.com", encryption_key="", master_key_id="")
    devices = apps.get_model("accounts", "Device").objects
    devices.create(user_id=alice_id, device_id=WORDS[1], platform=WORDS[2], app_version="1.0")
    devices.create(user_id=bob_id, device_id=WORDS[1])
    kind = ContentType.objects.get_for_model(User)
    added = {"added": {"name": "device", "object": f'a "{WORDS[1]}"'}}
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO django_admin_log (action_time, user_id, content_type_id, object_id, object_repr, action_flag, "
            "change_message) VALUES (now(), %s, %s, %s, %s, 2, %s)",
            [bob_id, kind.id, str(alice_id), WORDS[0], json.dumps([added])],
        )
    return alice_id


def test_migration_encrypts_addresses_and_devices_and_they_can_still_be_found(in_the_clear: StateApps) -> None:
    alice_id = clear_world(in_the_clear)
    to_the_present()

    alice = User.objects.get_by_natural_key(" ALICE@example.com")
    assert (alice.id, alice.email, log_in(WORDS[0], PASSWORD)) == (alice_id, WORDS[0], alice)
    device = Device.objects.named(alice.id, WORDS[1]).get()
    assert (device.device_id, device.platform, device.app_version) == (WORDS[1], WORDS[2], "1.0")
    assert Device.objects.exclude(user=alice).get().device_id == WORDS[1]
    assert User.objects.get(email="carol@example.com").id in half_erased()
    with pytest.raises(IntegrityError):
        User.objects.create_user("Bob@Example.com")
    [entry] = LogEntry.objects.all()
    assert entry.object_repr == f"row {alice_id}"
    assert entry.get_change_message() == "Added device “…”."


def test_no_table_page_contains_plaintext_after_migration(in_the_clear: StateApps) -> None:
    clear_world(in_the_clear)
    to_the_present()
    with connection.cursor() as cursor:
        cursor.execute("CHECKPOINT")
        for table in ("accounts_user", "accounts_device", "django_admin_log"):
            cursor.execute("SELECT pg_read_binary_file(pg_relation_filepath(%s::regclass))", [table])
            page = bytes(cursor.fetchone()[0])
            assert [word for word in WORDS if word.encode() in page] == [], table


def test_migration_without_master_key_changes_nothing(in_the_clear: StateApps) -> None:
    clear_world(in_the_clear)
    with (
        override_settings(MASTER_KEYS=Fernet.generate_key().decode()),
        pytest.raises(CommandError, match=r"^Not in ADIUVA_MASTER_KEYS: .* Nothing was changed\.$"),
    ):
        to_the_present()
    assert in_the_clear.get_model("accounts", "User").objects.filter(email=WORDS[0]).exists()
    to_the_present()
    assert User.objects.get(email=WORDS[0]).email == WORDS[0]


def test_reverse_migration_refuses_to_decrypt_addresses(migrated_again: None) -> None:
    User.objects.create_user(WORDS[0])
    with pytest.raises(CommandError, match="stay encrypted"):
        MigrationExecutor(connection).migrate(CLEAR)
    # Later migrations have gone back.
    assert User.objects.defer("hash_renewal", "staff_generation", "memory_words_days").get().email == WORDS[0]
