from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from pytest_django import DjangoAssertNumQueries, Settings

from accounts.auth.devices import DeviceFacts, register_device
from accounts.auth.links import LinkPurpose, link_token, send_link
from accounts.auth.passkeys import (
    authentication_options,
    log_in_with_passkey,
    register_passkey,
    registration_options,
)
from accounts.auth.passwords import (
    change_password,
    issue_reset_link,
    reset_password,
    user_to_reset,
)
from accounts.auth.personal_tokens import issue_personal_token, personal_tokens_of
from accounts.auth.registration import log_in, register
from accounts.auth.second_factor import check_code, has_second_factor
from accounts.auth.sessions import present_sessions
from accounts.auth.tokens import bearer_of, issue_tokens, revoke_all_tokens, revoked, rotate_refresh_token
from accounts.auth.verification import change_address, verify_address
from accounts.credential_models import Passkey
from accounts.errors import (
    AddressUnverified,
    InvalidCredentials,
    LinkInvalid,
    LoginFailed,
    MailUnavailable,
    PasskeyRefused,
    PasskeyUnfit,
    WrongCode,
    WrongPassword,
)
from accounts.locks import lock_user
from accounts.models import AddressState, AuditEvent, User
from accounts.session_models import Device
from tests.accounts.authenticator import Authenticator
from tests.accounts.codes import passkey_of, with_app
from tests.accounts.conftest import at_once, link_in
from tests.accounts.device_rows import stored_device
from tests.conftest import PASSWORD
from tests.statements import personal_token

NEW = "another fine passphrase"
Letters = Callable[[], list[EmailMessage]]


def token_in(letter: EmailMessage) -> str:
    return link_in(letter).rpartition("/")[2]


# Changing


def test_new_password_keeps_this_session_and_ends_all_others(alice: User, bob: User) -> None:
    here, there, bobs = issue_tokens(alice), issue_tokens(alice), issue_tokens(bob)
    family = bearer_of(here.access).grant.family
    pair = change_password(alice, password=PASSWORD, new_password=NEW, family=family)
    assert bearer_of(pair.access).grant.family == family
    assert bearer_of(rotate_refresh_token(pair.refresh).access).user == alice
    for old in (here, there):
        with pytest.raises(InvalidCredentials):
            bearer_of(old.access)
        with pytest.raises(InvalidCredentials):
            rotate_refresh_token(old.refresh)
    assert bearer_of(bobs.access).user == bob
    assert log_in("alice@example.com", NEW) == alice
    assert [event.action for event in AuditEvent.objects.for_user(alice.id)] == ["change-password"]


def test_new_password_needs_the_present_one(alice: User) -> None:
    family = bearer_of(issue_tokens(alice).access).grant.family
    with pytest.raises(WrongPassword):
        change_password(alice, password="not this one", new_password=NEW, family=family)
    assert log_in("alice@example.com", PASSWORD) == alice


@pytest.mark.parametrize("new", ["short", "alice@example", "1234567890123", "passwordpassword1"[:8]])
def test_new_password_has_to_be_good(alice: User, new: str) -> None:
    family = bearer_of(issue_tokens(alice).access).grant.family
    with pytest.raises(ValidationError) as refused:
        change_password(alice, password=PASSWORD, new_password=new, family=family)
    assert list(refused.value.message_dict) == ["new_password"]
    assert log_in("alice@example.com", PASSWORD) == alice


# Forgotten


def test_link_sets_a_new_password_once_and_ends_all_access(alice: User, letters: Letters) -> None:
    pair = issue_tokens(alice)
    send_link(" ALICE@example.com", LinkPurpose.RESET)
    [letter] = letters()
    token = token_in(letter)
    assert (letter.to, letter.subject) == (["alice@example.com"], "Adiuva: Reset your password")
    assert user_to_reset(token) == user_to_reset(token) == alice
    reset_password(token, NEW)
    with pytest.raises(InvalidCredentials):
        bearer_of(pair.access)
    with pytest.raises(LinkInvalid):
        reset_password(token, "yet another passphrase")
    assert log_in("alice@example.com", NEW) == alice
    assert User.objects.get().address_state == AddressState.VERIFIED


