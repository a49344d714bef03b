from collections.abc import Callable
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.utils import timezone as clock
from pytest_django import DjangoAssertNumQueries, Settings
from rest_framework_simplejwt.token_blacklist.models import OutstandingToken
from rest_framework_simplejwt.tokens import RefreshToken

from accounts.auth.claims import FAMILY_CLAIM, GENERATION_CLAIM
from accounts.auth.devices import DeviceFacts, register_device
from accounts.auth.sessions import end_other_sessions, end_session, sessions_of
from accounts.auth.tokens import (
    TokenPair,
    bearer_of,
    grant_of,
    issue_tokens,
    revoke_all_tokens,
    revoke_refresh_token,
    revoked,
    rotate_refresh_token,
)
from accounts.errors import InvalidCredentials, UnknownSession
from accounts.keys.rotation import rotate_user_key
from accounts.models import AuditEvent, User
from accounts.session_models import Session
from accounts.signals import access_revoked
from tests.accounts.conftest import at_once
from tests.conftest import PASSWORD


def session_of(pair: TokenPair) -> UUID:
    return bearer_of(pair.access).grant.family


def works(pair: TokenPair) -> bool:
    try:
        bearer_of(pair.access)
    except InvalidCredentials:
        return False
    return True


def later(**time: float) -> None:
    """Let this time pass for all sessions."""
    for session in Session.objects.all():
        Session.objects.filter(id=session.id).update(last_used_at=session.last_used_at - timedelta(**time))


# Replay


def test_used_token_ends_its_session_and_no_other_once_its_successor_was_used(alice: User) -> None:
    first, other = issue_tokens(alice), issue_tokens(alice)
    third = rotate_refresh_token(rotate_refresh_token(first.refresh).refresh)
    with pytest.raises(InvalidCredentials):
        rotate_refresh_token(first.refresh)
    assert (works(third), works(other)) == (False, True)
    with pytest.raises(InvalidCredentials):
        rotate_refresh_token(third.refresh)


def test_used_token_ends_its_session_after_the_grace(alice: User) -> None:
    first = issue_tokens(alice)
    second = rotate_refresh_token(first.refresh)
    later(seconds=31)
    with pytest.raises(InvalidCredentials):
        rotate_refresh_token(first.refresh)
    assert not works(second)


def test_used_token_is_answered_with_its_successor_within_the_grace(alice: User) -> None:
    first = issue_tokens(alice)
    second = rotate_refresh_token(first.refresh)
    again = rotate_refresh_token(first.refresh)
    ids = [RefreshToken(pair.refresh)["jti"] for pair in (second, again)]  # type: ignore[arg-type]  # its text
    assert ids[0] == ids[1]
    assert works(rotate_refresh_token(again.refresh))


def test_without_a_grace_the_second_use_is_a_replay(alice: User, settings: Settings) -> None:
    settings.REFRESH_GRACE_S = 0
    first = issue_tokens(alice)
    second = rotate_refresh_token(first.refresh)
    with pytest.raises(InvalidCredentials):
        rotate_refresh_token(first.refresh)
    assert not works(second)


@pytest.mark.parametrize("use", [rotate_refresh_token, revoke_refresh_token])
def test_replay_is_recorded_once_and_closes_sockets(
    alice: User, use: Callable[[str], object], django_capture_on_commit_callbacks: Callable[..., object]
) -> None:
    told: list[object] = []

    def listen(*, device_id: str | None, **_: object) -> None:
        told.append(device_id)

    first = issue_tokens(alice)
    laptop = register_device(bearer_of(first.access).grant, DeviceFacts(device_id="laptop"))
    rotate_refresh_token(first.refresh)
    later(minutes=5)
    access_revoked.connect(listen)
    try:
        with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]  # a context manager
            for _ in range(3):
                with pytest.raises(InvalidCredentials):
                    use(first.refresh)
    finally:
        access_revoked.disconnect(listen)
    [event] = AuditEvent.objects.filter(action="replay-refresh-token")
    assert (event.actor, event.subject_id, event.object_id) == (None, alice.id, session_of_row())
    assert told == [str(laptop.id)]


