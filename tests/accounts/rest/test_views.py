import json
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from django.contrib.auth.hashers import check_password
from pytest_django import DjangoAssertNumQueries
from rest_framework.test import APIClient
from rest_framework_simplejwt.tokens import AccessToken, RefreshToken, Token

from accounts.auth.tokens import bearer_of, issue_tokens, rotate_refresh_token
from accounts.keys.vault import open_vault
from accounts.models import User
from tests.accounts.conftest import at_once, both_before_inserting
from tests.conftest import PASSWORD
from tests.problems import own

if TYPE_CHECKING:
    from rest_framework.response import _MonkeyPatchedResponse as Answer  # what the test client returns

REGISTER, TOKEN, REFRESH, LOGOUT, LOGOUT_EVERYWHERE, ME = (
    f"/api/v1/auth/{name}" for name in ("register", "token", "token/refresh", "logout", "logout-everywhere", "me")
)
NOT_A_ZONE = "This is not a time zone: write an IANA name such as Europe/Rome."
pytestmark = pytest.mark.django_db


def post(client: APIClient, path: str, **body: object) -> "Answer":
    return client.post(path, body, format="json")


def invalid(**details: list[str]) -> dict[str, object]:
    return {"code": "invalid", "message": "The request is not valid.", "details": details}


# Registration


def test_register_answers_with_the_user_and_tokens_that_work(anonymous: APIClient) -> None:
    answer = post(
        anonymous, REGISTER, email=" Alice@Example.com", password=PASSWORD, language="it", timezone="Europe/Rome"
    )
    alice = User.objects.get()
    assert answer.status_code == 201
    body = answer.json()
    assert body["user"] == {
        "id": str(alice.id),
        "email": "alice@example.com",
        "language": "it",
        "timezone": "Europe/Rome",
        "memory_enabled": True,
        "memory_words_days": None,
        "date_joined": alice.date_joined.isoformat().replace("+00:00", "Z"),
        "email_verified": False,
    }
    assert set(body) == {"user", "access", "refresh"}
    assert bearer_of(body["access"]).user == alice
    assert bearer_of(rotate_refresh_token(body["refresh"]).access).user == alice
    assert open_vault(alice.id).key.version == 1


def test_register_takes_english_and_utc_when_nothing_is_said(anonymous: APIClient) -> None:
    answer = post(anonymous, REGISTER, email="alice@example.com", password=PASSWORD)
    assert (answer.json()["user"]["language"], answer.json()["user"]["timezone"]) == ("en", "UTC")


def test_register_keeps_a_password_as_it_was_typed(anonymous: APIClient) -> None:
    post(anonymous, REGISTER, email="alice@example.com", password=f" {PASSWORD} ")
    assert check_password(f" {PASSWORD} ", User.objects.get().password)
    assert post(anonymous, TOKEN, email="alice@example.com", password=PASSWORD).status_code == 401


def test_register_refuses_a_taken_address(anonymous: APIClient, alice: User) -> None:
    answer = post(anonymous, REGISTER, email="ALICE@example.com", password=PASSWORD)
    assert answer.status_code == 400
    assert own(answer) == {"code": "address_taken", "message": "An account with this address exists already."}


