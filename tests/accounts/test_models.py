import pytest
from django.contrib.auth.hashers import identify_hasher
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.db import IntegrityError, transaction
from pytest_django import Settings

from accounts.addresses import normalised_address
from accounts.encryption import master_keys
from accounts.errors import KeyConfigurationError
from accounts.keys.vault import open_vault
from accounts.models import User
from tests.conftest import PASSWORD

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("written", ["Alice@Example.COM", " alice@example.com\n", "ａlice@example.com"])
def test_address_is_normalised_on_creation_and_lookup(written: str) -> None:
    assert normalised_address(written) == "alice@example.com"
    User.objects.create_user(written, PASSWORD)
    assert User.objects.get().email == "alice@example.com"
    assert User.objects.get_by_natural_key(written).email == "alice@example.com"


def test_overlong_address_is_not_normalised() -> None:
    # Sorting combining marks takes quadratic time.
    marks = "a" + "\u0301" * 600 + "\u0316" * 600
    assert normalised_address(marks) == marks


def test_address_is_unique_regardless_of_case(alice: User) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create_user("ALICE@example.com", PASSWORD)


def test_address_is_unique_regardless_of_case_in_bulk_create(alice: User) -> None:
    user = User(email="Alice@Example.com", encryption_key="wrapped", master_key_id="0" * 16)
    with pytest.raises(IntegrityError, match="accounts_user_email_digest"), transaction.atomic():
        User.objects.bulk_create([user])


def test_address_is_normalised_when_it_is_changed(alice: User) -> None:
    alice.email = "Alice@Elsewhere.example"
    alice.save(update_fields=["email"])
    alice.refresh_from_db()
    assert alice.email == "alice@elsewhere.example"


def test_create_user_hashes_the_password_with_argon2(alice: User) -> None:
    assert identify_hasher(alice.password).algorithm == "argon2"
    assert alice.check_password(PASSWORD)


def test_create_user_stores_preferences() -> None:
    user = User.objects.create_user("alice@example.com", PASSWORD, language="it", timezone="Europe/Rome")
    user.refresh_from_db()
    assert (user.language, user.timezone, user.is_active, user.is_staff) == ("it", "Europe/Rome", True, False)


def test_user_created_without_password_has_no_usable_password() -> None:
    assert not User.objects.create_user("alice@example.com").has_usable_password()


def test_createsuperuser_makes_superuser_with_key() -> None:
    call_command("createsuperuser", interactive=False, email="Sam@Example.com", verbosity=0)
    sam = User.objects.get(email="sam@example.com")
    assert (sam.is_staff, sam.is_superuser) == (True, True)
    assert open_vault(sam.id).key.version == 1


def test_each_user_has_own_key(alice: User, bob: User) -> None:
    assert open_vault(alice.id).key != open_vault(bob.id).key
    assert alice.master_key_id == bob.master_key_id == master_keys().newest.id
    assert alice.encryption_key_version == 1


def test_saving_user_again_keeps_key(alice: User) -> None:
    before = alice.encryption_key
    alice.save()
    alice.refresh_from_db()
    assert alice.encryption_key == before


def test_user_is_not_created_without_master_key(settings: Settings) -> None:
    settings.MASTER_KEYS = ""
    with pytest.raises(KeyConfigurationError):
        User.objects.create_user("alice@example.com", PASSWORD)
    assert not User.objects.exists()


def test_str_of_user_is_address(alice: User) -> None:
    assert str(alice) == "alice@example.com"


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("language", "tlh", "Value 'tlh' is not a valid choice."),
        ("timezone", "Europe/Roma", "This is not a time zone: write an IANA name such as Europe/Rome."),
        ("email", "alice", "Enter a valid email address."),
    ],
)
def test_invalid_field_is_reported_with_reason(alice: User, field: str, value: str, sentence: str) -> None:
    setattr(alice, field, value)
    with pytest.raises(ValidationError) as refused:
        alice.full_clean()
    assert refused.value.message_dict == {field: [sentence]}


def test_user_with_taken_address_is_invalid(alice: User) -> None:
    with pytest.raises(ValidationError) as refused:
        User(email="ALICE@example.com", password="x", encryption_key="wrapped", master_key_id="0" * 16).full_clean()
    assert refused.value.message_dict["email"] == ["This address is taken."]
