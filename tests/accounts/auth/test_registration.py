import pytest
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from accounts.auth.registration import DEMO_EMAIL, DEMO_PASSWORD, ensure_demo_account, log_in, register
from accounts.errors import AddressTaken, LoginFailed
from accounts.keys.vault import open_vault
from accounts.models import User
from accounts.timezones import machine_timezone
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
    assert open_vault(user.id).key.version == 1


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


def test_log_in_finds_the_user_however_the_address_is_written(alice: User) -> None:
    assert log_in(" Alice@EXAMPLE.com ", PASSWORD) == alice
    alice.refresh_from_db()
    assert alice.last_login is not None


@pytest.mark.parametrize(
    "email",
    [
        "al\u0131ce@example.com",
        "alice@example.com\u200b",
        "alice@exam\u00adple.com",
        "alice@fa\u00df.example",
        "alice@\u2066x.com",
    ],
    ids=["dotless i", "zero width", "soft hyphen", "other domain", "isolate"],
)
def test_address_that_looks_like_another_or_whose_mail_goes_elsewhere_is_refused(db: None, email: str) -> None:
    with pytest.raises(ValidationError) as refused:
        register(email, PASSWORD)
    assert refused.value.message_dict == {"email": ["Enter a valid email address."]}


def test_address_of_an_international_domain_is_taken(db: None) -> None:
    assert register("alice@b\u00fccher.example", PASSWORD).email == "alice@b\u00fccher.example"


@pytest.mark.parametrize("who", ["unknown", "wrong password", "inactive", "inactive, wrong password", "no password"])
def test_log_in_fails_alike_and_after_the_same_work(alice: User, hashes: list[str], who: str) -> None:
    if who.startswith("inactive"):
        User.objects.filter(id=alice.id).update(is_active=False)
    if who == "no password":
        alice.set_unusable_password()
        alice.save(update_fields=["password"])
    email = "nobody@example.com" if who == "unknown" else alice.email
    password = "not this one, sorry" if who.endswith("wrong password") else PASSWORD

    with CaptureQueriesContext(connection) as queries, pytest.raises(LoginFailed) as failed:
        log_in(email, password)

    assert str(failed.value) == "The address or the password is wrong."
    assert len(hashes) == 1
    assert len(queries) == 2  # the lookup key, and the user


pytestmark = pytest.mark.django_db


def test_demo_account_is_made_once_and_can_sign_in(settings: Settings) -> None:
    settings.DEBUG = True
    first = ensure_demo_account()
    assert (first.email, first.language, first.timezone) == ("demo@adiuva.local", "en", machine_timezone())
    assert ensure_demo_account() == first
    assert User.objects.count() == 1
    assert log_in(DEMO_EMAIL, DEMO_PASSWORD) == first


def test_demo_account_costs_no_hash_when_it_is_there(settings: Settings, hashes: list[str]) -> None:
    settings.DEBUG = True
    for _ in range(3):
        ensure_demo_account()
    assert hashes == ["encode"]


def test_demo_account_that_was_changed_stays_as_it_is(settings: Settings) -> None:
    settings.DEBUG = True
    demo = ensure_demo_account()
    demo.timezone = "Asia/Tokyo"
    demo.save(update_fields=["timezone"])
    assert ensure_demo_account().timezone == "Asia/Tokyo"


def test_demo_account_is_refused_outside_development(settings: Settings) -> None:
    settings.DEBUG = False
    with pytest.raises(ImproperlyConfigured, match="The demo account is for development"):
        ensure_demo_account()
    assert not User.objects.exists()
