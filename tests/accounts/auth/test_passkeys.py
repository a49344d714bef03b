"""Passkeys: what signs in, everything that does not, and how they are kept."""

import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.db import connection, transaction
from django.utils import timezone as clock
from pytest_django import Settings

from accounts.auth import challenges
from accounts.auth.passkeys import (
    MAX_PASSKEYS,
    authentication_options,
    log_in_with_passkey,
    passkeys_of,
    register_passkey,
    registration_options,
    remove_passkey,
    rename_passkey,
    verify_for,
)
from accounts.auth.tokens import issue_tokens, revoke_all_tokens, rotate_refresh_token
from accounts.credential_models import Passkey, PasskeyChallenge
from accounts.errors import (
    AddressUnverified,
    InvalidCredentials,
    LastSignIn,
    MissingMasterKey,
    PasskeyRefused,
    PasskeysUnavailable,
    PasskeyUnfit,
    TooManyPasskeys,
    UnknownPasskey,
    WrongPasskey,
)
from accounts.models import AddressState, AuditEvent, User
from tests.accounts.authenticator import Authenticator, decoded, encoded
from tests.accounts.conftest import at_once
from tests.accounts.threads import as_another_process

pytestmark = pytest.mark.django_db


@pytest.fixture
def laptop(alice: User) -> Authenticator:
    """An authenticator with a passkey of Alice's."""
    return added(alice, Authenticator())


def added(user: User, authenticator: Authenticator, name: str = "Laptop") -> Authenticator:
    register_passkey(user, authenticator.create(registration_options(user)), name=name)
    return authenticator


def signs_in(authenticator: Authenticator, options: Mapping[str, Any] | None = None) -> bool:
    try:
        log_in_with_passkey(authenticator.get(options or authentication_options()))
    except PasskeyRefused:
        return False
    return True


def without_password(user: User) -> None:
    user.set_unusable_password()
    user.save(update_fields=["password"])


def test_passkey_signs_in_without_an_address(alice: User, laptop: Authenticator) -> None:
    assert log_in_with_passkey(laptop.get(authentication_options())) == alice
    alice.refresh_from_db()
    assert alice.last_login is not None


@pytest.mark.parametrize("attestation", ["none", "packed"])
@pytest.mark.parametrize("counts", [True, False])
def test_passkey_of_any_authenticator_signs_in_again_and_again(alice: User, attestation: str, *, counts: bool) -> None:
    key = added(alice, Authenticator(attestation=attestation, counts=counts))
    assert [signs_in(key) for _ in range(3)] == [True] * 3


def test_options_ask_for_a_verified_user_and_a_discoverable_passkey(alice: User, laptop: Authenticator) -> None:
    options = registration_options(alice)
    wanted = {"residentKey": "required", "requireResidentKey": True, "userVerification": "required"}
    assert options["authenticatorSelection"] == wanted
    assert options["rp"] == {"name": "Adiuva", "id": "localhost"}
    assert decoded(options["user"]["id"]) == alice.id.bytes
    known = {"id": encoded(laptop.id), "type": "public-key", "transports": ["internal", "hybrid"]}
    assert options["excludeCredentials"] == [known]
    asked = authentication_options()
    assert (asked["userVerification"], asked["allowCredentials"]) == ("required", [])
    assert authentication_options(alice)["allowCredentials"] == [known]


def test_user_without_password_signs_in_and_stays_signed_in(alice: User, laptop: Authenticator) -> None:
    without_password(alice)
    user = log_in_with_passkey(laptop.get(authentication_options()))
    assert rotate_refresh_token(issue_tokens(user).refresh).access


@pytest.mark.parametrize(
    "wrong",
    [
        {"verifies": False},
        {"origin": "http://localhost:8000"},
        {"origin": "https://localhost.example"},
        {"origin": "https://evil.example"},
        {"origin": "http://127.0.0.1:8000"},
        {"cross_origin": True},
        {"rp_id": "evil.example"},
        {"user_handle": None},
        {"user_handle": b"someone else"},
        {"id": b"another credential"},
        {"key": Authenticator().key},
        {"backup_eligible": True},
        {"backed_up": True},
    ],
    ids=lambda wrong: "-".join(f"{name}={value}" for name, value in wrong.items() if name != "key") or "key",
)
def test_wrong_answer_does_not_sign_in(laptop: Authenticator, wrong: Mapping[str, Any]) -> None:
    for name, value in wrong.items():
        setattr(laptop, name, value)
    assert not signs_in(laptop)


