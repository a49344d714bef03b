from collections.abc import Callable
from uuid import uuid4

import pytest
from django.core.mail import EmailMessage
from rest_framework.test import APIClient

from accounts.audit import record_event
from accounts.auth.devices import DeviceFacts, register_device
from accounts.auth.notices import NEW_FOR, NOTICED
from accounts.auth.personal_tokens import issue_personal_token
from accounts.auth.tokens import bearer_of, issue_tokens, rotate_refresh_token
from accounts.erasure import forget
from accounts.errors import InvalidCredentials
from accounts.models import User
from accounts.session_models import Session

Letters = Callable[[], list[EmailMessage]]
Subjects = Callable[[], list[tuple[str, str]]]


@pytest.fixture
def subjects(letters: Letters) -> Subjects:
    """To whom and about what letters were sent since."""
    return lambda: [(letter.to[0], letter.subject.removeprefix("Adiuva: ")) for letter in letters()]


@pytest.fixture
def alice(alice: User) -> User:
    """With an account that is not new."""
    alice.date_joined -= NEW_FOR
    alice.save(update_fields=["date_joined"])
    return alice


def test_sign_in_with_another_client_is_told_with_its_name(alice: User, letters: Letters) -> None:
    issue_tokens(alice, client="Firefox/140.0 on Linux", announced=True)
    issue_tokens(alice, client="Firefox/141.2 on Linux")
    assert letters() == []
    issue_tokens(alice, client="curl")
    [letter] = letters()
    assert letter.subject == "Adiuva: New sign-in to your account"
    assert "a client that was not used before: curl." in str(letter.body)
    assert "/account/forgotten" in str(letter.body)
    issue_tokens(alice, client="curl")
    assert letters() == []


def test_sign_in_after_a_long_time_is_told(alice: User, subjects: Subjects) -> None:
    issue_tokens(alice, client="Firefox")
    assert subjects() == [("alice@example.com", "New sign-in to your account")]


def test_first_sign_in_to_a_new_account_is_not_told(bob: User, subjects: Subjects) -> None:
    issue_tokens(bob, client="Firefox")
    assert subjects() == []


def test_client_that_cannot_be_read_is_another_one(alice: User, subjects: Subjects) -> None:
    issue_tokens(alice, client="Firefox", announced=True)
    Session.objects.update(client_encrypted="damaged")
    issue_tokens(alice, client="Firefox")
    assert len(subjects()) == 1


def test_staying_signed_in_is_not_told(alice: User, subjects: Subjects) -> None:
    rotate_refresh_token(issue_tokens(alice, announced=True).refresh)
    assert subjects() == []


def test_new_device_of_a_known_client_is_told_once(alice: User, subjects: Subjects) -> None:
    first, second = (issue_tokens(alice, announced=announced) for announced in (True, False))
    register_device(bearer_of(first.access).grant, DeviceFacts(device_id="laptop"))
    assert subjects() == []
    for _ in range(2):
        register_device(bearer_of(second.access).grant, DeviceFacts(device_id="phone"))
    assert subjects() == [("alice@example.com", "New device in your account")]


def test_new_device_of_a_sign_in_that_was_told_is_not_told_again(alice: User, subjects: Subjects) -> None:
    first, second = issue_tokens(alice, client="a", announced=True), issue_tokens(alice, client="b")
    register_device(bearer_of(first.access).grant, DeviceFacts(device_id="laptop"))
    assert subjects() == [("alice@example.com", "New sign-in to your account")]
    register_device(bearer_of(second.access).grant, DeviceFacts(device_id="phone"))
    assert subjects() == []


@pytest.mark.parametrize("action", sorted(NOTICED))
def test_user_is_told_what_the_audit_records(alice: User, subjects: Subjects, action: str) -> None:
    record_event(actor=alice, subject_id=alice.id, action=action)
    assert subjects() == [("alice@example.com", NOTICED[action].subject)]


def test_user_is_not_told_of_everything_that_is_recorded(alice: User, sam: User, subjects: Subjects) -> None:
    record_event(actor=sam, subject_id=alice.id, action="reveal")
    assert subjects() == []


def test_new_personal_token_is_told(alice: User, subjects: Subjects) -> None:
    issue_personal_token(alice, name="Editor")
    assert subjects() == [("alice@example.com", "A personal token was created")]


def test_replayed_token_is_told(alice: User, subjects: Subjects) -> None:
    first = issue_tokens(alice, announced=True)
    rotate_refresh_token(rotate_refresh_token(first.refresh).refresh)
    with pytest.raises(InvalidCredentials):
        rotate_refresh_token(first.refresh)
    assert subjects() == [("alice@example.com", "A session of your account was ended")]


def test_erased_user_is_told_though_the_key_is_gone(alice: User, bob: User, subjects: Subjects) -> None:
    alice.language = "it"
    alice.save(update_fields=["language"])
    forget(alice.id)
    assert subjects() == [("alice@example.com", "Il tuo account è stato eliminato")]
    forget(alice.id)
    assert subjects() == []


def test_erasure_that_goes_on_without_a_key_tells_no_one(alice: User, subjects: Subjects) -> None:
    User.objects.filter(id=alice.id).update(encryption_key="", master_key_id="")
    forget(alice.id)
    assert (subjects(), User.objects.count()) == ([], 0)


def deactivated(user: User) -> None:
    User.objects.filter(id=user.id).update(is_active=False)


def erased(user: User) -> None:
    user.delete()


@pytest.mark.parametrize("change", [deactivated, erased])
def test_user_who_is_gone_meanwhile_is_told_nothing(
    alice: User, subjects: Subjects, change: Callable[[User], None]
) -> None:
    pair = issue_tokens(alice)
    register_device(bearer_of(pair.access).grant, DeviceFacts(device_id="laptop"))
    record_event(actor=alice, subject_id=alice.id, action="change-password")
    change(alice)
    assert subjects() == []


def test_email_that_is_off_sends_nothing(alice: User, mailoutbox: list[EmailMessage]) -> None:
    issue_tokens(alice)
    record_event(actor=alice, subject_id=alice.id, action="change-password", object_id=uuid4())
    assert mailoutbox == []


def test_registered_user_is_sent_the_link_and_no_notice(anonymous: APIClient, subjects: Subjects, db: None) -> None:
    body = {"email": "alice@example.com", "password": "correct horse battery staple"}
    assert anonymous.post("/api/v1/auth/register", body, format="json").status_code == 201
    assert subjects() == [("alice@example.com", "Confirm your address")]
