"""Personal tokens: what they give access to, and everything that ends one."""

from collections.abc import Callable
from datetime import timedelta
from importlib import import_module

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.utils import timezone as clock
from pytest_django import DjangoAssertNumQueries, Settings

from accounts.auth.passkeys import authentication_options, register_passkey, registration_options
from accounts.auth.personal_tokens import (
    MAX_TOKENS,
    issue_personal_token,
    personal_tokens_of,
    revoke_personal_token,
)
from accounts.auth.tokens import revoke_all_tokens
from accounts.credential_models import PersonalToken
from accounts.errors import InvalidCredentials, PasskeyNeeded, TooManyTokens, UnknownToken, WrongPasskey
from accounts.models import AuditEvent, User
from tests.accounts.authenticator import Authenticator
from tests.accounts.conftest import at_once
from tests.statements import personal_token


def opens(text: str) -> bool:
    try:
        personal_token(text)
    except InvalidCredentials:
        return False
    return True


def new_password(user: User) -> None:
    user.set_password("another correct horse")
    user.save(update_fields=["password"])


def deactivate(user: User) -> None:
    User.objects.filter(id=user.id).update(is_active=False)


def expire(user: User) -> None:
    PersonalToken.objects.for_user(user.id).update(expires_at=clock.now())


def revoke(user: User) -> None:
    revoke_personal_token(user, PersonalToken.objects.for_user(user.id).get().id)


def test_token_opens_for_who_made_it(alice: User) -> None:
    issued = issue_personal_token(alice, name="Editor")
    assert personal_token(issued.text).user == alice
    assert issued.text.startswith("adv_")


def test_neither_token_nor_name_is_stored_or_shown(alice: User) -> None:
    issued = issue_personal_token(alice, name="Marmalade editor")
    row = PersonalToken.objects.values().get()
    assert [text for text in (issued.text, issued.text[4:], "Marmalade") if text in str(row)] == []
    assert (issued.text in repr(issued), "Marmalade" in repr(issued)) == (False, False)


@pytest.mark.parametrize("end", [new_password, deactivate, expire, revoke, lambda user: revoke_all_tokens(user.id)])
def test_token_ends(alice: User, bob: User, end: Callable[[User], None]) -> None:
    ended, others = issue_personal_token(alice, name="Editor"), issue_personal_token(bob, name="Editor")
    end(alice)
    assert (opens(ended.text), opens(others.text)) == (False, True)


@pytest.mark.parametrize("text", ["", "adv_", "adv_" + "a" * 42, "adv_" + "a" * 44, "adv_" + "é" * 43, "x" * 10_000])
def test_what_is_no_token_is_refused_without_a_query(
    db: None, django_assert_num_queries: DjangoAssertNumQueries, text: str
) -> None:
    with django_assert_num_queries(0):
        assert not opens(text)


def test_token_that_was_never_given_out_is_refused(alice: User) -> None:
    issue_personal_token(alice, name="Editor")
    assert not opens("adv_" + "a" * 43)


