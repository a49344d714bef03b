from collections.abc import Callable

import pytest
from django.core.mail import EmailMessage
from pytest_django import DjangoAssertNumQueries, Settings
from rest_framework.test import APIClient

from accounts.models import AddressState, User
from tests.accounts.conftest import link_in
from tests.conftest import PASSWORD
from tests.problems import own

FORGOTTEN, RESET = "/api/v1/auth/password/forgotten", "/api/v1/auth/password/reset"
SEND, VERIFY = "/api/v1/auth/address/send-link", "/api/v1/auth/address/verify"
REGISTER, TOKEN = "/api/v1/auth/register", "/api/v1/auth/token"
NEW = "another fine passphrase"
Letters = Callable[[], list[EmailMessage]]


def token_in(letter: EmailMessage) -> str:
    return link_in(letter).rpartition("/")[2]


def test_forgotten_password_is_reset_by_link(anonymous: APIClient, alice: User, letters: Letters) -> None:
    assert anonymous.post(FORGOTTEN, {"email": " ALICE@example.com"}, format="json").status_code == 202
    token = token_in(letters()[0])
    answers = [anonymous.post(RESET, {"token": token, "new_password": NEW}, format="json") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [204, 400]
    assert own(answers[1]) == {
        "code": "link_invalid",
        "message": "This link has expired or was used already: ask for another one.",
    }
    assert anonymous.post(TOKEN, {"email": alice.email, "password": NEW}, format="json").status_code == 200


@pytest.mark.parametrize("path", [FORGOTTEN, SEND])
def test_answer_does_not_tell_whether_an_address_exists(
    anonymous: APIClient,
    alice: User,
    letters: Letters,
    django_assert_num_queries: DjangoAssertNumQueries,
    path: str,
) -> None:
    answers = []
    for email in ("alice@example.com", "bob@example.com", "no address"):
        with django_assert_num_queries(0):
            answers.append(anonymous.post(path, {"email": email}, format="json"))
    assert {(answer.status_code, answer.content) for answer in answers} == {(202, b"")}
    assert [letter.to for letter in letters()] == [["alice@example.com"]]


@pytest.mark.parametrize("path", [FORGOTTEN, SEND])
def test_without_email_the_answer_says_so_for_every_address(anonymous: APIClient, alice: User, path: str) -> None:
    for email in ("alice@example.com", "bob@example.com"):
        answer = anonymous.post(path, {"email": email}, format="json")
        assert (answer.status_code, answer.json()["code"]) == (409, "mail_unavailable")


def test_registered_address_is_verified_by_link(anonymous: APIClient, letters: Letters, db: None) -> None:
    answer = anonymous.post(REGISTER, {"email": "alice@example.com", "password": PASSWORD}, format="json")
    assert answer.json()["user"]["email_verified"] is False
    assert anonymous.post(VERIFY, {"token": token_in(letters()[0])}, format="json").status_code == 204
    anonymous.credentials(HTTP_AUTHORIZATION=f"Bearer {answer.json()['access']}")
    assert anonymous.get("/api/v1/auth/me").json()["email_verified"] is True


def test_server_may_require_verified_addresses(
    anonymous: APIClient, letters: Letters, settings: Settings, db: None
) -> None:
    settings.REQUIRE_VERIFIED_EMAIL = True
    body = {"email": "alice@example.com", "password": PASSWORD}
    for path in (REGISTER, TOKEN):
        answer = anonymous.post(path, body, format="json")
        assert (answer.status_code, answer.json()["code"]) == (403, "address_unverified")
    assert anonymous.post(VERIFY, {"token": token_in(letters()[0])}, format="json").status_code == 204
    assert anonymous.post(TOKEN, body, format="json").status_code == 200


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (FORGOTTEN, {"email": "alice@example.com"}),
        (SEND, {"email": "alice@example.com"}),
        (RESET, {"token": "x", "new_password": NEW}),
        (VERIFY, {"token": "x"}),
    ],
)
def test_asking_and_guessing_are_limited(
    anonymous: APIClient, rates: Callable[..., None], db: None, path: str, body: dict[str, str]
) -> None:
    rates(link="2/d")
    statuses = [anonymous.post(path, body, format="json").status_code for _ in range(3)]
    assert 429 not in statuses[:2]
    assert statuses[2] == 429


def test_one_address_is_not_flooded_from_many_networks(
    anonymous: APIClient, alice: User, letters: Letters, rates: Callable[..., None]
) -> None:
    rates(link_address="2/d")
    for number in range(4):
        anonymous.post(FORGOTTEN, {"email": alice.email}, format="json", REMOTE_ADDR=f"192.0.2.{number}")
    assert len(letters()) == 2


def test_asking_to_verify_an_address_keeps_no_one_from_a_new_password(
    anonymous: APIClient, alice: User, letters: Letters, rates: Callable[..., None]
) -> None:
    rates(link_address="2/d")
    User.objects.filter(id=alice.id).update(address_state=AddressState.VERIFIED)
    for spaces in ("", " ", "  "):
        answer = anonymous.post(SEND, {"email": alice.email + spaces}, format="json")
    assert (answer.status_code, letters()) == (429, [])
    assert anonymous.post(FORGOTTEN, {"email": alice.email}, format="json").status_code == 202
    assert len(letters()) == 1


@pytest.mark.parametrize("body", [{}, {"email": ""}, {"email": "a\0"}, {"email": "x" * 300}, ["alice@example.com"]])
def test_impossible_address_is_refused(anonymous: APIClient, letters: Letters, body: object) -> None:
    answer = anonymous.post(FORGOTTEN, body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")


def test_bad_new_password_is_explained(anonymous: APIClient, alice: User, letters: Letters) -> None:
    anonymous.post(FORGOTTEN, {"email": alice.email}, format="json")
    body = {"token": token_in(letters()[0]), "new_password": "short"}
    answer = anonymous.post(RESET, body, format="json")
    assert (answer.status_code, list(answer.json()["details"])) == (400, ["new_password"])