@pytest.mark.parametrize(
    ("state", "is_staff", "left"),
    [(AddressState.UNVERIFIED, False, 0), (AddressState.VERIFIED, False, 1), (AddressState.UNVERIFIED, True, 1)],
)
def test_link_removes_passkeys_that_were_added_before_the_address_was_verified(
    alice: User, letters: Letters, state: AddressState, is_staff: bool, left: int
) -> None:
    User.objects.filter(id=alice.id).update(address_state=state, is_staff=is_staff)
    Passkey.objects.create(user=alice, credential_id=b"k", public_key=b"p", name_encrypted="")
    send_link("alice@example.com", LinkPurpose.RESET)
    reset_password(token_in(letters()[0]), NEW)
    assert Passkey.objects.for_user(alice.id).count() == left


def test_whoever_registered_an_address_of_someone_else_keeps_nothing_once_its_owner_takes_it(
    letters: Letters, db: None
) -> None:
    thief = register("alice@example.com", PASSWORD)
    key, pair, token = Authenticator(), issue_tokens(thief), issue_personal_token(thief, name="Editor")
    _, codes = with_app(thief)
    passkey_of(thief, key)
    grant = bearer_of(pair.access).grant
    register_device(grant, DeviceFacts(device_id="thiefs-laptop"))
    challenge = registration_options(thief)
    send_link("alice@example.com", LinkPurpose.RESET)
    alice = reset_password(token_in(letters()[-1]), NEW)

    assert revoked([grant]) == {grant}
    with pytest.raises(InvalidCredentials):
        rotate_refresh_token(pair.refresh)
    with pytest.raises(InvalidCredentials):
        personal_token(token.text)
    with pytest.raises(PasskeyRefused):
        log_in_with_passkey(key.get(authentication_options()))
    with pytest.raises(PasskeyUnfit):
        register_passkey(alice, Authenticator().create(challenge), name="Mine")
    with pytest.raises(WrongCode):
        check_code(alice, codes[0])
    with pytest.raises(LoginFailed):
        log_in("alice@example.com", PASSWORD)
    present = User.objects.get()
    assert (has_second_factor(present), personal_tokens_of(present), list(present_sessions(present))) == (False, [], [])
    assert not Device.objects.exists()


def test_a_device_that_was_the_users_own_comes_back_after_the_address_was_proved(letters: Letters, alice: User) -> None:
    stored_device(alice, "laptop")
    send_link("alice@example.com", LinkPurpose.RESET)
    reset_password(token_in(letters()[0]), NEW)
    user = User.objects.get()
    device = register_device(bearer_of(issue_tokens(user).access).grant, DeviceFacts(device_id="laptop"))
    assert list(Device.objects.for_user(user.id).present()) == [device]


def test_devices_and_factors_stay_once_the_address_is_verified(letters: Letters, alice: User) -> None:
    User.objects.filter(id=alice.id).update(address_state=AddressState.VERIFIED)
    stored_device(alice, "laptop")
    with_app(alice)
    send_link("alice@example.com", LinkPurpose.RESET)
    reset_password(token_in(letters()[-1]), NEW)
    assert (Device.objects.count(), has_second_factor(User.objects.get())) == (1, True)


@pytest.mark.parametrize("purpose", [LinkPurpose.RESET, LinkPurpose.VERIFY])
def test_whoever_registered_an_address_cannot_end_the_links_that_its_owner_is_sent(
    letters: Letters, db: None, purpose: LinkPurpose
) -> None:
    thief = register("alice@example.com", PASSWORD)
    letters()
    send_link("alice@example.com", purpose)
    [letter] = letters()
    log_in("alice@example.com", PASSWORD)
    family = bearer_of(issue_tokens(thief).access).grant.family
    change_password(thief, password=PASSWORD, new_password="yet another passphrase", family=family)
    revoke_all_tokens(thief.id)
    if purpose is LinkPurpose.RESET:
        reset_password(token_in(letter), NEW)
    else:
        verify_address(token_in(letter))
    for used in (reset_password, lambda token, _: verify_address(token)):
        with pytest.raises(LinkInvalid):
            used(token_in(letter), NEW)