def test_use_is_noted_once_a_minute(alice: User, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    issued = issue_personal_token(alice, name="Editor")
    with django_assert_num_queries(2):
        personal_token(issued.text)
    with django_assert_num_queries(1):
        personal_token(issued.text)
    noted = PersonalToken.objects.get().last_used_at
    assert noted is not None

    PersonalToken.objects.update(last_used_at=noted - timedelta(minutes=1))
    personal_token(issued.text)
    again = PersonalToken.objects.get().last_used_at
    assert again is not None
    assert again >= noted


def test_there_are_at_most_so_many(alice: User, bob: User) -> None:
    for number in range(MAX_TOKENS):
        issue_personal_token(alice, name=str(number))
    with pytest.raises(TooManyTokens):
        issue_personal_token(alice, name="one more")
    issue_personal_token(bob, name="the first")
    revoke_personal_token(alice, personal_tokens_of(alice)[0].id)
    issue_personal_token(alice, name="one more")
    expire(alice)
    issue_personal_token(alice, name="one after the others")
    assert [token.name for token in personal_tokens_of(alice)] == ["one after the others"]


@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_only_one_is_the_last_there_may_be() -> None:
    alice = User.objects.create_user("alice@example.com")
    for number in range(MAX_TOKENS - 1):
        issue_personal_token(alice, name=str(number))

    def attempt() -> bool:
        try:
            issue_personal_token(alice, name="the last")
        except TooManyTokens:
            return False
        return True

    assert sorted(at_once(attempt, attempt)) == [False, True]


def test_tokens_that_ended_with_a_password_are_not_listed_and_go(alice: User) -> None:
    issue_personal_token(alice, name="before")
    new_password(alice)
    assert personal_tokens_of(alice) == []
    issue_personal_token(alice, name="after")
    assert [token.name for token in personal_tokens_of(alice)] == ["after"]
    assert PersonalToken.objects.count() == 1


def test_who_was_signed_out_meanwhile_makes_none(alice: User) -> None:
    kept = issue_personal_token(alice, name="kept")
    stale = User.objects.get(id=alice.id)
    new_password(alice)
    issue_personal_token(alice, name="after")
    with pytest.raises(InvalidCredentials):
        issue_personal_token(stale, name="too late")
    assert [token.name for token in personal_tokens_of(alice)] == ["after"]
    assert not opens(kept.text)


def test_only_its_owner_revokes_a_token(alice: User, bob: User) -> None:
    issued = issue_personal_token(alice, name="Editor")
    with pytest.raises(UnknownToken):
        revoke_personal_token(bob, issued.id)
    assert opens(issued.text)


def test_a_name_that_cannot_be_opened_hides_no_token(alice: User) -> None:
    issued = issue_personal_token(alice, name="Editor")
    PersonalToken.objects.update(name_encrypted="v1:damaged")
    [token] = personal_tokens_of(alice)
    assert (token.id, token.name) == (issued.id, None)


def test_making_and_revoking_are_recorded(alice: User) -> None:
    issued = issue_personal_token(alice, name="Editor")
    revoke_personal_token(alice, issued.id)
    events = AuditEvent.objects.for_user(alice.id).order_by("created_at")
    assert [(event.action, event.actor, event.object_id) for event in events] == [
        ("create-token", alice, issued.id),
        ("revoke-token", alice, issued.id),
    ]


def test_scope_for_staff_needs_the_second_factor_that_the_admin_needs(sam: User, settings: Settings) -> None:
    """A stolen password alone must not show what is not its user's own."""
    assert issue_personal_token(sam, name="Editor", scopes=["staff:read"]).scopes == ["staff:read"]
    settings.STAFF_SECOND_FACTOR = "REQUIRED"
    assert issue_personal_token(sam, name="Editor").scopes == ["read", "write"]
    with pytest.raises(PasskeyNeeded):
        issue_personal_token(sam, name="Editor", scopes=["read", "staff:read"])
    settings.STAFF_SECOND_FACTOR = "OPTIONAL"
    key = Authenticator()
    register_passkey(sam, key.create(registration_options(sam)), name="Key")
    with pytest.raises(PasskeyNeeded):
        issue_personal_token(sam, name="Editor", scopes=["staff:read"])
    with pytest.raises(WrongPasskey):
        issue_personal_token(sam, name="Editor", scopes=["staff:read"], passkey=key.get(authentication_options()))
    answer = key.get(authentication_options(sam))
    assert issue_personal_token(sam, name="Editor", scopes=["staff:read"], passkey=answer).scopes == ["staff:read"]


def test_scope_for_staff_is_for_staff(alice: User) -> None:
    with pytest.raises(ValidationError, match="There is no scope 'staff:read'"):
        issue_personal_token(alice, name="Editor", scopes=["staff:read"])


def test_tokens_of_staff_from_before_there_were_scopes_keep_theirs(alice: User, sam: User) -> None:
    hers, his = issue_personal_token(alice, name="Editor"), issue_personal_token(sam, name="Editor")
    with connection.cursor() as cursor:
        cursor.execute(import_module("accounts.migrations.0012_staff_tokens").GIVE)
    assert personal_token(hers.text).scopes == ["read", "write"]
    assert personal_token(his.text).scopes == ["read", "write", "staff:read"]


def test_token_of_a_release_without_scopes_may_do_everything_and_has_no_end(alice: User) -> None:
    issued = issue_personal_token(alice, name="Editor", scopes=["read"])
    with connection.cursor() as cursor:
        cursor.execute("UPDATE accounts_personaltoken SET scope = DEFAULT, expires_at = NULL")
    kept = personal_token(issued.text)
    assert (kept.scopes, kept.expires_at) == (["read", "write"], None)
