from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from django.core.cache import cache
from django.test import Client
from rest_framework.parsers import JSONParser
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from accounts.auth.tokens import issue_tokens
from accounts.models import User
from accounts.rest.requests import BearerAuthentication
from accounts.rest.throttles import LoginThrottle, RefreshThrottle, UserThrottle

MINUTE_START = 1_800_000_000.0  # a whole number of minutes


def request(email: object = "alice@example.com", *, network: str = "192.0.2.1", **headers: str) -> Request:
    raw = APIRequestFactory(REMOTE_ADDR=network).post("/", {"email": email}, format="json", headers=headers)
    return Request(raw, parsers=[JSONParser()])


def allowed(asked: Request, *, at: float = MINUTE_START) -> bool:
    return LoginThrottle(clock=lambda: at).allow_request(asked, APIView())


@pytest.fixture
def two_a_minute(rates: Callable[..., None]) -> None:
    rates(login="2/m")


@pytest.mark.usefixtures("two_a_minute")
def test_attempts_are_allowed_again_in_the_next_period() -> None:
    assert [allowed(request()) for _ in range(3)] == [True, True, False]
    assert not allowed(request(), at=MINUTE_START + 59.9)
    assert allowed(request(), at=MINUTE_START + 60)


@pytest.mark.usefixtures("two_a_minute")
def test_a_counter_does_not_expire_while_an_attempt_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = MINUTE_START
    for module in ("base", "locmem"):
        monkeypatch.setattr(f"django.core.cache.backends.{module}.time", SimpleNamespace(time=lambda: moment))
    assert allowed(request())
    moment = MINUTE_START + 59.9
    increment = cache.incr

    def stalled(key: str) -> int:
        nonlocal moment
        moment = MINUTE_START + 60.1
        return increment(key)

    monkeypatch.setattr(cache, "incr", stalled)
    assert allowed(request(), at=MINUTE_START + 59.9)


@pytest.mark.usefixtures("two_a_minute")
def test_refusal_says_how_long_to_wait() -> None:
    throttle = LoginThrottle(clock=lambda: MINUTE_START + 18)
    assert [throttle.allow_request(request(), APIView()) for _ in range(3)] == [True, True, False]
    assert throttle.wait() == 42


@pytest.mark.usefixtures("two_a_minute")
def test_networks_are_counted_apart_and_believe_no_header() -> None:
    for forged in ("198.51.100.1", "198.51.100.2"):
        assert allowed(request(**{"X-Forwarded-For": forged}))
    assert not allowed(request(**{"X-Forwarded-For": "198.51.100.3"}))
    assert allowed(request(network="192.0.2.2"))


@pytest.mark.usefixtures("two_a_minute")
def test_addresses_of_one_ipv6_network_are_one() -> None:
    for network in ("2001:db8::1", "2001:db8::2"):
        assert allowed(request(network=network))
    assert not allowed(request(network="2001:db8::3"))
    assert allowed(request(network="2001:db8:0:1::1"))


def test_addresses_are_counted_over_all_networks_however_they_are_written(rates: Callable[..., None]) -> None:
    rates(login_address="2/m")
    assert allowed(request("alice@example.com", network="192.0.2.1"))
    assert allowed(request(" ALICE@example.com", network="192.0.2.2"))
    assert not allowed(request("alice@example.com", network="192.0.2.3"))
    assert allowed(request("bob@example.com", network="192.0.2.3"))


def test_what_a_network_is_refused_does_not_count_for_the_address(rates: Callable[..., None]) -> None:
    rates(login="2/m", login_address="3/m")
    assert [allowed(request(network="192.0.2.66")) for _ in range(9)] == [True, True] + [False] * 7
    assert allowed(request(network="192.0.2.1"))


@pytest.mark.parametrize("email", [None, 1, ["a"], {"a": "b"}])
@pytest.mark.usefixtures("two_a_minute")
def test_an_address_that_is_none_counts_for_the_network_only(email: object) -> None:
    assert [allowed(request(email)) for _ in range(3)] == [True, True, False]


def test_an_address_is_looked_for_only_where_there_is_a_rate_for_it(rates: Callable[..., None]) -> None:
    rates(refresh="1/m")
    throttle = RefreshThrottle(clock=lambda: MINUTE_START)
    assert [throttle.allow_request(request(), APIView()) for _ in range(2)] == [True, False]


def test_attempts_made_at_once_are_each_counted(rates: Callable[..., None]) -> None:
    rates(login="25/m")
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda _: allowed(request()), range(100), timeout=30))
    assert outcomes.count(True) == 25


# All requests of one user


@pytest.fixture
def two_requests_a_minute(rates: Callable[..., None]) -> None:
    rates(rest="2/m")


@pytest.mark.usefixtures("two_requests_a_minute")
def test_requests_of_a_user_are_counted_over_all_tokens_and_no_others(alice: User, bob: User) -> None:
    def admitted(user: User, *, at: float = MINUTE_START) -> bool:
        token = issue_tokens(user).access
        asked = APIRequestFactory().get("/", headers={"Authorization": f"Bearer {token}"})
        request = Request(asked, authenticators=[BearerAuthentication()])
        view = SimpleNamespace(headers={})
        is_admitted = UserThrottle(clock=lambda: at).allow_request(request, view)
        remaining.append(view.headers["RateLimit"])
        return is_admitted

    remaining: list[str] = []

    assert [admitted(alice) for _ in range(3)] == [True, True, False]
    assert remaining == [f'"rest";r={number};t=60' for number in (1, 0, 0)]
    assert admitted(bob)
    assert admitted(alice, at=MINUTE_START + 60)


@pytest.mark.usefixtures("two_requests_a_minute")
@pytest.mark.parametrize(
    "path",
    ["devices", "auth/me", "auth/tokens", "auth/passkeys", "auth/sessions"],
    ids=lambda path: path.rpartition("/")[2],
)
def test_every_view_answers_429_with_the_time_to_wait(alice: User, client: Client, path: str) -> None:
    headers = {"Authorization": f"Bearer {issue_tokens(alice).access}"}
    answers = [client.get(f"/api/v1/{path}", headers=headers) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[2].json()["code"] == "rate_limited"
    assert answers[2].headers["Retry-After"] == "60"


@pytest.mark.usefixtures("two_requests_a_minute")
def test_changes_count_like_reads(alice: User, client: Client) -> None:
    headers = {"Authorization": f"Bearer {issue_tokens(alice).access}"}
    answers = [
        client.patch("/api/v1/auth/me", {"language": "it"}, content_type="application/json", headers=headers)
        for _ in range(3)
    ]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
