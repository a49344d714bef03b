"""How many requests one user may make over REST."""

from collections.abc import Callable

import pytest
from django.test import Client
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from accounts.auth.tokens import issue_tokens
from accounts.models import User
from accounts.rest.requests import BearerAuthentication
from accounts.rest.user_rate import UserThrottle

MINUTE_START = 1_800_000_000.0


@pytest.fixture(autouse=True)
def _two_a_minute(rates: Callable[..., None]) -> None:
    rates(rest="2/m")


def test_requests_of_a_user_are_counted_over_all_tokens_and_no_others(alice: User, bob: User) -> None:
    def admitted(user: User, *, at: float = MINUTE_START) -> bool:
        token = issue_tokens(user).access
        asked = APIRequestFactory().get("/", headers={"Authorization": f"Bearer {token}"})
        request = Request(asked, authenticators=[BearerAuthentication()])
        return UserThrottle(clock=lambda: at).allow_request(request, None)

    assert [admitted(alice) for _ in range(3)] == [True, True, False]
    assert admitted(bob)
    assert admitted(alice, at=MINUTE_START + 60)


def test_every_view_answers_429_with_the_time_to_wait(alice: User, client: Client) -> None:
    headers = {"Authorization": f"Bearer {issue_tokens(alice).access}"}
    answers = [client.get("/api/v1/devices", headers=headers) for _ in range(3)]

    assert [answer.status_code for answer in answers][-1] == 429
    assert answers[-1].json()["code"] == "rate_limited"
    assert 0 < int(answers[-1].headers["Retry-After"]) <= 60