def session_of_row() -> UUID:
    return Session.objects.get().id


@pytest.mark.django_db(transaction=True)
def test_two_tabs_that_refresh_at_once_stay_signed_in() -> None:
    alice = User.objects.create_user("alice@example.com", PASSWORD)
    refresh = issue_tokens(alice).refresh
    pairs = at_once(lambda: rotate_refresh_token(refresh), lambda: rotate_refresh_token(refresh))
    assert len({RefreshToken(pair.refresh)["jti"] for pair in pairs}) == 1  # type: ignore[arg-type]  # its text
    assert [works(pair) for pair in pairs] == [True, True]
    assert works(rotate_refresh_token(pairs[0].refresh))


# From before there were sessions


def older_pair(user: User) -> str:
    """A refresh token of the release before: it has no session, and a row of its library."""
    token = RefreshToken.for_user(user)
    token[GENERATION_CLAIM] = user.token_generation
    token[FAMILY_CLAIM] = uuid4().hex
    return str(token)


def test_older_token_goes_on_as_a_session(alice: User) -> None:
    refresh = older_pair(alice)
    second = rotate_refresh_token(refresh)
    assert [session.id for session in sessions_of(alice)] == [session_of(second)]
    assert works(rotate_refresh_token(refresh))  # a retry
    rotate_refresh_token(second.refresh)
    with pytest.raises(InvalidCredentials):
        rotate_refresh_token(refresh)
    assert not works(second)


def test_older_token_that_was_used_stays_used(alice: User) -> None:
    refresh = older_pair(alice)
    RefreshToken(refresh).blacklist()  # type: ignore[arg-type]  # its text
    with pytest.raises(InvalidCredentials):
        rotate_refresh_token(refresh)


def test_ending_others_ends_older_tokens(alice: User) -> None:
    refresh, here = older_pair(alice), issue_tokens(alice)
    end_other_sessions(alice, session_of(here))
    with pytest.raises(InvalidCredentials):
        rotate_refresh_token(refresh)
    assert OutstandingToken.objects.count() == 1


# Listing and ending


def test_session_is_listed_with_its_client_and_its_device(alice: User, bob: User) -> None:
    issue_tokens(bob, client="Bob's")
    pair = issue_tokens(alice, client="Firefox\n\x1b[2J on Linux")
    register_device(bearer_of(pair.access).grant, DeviceFacts(device_id="laptop", platform="linux"))
    [session] = sessions_of(alice)
    assert (session.id, session.client) == (session_of(pair), "Firefox[2J on Linux")
    assert session.device is not None
    assert session.device.device_id == "laptop"


def test_client_is_encrypted_and_survives_a_rotation_of_the_key(alice: User) -> None:
    issue_tokens(alice, client="Firefox")
    assert "Firefox" not in Session.objects.get().client_encrypted
    rotate_user_key(alice.id)
    assert [session.client for session in sessions_of(alice)] == ["Firefox"]


def test_client_that_cannot_be_read_is_listed_without_its_name(alice: User) -> None:
    issue_tokens(alice, client="Firefox")
    Session.objects.update(client_encrypted="damaged")
    assert [session.client for session in sessions_of(alice)] == [None]


def signed_out_everywhere(user: User) -> None:
    revoke_all_tokens(user.id)


def with_a_new_password(user: User) -> None:
    user.set_password("another fine passphrase")
    user.save(update_fields=["password"])


def a_month_later(_: User) -> None:
    later(days=30, seconds=1)


@pytest.mark.parametrize("end", [signed_out_everywhere, with_a_new_password, a_month_later])
def test_session_that_has_ended_in_any_way_is_not_listed(alice: User, end: Callable[[User], None]) -> None:
    issue_tokens(alice)
    end(alice)
    alice.refresh_from_db()
    assert sessions_of(alice) == []