def test_letter_speaks_the_language_of_its_user(alice: User, letters: Letters) -> None:
    alice.language = "it"
    alice.save(update_fields=["language"])
    send_link("alice@example.com", LinkPurpose.RESET)
    [letter] = letters()
    assert letter.subject == "Adiuva: Reimposta la tua password"
    assert "60 minuti" in str(letter.body)


def test_bad_password_does_not_use_the_link_up(alice: User, letters: Letters) -> None:
    send_link("alice@example.com", LinkPurpose.RESET)
    token = token_in(letters()[0])
    with pytest.raises(ValidationError):
        reset_password(token, "short")
    assert reset_password(token, NEW) == alice


def changed(user: User) -> None:
    user.set_password("yet another passphrase")
    user.save(update_fields=["password"])


def signed_out_everywhere(user: User) -> None:
    revoke_all_tokens(user.id)


def signed_in(user: User) -> None:
    log_in("alice@example.com", PASSWORD)


def deactivated(user: User) -> None:
    User.objects.filter(id=user.id).update(is_active=False)


def erased(user: User) -> None:
    user.delete()


@pytest.mark.parametrize("change", [changed, signed_out_everywhere, signed_in, deactivated, erased])
@pytest.mark.parametrize("purpose", [LinkPurpose.RESET, LinkPurpose.OPERATOR_RESET])
def test_link_ends_when_its_user_changes(alice: User, change: Callable[[User], None], purpose: LinkPurpose) -> None:
    alice.address_state = AddressState.VERIFIED
    alice.save(update_fields=["address_state"])
    token = link_token(alice, purpose)
    change(alice)
    with pytest.raises(LinkInvalid):
        reset_password(token, NEW)


def test_link_expires(alice: User, monkeypatch: pytest.MonkeyPatch, settings: Settings) -> None:
    token, now = link_token(alice, LinkPurpose.RESET), PasswordResetTokenGenerator()._now()
    for passed_s, valid in ((settings.PASSWORD_RESET_TIMEOUT - 5, True), (settings.PASSWORD_RESET_TIMEOUT + 5, False)):
        then = now + timedelta(seconds=passed_s)
        monkeypatch.setattr(PasswordResetTokenGenerator, "_now", lambda _, then=then: then)
        if valid:
            assert user_to_reset(token) == alice
        else:
            with pytest.raises(LinkInvalid):
                user_to_reset(token)


def test_link_is_good_for_its_purpose_and_its_user_only(alice: User, bob: User) -> None:
    verify, reset = link_token(alice, LinkPurpose.VERIFY), link_token(alice, LinkPurpose.RESET)
    with pytest.raises(LinkInvalid):
        reset_password(verify, NEW)
    with pytest.raises(LinkInvalid):
        verify_address(reset)
    with pytest.raises(LinkInvalid):
        reset_password(f"{bob.id.hex}.{reset.partition('.')[2]}", NEW)


@pytest.mark.parametrize("token", ["", ".", "x", "é.é", "\0", "\ud800", "0" * 32, f"{'0' * 32}.x-y", "9" * 5000])
def test_text_that_is_no_link_is_refused(db: None, token: str) -> None:
    for use in (user_to_reset, verify_address):
        with pytest.raises(LinkInvalid):
            use(token)


@pytest.mark.django_db(transaction=True)
def test_link_used_twice_at_once_sets_one_password() -> None:
    alice = User.objects.create_user("alice@example.com", PASSWORD)
    token = link_token(alice, LinkPurpose.RESET)

    def use(new: str) -> bool:
        try:
            reset_password(token, new)
        except LinkInvalid:
            return False
        return True

    outcomes = at_once(lambda: use(NEW), lambda: use("yet another passphrase"))
    assert sorted(outcomes) == [False, True]