@pytest.mark.parametrize(
    "wrong",
    [{"verifies": False}, {"origin": "https://evil.example"}, {"rp_id": "evil.example"}, {"cross_origin": True}],
    ids=str,
)
def test_wrong_answer_makes_no_passkey(alice: User, wrong: Mapping[str, Any]) -> None:
    with pytest.raises(PasskeyUnfit):
        added(alice, Authenticator(**wrong))
    assert not Passkey.objects.exists()


@pytest.mark.parametrize("transports", [1, True, [["usb"]]], ids=str)
def test_odd_transports_make_no_passkey(alice: User, transports: object) -> None:
    answer = Authenticator().create(registration_options(alice))
    answer["response"]["transports"] = transports
    with pytest.raises(PasskeyUnfit):
        register_passkey(alice, answer, name="Odd")


def test_answer_counts_once(alice: User, laptop: Authenticator) -> None:
    laptop.counts, options = False, authentication_options()
    Passkey.objects.update(sign_count=0)
    laptop.sign_count = 0
    answer = laptop.get(options)
    assert log_in_with_passkey(answer) == alice
    with pytest.raises(PasskeyRefused):
        log_in_with_passkey(answer)


@pytest.mark.django_db(transaction=True)
def test_answer_counts_once_also_when_it_arrives_twice_at_a_time(laptop: Authenticator) -> None:
    answer = laptop.get(authentication_options())

    def attempt() -> bool:
        try:
            log_in_with_passkey(answer)
        except PasskeyRefused:
            return False
        return True

    assert sorted(at_once(attempt, attempt)) == [False, True]


def test_wrong_answer_uses_its_challenge_up(laptop: Authenticator) -> None:
    options = authentication_options()
    laptop.verifies = False
    assert not signs_in(laptop, options)
    laptop.verifies = True
    assert not signs_in(laptop, options)


def test_late_answer_is_refused(alice: User, laptop: Authenticator) -> None:
    options, making = authentication_options(), registration_options(alice)
    PasskeyChallenge.objects.update(expires_at=clock.now())
    assert not signs_in(laptop, options)
    with pytest.raises(PasskeyUnfit):
        register_passkey(alice, Authenticator().create(making), name="Late")


def test_challenge_is_good_for_its_purpose_and_user_alone(alice: User, bob: User, laptop: Authenticator) -> None:
    phone = added(bob, Authenticator())
    assert not signs_in(laptop, authentication_options(alice))
    for options in (authentication_options(), authentication_options(bob)):
        with pytest.raises(WrongPasskey):
            verify_for(alice, laptop.get(options))
    with pytest.raises(WrongPasskey):
        verify_for(alice, phone.get(authentication_options(alice)))
    with pytest.raises(PasskeyUnfit):
        register_passkey(alice, Authenticator().create(registration_options(bob)), name="Bob's")
    assert verify_for(alice, laptop.get(authentication_options(alice))).user == alice


def test_copied_authenticator_is_refused_and_audited(alice: User, laptop: Authenticator) -> None:
    copy = Authenticator(id=laptop.id, key=laptop.key, user_handle=laptop.user_handle, sign_count=laptop.sign_count)
    assert signs_in(laptop)
    assert not signs_in(copy)
    event = AuditEvent.objects.for_user(alice.id).get(action="refuse-cloned-passkey")
    assert (event.actor, event.object_id) == (alice, Passkey.objects.get().id)


def test_authenticator_that_stops_counting_is_refused(laptop: Authenticator) -> None:
    laptop.sign_count, laptop.counts = 0, False
    assert not signs_in(laptop)


def test_forged_count_is_not_taken_for_a_copy(laptop: Authenticator) -> None:
    laptop.key, laptop.sign_count = Authenticator().key, 0
    assert not signs_in(laptop)
    assert not AuditEvent.objects.filter(action="refuse-cloned-passkey").exists()


def test_inactive_user_does_not_sign_in(alice: User, laptop: Authenticator) -> None:
    User.objects.filter(id=alice.id).update(is_active=False)
    assert not signs_in(laptop)


def test_user_who_must_verify_the_address_does_not_sign_in(
    alice: User, laptop: Authenticator, settings: Settings
) -> None:
    settings.REQUIRE_VERIFIED_EMAIL = True
    User.objects.filter(id=alice.id).update(address_state=AddressState.PENDING)
    with pytest.raises(AddressUnverified):
        signs_in(laptop)


