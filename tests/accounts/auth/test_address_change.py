"""``manage.py change_address``"""

from collections.abc import Callable

import pytest
from django.core.mail import EmailMessage
from django.core.management import CommandError, call_command

from accounts.audit import reason_of
from accounts.auth.tokens import issue_tokens, rotate_refresh_token
from accounts.errors import InvalidCredentials
from accounts.models import AddressState, AuditEvent, User
from tests.conftest import PASSWORD

REASON = "Lost the mailbox; showed a passport."


def change(old: str, new: str) -> None:
    call_command("change_address", old, new, "--reason", REASON)


def test_the_operator_gives_an_account_another_address(alice: User, capsys: pytest.CaptureFixture[str]) -> None:
    User.objects.filter(id=alice.id).update(address_state=AddressState.VERIFIED)
    tokens = issue_tokens(alice)
    change("ALICE@example.com", " Alice@New.example ")
    found = User.objects.get_by_natural_key("alice@new.example")
    assert (found.id, found.email, found.check_password(PASSWORD)) == (alice.id, "alice@new.example", True)
    assert found.address_state == AddressState.UNVERIFIED
    with pytest.raises(InvalidCredentials):
        rotate_refresh_token(tokens.refresh)
    event = AuditEvent.objects.get(action="change-address")
    assert (event.actor, event.subject_id, reason_of(event)) == (None, alice.id, REASON)
    assert capsys.readouterr().out == "The address is changed, and all sessions have ended.\n"


def test_the_older_address_is_told_and_the_new_one_gets_a_link(
    alice: User, letters: Callable[[], list[EmailMessage]]
) -> None:
    change("alice@example.com", "alice@new.example")
    assert [(letter.to, letter.subject) for letter in letters()] == [
        (["alice@example.com"], "Adiuva: The address of your account was changed"),
        (["alice@new.example"], "Adiuva: Confirm your address"),
    ]


def test_the_command_waits_until_its_letters_are_sent(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[bool] = []
    monkeypatch.setattr("accounts.management.commands.change_address.send_now", lambda: waited.append(True))
    change("alice@example.com", "alice@new.example")
    assert waited == [True]


@pytest.mark.parametrize(
    ("new", "sentence"),
    [
        ("BOB@example.com", "Nothing was changed. An account with this address exists already."),
        (" Alice@Example.com", "Nothing was changed. The account has this address already."),
        ("bob", "valid email"),
    ],
)
def test_an_unfit_address_changes_nothing(alice: User, bob: User, new: str, sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        change(alice.email, new)
    found = User.objects.get(id=alice.id)
    assert (found.email, found.token_generation, AuditEvent.objects.count()) == ("alice@example.com", 0, 0)
