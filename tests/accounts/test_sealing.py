"""Addresses and devices' texts: encrypted in the database, plain in Python, found by keyed digests."""

import pytest
from django.core.exceptions import FieldError
from django.db import connection
from pytest_django import DjangoAssertNumQueries

from accounts.errors import WrongKeyVersion
from accounts.keys.rotation import _begin, rotate_user_key
from accounts.keys.vault import open_vault
from accounts.models import User
from accounts.session_models import Device, device_digests
from tests.accounts.device_rows import stored_device
from tests.accounts.threads import as_another_process
from tests.conftest import PASSWORD

pytestmark = pytest.mark.django_db


def stored(table: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT string_agg({table}::text, ' ') FROM {table}")  # noqa: S608 - of the test
        return str(cursor.fetchone()[0])


def test_tables_hold_no_address_no_device_id_and_no_platform(alice: User) -> None:
    stored_device(alice, "alices-laptop")
    assert [
        word for word in ("alice", "laptop", "linux") if word in stored("accounts_user") + stored("accounts_device")
    ] == []


def test_loaded_user_reads_address_without_query(
    alice: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    same = User.objects.get(id=alice.id)
    with django_assert_num_queries(0):
        assert (same.email, same.email, same.get_username()) == ("alice@example.com",) * 3


def test_addresses_support_exact_lookups_only(alice: User, bob: User) -> None:
    assert list(User.objects.filter(email__in=[" ALICE@example.com", "carol@example.com"])) == [alice]
    assert User.objects.exclude(email=alice.email).get() == bob
    for lookup in ("icontains", "startswith", "gt", "iexact"):
        with pytest.raises(FieldError):
            User.objects.filter(**{f"email__{lookup}": "alice"})


def test_queryset_update_of_address_is_refused(alice: User) -> None:
    with pytest.raises(TypeError, match="saving its user"):
        User.objects.filter(id=alice.id).update(email="other@example.com")


def test_saving_stale_user_does_not_restore_older_key_or_ciphertext(alice: User) -> None:
    older = User.objects.get(id=alice.id)
    assert older.email
    rotate_user_key(alice.id)
    older.language = "it"
    older.save()
    present = User.objects.get(id=alice.id)
    assert (present.encryption_key_version, present.language, present.email) == (2, "it", alice.email)
    assert open_vault(alice.id).versions == (2,)


def test_address_changed_on_stale_user_is_encrypted_with_current_key(alice: User) -> None:
    older = User.objects.get(id=alice.id)
    rotate_user_key(alice.id)
    older.email = "Alice@elsewhere.example"
    older.save(update_fields=["email"])
    present = User.objects.get_by_natural_key("alice@elsewhere.example")
    assert (present.email, present.email_encrypted[:3]) == ("alice@elsewhere.example", "v2:")


def test_device_is_readable_and_writable_during_key_rotation(alice: User) -> None:
    device = stored_device(alice)
    older = User.objects.get(id=alice.id)
    _begin(alice.id)
    for user in (older, User.objects.get(id=alice.id)):
        same = Device.objects.get(id=device.id)
        same.user = user
        assert (same.device_id, same.platform) == ("laptop", "linux")
    newer = stored_device(older, "desktop")
    assert newer.device_id_encrypted.startswith("v2:")
    assert Device.objects.get(id=newer.id).key_owner().key_of(2)
    with pytest.raises(WrongKeyVersion):
        alice.key_of(999)


def test_device_digests_differ_between_users_and_survive_key_rotation(alice: User, bob: User) -> None:
    devices = [(alice.id, "laptop"), (bob.id, "laptop")]
    before = device_digests(devices)
    rotate_user_key(alice.id)
    assert device_digests(devices) == before
    assert before[0] != before[1]


def test_refresh_from_db_works_when_user_cannot_be_decrypted(alice: User) -> None:
    User.objects.filter(id=alice.id).update(master_key_id="0" * 16)
    alice.refresh_from_db()
    assert str(alice) == f"user {alice.id}"


@pytest.mark.django_db(transaction=True)
def test_first_users_share_one_lookup_key(transactional_db: None) -> None:
    as_another_process(lambda: User.objects.create_user("alice@example.com", PASSWORD))
    User.objects.create_user("bob@example.com", PASSWORD)
    assert User.objects.filter(email__in=["alice@example.com", "bob@example.com"]).count() == 2
