"""Tokens that are signed correctly and say odd things are refused like forged ones, wherever they are presented."""

import base64
import json
import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import jwt
import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as some
from rest_framework.test import APIClient
from rest_framework_simplejwt.exceptions import TokenError
from rest_framework_simplejwt.token_blacklist.models import OutstandingToken

from accounts.auth.claims import check_claims
from accounts.auth.tokens import bearer_of, issue_tokens, revoke_refresh_token, rotate_refresh_token
from accounts.errors import CredentialsError, ExpiredCredentials, InvalidCredentials
from accounts.models import User

ODD: dict[str, object] = {
    "missing": ...,
    "null": None,
    "true": True,
    "false": False,
    "zero": 0,
    "negative": -1,
    "huge": 10**400,
    "far away": 253402300800,
    "a century": int(time.time()) + 100 * 365 * 86400,
    "a float": time.time() + 300,
    "one as a float": 1.0,
    "endless": float("inf"),
    "not a number": float("nan"),
    "a number as text": str(int(time.time()) + 300),
    "empty": "",
    "with a zero byte": "a\0b",
    "half a surrogate pair": "\ud83c",
    "long": "x" * 1500,
    "a list": [],
    "a list of a number": [1],
    "an object": {},
    "nested": {"a": [[[["b"]]]]},
}
CLAIMS = ["exp", "iat", "jti", "token_type", "user_id", "hash_password", "generation", "family"]

REFUSALS = [(401, "unauthorized"), (401, "token_expired")]


def signed_bytes(payload: bytes, header: bytes = b'{"alg": "HS256", "typ": "JWT"}') -> str:
    """A token of anything, correctly signed."""
    body = b".".join(base64.urlsafe_b64encode(part).rstrip(b"=") for part in (header, payload))
    algorithm = jwt.PyJWS().get_algorithm_by_name("HS256")
    signature = algorithm.sign(body, algorithm.prepare_key(settings.SECRET_KEY))
    return (body + b"." + base64.urlsafe_b64encode(signature).rstrip(b"=")).decode()


def claims_of(token: str) -> dict[str, Any]:
    return dict(jwt.decode(token, options={"verify_signature": False}))


def changed(token: str, claim: str, value: object) -> str:
    payload = {**claims_of(token), claim: value}
    if value is ...:
        del payload[claim]
    return signed_bytes(json.dumps(payload).encode())


def uses_of(user: User) -> list[tuple[Callable[[str], object], str]]:
    pair = issue_tokens(user)
    return [(bearer_of, pair.access), (rotate_refresh_token, pair.refresh), (revoke_refresh_token, pair.refresh)]


@pytest.mark.parametrize("claim", CLAIMS)
def test_an_odd_claim_is_as_a_forged_token(alice: User, claim: str) -> None:
    for name, value in ODD.items():
        if (claim, name) == ("generation", "zero"):
            continue  # which is hers
        for use, token in uses_of(alice):
            with pytest.raises(CredentialsError):
                pytest.fail(f"{name}: {use(changed(token, claim, value))}")


def test_the_tokens_that_are_changed_are_valid_otherwise(alice: User) -> None:
    for number, (use, _) in enumerate(uses_of(alice)):
        use(changed(uses_of(alice)[number][1], "extra", {"a": [1]}))


def test_a_token_of_a_server_whose_clock_is_ahead_is_taken(alice: User) -> None:
    for use, token in uses_of(alice):
        claims = claims_of(token)
        use(changed(changed(token, "iat", claims["iat"] + 30), "exp", claims["exp"] + 30))


def test_a_token_from_too_far_ahead_is_as_a_forged_one(alice: User) -> None:
    for use, token in uses_of(alice):
        with pytest.raises(InvalidCredentials):
            use(changed(token, "iat", claims_of(token)["iat"] + 600))


def test_no_token_lasts_longer_because_clocks_may_differ(alice: User) -> None:
    for use, token in uses_of(alice):
        with pytest.raises(ExpiredCredentials):
            use(changed(token, "exp", int(time.time()) - 1))


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"[]",
        b"null",
        b"1",
        b'"a"',
        b"{",
        b"{}",
        b"\xff",
        b"[" * 2000,
        b'{"exp": ' + b"9" * 2000 + b"}",
        b'{"a": 1}',
    ],
)
def test_what_is_no_set_of_claims_is_as_a_forged_token(db: None, payload: bytes) -> None:
    for use in (bearer_of, rotate_refresh_token, revoke_refresh_token):
        with pytest.raises(InvalidCredentials):
            use(signed_bytes(payload))


@pytest.mark.parametrize(
    "header",
    [
        *(b"[]", b"{}", b'{"alg": []}', b'{"alg": {"a": 1}}', b'{"alg": "none"}', b'{"alg": null}', b"[" * 2000),
        *(b'{"alg": "HS256", "kid": 1}', b'{"alg": "HS256", "b64": false}'),
        *(b'{"alg": "HS256", "crit": [[]]}', b'{"alg": "HS256", "crit": "b64"}'),
    ],
)
def test_an_odd_header_is_as_a_forged_token(alice: User, header: bytes) -> None:
    payload = json.dumps(claims_of(issue_tokens(alice).access)).encode()
    with pytest.raises(InvalidCredentials):
        bearer_of(signed_bytes(payload, header))


def test_a_token_of_an_unknown_user_cannot_be_signed_out(alice: User) -> None:
    token = changed(changed(issue_tokens(alice).refresh, "user_id", str(uuid4())), "jti", uuid4().hex)
    with pytest.raises(InvalidCredentials):
        revoke_refresh_token(token)
    assert not OutstandingToken.objects.exclude(user=alice).exists()


def test_a_token_lasts_no_longer_than_those_we_make(alice: User) -> None:
    access = issue_tokens(alice).access
    bearer_of(changed(access, "exp", claims_of(access)["exp"] + 30))
    with pytest.raises(InvalidCredentials):
        bearer_of(changed(access, "exp", claims_of(access)["exp"] + 3600))


_JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(),
    lambda inner: some.lists(inner) | some.dictionaries(some.text(), inner),
    max_leaves=5,
)


@given(payload=some.dictionaries(some.sampled_from(CLAIMS) | some.text(), _JSON))
def test_no_payload_breaks_the_check(payload: dict[str, object]) -> None:
    with pytest.raises(TokenError):
        check_claims(payload, now=1_000_000_000, latest_exp=2_000_000_000)


@pytest.mark.parametrize("claim", CLAIMS)
def test_over_rest_an_odd_claim_is_401(alice: User, anonymous: APIClient, claim: str) -> None:
    pair = issue_tokens(alice)
    for name in ("missing", "huge", "nested", "with a zero byte", "true"):
        anonymous.credentials(HTTP_AUTHORIZATION=f"Bearer {changed(pair.access, claim, ODD[name])}")
        answer = anonymous.get("/api/v1/auth/me")
        assert (answer.status_code, answer.json()["code"]) in REFUSALS, name
        anonymous.credentials()
        odd = {"refresh": changed(pair.refresh, claim, ODD[name])}
        again = anonymous.post("/api/v1/auth/token/refresh", odd, format="json")
        assert (again.status_code, again.json()["code"]) in REFUSALS, name
