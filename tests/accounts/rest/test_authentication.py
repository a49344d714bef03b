import pytest
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from accounts.errors import InvalidCredentials
from accounts.models import User
from accounts.rest.authentication import BearerAuthentication
from accounts.tokens import issue_tokens


def sent(authorization: str | None) -> Request:
    headers = {} if authorization is None else {"Authorization": authorization}
    return Request(APIRequestFactory().get("/", headers=headers))


def test_bearer_token_says_who_asks(alice: User) -> None:
    authenticated = BearerAuthentication().authenticate(sent(f"Bearer {issue_tokens(alice).access}"))
    assert authenticated is not None
    user, bearer = authenticated
    assert user == bearer.user == alice


@pytest.mark.parametrize("authorization", [None, "", "Basic YWxpY2U6eA==", "Bearer"])
def test_request_without_a_bearer_token_is_nobodys(authorization: str | None) -> None:
    assert BearerAuthentication().authenticate(sent(authorization)) is None


@pytest.mark.django_db
@pytest.mark.parametrize("authorization", ["Bearer abc", "bearer a b", "Bearer tokén"])
def test_bearer_token_that_is_none_is_invalid(authorization: str) -> None:
    with pytest.raises(InvalidCredentials):
        BearerAuthentication().authenticate(sent(authorization))