@pytest.mark.django_db(transaction=True)
def test_link_to_the_older_address_does_not_verify_the_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    alice = User.objects.create_user("alice@example.com", PASSWORD)
    token = link_token(alice, LinkPurpose.VERIFY)

    def changed_just_before(user_id: UUID) -> User:
        change_address(user_id, "alice@new.example", reason="Lost the mailbox.")
        return lock_user(user_id)

    monkeypatch.setattr("accounts.auth.links.lock_user", changed_just_before)
    with pytest.raises(LinkInvalid):
        verify_address(token)
    assert User.objects.get().address_state == AddressState.UNVERIFIED


@pytest.mark.parametrize("who", ["unknown", "inactive", "known"])
def test_asking_costs_the_same_for_every_address(
    alice: User, letters: Letters, django_assert_num_queries: DjangoAssertNumQueries, who: str
) -> None:
    if who == "inactive":
        deactivated(alice)
    with django_assert_num_queries(0):
        send_link("bob@example.com" if who == "unknown" else "alice@example.com", LinkPurpose.RESET)
    assert len(letters()) == (1 if who == "known" else 0)


def test_without_email_an_operator_passes_the_link_on(alice: User, settings: Settings) -> None:
    for purpose in (LinkPurpose.RESET, LinkPurpose.VERIFY):
        with pytest.raises(MailUnavailable):
            send_link("alice@example.com", purpose)
    passkey_of(alice)
    AuditEvent.objects.all().delete()
    link = issue_reset_link(alice)
    assert link.startswith(f"{settings.PUBLIC_URL}/account/password/")
    reset_password(link.rpartition("/")[2], NEW)
    assert [event.action for event in AuditEvent.objects.order_by("created_at")] == [
        "issue-reset-link",
        "reset-password",
    ]
    assert User.objects.get().address_state == AddressState.UNVERIFIED
    assert not Passkey.objects.exists()  # no one knows who registered the address


def test_user_without_a_password_gets_one_by_link(letters: Letters, db: None) -> None:
    User.objects.create_user("alice@example.com")
    send_link("alice@example.com", LinkPurpose.RESET)
    assert reset_password(token_in(letters()[0]), NEW).check_password(NEW)


# The address


def test_registration_sends_a_link_that_verifies_the_address(letters: Letters, db: None) -> None:
    register("alice@example.com", PASSWORD)
    [letter] = letters()
    assert letter.subject == "Adiuva: Confirm your address"
    assert verify_address(token_in(letter)).address_state == AddressState.VERIFIED
    with pytest.raises(LinkInvalid):
        verify_address(token_in(letter))
    send_link("alice@example.com", LinkPurpose.VERIFY)
    assert letters() == []


def test_unverified_user_signs_in_unless_the_server_requires_more(
    alice: User, letters: Letters, settings: Settings
) -> None:
    settings.REQUIRE_VERIFIED_EMAIL = True
    bob = register("bob@example.com", PASSWORD)
    assert log_in("alice@example.com", PASSWORD) == alice  # from before
    with pytest.raises(AddressUnverified):
        log_in("bob@example.com", PASSWORD)
    send_link("bob@example.com", LinkPurpose.VERIFY)
    verify_address(token_in(letters()[-1]))
    assert log_in("bob@example.com", PASSWORD) == bob


def test_wrong_password_does_not_tell_that_an_address_is_unverified(settings: Settings, db: None) -> None:
    settings.REQUIRE_VERIFIED_EMAIL = True
    register("bob@example.com", PASSWORD)
    with pytest.raises(Exception, match="The address or the password is wrong"):
        log_in("bob@example.com", "not this one")


def test_setting_that_is_gone_lets_everyone_in(settings: Settings, db: None) -> None:
    settings.REQUIRE_VERIFIED_EMAIL = True
    bob = register("bob@example.com", PASSWORD)
    settings.REQUIRE_VERIFIED_EMAIL = False
    assert log_in("bob@example.com", PASSWORD) == bob