def test_user_whose_key_cannot_be_opened_does_not_sign_in(laptop: Authenticator, settings: Settings) -> None:
    settings.MASTER_KEYS = Fernet.generate_key().decode()
    with pytest.raises(MissingMasterKey):
        signs_in(laptop)


def test_use_is_noted(alice: User) -> None:
    phone = added(alice, Authenticator(backup_eligible=True))
    assert (Passkey.objects.get().backed_up, Passkey.objects.get().last_used_at) == (False, None)
    phone.backed_up = True
    assert signs_in(phone)
    noted = Passkey.objects.get()
    assert (noted.backed_up, noted.sign_count, noted.last_used_at is not None) == (True, 2, True)


def test_name_is_stored_for_its_owner_alone(alice: User, laptop: Authenticator) -> None:
    assert "Laptop" not in str(Passkey.objects.values().get())
    made = passkeys_of(alice)
    assert [(passkey.name, bytes(passkey.credential_id)) for passkey in made] == [("Laptop", laptop.id)]
    rename_passkey(alice, made[0].id, name="Old laptop")
    assert [passkey.name for passkey in passkeys_of(alice)] == ["Old laptop"]


def test_passkey_is_of_one_user(alice: User, bob: User, laptop: Authenticator) -> None:
    with pytest.raises(PasskeyUnfit):
        register_passkey(bob, laptop.create(registration_options(bob)), name="Mine now")
    passkey = passkeys_of(alice)[0]
    with pytest.raises(UnknownPasskey):
        rename_passkey(bob, passkey.id, name="Mine now")
    with pytest.raises(UnknownPasskey):
        remove_passkey(bob, passkey.id)
    laptop.user_handle = alice.id.bytes
    assert signs_in(laptop)


def test_removed_passkey_does_not_sign_in(alice: User, laptop: Authenticator) -> None:
    remove_passkey(alice, passkeys_of(alice)[0].id)
    assert not signs_in(laptop)
    actions = AuditEvent.objects.for_user(alice.id).order_by("created_at").values_list("action", flat=True)
    assert list(actions) == ["add-passkey", "remove-passkey"]


def test_last_way_to_sign_in_stays(alice: User, laptop: Authenticator) -> None:
    without_password(alice)
    with pytest.raises(LastSignIn):
        remove_passkey(alice, passkeys_of(alice)[0].id)
    added(alice, Authenticator(), "Phone")
    remove_passkey(alice, passkeys_of(alice)[0].id)
    assert signs_in(laptop)


@pytest.mark.django_db(transaction=True)
def test_of_two_last_passkeys_one_stays(alice: User, laptop: Authenticator) -> None:
    without_password(alice)
    added(alice, Authenticator(), "Phone")
    ids = [passkey.id for passkey in passkeys_of(alice)]

    def removing(number: int) -> Callable[[], bool]:
        def attempt() -> bool:
            try:
                remove_passkey(alice, ids[number])
            except LastSignIn:
                return False
            return True

        return attempt

    assert sorted(at_once(removing(0), removing(1))) == [False, True]
    assert Passkey.objects.count() == 1


def test_who_was_signed_out_meanwhile_adds_none(alice: User) -> None:
    answer = Authenticator().create(registration_options(alice))
    revoke_all_tokens(alice.id)
    with pytest.raises(InvalidCredentials):
        register_passkey(alice, answer, name="Late")


def test_passkeys_are_bounded(alice: User) -> None:
    for number in range(MAX_PASSKEYS):
        added(alice, Authenticator(), str(number))
    with pytest.raises(TooManyPasskeys):
        added(alice, Authenticator())


