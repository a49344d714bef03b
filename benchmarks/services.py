"""The Redis and the RabbitMQ of this machine, as benchmarks use them, and that they leave nothing there."""

import asyncio
import socket
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import aio_pika
from redis import Redis

REDIS_PORT: Final = 6379
REDIS_URL: Final = f"redis://127.0.0.1:{REDIS_PORT}"
RABBITMQ_PORT: Final = 5672
QUEUES: Final = ("tool_execution_queue", "tool_results_queue")


def amqp_url(port: int = RABBITMQ_PORT) -> str:
    """The address of a broker on this machine, with the account that it has from the beginning."""
    return f"amqp://guest:guest@127.0.0.1:{port}/"


def is_there(port: int) -> bool:
    """Whether something listens on ``port`` of this machine."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def redis_prefix() -> Iterator[str]:
    """A prefix for all keys; they are deleted after the block."""
    prefix = f"bench:{uuid.uuid4().hex}"
    try:
        yield prefix
    finally:
        with Redis.from_url(REDIS_URL) as client:
            for name in client.scan_iter(match=f"{prefix}*", count=1000):
                client.delete(name)


@contextmanager
def amqp_prefix() -> Iterator[str]:
    """As ``redis_prefix``, of the queues of jobs."""
    prefix = f"bench.{uuid.uuid4().hex}."
    try:
        yield prefix
    finally:
        asyncio.run(_without_queues(prefix))


async def _without_queues(prefix: str) -> None:
    async with await aio_pika.connect(amqp_url()) as connection, connection.channel() as channel:
        for name in QUEUES:
            await channel.queue_delete(f"{prefix}{name}")
            await channel.queue_delete(f"{prefix}{name}.dead")
