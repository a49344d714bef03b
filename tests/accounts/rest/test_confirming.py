"""What a stolen access token, or a stolen password with it, does not do to a user who has a second factor."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from accounts.auth.passkeys import registration_options
from accounts.auth.tokens import issue_tokens
from accounts.credential_models import Passkey, PersonalToken
from accounts.models import AuditEvent, User
from tests.accounts.authenticator import Authenticator
from tests.accounts.codes import code_of, passkey_of, with_app, wrong_code
from tests.conftest import PASSWORD

if TYPE_CHECKING:
    from rest_framework.response import _MonkeyPatchedResponse as Answer  # what the test client returns

AUTH = "/api/v1/auth"
NEW = "another fine passphrase"
CHANGES = {
    "password": ("post", f"{AUTH}/password", {"new_password": NEW}),
    "add passkey": ("post", f"{AUTH}/passkeys/options", {}),
    "remove passkey": ("delete", f"{AUTH}/passkeys/{{passkey}}", {}),
    "token": ("post", f"{AUTH}/tokens", {"name": "Editor"}),
    "erase": ("delete", f"{AUTH}/me", {}),
}


def client_of(user: User) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_tokens(user).access}")
    return client


def change(client: APIClient, name: str, **proof: Any) -> "Answer":
    method, path, body = CHANGES[name]
    passkey = Passkey.objects.first()
    answer: Answer = getattr(client, method)(
        path.format(passkey=passkey and passkey.id), {**body, **proof}, format="json"
    )
    return answer


def refusal(answer: "Answer") -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


@pytest.fixture
def key(alice: User) -> Authenticator:
    """Alice's passkey."""
    key = Authenticator()
    passkey_of(alice, key)
    return key


@pytest.mark.parametrize("name", CHANGES)
def test_a_password_alone_changes_nothing_of_a_user_with_a_passkey(alice: User, key: Authenticator, name: str) -> None:
    client, before = client_of(alice), alice.password
    assert refusal(change(client, name, password=PASSWORD)) == (403, "passkey_needed")
    assert refusal(change(client, name, password=PASSWORD, code="123456")) == (403, "wrong_code")
    assert refusal(change(client, name, password="wrong", code="123456")) == (403, "wrong_password")
    present = User.objects.get(id=alice.id)
    assert (present.password, Passkey.objects.count(), PersonalToken.objects.count()) == (before, 1, 0)


@pytest.mark.parametrize("name", CHANGES)
def test_a_passkey_confirms(alice: User, key: Authenticator, name: str) -> None:
    client = client_of(alice)
    options = client.post(f"{AUTH}/passkeys/confirmation/options").json()
    assert change(client, name, passkey=key.get(options)).status_code in {200, 201, 204}


@pytest.mark.parametrize("name", [name for name in CHANGES if name != "remove passkey"])
def test_a_code_confirms_beside_the_password_and_works_once(sam: User, name: str) -> None:
    secret, _ = with_app(sam)
    client = client_of(sam)
    assert refusal(change(client, name, password=PASSWORD)) == (403, "passkey_needed")
    assert refusal(change(client, name, password=PASSWORD, code=wrong_code(secret))) == (403, "wrong_code")
    code = code_of(secret, periods_ahead=1)
    assert refusal(change(client, name, password="wrong", code=code)) == (403, "wrong_password")
    if name != "erase":
        other = change(client, "token", password=PASSWORD, code=code)
        assert other.status_code == 201
        assert refusal(change(client, name, password=PASSWORD, code=code)) == (403, "wrong_code")
    else:
        assert change(client, name, password=PASSWORD, code=code).status_code == 204


def test_a_recovery_code_confirms(sam: User) -> None:
    _, codes = with_app(sam)
    assert change(client_of(sam), "password", password=PASSWORD, code=codes[0]).status_code == 200


def test_a_token_needs_more_than_an_access_token_of_a_user_with_a_second_factor(
    alice: User, key: Authenticator, sam: User
) -> None:
    with_app(sam)
    for user in (alice, sam):
        client = client_of(user)
        assert refusal(change(client, "token")) == (403, "passkey_needed")
        assert refusal(change(client, "token", code="123456")) == (403, "passkey_needed")
    assert not PersonalToken.objects.exists()


def test_a_password_that_is_given_for_a_token_is_checked(alice: User) -> None:
    client = client_of(alice)
    assert change(client, "token").status_code == 201
    assert refusal(change(client, "token", password="wrong")) == (403, "wrong_password")


def test_wrong_codes_are_recorded_and_limited_as_in_the_admin(sam: User, rates: Callable[..., None]) -> None:
    rates(second_factor="2/d")
    secret, _ = with_app(sam)
    client = client_of(sam)
    answers = [change(client, "erase", password=PASSWORD, code=wrong_code(secret)) for _ in range(2)]
    late = change(client, "erase", password=PASSWORD, code=code_of(secret, periods_ahead=1))
    assert [answer.status_code for answer in (*answers, late)] == [403, 403, 429]
    assert (late.json()["code"], late["Retry-After"]) == ("rate_limited", "43200")
    failed = AuditEvent.objects.filter(action="fail-second-factor")
    assert (failed.count(), failed.filter(actor=None, subject_id=sam.id).count()) == (2, 2)


def test_without_the_password_no_one_uses_up_the_attempts_at_a_second_factor(
    sam: User, rates: Callable[..., None]
) -> None:
    rates(second_factor_address="1/d")
    _, codes = with_app(sam)
    client = client_of(sam)
    for _ in range(2):
        assert refusal(change(client, "password", password="wrong", code="123456")) == (403, "wrong_password")
        unknown = client.post(f"{AUTH}/authenticator-apps/{uuid4()}/confirmation", {"code": "123456"}, format="json")
        assert unknown.status_code == 404
    assert change(client, "password", password=PASSWORD, code=codes[0]).status_code == 200


def test_guesses_of_the_password_for_a_token_count_with_those_of_signing_in(
    alice: User, rates: Callable[..., None]
) -> None:
    rates(login="2/d")
    client = client_of(alice)
    answers = [change(client, "token", password="wrong").status_code for _ in range(3)]
    assert answers == [403, 403, 429]


@pytest.mark.parametrize("path", ["authenticator-apps", "passkeys/options"])
def test_a_password_alone_begins_no_factor_beside_one_that_is_added_meanwhile(
    alice: User, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    check = User.check_password

    def check_while_another_is_added(user: User, password: str) -> bool:
        with_app(User.objects.get(id=user.id))
        return check(user, password)

    client = client_of(alice)
    monkeypatch.setattr(User, "check_password", check_while_another_is_added)
    answer = client.post(f"{AUTH}/{path}", {"password": PASSWORD}, format="json")
    assert refusal(answer) == (403, "passkey_needed")


def test_options_from_before_the_first_passkey_add_no_other(alice: User) -> None:
    """A password alone was enough to ask for them."""
    thief, stale = Authenticator(), registration_options(alice)
    passkey_of(alice)
    answer = client_of(alice).post(
        f"{AUTH}/passkeys", {"name": "Mine", "credential": thief.create(stale)}, format="json"
    )
    assert refusal(answer) == (400, "passkey_unfit")