@pytest.mark.parametrize(
    ("values", "details"),
    [
        ({"email": "alice"}, {"email": ["Enter a valid email address."]}),
        ({"email": ""}, {"email": ["This field may not be blank."]}),
        ({"email": " \u3000"}, {"email": ["This field may not be blank."]}),
        ({"email": None}, {"email": ["This field may not be null."]}),
        ({"email": ["alice@example.com"]}, {"email": ["Not a valid string."]}),
        ({"email": "a\0@example.com"}, {"email": ["Null characters are not allowed."]}),
        ({"email": "a\ud800@example.com"}, {"email": ["Surrogate characters are not allowed: U+D800."]}),
        ({"email": "a" * 243 + "@example.com"}, {"email": ["Ensure this field has no more than 254 characters."]}),
        ({"password": ""}, {"password": ["This field may not be blank."]}),
        ({"password": "a\0" * 10}, {"password": ["Null characters are not allowed."]}),
        ({"password": "a\ud800" * 10}, {"password": ["Surrogate characters are not allowed: U+D800."]}),
        ({"password": "long " * 300}, {"password": ["Ensure this field has no more than 1024 characters."]}),
        ({"password": {"a": 1}}, {"password": ["Not a valid string."]}),
        ({"password": "password12"}, {"password": ["This password is too common."]}),
        ({"language": "tlh"}, {"language": ["Value 'tlh' is not a valid choice."]}),
        ({"language": ""}, {"language": ["This field may not be blank."]}),
        ({"timezone": "Europe/Roma"}, {"timezone": [NOT_A_ZONE]}),
        ({"timezone": "../../../etc/passwd"}, {"timezone": [NOT_A_ZONE]}),
    ],
)
def test_register_refuses_bad_values_with_sentences(
    anonymous: APIClient, values: dict[str, Any], details: dict[str, list[str]]
) -> None:
    answer = post(anonymous, REGISTER, **{"email": "alice@example.com", "password": PASSWORD, **values})
    assert answer.status_code == 400
    assert own(answer) == invalid(**details)
    assert not User.objects.exists()


def test_register_says_which_fields_are_missing(anonymous: APIClient) -> None:
    required = ["This field is required."]
    assert own(post(anonymous, REGISTER)) == invalid(email=required, password=required)


@pytest.mark.parametrize("path", [REGISTER, TOKEN, REFRESH, LOGOUT])
@pytest.mark.parametrize("body", ["[1]", '"alice"', "1", "null"])
def test_body_that_is_no_object_is_refused(anonymous: APIClient, path: str, body: str) -> None:
    answer = anonymous.post(path, body, content_type="application/json")
    assert answer.status_code == 400
    assert answer.json()["code"] == "invalid"


@pytest.mark.django_db(transaction=True)
def test_register_twice_at_once_makes_one_account() -> None:
    def ask() -> "Answer":
        return post(APIClient(), REGISTER, email="alice@example.com", password=PASSWORD)

    with both_before_inserting(User):
        answers = at_once(ask, ask)
    assert sorted(answer.status_code for answer in answers) == [201, 400]
    assert {answer.json().get("code") for answer in answers} == {None, "address_taken"}
    assert User.objects.count() == 1


# Sign-in


def test_token_is_given_for_address_and_password(anonymous: APIClient, alice: User) -> None:
    answer = post(anonymous, TOKEN, email="Alice@Example.com", password=PASSWORD)
    assert answer.status_code == 200
    assert set(answer.json()) == {"access", "refresh"}
    assert bearer_of(answer.json()["access"]).user == alice


@pytest.mark.parametrize("who", ["unknown", "no address at all", "wrong password", "inactive"])
def test_failed_login_does_not_tell_whether_the_address_exists(
    anonymous: APIClient, alice: User, hashes: list[str], django_assert_num_queries: DjangoAssertNumQueries, who: str
) -> None:
    if who == "inactive":
        User.objects.update(is_active=False)
    email = {"unknown": "nobody@example.com", "no address at all": "nobody"}.get(who, alice.email)
    with django_assert_num_queries(2):
        answer = post(anonymous, TOKEN, email=email, password="not this one" if who == "wrong password" else PASSWORD)
    assert answer.status_code == 401
    assert own(answer) == {"code": "login_failed", "message": "The address or the password is wrong."}
    assert answer["WWW-Authenticate"] == 'Bearer realm="adiuva"'
    assert len(hashes) == 1


@pytest.mark.parametrize("field", ["email", "password"])
@pytest.mark.parametrize("value", ["", "a\0", "\ud800", "x" * 5000, None, 1.5e308 * 10, [], {}])
def test_login_with_an_impossible_value_is_refused_before_any_work(
    anonymous: APIClient, hashes: list[str], field: str, value: object
) -> None:
    body = json.dumps({"email": "alice@example.com", "password": PASSWORD, field: value})
    answer = anonymous.post(TOKEN, body, content_type="application/json")
    assert answer.status_code == 400
    assert hashes == []


