import json

import pytest
from django.test import Client
from pytest_django import Settings
from rest_framework.exceptions import ValidationError
from rest_framework.fields import CharField
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from accounts.auth.tokens import issue_tokens
from accounts.errors import InvalidCredentials
from accounts.models import User
from accounts.rest.requests import BearerAuthentication, BoundedListField
from tests.costs import calls_of
from tests.problems import own


def sent(authorization: str | None) -> Request:
    headers = {} if authorization is None else {"Authorization": authorization}
    return Request(APIRequestFactory().get("/", headers=headers))


def test_bearer_token_identifies_its_user(alice: User) -> None:
    authenticated = BearerAuthentication().authenticate(sent(f"Bearer {issue_tokens(alice).access}"))
    assert authenticated is not None
    user, bearer = authenticated
    assert user == bearer.user == alice


@pytest.mark.parametrize("authorization", [None, "", "Basic YWxpY2U6eA==", "Bearer"])
def test_request_without_a_bearer_token_is_anonymous(authorization: str | None) -> None:
    assert BearerAuthentication().authenticate(sent(authorization)) is None


@pytest.mark.django_db
@pytest.mark.parametrize("authorization", ["Bearer abc", "bearer a b", "Bearer tokén"])
def test_malformed_bearer_token_is_refused(authorization: str) -> None:
    with pytest.raises(InvalidCredentials):
        BearerAuthentication().authenticate(sent(authorization))


pytestmark = pytest.mark.urls("tests.accounts.rest.views")

JSON = "application/json"


@pytest.mark.parametrize("value", [{"a": "città 🙂"}, [1, None], "half a pair: \ud83d"])
def test_json_is_read_and_answered_as_it_was(client: Client, value: object) -> None:
    answer = client.post("/api/echo", json.dumps(value), content_type=JSON)
    assert (answer.status_code, answer.json()) == (200, value)


def test_json_is_utf8_even_if_a_charset_says_otherwise(client: Client) -> None:
    body = json.dumps({"a": "città"}, ensure_ascii=False).encode()
    for charset in ("latin-1", "zlib", "base64", "utf-16"):
        answer = client.generic("POST", "/api/echo", body, content_type=f"{JSON}; charset={charset}")
        assert (answer.status_code, answer.json()) == (200, {"a": "città"})


@pytest.mark.parametrize(
    "body",
    [b"{", b"{'a': 1}", b'{"a": NaN}', b'{"a": Infinity}', b'"\xff"', b"\xef\xbb\xbf{}", b"9" * 5000, b"[" * 10_000],
)
def test_json_that_is_malformed_is_refused(client: Client, body: bytes) -> None:
    answer = client.generic("POST", "/api/echo", body, content_type=JSON)
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed")


def test_body_over_the_limit_is_refused_and_one_at_it_is_not(client: Client, settings: Settings) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
    assert client.generic("POST", "/api/echo", json.dumps("x" * 98), content_type=JSON).status_code == 200
    answer = client.generic("POST", "/api/echo", json.dumps("x" * 99), content_type=JSON)
    assert (answer.status_code, own(answer)) == (
        413,
        {"code": "too_large", "message": "The body of the request is too large."},
    )


def test_body_of_too_many_values_is_refused_and_text_with_as_many_commas_is_not(
    client: Client, settings: Settings
) -> None:
    settings.MAX_REQUEST_VALUES = 1000
    for body, status in ([0] * 998, 200), ([0] * 1001, 413), (["," * 5000], 200), ([[]] * 501, 413):
        answer = client.generic("POST", "/api/echo", json.dumps(body), content_type=JSON)
        assert answer.status_code == status


def test_list_is_refused_by_its_length_before_its_items_are_looked_at() -> None:
    field = BoundedListField(child=CharField(), max_length=3)

    def costs(items: int) -> int:
        def check() -> None:
            with pytest.raises(ValidationError):
                field.run_validation([{}] * items)

        return calls_of(check)

    costs(4)
    assert costs(4) == costs(10_000)
    assert field.run_validation(["a", "b", "c"]) == ["a", "b", "c"]
