import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings


@pytest.mark.parametrize(
    ("amqp", "redis", "missing"),
    [("", "", "AMQP_URL and REDIS_URL"), ("amqp://localhost", "", "REDIS_URL"), ("", "redis://localhost", "AMQP_URL")],
)
def test_worker_of_its_own_says_what_it_lacks(settings: Settings, amqp: str, redis: str, missing: str) -> None:
    settings.AMQP_URL, settings.REDIS_URL = amqp, redis
    with pytest.raises(CommandError) as caught:
        call_command("tool_worker")
    assert str(caught.value) == (f"A worker of its own needs {missing}: without, jobs run in the server's own process.")


def test_worker_has_a_slot_at_least() -> None:
    with pytest.raises(CommandError, match="at least"):
        call_command("tool_worker", concurrency=0)