def test_login_ignores_a_spent_access_token_in_the_header(anonymous: APIClient, alice: User) -> None:
    anonymous.credentials(HTTP_AUTHORIZATION="Bearer spent")
    assert post(anonymous, TOKEN, email=alice.email, password=PASSWORD).status_code == 200


# Refresh and sign-out


def test_refresh_gives_a_new_pair_and_uses_the_old_one_up(anonymous: APIClient, alice: User) -> None:
    refresh = issue_tokens(alice).refresh
    answer = post(anonymous, REFRESH, refresh=refresh)
    assert answer.status_code == 200
    assert bearer_of(answer.json()["access"]).user == alice
    assert post(anonymous, REFRESH, refresh=answer.json()["refresh"]).status_code == 200
    again = post(anonymous, REFRESH, refresh=refresh)
    assert again.status_code == 401
    assert own(again) == {"code": "unauthorized", "message": "The token is not valid."}


def test_logout_ends_the_refresh_token_without_an_access_token(anonymous: APIClient, alice: User) -> None:
    refresh = issue_tokens(alice).refresh
    answer = post(anonymous, LOGOUT, refresh=refresh)
    assert (answer.status_code, answer.content) == (204, b"")
    assert post(anonymous, REFRESH, refresh=refresh).status_code == 401
    assert post(anonymous, LOGOUT, refresh=refresh).status_code == 401


@pytest.mark.parametrize("path", [REFRESH, LOGOUT])
def test_malformed_refresh_token_is_refused(anonymous: APIClient, alice: User, path: str) -> None:
    for refresh in ("abc", issue_tokens(alice).access):
        answer = post(anonymous, path, refresh=refresh)
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")


@pytest.mark.parametrize("path", [REFRESH, LOGOUT])
def test_refresh_token_that_expired_is_refused_as_such(anonymous: APIClient, alice: User, path: str) -> None:
    answer = post(anonymous, path, refresh=expired(RefreshToken.for_user(alice)))
    assert (answer.status_code, answer.json()["code"]) == (401, "token_expired")


@pytest.mark.parametrize("path", [REFRESH, LOGOUT])
@pytest.mark.parametrize("refresh", ["", "\0", "\ud800", "x" * 5000, None, [], 1])
def test_refresh_token_that_is_no_text_is_refused(anonymous: APIClient, path: str, refresh: object) -> None:
    answer = anonymous.post(path, json.dumps({"refresh": refresh}), content_type="application/json")
    assert answer.status_code == 400


# The user's own account


def test_me_is_the_one_who_asks(as_alice: APIClient, alice: User, bob: User) -> None:
    answer = as_alice.get(ME)
    assert answer.status_code == 200
    assert (answer.json()["id"], answer.json()["email"]) == (str(alice.id), "alice@example.com")
    assert (set(answer.json()) - {"id", "email"}) == {
        *("language", "timezone", "memory_enabled", "memory_words_days", "date_joined", "email_verified")
    }


