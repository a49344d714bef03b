from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import jwt
import pytest
from rest_framework_simplejwt.token_blacklist.models import OutstandingToken
from rest_framework_simplejwt.tokens import AccessToken, RefreshToken

from accounts.auth.claims import FAMILY_CLAIM, GENERATION_CLAIM
from accounts.auth.tokens import (
    MAX_TOKEN_CHARS,
    bearer_of,
    issue_tokens,
    revoke_all_tokens,
    revoke_refresh_token,
    rotate_refresh_token,
)
from accounts.errors import ExpiredCredentials, InvalidCredentials
from accounts.models import User
from accounts.session_models import Session


def deactivated(user: User) -> None:
    User.objects.filter(id=user.id).update(is_active=False)


def with_a_new_password(user: User) -> None:
    user.set_password("another fine passphrase")
    user.save(update_fields=["password"])


def erased(user: User) -> None:
    user.delete()


def signed_out_everywhere(user: User) -> None:
    revoke_all_tokens(user.id)


@pytest.fixture(params=[deactivated, with_a_new_password, erased, signed_out_everywhere])
def changed(request: pytest.FixtureRequest) -> Callable[[User], None]:
    change: Callable[[User], None] = request.param
    return change


def test_access_token_is_valid_for_a_quarter_of_an_hour(alice: User) -> None:
    access = issue_tokens(alice).access
    bearer = bearer_of(access)
    assert bearer.user == alice
    assert bearer.expires_at == (_claims(access)["iat"] + 15 * 60) * 1000


def test_access_token_ends_when_its_user_changes(alice: User, changed: Callable[[User], None]) -> None:
    access = issue_tokens(alice).access
    changed(alice)
    with pytest.raises(InvalidCredentials):
        bearer_of(access)


def test_access_token_outlives_a_save_that_changes_nothing(alice: User) -> None:
    access = issue_tokens(alice).access
    alice.save()
    assert bearer_of(access).user == alice


def test_expired_access_token_has_its_own_error(alice: User) -> None:
    token = AccessToken.for_user(alice)
    token.set_exp(lifetime=timedelta(seconds=-1))
    with pytest.raises(ExpiredCredentials):
        bearer_of(str(token))


@pytest.mark.parametrize(
    "text",
    ["", "x", "a.b.c", "\0", "tokén", "\ud800", "x" * (MAX_TOKEN_CHARS + 1), "eyJhbGciOiJub25lIn0.e30."],
)
@pytest.mark.parametrize("use", [bearer_of, rotate_refresh_token, revoke_refresh_token])
def test_text_that_is_no_token_is_invalid(db: None, use: Callable[[str], object], text: str) -> None:
    with pytest.raises(InvalidCredentials):
        use(text)


def test_token_that_was_tampered_with_is_invalid(alice: User, bob: User) -> None:
    head, _, signature = issue_tokens(alice).access.split(".")
    _, claims, _ = issue_tokens(bob).access.split(".")
    with pytest.raises(InvalidCredentials):
        bearer_of(f"{head}.{claims}.{signature}")


def test_token_of_the_wrong_kind_is_invalid(alice: User) -> None:
    pair = issue_tokens(alice)
    with pytest.raises(InvalidCredentials):
        bearer_of(pair.refresh)
    with pytest.raises(InvalidCredentials):
        rotate_refresh_token(pair.access)


def test_refresh_token_buys_a_new_pair_once(alice: User) -> None:
    first = issue_tokens(alice)
    second = rotate_refresh_token(first.refresh)
    assert bearer_of(second.access).user == alice
    assert len({first.access, first.refresh, second.access, second.refresh}) == 4
    assert bearer_of(rotate_refresh_token(second.refresh).access).user == alice


def test_refresh_token_lasts_thirty_days_from_each_rotation(alice: User) -> None:
    claims = _claims(rotate_refresh_token(issue_tokens(alice).refresh).refresh)
    assert claims["exp"] - claims["iat"] == timedelta(days=30).total_seconds()


