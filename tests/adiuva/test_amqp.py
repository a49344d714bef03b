import pytest
from django.core.exceptions import ImproperlyConfigured

from adiuva.amqp import checked_amqp_url


@pytest.mark.parametrize(
    "url", ["amqp://localhost", "amqp://user:p%40ss@rabbit.example:5673/adiuva", "amqps://rabbit.example/"]
)
def test_address_of_a_broker_is_taken_as_it_is(url: str) -> None:
    assert checked_amqp_url(url) == url


@pytest.mark.parametrize(
    "url", ["localhost:5672", "http://:s3cret@localhost", "amqp://", "amqp://:s3cret@localhost:port/"]
)
def test_other_address_is_refused_in_one_sentence_that_tells_no_password(url: str) -> None:
    with pytest.raises(ImproperlyConfigured) as caught:
        checked_amqp_url(url)
    assert str(caught.value) == (
        "AMQP_URL cannot be read: write amqp://user:password@host:port/vhost, or amqps:// for TLS, with special "
        "characters percent-encoded."
    )