def test_me_costs_one_query(as_alice: APIClient, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(1):
        as_alice.get(ME)


def test_me_changes_preferences(as_alice: APIClient, alice: User) -> None:
    answer = as_alice.patch(ME, {"language": "it", "timezone": "Europe/Rome"}, format="json")
    assert answer.status_code == 200
    assert (answer.json()["language"], answer.json()["timezone"]) == ("it", "Europe/Rome")
    alice.refresh_from_db()
    assert (alice.language, alice.timezone) == ("it", "Europe/Rome")


def test_me_changes_only_what_is_named(as_alice: APIClient, alice: User) -> None:
    as_alice.patch(ME, {"timezone": "Europe/Rome"}, format="json")
    assert as_alice.patch(ME, {}, format="json").status_code == 200
    alice.refresh_from_db()
    assert (alice.language, alice.timezone) == ("en", "Europe/Rome")


@pytest.mark.parametrize("name", ["email", "id", "is_staff", "password", "encryption_key", "nickname", "\ud800"])
def test_me_refuses_to_change_anything_else(as_alice: APIClient, alice: User, name: str) -> None:
    body = json.dumps({"language": "it", name: "x"})
    answer = as_alice.patch(ME, body, content_type="application/json")
    assert answer.status_code == 400
    assert own(answer) == invalid(**{name: ["There is no such field here."]})
    alice.refresh_from_db()
    assert alice.language == "en"


@pytest.mark.parametrize(
    ("change", "details"),
    [
        ({"language": "tlh"}, {"language": ['"tlh" is not a valid choice.']}),
        ({"language": None}, {"language": ["This field may not be null."]}),
        ({"timezone": "Mars"}, {"timezone": [NOT_A_ZONE]}),
        ({"timezone": "a\0"}, {"timezone": [NOT_A_ZONE, "Null characters are not allowed."]}),
        (["language"], {"_": ["Invalid data. Expected a dictionary, but got list."]}),
    ],
)
def test_me_refuses_bad_values_with_sentences(
    as_alice: APIClient, change: object, details: dict[str, list[str]]
) -> None:
    answer = as_alice.patch(ME, change, format="json")
    assert answer.status_code == 400
    assert own(answer) == invalid(**details)


def expired(token: Token) -> str:
    token.set_exp(lifetime=timedelta(seconds=-1))
    return str(token)


def of_nobody(user: User) -> str:
    token = AccessToken.for_user(user)
    token["user_id"] = str(uuid4())
    return str(token)


@pytest.mark.parametrize(
    ("token", "code"),
    [
        (lambda user: "", "unauthorized"),
        (lambda user: "abc", "unauthorized"),
        (of_nobody, "unauthorized"),
        (lambda user: issue_tokens(user).refresh, "unauthorized"),
        (lambda user: expired(AccessToken.for_user(user)), "token_expired"),
    ],
)
def test_me_is_for_valid_access_tokens_only(
    anonymous: APIClient, alice: User, token: Callable[[User], str], code: str
) -> None:
    anonymous.credentials(HTTP_AUTHORIZATION=f"Bearer {token(alice)}")
    answer = anonymous.get(ME)
    assert (answer.status_code, answer.json()["code"]) == (401, code)
    assert answer["WWW-Authenticate"] == 'Bearer realm="adiuva"'


def test_me_needs_a_token_in_the_header_and_not_in_the_address(anonymous: APIClient, alice: User) -> None:
    answer = anonymous.get(f"{ME}?token={issue_tokens(alice).access}")
    assert answer.status_code == 401
    assert own(answer) == {
        "code": "unauthorized",
        "message": "Authentication credentials were not provided.",
    }


def test_me_ends_with_the_account(as_alice: APIClient) -> None:
    User.objects.update(is_active=False)
    assert as_alice.get(ME).status_code == 401


def test_no_answer_holds_a_key_or_a_password(as_alice: APIClient, alice: User) -> None:
    said = (
        as_alice.get(ME).content.decode() + post(as_alice, TOKEN, email=alice.email, password=PASSWORD).content.decode()
    )
    for secret in (alice.encryption_key, alice.master_key_id, alice.password, PASSWORD):
        assert secret not in said


# Ending access


def test_logout_everywhere_ends_every_token_and_no_other_users(
    as_alice: APIClient, anonymous: APIClient, alice: User, bob: User
) -> None:
    elsewhere, bobs = issue_tokens(alice), issue_tokens(bob)
    answer = as_alice.post(LOGOUT_EVERYWHERE)
    assert (answer.status_code, answer.content) == (204, b"")
    assert [as_alice.get(ME).status_code, as_alice.post(LOGOUT_EVERYWHERE).status_code] == [401, 401]
    assert post(anonymous, REFRESH, refresh=elsewhere.refresh).json()["code"] == "unauthorized"
    assert post(anonymous, REFRESH, refresh=bobs.refresh).status_code == 200
    again = post(anonymous, TOKEN, email=alice.email, password=PASSWORD).json()
    anonymous.credentials(HTTP_AUTHORIZATION=f"Bearer {again['access']}")
    assert anonymous.get(ME).status_code == 200


def test_me_is_erased_with_the_password(as_alice: APIClient, anonymous: APIClient, alice: User, bob: User) -> None:
    refresh = issue_tokens(alice).refresh
    answer = as_alice.delete(ME, {"password": PASSWORD}, format="json")
    assert (answer.status_code, answer.content) == (204, b"")
    assert list(User.objects.all()) == [bob]
    assert as_alice.get(ME).status_code == 401
    assert post(anonymous, REFRESH, refresh=refresh).status_code == 401
    assert post(anonymous, REGISTER, email="alice@example.com", password=PASSWORD).status_code == 201


def test_me_is_not_erased_with_a_wrong_password(as_alice: APIClient) -> None:
    answer = as_alice.delete(ME, {"password": "not this one"}, format="json")
    assert answer.status_code == 403
    assert own(answer) == {"code": "wrong_password", "message": "The password is wrong."}
    assert User.objects.exists()


@pytest.mark.parametrize("body", [{}, {"password": ""}, {"password": "a\0"}, {"password": "x" * 1025}, [PASSWORD]])
def test_me_is_not_erased_without_a_password(as_alice: APIClient, hashes: list[str], body: object) -> None:
    answer = as_alice.delete(ME, body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    assert (User.objects.count(), hashes) == (1, [])


@pytest.mark.parametrize(("method", "path"), [("delete", ME), ("post", LOGOUT_EVERYWHERE)])
def test_ending_is_for_those_who_are_signed_in(anonymous: APIClient, alice: User, method: str, path: str) -> None:
    answer = anonymous.generic(method, path, json.dumps({"password": PASSWORD}), content_type="application/json")
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
    assert User.objects.exists()


# Throttling


@pytest.mark.parametrize(
    ("path", "scope", "body"),
    [
        (REGISTER, "register", {"email": "alice@example.com", "password": "short"}),
        (TOKEN, "login", {"email": "alice@example.com", "password": PASSWORD}),
        (REFRESH, "refresh", {"refresh": "abc"}),
        (LOGOUT, "refresh", {"refresh": "abc"}),
    ],
)
def test_attempts_over_the_rate_are_refused(
    anonymous: APIClient, rates: Callable[..., None], path: str, scope: str, body: dict[str, str]
) -> None:
    rates(**{scope: "2/d"})
    assert [post(anonymous, path, **body).status_code for _ in range(3)][2:] == [429]
    answer = post(anonymous, path, **body)
    assert answer.json()["code"] == "rate_limited"
    assert 0 < int(answer["Retry-After"]) <= 86_400


def test_login_is_refused_for_an_address_that_many_networks_try(
    anonymous: APIClient, alice: User, rates: Callable[..., None]
) -> None:
    rates(login_address="2/d")

    def attempt(number: int, email: str) -> int:
        return anonymous.post(
            TOKEN, {"email": email, "password": PASSWORD}, format="json", REMOTE_ADDR=f"192.0.2.{number}"
        ).status_code

    assert [attempt(number, email) for number, email in enumerate(["alice@example.com", "ALICE@example.com"])] == [
        200
    ] * 2
    assert attempt(3, "alice@example.com") == 429
    assert attempt(4, "bob@example.com") == 401


def test_guessing_the_password_of_who_is_signed_in_counts_with_signing_in(
    as_alice: APIClient, anonymous: APIClient, alice: User, rates: Callable[..., None]
) -> None:
    rates(login_address="2/d")
    guesses = [as_alice.delete(ME, {"password": "not this one"}, format="json").status_code for _ in range(3)]
    assert guesses == [403, 403, 429]
    assert post(anonymous, TOKEN, email=alice.email, password=PASSWORD).status_code == 429
    assert as_alice.get(ME).status_code == 200
    assert as_alice.patch(ME, {"language": "it"}, format="json").status_code == 200
