"""Thousands of idle devices on two processes, with Redis some milliseconds away."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Final, cast

from redis.asyncio import Redis

from benchmarks.environment import Environment
from benchmarks.latency_proxy import relay
from benchmarks.presence import STALL_S, Found, Installation, Person, Use, watched
from benchmarks.processes import run_inside
from benchmarks.services import REDIS_PORT, REDIS_URL, is_there, redis_prefix
from benchmarks.tables import Bound, Figure, median
from tests.adiuva.servers import connect

TITLE: Final = "Idle devices on two processes, Redis 5 ms away in each direction"
_DELAY_S: Final = 0.005
_KNOWN_S: Final = 5.0
_KIB: Final = 1024


def measure(environment: Environment) -> Iterator[Figure]:
    """What they cost, and whether presence is right throughout; nothing without a Redis on this machine."""
    if not is_there(REDIS_PORT):
        environment.say(f"  no Redis is running at 127.0.0.1:{REDIS_PORT}")
        return
    sizes = environment.sizes
    with redis_prefix() as prefix, ExitStack() as stack:
        relays = [stack.enter_context(relay(REDIS_PORT, delay_s=_DELAY_S)) for _ in range(2)]
        settings = [{"REDIS_URL": f"redis://127.0.0.1:{each.port}", "ADIUVA_REDIS_PREFIX": prefix} for each in relays]
        servers = [stack.enter_context(environment.server(settings=each)) for each in settings]
        environment.say(f"  {sizes.devices} users sign in")
        made = run_inside(
            "benchmarks.signed_in_users", "sign_in", environment.data_dir, users=sizes.devices, sessions=2
        )
        database = stack.enter_context(connect(environment.data_dir))

        async def run() -> Found:
            async with Redis.from_url(REDIS_URL, decode_responses=True) as redis:
                here = Installation(
                    servers=servers,
                    relays=relays,
                    people=[Person(id=user, tokens=tokens) for user, *tokens in cast("list[list[str]]", made)],
                    redis=redis,
                    prefix=prefix,
                    database=database,
                    say=environment.say,
                )
                return await watched(here, seconds=sizes.devices_s, stalls=sizes.stalls)

        found = asyncio.run(run())
    yield from _costs(found)
    yield from _presence(found)


def _costs(found: Found) -> Iterator[Figure]:
    """The costs of one process, the mean of both."""
    rest, revoking = cast("Use", found.rest), cast("Use", found.revoking)
    yield Figure(name="memory of a device", unit="KiB", value=_mean(found.bytes_of_device) / _KIB)
    yield Figure(name="CPU of a process at rest", unit="%", value=100 * _mean(rest.cpu_s) / rest.at)
    yield Figure(name="its commands to Redis", unit="a second", value=_mean(rest.commands) / rest.at)
    yield Figure(name="its transactions of the database", unit="a second", value=rest.transactions / 2 / rest.at)
    yield Figure(name="the database's time for it", unit="ms a second", value=500 * rest.database_s / rest.at)
    number = len(found.revoked_s)
    yield Figure(
        name=f"{number} users sign out everywhere: the socket on the other process closes after, at the longest",
        unit="s",
        value=max(found.revoked_s),
        bound=Bound.VALUE,
        limit=_KNOWN_S,
        spread=f"median {median(found.revoked_s):.3f} s",
    )
    for name, unit, used in (
        ("transactions for each, with the sign-out itself", "", revoking.transactions - _share(rest, revoking)),
        ("the database's time", "ms", 1000 * (revoking.database_s - rest.database_s / rest.at * revoking.at)),
        ("CPU of both processes", "ms", 1000 * (sum(revoking.cpu_s) - sum(rest.cpu_s) / rest.at * revoking.at)),
    ):
        yield Figure(name=name, unit=unit, value=used / number)


def _presence(found: Found) -> Iterator[Figure]:
    nothing = {
        f"of {found.looks.looks:,} looks at processes and devices, that found one gone": found.looks.gone,
        f"of {found.stalled.looks:,} looks while a process is stopped for {STALL_S} s": found.stalled.gone,
        f"of {found.asked} REST requests to the other process, that did not reach the device": found.unreached,
    }
    for name, value in nothing.items():
        yield Figure(name=name, unit="", value=float(value), bound=Bound.VALUE, limit=0.0)
    yield Figure(
        name="a process killed with -9 is known as dead after",
        unit="s",
        value=found.killed_s,
        bound=Bound.VALUE,
        limit=_KNOWN_S,
    )


def _share(rest: Use, other: Use) -> float:
    """The transactions that would have been at rest in the time of ``other``."""
    return rest.transactions / rest.at * other.at


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
