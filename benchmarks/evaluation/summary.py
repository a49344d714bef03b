"""Figures of a run, by category, and what differs from another run."""

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich import box
from rich.table import Table

from benchmarks.evaluation.judge import Kind
from benchmarks.evaluation.results import Attempt
from benchmarks.evaluation.task import Task

TIMES = 3
"""How often in a row a task must be passed for pass^3."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Prices:
    """In dollars for a million tokens."""

    input: float = 0.0
    cached: float = 0.0
    output: float = 0.0

    def of(self, attempt: Attempt) -> float:
        """What the attempt cost, in dollars."""
        spent = _Spent.on(attempt)
        fresh = spent.input_tokens - spent.cached_tokens
        return (fresh * self.input + spent.cached_tokens * self.cached + spent.output_tokens * self.output) / 1e6


@dataclass(frozen=True, kw_only=True, slots=True)
class _Spent:
    input_tokens: int
    cached_tokens: int
    output_tokens: int

    @classmethod
    def on(cls, attempt: Attempt) -> "_Spent":
        requests = [request for exchange in attempt.conversation.exchanges for request in exchange.requests]
        return cls(
            input_tokens=sum(request.input_tokens for request in requests),
            cached_tokens=sum(request.cached_tokens for request in requests),
            output_tokens=sum(request.output_tokens for request in requests),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    """Of some tasks. Calls, requests, tokens, seconds and dollars are means of one conversation."""

    name: str
    tasks: int
    attempts: int
    pass_1: float
    """The share of attempts that passed."""
    pass_3: float | None
    """The chance that three attempts in a row pass; None where no task was tried three times."""
    unasked: float
    """The share of attempts that changed a row that they should not have."""
    calls: float
    requests: float
    input_tokens: float
    cached_tokens: float
    output_tokens: float
    seconds: float
    dollars: float


def summary(attempts: Mapping[Task, Sequence[Attempt]], prices: Prices) -> list[Figures]:
    """Figures of each category, of the plain tasks, and of all."""
    categories = sorted({task.category for task in attempts})
    groups: list[tuple[str, Callable[[Task], bool]]] = [
        *((name, lambda task, name=name: task.category == name) for name in categories),
        ("plain", lambda task: task.plain),
        ("all", lambda _: True),
    ]
    chosen = [(name, {task: tried for task, tried in attempts.items() if is_in(task)}) for name, is_in in groups]
    return [_figures(name, tried, prices) for name, tried in chosen if tried]


def _figures(name: str, attempts: Mapping[Task, Sequence[Attempt]], prices: Prices) -> Figures:
    each = [attempt for tried in attempts.values() for attempt in tried]
    spent = [_Spent.on(attempt) for attempt in each]
    exchanges = [attempt.conversation.exchanges for attempt in each]
    in_a_row = [_in_a_row(tried) for tried in attempts.values() if len(tried) >= TIMES]
    return Figures(
        name=name,
        tasks=len(attempts),
        attempts=len(each),
        pass_1=statistics.fmean(attempt.passed for attempt in each),
        pass_3=statistics.fmean(in_a_row) if in_a_row else None,
        unasked=statistics.fmean(attempt.has(Kind.UNASKED_CHANGE) for attempt in each),
        calls=statistics.fmean(sum(len(exchange.tools) for exchange in said) for said in exchanges),
        requests=statistics.fmean(sum(len(exchange.requests) for exchange in said) for said in exchanges),
        input_tokens=statistics.fmean(one.input_tokens for one in spent),
        cached_tokens=statistics.fmean(one.cached_tokens for one in spent),
        output_tokens=statistics.fmean(one.output_tokens for one in spent),
        seconds=statistics.fmean(sum(exchange.seconds for exchange in said) for said in exchanges),
        dollars=statistics.fmean(prices.of(attempt) for attempt in each),
    )


def _in_a_row(tried: Sequence[Attempt]) -> float:
    """The chance that ``TIMES`` of these attempts, drawn without putting back, all passed."""
    passed = sum(attempt.passed for attempt in tried)
    return math.comb(passed, TIMES) / math.comb(len(tried), TIMES)


HEADINGS = (
    *("category", "tasks", "pass@1", f"pass^{TIMES}", "unasked", "calls", "requests"),
    *("input", "cached", "output", "seconds", "dollars"),
)


def cells(figures: Figures) -> tuple[str, ...]:
    """The figures under ``HEADINGS``."""
    return (
        figures.name,
        str(figures.tasks),
        percent(figures.pass_1),
        "–" if figures.pass_3 is None else percent(figures.pass_3),
        percent(figures.unasked),
        f"{figures.calls:.1f}",
        f"{figures.requests:.1f}",
        f"{figures.input_tokens:,.0f}",
        f"{figures.cached_tokens:,.0f}",
        f"{figures.output_tokens:,.0f}",
        f"{figures.seconds:.1f}",
        f"{figures.dollars:.4f}" if figures.dollars else "–",
    )


def table(figures: Iterable[Figures]) -> Table:
    """All figures, a line each."""
    drawn = Table(box=box.MARKDOWN)
    for place, heading in enumerate(HEADINGS):
        drawn.add_column(heading, justify="right" if place else "left")
    for each in figures:
        drawn.add_row(*cells(each))
    return drawn


def percent(share: float) -> str:
    return f"{share:.0%}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """A task that passes more or less often than in another run: shares of the attempts."""

    task: str
    before: float
    now: float


def differences(now: Mapping[Task, Sequence[Attempt]], before: Mapping[Task, Sequence[Attempt]]) -> list[Difference]:
    """Of tasks that both runs have; the worst first."""
    shares = {
        task: (statistics.fmean(one.passed for one in before[task]), statistics.fmean(one.passed for one in tried))
        for task, tried in now.items()
        if task in before
    }
    changed = [
        Difference(task=task.id, before=was, now=is_now) for task, (was, is_now) in shares.items() if was != is_now
    ]
    return sorted(changed, key=lambda each: each.now - each.before)