def test_refresh_token_ends_when_its_user_changes(alice: User, changed: Callable[[User], None]) -> None:
    refresh = issue_tokens(alice).refresh
    changed(alice)
    with pytest.raises(InvalidCredentials):
        rotate_refresh_token(refresh)


def test_refresh_token_of_an_unknown_user_is_invalid(alice: User) -> None:
    token = RefreshToken.for_user(alice)
    token["user_id"] = str(uuid4())
    with pytest.raises(InvalidCredentials):
        rotate_refresh_token(str(token))


def test_refusing_a_refresh_token_does_not_use_it_up(alice: User) -> None:
    refresh = issue_tokens(alice).refresh
    deactivated(alice)
    with pytest.raises(InvalidCredentials):
        rotate_refresh_token(refresh)
    User.objects.filter(id=alice.id).update(is_active=True)
    assert bearer_of(rotate_refresh_token(refresh).access).user == alice


def test_expired_refresh_token_has_its_own_error(alice: User) -> None:
    token = RefreshToken.for_user(alice)
    token.set_exp(lifetime=timedelta(seconds=-1))
    with pytest.raises(ExpiredCredentials):
        rotate_refresh_token(str(token))


def test_revoked_refresh_token_is_invalid_and_others_are_not(alice: User) -> None:
    here, there = issue_tokens(alice), issue_tokens(alice)
    revoke_refresh_token(here.refresh)
    for use in (rotate_refresh_token, revoke_refresh_token):
        with pytest.raises(InvalidCredentials):
            use(here.refresh)
    assert bearer_of(rotate_refresh_token(there.refresh).access).user == alice


def test_signing_out_everywhere_ends_only_the_users_tokens_and_none_issued_later(alice: User, bob: User) -> None:
    bobs = issue_tokens(bob)
    revoke_all_tokens(alice.id)
    alice.refresh_from_db()
    for pair, user in ((bobs, bob), (issue_tokens(alice), alice)):
        assert bearer_of(pair.access).user == user
        assert bearer_of(rotate_refresh_token(pair.refresh).access).user == user


def test_pair_for_a_user_who_signed_out_everywhere_meanwhile_is_worth_nothing(alice: User) -> None:
    before = User.objects.get()
    revoke_all_tokens(alice.id)
    with pytest.raises(InvalidCredentials):
        bearer_of(issue_tokens(before).access)


def test_family_stays_over_rotations_and_is_new_with_every_sign_in(alice: User) -> None:
    first, another = issue_tokens(alice), issue_tokens(alice)
    third = rotate_refresh_token(rotate_refresh_token(first.refresh).refresh)
    families = [bearer_of(pair.access).grant.family for pair in (first, third, another)]
    assert families[0] == families[1] != families[2]
    assert {jwt.decode(first.refresh, options={"verify_signature": False})[FAMILY_CLAIM]} == {families[0].hex}


@pytest.mark.parametrize("claim", [FAMILY_CLAIM, GENERATION_CLAIM])
def test_token_that_does_not_say_what_it_stands_for_is_invalid(alice: User, claim: str) -> None:
    pair = issue_tokens(alice)
    access, refresh = AccessToken(pair.access), RefreshToken(pair.refresh)  # type: ignore[arg-type]  # their text
    del access[claim], refresh[claim]
    with pytest.raises(InvalidCredentials):
        bearer_of(str(access))
    with pytest.raises(InvalidCredentials):
        rotate_refresh_token(str(refresh))


def test_database_holds_no_token_that_works(alice: User) -> None:
    used, kept = issue_tokens(alice), issue_tokens(alice)
    rotate_refresh_token(used.refresh)
    revoke_refresh_token(kept.refresh)
    assert not OutstandingToken.objects.exists()
    stored = str(list(Session.objects.values()))
    assert [part for token in (used.refresh, kept.refresh) for part in token.split(".") if part in stored] == []


def test_token_pair_shows_no_token(alice: User) -> None:
    assert repr(issue_tokens(alice)) == "TokenPair()"


def _claims(token: str) -> dict[str, int]:
    claims: dict[str, int] = jwt.decode(token, options={"verify_signature": False})
    return claims