def test_expired_challenges_are_deleted_and_those_of_a_network_bounded(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(challenges, "MAX_OF_NETWORK", 3)
    elsewhere = authentication_options(ip="192.0.2.7")
    late = clock.now() + challenges.LIFETIME - timedelta(seconds=1)
    for _ in range(5):
        newest = authentication_options(ip="192.0.2.1")
    assert PasskeyChallenge.objects.count() == 4
    taken = [
        challenges.take_challenge(decoded(options["challenge"]), challenges.ChallengePurpose.SIGN_IN, user=None)
        for options in (elsewhere, newest)
    ]
    assert taken == [True, True]
    PasskeyChallenge.objects.update(expires_at=clock.now())
    registration_options(alice, ip="192.0.2.1")
    assert PasskeyChallenge.objects.get().expires_at > late


@pytest.mark.django_db(transaction=True)
def test_challenges_that_another_transaction_deletes_are_not_waited_for(alice: User) -> None:
    """Two transactions that delete challenges of the same users could wait for each other."""
    authentication_options()
    PasskeyChallenge.objects.update(expires_at=clock.now())
    with transaction.atomic():
        assert len(PasskeyChallenge.objects.select_for_update()) == 1
        as_another_process(partial(options_without_waiting, alice))
        assert PasskeyChallenge.objects.count() == 2
    registration_options(alice)
    assert PasskeyChallenge.objects.count() == 2


@transaction.atomic
def options_without_waiting(user: User) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL lock_timeout = '5s'")
    registration_options(user)


def test_neither_challenge_nor_network_is_stored() -> None:
    options = authentication_options(ip="192.0.2.1")
    row = str(PasskeyChallenge.objects.values().get())
    assert [
        text for text in (options["challenge"], decoded(options["challenge"]).hex(), "192.0.2.1") if text in row
    ] == []


@pytest.mark.parametrize(
    ("origin", "hosts", "origins", "ours"),
    [
        ("https://adiuva.example", ["adiuva.example"], [], True),
        ("https://app.adiuva.example", [".adiuva.example"], [], True),
        ("https://app.adiuva.example", ["adiuva.example"], [], False),
        ("https://app.adiuva.example:8443", ["adiuva.example"], ["https://app.adiuva.example:8443"], True),
        ("https://adiuva.example:8443", ["adiuva.example"], [], False),
        ("http://adiuva.example", ["adiuva.example"], [], False),
        ("https://other.example", ["adiuva.example", "other.example"], ["https://other.example"], False),
        ("https://notadiuva.example", [".example"], [], False),
        ("http://localhost:8000", ["adiuva.example"], [], False),
        ("https://adiuva.example/page", ["adiuva.example"], [], False),
        ("https://adiuva.example:x", ["adiuva.example"], [], False),
    ],
)
def test_origins_in_production(
    alice: User, settings: Settings, origin: str, hosts: list[str], origins: list[str], *, ours: bool
) -> None:
    settings.DEBUG, settings.WEBAUTHN_RP_ID = False, "adiuva.example"
    settings.ALLOWED_HOSTS, settings.ALLOWED_ORIGINS = ["adiuva.example"], origins
    key = added(alice, Authenticator(origin="https://adiuva.example"))
    settings.ALLOWED_HOSTS, key.origin = hosts, origin
    assert signs_in(key) is ours


@pytest.mark.parametrize("origin", ["http://localhost:8000", "http://localhost"])
def test_development_server_has_any_port(alice: User, settings: Settings, origin: str) -> None:
    settings.DEBUG = True
    assert signs_in(added(alice, Authenticator(origin=origin)))


def test_server_without_host_name_has_no_passkeys(alice: User, settings: Settings) -> None:
    settings.WEBAUTHN_RP_ID = ""
    with pytest.raises(PasskeysUnavailable):
        registration_options(alice)
    with pytest.raises(PasskeysUnavailable):
        authentication_options()


ODD = (
    *({}, {"id": 1}, {"response": []}, {"response": {}}, {"response": {"clientDataJSON": 7}}),
    *(
        {"response": {"clientDataJSON": text}}
        for text in ("", "é", "bnVsbA", "W10", "e30", "eyJjaGFsbGVuZ2UiOjF9", "/w")
    ),
)


@pytest.mark.parametrize("odd", ODD, ids=json.dumps)
def test_odd_answer_is_refused(alice: User, odd: Mapping[str, Any]) -> None:
    with pytest.raises(PasskeyRefused):
        log_in_with_passkey(odd)
    with pytest.raises(PasskeyUnfit):
        register_passkey(alice, odd, name="Odd")


@pytest.mark.parametrize("part", ["attestationObject", "authenticatorData", "signature", "userHandle"])
@pytest.mark.parametrize("odd", ["", "AA", "oA", "_____w", "é", "n4CfgJ-A"])
def test_answer_with_odd_bytes_is_refused(alice: User, laptop: Authenticator, part: str, odd: str) -> None:
    made = Authenticator().create(registration_options(alice))
    answer = laptop.get(authentication_options())
    if part in made["response"]:
        made["response"][part] = odd
        with pytest.raises(PasskeyUnfit):
            register_passkey(alice, made, name="Odd")
    else:
        answer["response"][part] = odd
        with pytest.raises(PasskeyRefused):
            log_in_with_passkey(answer)
