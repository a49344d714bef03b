import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError

from accounts.errors import AddressTaken
from accounts.models import User
from accounts.registration import register
from accounts.vault import Vault
from tests.accounts.conftest import at_once, both_before_inserting
from tests.conftest import PASSWORD


def outcome(email: str) -> str:
    try:
        return register(email, PASSWORD).email
    except AddressTaken as error:
        return str(error)


@pytest.mark.django_db
def test_register_makes_a_user_with_a_key() -> None:
    user = register(" Alice@Example.com", PASSWORD, language="it", timezone="Europe/Rome")
    user.refresh_from_db()
    assert (user.email, user.language, user.timezone) == ("alice@example.com", "it", "Europe/Rome")
    assert user.check_password(PASSWORD)
    assert Vault.for_user(user).key.version == 1


@pytest.mark.django_db
def test_register_refuses_a_taken_address_after_the_same_work(alice: User, hashes: list[str]) -> None:
    assert outcome("bob@example.com") == "bob@example.com"
    assert outcome("ALICE@example.com") == "An account with this address exists already."
    assert hashes == ["encode", "encode"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("values", "details"),
    [
        ({"email": "alice"}, {"email": ["Enter a valid email address."]}),
        ({"email": ""}, {"email": ["This field cannot be blank."]}),
        ({"language": "tlh"}, {"language": ["Value 'tlh' is not a valid choice."]}),
        ({"timezone": "Mars"}, {"timezone": ["This is not a time zone: write an IANA name such as Europe/Rome."]}),
        (
            {"password": "12345678"},
            {
                "password": [
                    "This password is too short. It must contain at least 10 characters.",
                    "This password is too common.",
                    "This password is entirely numeric.",
                ]
            },
        ),
        (
            {"password": "alice@example.com"},
            {"password": ["The password is too similar to the email address."]},
        ),
    ],
)
def test_register_refuses_bad_values_with_sentences(values: dict[str, str], details: dict[str, list[str]]) -> None:
    asked = {"email": "alice@example.com", "password": PASSWORD, **values}
    with pytest.raises(ValidationError) as refused:
        register(asked.pop("email"), asked.pop("password"), **asked)
    assert refused.value.message_dict == details
    assert not User.objects.exists()


@pytest.mark.django_db
def test_register_does_not_call_another_conflict_a_taken_address(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(User._meta.get_field("id"), "default", lambda: alice.id)
    monkeypatch.setattr(User._meta.get_field("id"), "_get_default", lambda: alice.id)
    with pytest.raises(IntegrityError, match="accounts_user_pkey"):
        register("bob@example.com", PASSWORD)


@pytest.mark.django_db(transaction=True)
def test_register_twice_at_once_makes_one_account() -> None:
    with both_before_inserting(User):
        outcomes = at_once(lambda: outcome("alice@example.com"), lambda: outcome("Alice@Example.com"))
    assert sorted(outcomes) == ["An account with this address exists already.", "alice@example.com"]
    assert User.objects.count() == 1
