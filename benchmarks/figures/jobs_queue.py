"""Jobs a second through the queue, beside bare aio-pika."""

from collections.abc import Iterator
from typing import Final, cast

from pydantic import JsonValue

from benchmarks.environment import Environment
from benchmarks.processes import run_worker
from benchmarks.services import RABBITMQ_PORT, amqp_prefix, amqp_url, is_there
from benchmarks.tables import Figure, median, spread_of

TITLE: Final = "Messages about jobs through RabbitMQ"
_AT_ONCE: Final = 8


def measure(environment: Environment) -> Iterator[Figure]:
    """Published, consumed, and both; nothing without a RabbitMQ on this machine."""
    if not is_there(RABBITMQ_PORT):
        environment.say(f"  no RabbitMQ is running at 127.0.0.1:{RABBITMQ_PORT}")
        return
    for at_once in (1, _AT_ONCE):
        yield from _rates(environment, at_once)


def _rates(environment: Environment, at_once: int) -> Iterator[Figure]:
    messages = environment.sizes.messages
    rates: dict[str, dict[str, list[float]]] = {work: {} for work in ("bare_queue", "queue_port")}
    for number in range(environment.sizes.rounds):
        environment.say(f"  {messages} messages, {at_once} at a time, round {number + 1}")
        for work, by_part in rates.items():
            with amqp_prefix() as prefix:
                given: dict[str, JsonValue] = {
                    "url": amqp_url(),
                    "prefix": prefix,
                    "messages": messages,
                    "at_once": at_once,
                }
                seconds = cast("dict[str, float]", run_worker(work, **given))
            for part, took in {**seconds, "publish and consume": sum(seconds.values())}.items():
                by_part.setdefault(part, []).append(messages / took)
    for part, rounds in rates["queue_port"].items():
        floors = rates["bare_queue"][part]
        yield Figure(
            name=f"{part}, {at_once} at a time",
            unit="jobs/s",
            value=median(rounds),
            floor=median(floors),
            spread=spread_of(rounds, floors),
        )
