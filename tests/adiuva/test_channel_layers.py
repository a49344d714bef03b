from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from adiuva.channel_layers import channel_layers
from adiuva.env import checked_redis_url
from adiuva.secret_keys import derived_key

UNREADABLE = (
    "REDIS_URL cannot be read: write redis://user:password@host:port/number, or rediss:// for TLS, with special "
    "characters percent-encoded."
)


@pytest.mark.parametrize(
    "url",
    [
        "redis://localhost",
        "redis://user:p%40ss@redis.example:6380/3",
        "rediss://redis.example",
        "rediss://redis.example/0?ssl_ca_certs=/run/tls/ca.pem&max_connections=7",
        "unix:///run/redis.sock",
    ],
)
def test_address_of_redis_is_taken_as_it_is(url: str) -> None:
    assert checked_redis_url(url) == url


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("localhost:6379", "REDIS_URL is not an address of Redis: start it with redis:// or rediss://."),
        ("http://:s3cret@localhost", "REDIS_URL is not an address of Redis: start it with redis:// or rediss://."),
        ("redis://:s3cret@localhost:port/0", UNREADABLE),
        ("redis://:s3cret@localhost/first", UNREADABLE),
        ("redis://:s3cret@localhost/0?pass=word", UNREADABLE),
        ("redis://:s3cret@localhost/0?ssl_ca_certs=/run/tls/ca.pem", UNREADABLE),
    ],
)
def test_other_address_is_refused_in_one_sentence_that_tells_no_password(url: str, sentence: str) -> None:
    with pytest.raises(ImproperlyConfigured) as caught:
        checked_redis_url(url)
    assert str(caught.value) == sentence


def test_without_an_address_hints_stay_in_memory() -> None:
    assert channel_layers("", secret="s", prefix="adiuva") == {
        "default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}
    }


def test_with_an_address_hints_are_encrypted_with_a_key_of_their_own() -> None:
    layers: list[Any] = [channel_layers("redis://localhost", secret=secret, prefix="adiuva") for secret in "ab"]
    keys = [layer["default"]["CONFIG"]["symmetric_encryption_keys"] for layer in layers]
    assert [len(each) for each in keys] == [1, 1]
    assert keys[0] != keys[1]
    assert keys[0][0] not in {"a", derived_key("a", purpose="fingerprints of requests").hex()}


def test_derived_keys_differ_by_secret_and_by_purpose_and_stay_the_same() -> None:
    drawn = [derived_key(secret, purpose=purpose) for secret in ("a", "b") for purpose in ("x", "y")]
    assert len(set(drawn)) == 4
    assert [len(key) for key in drawn] == [32] * 4
    assert derived_key("a", purpose="x") == drawn[0]
    # RFC 5869 with SHA-256, no salt: processes of different versions must agree.
    assert drawn[0].hex() == "877d9a5278cda25fd771650259a766f3f1b7b1998c15372e1d40d447622eef9b"
