"""How long recall takes: the exact search beside a bare read of the same rows, and all of it beside its budget; and
what the indexes of exchanges take: time, memory, and the event loop.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, cast

from benchmarks.environment import Environment
from benchmarks.processes import run_inside
from benchmarks.tables import Bound, Figure, median, percentile

TITLE: Final = "Recall"
_FACTS: Final = 500
_LIMIT_MS: Final = 4.0
_LIMIT_OF_MANY_MS: Final = 40.0
_BUDGET_MS: Final = 300.0
_EXCHANGES: Final = 5_000
_WARM_MS: Final = 5.0
_WARM_CPU_MS: Final = 20.0
_PAUSE_MS: Final = 10.0
_EXCHANGE_BYTES: Final = 4_096
_MANY_TIMES: Final = 10
"""As many times the exchanges as there are facts of one user at most."""
_MANY_MS: Final = 50.0
_INDEX_MIB: Final = 64.0
_SERVERS: Final = {"50": "50 ms", "300": "300 ms", "never": "for ever"}


def measure(environment: Environment) -> Iterator[Figure]:
    """Searches of many small memories and of a big one; then what an answer waits for, with slow embedding servers."""
    sizes = environment.sizes
    inside = partial(run_inside, "benchmarks.recalling", data_dir=environment.data_dir)
    for users, rows, limit in ((sizes.people, _FACTS, _LIMIT_MS), (1, sizes.facts, _LIMIT_OF_MANY_MS)):
        environment.say(f"  {users} memories of {rows} facts")
        times = max(3 * sizes.turns, 20) if users > 1 else max(sizes.turns, 20)
        yield from _searches(users, rows, limit, inside(name="searching", users=users, rows=rows, times=times))
    for pause, told in _SERVERS.items():
        environment.say(f"  an embedding server that takes {told}")
        yield _enriched(
            told,
            inside(
                name="enriching",
                url=environment.model_url,
                rows=_FACTS,
                times=max(sizes.turns // 3, 3),
                message=f"What do I like? The vector after {pause} please.",
            ),
        )
    yield from _indexed(environment)


def _indexed(environment: Environment) -> Iterator[Figure]:
    """Of a user with 5,000 exchanges of 250 characters, and of a cache for fewer users than there are."""
    inside = partial(run_inside, "benchmarks.indexing", data_dir=environment.data_dir)
    rows, times = min(_EXCHANGES, environment.sizes.facts), max(environment.sizes.turns // 3, 3)
    environment.say(f"  {rows:,} exchanges, with an index and without")
    yield from _warm(rows, inside(name="warm", rows=rows, times=3 * times))
    yield from _cold(rows, inside(name="cold", rows=rows, times=times))
    many = _MANY_TIMES * environment.sizes.facts
    environment.say(f"  {many:,} exchanges, of which the index has the newest")
    yield from _bounded(many, inside(name="bounded", rows=many, times=times))
    environment.say("  the memory that indexes take")
    yield from _sizes(rows, inside(name="memory_of", rows=rows))
    evicted = cast("Mapping[str, float]", inside(name="evicting", users=6, rows=rows // 10, kept=3))
    yield Figure(
        name="indexes of 6 users in turn, where 3 fit",
        unit="MiB",
        value=evicted["size"] / 2**20,
        floor=evicted["limit"] / 2**20,
        bound=Bound.RATIO,
        limit=1.0,
        spread=f"{evicted['evictions']:.0f} dropped for others",
    )


def _warm(rows: int, measured: object) -> Iterator[Figure]:
    found = cast("Mapping[str, Sequence[float]]", measured)
    for name, key, limit in (("", "seconds", _WARM_MS), (", CPU of the process", "cpu", _WARM_CPU_MS)):
        taken = _ms(found[key])
        yield Figure(
            name=f"recall among {rows:,} exchanges{name}, median",
            unit="ms",
            value=median(taken),
            bound=Bound.VALUE,
            limit=limit,
            spread=f"p95 {percentile(taken, 0.95):.3g}, least {min(taken):.3g}",
        )


def _cold(rows: int, measured: object) -> Iterator[Figure]:
    found = cast("Mapping[str, Sequence[float]]", measured)
    recalls, builds, pauses = _ms(found["recalls"]), _ms(found["builds"]), _ms(found["pauses"])
    yield Figure(
        name=f"recall among {rows:,} exchanges without an index, median",
        unit="ms",
        value=median(recalls),
        bound=Bound.VALUE,
        limit=_BUDGET_MS + _WARM_MS,
        spread=f"longest {max(recalls):.3g}; the index is built after {median(builds):.3g}",
    )
    yield Figure(
        name="longest pause of the event loop meanwhile, median",
        unit="ms",
        value=median(pauses),
        floor=median(_ms(found["idle_pauses"])),
        bound=Bound.DIFFERENCE,
        limit=_PAUSE_MS,
        spread=f"longest {max(pauses):.3g}",
    )


def _bounded(rows: int, measured: object) -> Iterator[Figure]:
    found = cast("Mapping[str, Any]", measured)
    unlogged = _ms(found["unlogged"])
    yield Figure(
        name=f"first recall among {rows:,} exchanges",
        unit="ms",
        value=1000 * found["first"],
        bound=Bound.VALUE,
        limit=_BUDGET_MS + _MANY_MS,
    )
    for what, key in (("", "warm"), (", one forgotten before", "logged")):
        taken = _ms(found[key])
        yield Figure(
            name=f"recall among {rows:,} exchanges{what}, median",
            unit="ms",
            value=median(taken),
            bound=Bound.VALUE,
            limit=_MANY_MS,
            spread=f"longest {max(taken):.3g}",
        )
    yield Figure(
        name=f"recall among {rows:,} exchanges, one forgotten before of which there is no log, median",
        unit="ms",
        value=median(unlogged),
        bound=Bound.NONE,
        spread=f"longest {max(unlogged):.3g}",
    )
    yield Figure(
        name=f"index of {rows:,} exchanges",
        unit="MiB",
        value=found["size"] / 2**20,
        bound=Bound.VALUE,
        limit=_INDEX_MIB + 1,
        spread=f"has {found['held']:,}",
    )


def _sizes(rows: int, measured: object) -> Iterator[Figure]:
    found = cast("Mapping[str, float]", measured)
    allowed = 2 * found["texts"] + _EXCHANGE_BYTES * rows
    for name, key in (("by its own count", "size"), ("by tracemalloc", "traced"), ("as the process grows", "resident")):
        yield Figure(
            name=f"index of {rows:,} exchanges, {name}",
            unit="MiB",
            value=found[key] / 2**20,
            floor=allowed / 2**20,
            bound=Bound.RATIO,
            limit=1.0,
            spread=f"texts {found['texts'] / 2**20:.3g}",
        )


def _searches(users: int, rows: int, limit_ms: float, measured: object) -> Iterator[Figure]:
    found = cast("Mapping[str, Sequence[float]]", measured)
    searches, reads = _ms(found["searches"]), _ms(found["reads"])
    whose = f"{rows:,} facts" if users == 1 else f"{rows:,} facts, {users} users"
    yield Figure(
        name=f"search among {whose}, median",
        unit="ms",
        value=median(searches),
        floor=median(reads),
        bound=Bound.VALUE,
        limit=limit_ms,
        spread=f"p95 {percentile(searches, 0.95):.3g}, least {min(searches):.3g}",
    )
    yield Figure(
        name=f"search among {whose}, CPU of the database",
        unit="ms",
        value=median(_ms(found["search_cpu"])),
        floor=median(_ms(found["read_cpu"])),
        bound=Bound.VALUE,
        limit=limit_ms,
    )
    for what, name in (("as_stored", "as stored"), ("as_made", "in single precision")):
        yield Figure(
            name=f"recall@10 of numpy {name}, among {whose}",
            unit="",
            value=cast("float", found[what]),
            floor=1.0,
            bound=Bound.LEAST_RATIO if what == "as_stored" else Bound.NONE,
            limit=1.0 if what == "as_stored" else None,
        )


def _enriched(told: str, measured: object) -> Figure:
    found = cast("Mapping[str, Sequence[float]]", measured)
    whole, without = _ms(found["whole"]), _ms(found["without"])
    return Figure(
        name=f"recall, the embedding server takes {told}, longest",
        unit="ms",
        value=max(whole),
        floor=max(without),
        bound=Bound.DIFFERENCE,
        # To give a request up takes a moment, too.
        limit=_BUDGET_MS + _WARM_MS,
        spread=f"median {median(whole):.3g}; floor {median(without):.3g}",
    )


def _ms(seconds: Sequence[float]) -> list[float]:
    return [each * 1000 for each in seconds]
