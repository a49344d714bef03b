from collections.abc import Callable
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from accounts.auth.devices import DeviceFacts, register_device
from accounts.auth.tokens import bearer_of, issue_tokens
from accounts.models import User
from accounts.session_models import Session
from tests.accounts.codes import with_app
from tests.conftest import PASSWORD
from tests.problems import own

SESSIONS, OTHERS = "/api/v1/auth/sessions", "/api/v1/auth/logout-others"
TOKEN, REGISTER, CHANGE, ME = "/api/v1/auth/token", "/api/v1/auth/register", "/api/v1/auth/password", "/api/v1/auth/me"
NEW = "another fine passphrase"


def signed_in(access: str) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {access}")
    return client


def test_sessions_are_listed_with_what_is_known_of_them(anonymous: APIClient, alice: User, bob: User) -> None:
    issue_tokens(bob)
    body = {"email": alice.email, "password": PASSWORD}
    phone = anonymous.post(TOKEN, body, format="json", HTTP_USER_AGENT="Phone/1.0").json()["access"]
    laptop = issue_tokens(alice).access
    register_device(bearer_of(phone).grant, DeviceFacts(device_id="phone", platform="ios"))
    answer = signed_in(laptop).get(SESSIONS)
    assert answer.status_code == 200
    here, there = answer.json()["results"]
    assert set(here) == {"id", "client", "created_at", "last_used_at", "current", "device"}
    assert [(each["current"], each["client"]) for each in (here, there)] == [(True, None), (False, "Phone/1.0")]
    assert here["device"] is None
    assert (there["device"]["device_id"], there["device"]["platform"]) == ("phone", "ios")


def test_registering_begins_a_session(anonymous: APIClient, db: None) -> None:
    body = {"email": "alice@example.com", "password": PASSWORD}
    access = anonymous.post(REGISTER, body, format="json", HTTP_USER_AGENT="Firefox").json()["access"]
    [session] = signed_in(access).get(SESSIONS).json()["results"]
    assert (session["client"], session["current"]) == ("Firefox", True)


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", "\x80\xff", ""])
def test_client_may_call_itself_anything(anonymous: APIClient, alice: User, name: str) -> None:
    body = {"email": alice.email, "password": PASSWORD}
    assert anonymous.post(TOKEN, body, format="json", HTTP_USER_AGENT=name).status_code == 200


def test_session_is_ended_for_good(as_alice: APIClient, alice: User) -> None:
    other = issue_tokens(alice)
    path = f"{SESSIONS}/{bearer_of(other.access).grant.family}"
    answer = as_alice.delete(path)
    assert (answer.status_code, answer.content) == (204, b"")
    assert signed_in(other.access).get(ME).status_code == 401
    assert own(as_alice.delete(path)) == {"code": "not_found", "message": "There is no such session."}
    assert as_alice.get(ME).status_code == 200


def test_session_of_another_user_looks_like_none(as_alice: APIClient, bob: User) -> None:
    bobs = issue_tokens(bob)
    for session in (bearer_of(bobs.access).grant.family, uuid4()):
        assert as_alice.delete(f"{SESSIONS}/{session}").status_code == 404
    assert signed_in(bobs.access).get(ME).status_code == 200


def test_all_other_sessions_are_ended(as_alice: APIClient, alice: User) -> None:
    others = [issue_tokens(alice) for _ in range(2)]
    assert as_alice.post(OTHERS).status_code == 204
    assert [signed_in(other.access).get(ME).status_code for other in others] == [401, 401]
    assert [session["current"] for session in as_alice.get(SESSIONS).json()["results"]] == [True]


def test_password_is_changed_and_this_session_goes_on(as_alice: APIClient, anonymous: APIClient, alice: User) -> None:
    answer = as_alice.post(CHANGE, {"password": PASSWORD, "new_password": NEW}, format="json")
    assert (answer.status_code, set(answer.json())) == (200, {"access", "refresh"})
    assert as_alice.get(ME).status_code == 401
    assert signed_in(answer.json()["access"]).get(ME).status_code == 200
    assert Session.objects.count() == 1
    for password, status in ((NEW, 200), (PASSWORD, 401)):
        body = {"email": alice.email, "password": password}
        assert anonymous.post(TOKEN, body, format="json").status_code == status


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"password": "not this one", "new_password": NEW}, 403, "wrong_password"),
        ({"password": PASSWORD, "new_password": "short"}, 400, "invalid"),
        ({"password": PASSWORD, "new_password": "a\0" + NEW}, 400, "invalid"),
        ({"password": PASSWORD}, 400, "invalid"),
        ({"new_password": NEW}, 400, "invalid"),
    ],
)
def test_password_is_not_changed_for_less(
    as_alice: APIClient, alice: User, body: dict[str, str], status: int, code: str
) -> None:
    answer = as_alice.post(CHANGE, body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)


def test_a_password_that_is_refused_uses_up_no_code(alice: User) -> None:
    _, recovery_codes = with_app(alice)
    client, proof = signed_in(issue_tokens(alice).access), {"password": PASSWORD, "code": recovery_codes[0]}
    assert client.post(CHANGE, {**proof, "new_password": "short"}, format="json").status_code == 400
    assert client.post(CHANGE, {**proof, "new_password": NEW}, format="json").status_code == 200


def test_guesses_of_the_password_are_limited(as_alice: APIClient, rates: Callable[..., None]) -> None:
    rates(login_address="2/d")
    body = {"password": "not this one", "new_password": NEW}
    assert [as_alice.post(CHANGE, body, format="json").status_code for _ in range(3)] == [403, 403, 429]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("get", SESSIONS),
        ("delete", f"{SESSIONS}/7c9e6679-7425-40de-944b-e07fc1f90ae7"),
        ("post", OTHERS),
        ("post", CHANGE),
    ],
)
def test_sessions_are_for_those_who_are_signed_in(anonymous: APIClient, db: None, method: str, path: str) -> None:
    assert anonymous.generic(method, path, "{}", content_type="application/json").status_code == 401