@pytest.mark.parametrize("number", [1, 3])
def test_listing_costs_three_queries(
    alice: User, django_assert_num_queries: DjangoAssertNumQueries, number: int
) -> None:
    for position in range(number):
        pair = issue_tokens(alice, client=f"client {position}")
        register_device(bearer_of(pair.access).grant, DeviceFacts(device_id=f"device {position}"))
    with django_assert_num_queries(3):
        found = sessions_of(alice)
    assert [session.client for session in found] == [f"client {position}" for position in reversed(range(number))]


def test_ended_session_ends_its_tokens_and_no_others(alice: User) -> None:
    here, there = issue_tokens(alice), issue_tokens(alice)
    end_session(alice, session_of(there))
    assert (works(here), works(there)) == (True, False)
    with pytest.raises(InvalidCredentials):
        rotate_refresh_token(there.refresh)
    assert [session.id for session in sessions_of(alice)] == [session_of(here)]


def test_only_ones_own_present_sessions_can_be_ended(alice: User, bob: User) -> None:
    bobs, mine = issue_tokens(bob), session_of(issue_tokens(alice))
    end_session(alice, mine)
    for session_id in (session_of(bobs), mine, uuid4()):
        with pytest.raises(UnknownSession):
            end_session(alice, session_id)
    assert works(bobs)


def test_all_others_end_and_this_one_goes_on(alice: User, bob: User) -> None:
    here, bobs, others = issue_tokens(alice), issue_tokens(bob), [issue_tokens(alice) for _ in range(2)]
    end_other_sessions(alice, session_of(here))
    assert [works(pair) for pair in (here, bobs, *others)] == [True, True, False, False]


def test_signing_out_ends_the_session_at_once(alice: User) -> None:
    pair = issue_tokens(alice)
    revoke_refresh_token(pair.refresh)
    assert not works(pair)


def test_another_users_session_ends_no_grant(alice: User, bob: User) -> None:
    grant = grant_of(alice, family=uuid4())
    Session.objects.create(
        id=grant.family, user=bob, refresh_id="", password_digest="", generation=0, ended_at=clock.now()
    )
    assert revoked([grant]) == set()


# Limits


def test_session_unused_for_longest_gives_way_to_a_new_one(alice: User, bob: User, settings: Settings) -> None:
    settings.MAX_SESSIONS = 2
    bobs, first, second = issue_tokens(bob), issue_tokens(alice), issue_tokens(alice)
    first = rotate_refresh_token(first.refresh)
    third = issue_tokens(alice)
    assert [works(pair) for pair in (bobs, first, second, third)] == [True, True, False, True]


def test_sessions_whose_tokens_have_expired_are_deleted_in_time(alice: User, bob: User) -> None:
    issue_tokens(alice)
    later(days=31)
    kept = session_of(issue_tokens(bob))
    assert [session.id for session in Session.objects.all()] == [kept]


def test_ended_session_is_kept_until_the_last_token_of_its_grace_has_expired(
    alice: User, bob: User, settings: Settings
) -> None:
    settings.REFRESH_GRACE_S = 600
    pair = issue_tokens(alice)
    rotate_refresh_token(pair.refresh)
    again = rotate_refresh_token(pair.refresh)  # it expires later than the session seems to
    end_session(alice, session_of(again))
    later(days=30, seconds=599)
    issue_tokens(bob)
    with pytest.raises(InvalidCredentials):
        rotate_refresh_token(again.refresh)


@pytest.mark.parametrize("client", ["", "Firefox"])
def test_no_session_begins_once_the_account_is_being_erased(alice: User, client: str) -> None:
    User.objects.filter(id=alice.id).update(encryption_key="")
    with pytest.raises(InvalidCredentials):
        issue_tokens(alice, client=client)
    assert not Session.objects.exists()
