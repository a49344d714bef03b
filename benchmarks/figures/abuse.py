"""Turns of one user while another sends the worst input of each kind."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from benchmarks.attackers import KINDS
from benchmarks.environment import Environment
from benchmarks.processes import USER_LIMITS, run_worker
from benchmarks.tables import Bound, Figure, percentile

TITLE: Final = "A user's turns beside an attacker"
_PLAN: Final = "three"
_MIB: Final = 1024 * 1024
_IDLE_S: Final = 5.0
_MEDIAN: Final = 1.5
_P99: Final = 3.0
_GROWTH_MIB: Final = 64.0
_DEVICES: Final = 10
_SETTINGS: Final = dict.fromkeys([*USER_LIMITS, "ADIUVA_REST_RATE"], "")
"""The defaults, which other benchmarks switch off."""


def measure(environment: Environment) -> Iterator[Figure]:
    """Median, p99 and growth for each kind of attack; the floor is the same devices' idle median just before."""
    seconds = environment.sizes.attack_s
    for kind in KINDS[: environment.sizes.attacks]:
        environment.say(f"  {kind}, for {seconds:g} s")
        # A server for each, so that no attack pays for what the one before left.
        with environment.server(settings=_SETTINGS) as server:
            seen = run_worker(
                "turns_beside_an_attacker",
                url=server.socket_url,
                tokens=[server.register() for _ in range(_DEVICES)],
                attacker=server.register(),
                pid=server.pid,
                plan=_PLAN,
                kind=kind,
                seconds=seconds,
                idle_s=min(_IDLE_S, seconds),
            )
        yield from _figures(kind, cast("Mapping[str, Any]", seen))


def _figures(kind: str, seen: Mapping[str, Any]) -> Iterator[Figure]:
    idle = percentile(seen["idle"], 0.5) * 1000
    told = ", ".join(f"{count} {refusal}" for refusal, count in sorted(seen["refusals"].items()))
    for name, share, limit in (("median", 0.5, _MEDIAN), ("p99", 0.99, _P99)):
        yield Figure(
            name=f"{kind}: a turn, {name}",
            unit="ms",
            value=percentile(seen["beside"], share) * 1000,
            floor=idle,
            bound=Bound.RATIO,
            limit=limit,
            spread=f"idle p99 {percentile(seen['idle'], 0.99) * 1000:.1f}",
        )
    yield Figure(
        name=f"{kind}: growth of the server",
        unit="MiB",
        value=seen["grown"] / _MIB,
        bound=Bound.VALUE,
        limit=_GROWTH_MIB,
        spread=(
            f"{seen['sent']} sent; answered: {told or 'nothing'}; "
            f"CPU {seen['idle_cpu']:.0%}, {seen['beside_cpu']:.0%} beside it"
        ),
    )
