"""Which of the rows found is meant by a name."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from agents.offline.commands import Target
from agents.offline.rows import Row


@dataclass(frozen=True, kw_only=True, slots=True)
class Match:
    """The rows a name fits best; ``exact`` when it is their whole title."""

    rows: tuple[Row, ...]
    exact: bool


def best_match(rows: Iterable[Row], target: Target) -> Match:
    """The rows whose title is the name, else those that hold it, else those that hold all its words."""
    candidates = tuple(rows)
    name, words = _plain(target.name), _plain(target.name).split()
    exactly: tuple[Callable[[Row], bool], ...] = (
        lambda row: row.title == target.literal,
        lambda row: row.title.casefold() == target.literal.casefold(),
        lambda row: _line(row.title) == _line(target.literal),
        lambda row: _line(row.title) == _line(target.name),
        lambda row: bool(name) and _plain(row.title) in {name, _plain(target.literal)},
    )
    partly: tuple[Callable[[Row], bool], ...] = (
        lambda row: bool(name) and f" {name}" in f" {_plain(row.title)}",
        lambda row: bool(name) and name in _plain(row.title),
        lambda row: bool(words) and set(words) <= set(_plain(row.title).split()),
    )
    if found := _first(candidates, exactly):
        return Match(rows=found, exact=True)
    return Match(rows=_first(candidates, partly), exact=False)


def _first(rows: Sequence[Row], tests: Iterable[Callable[[Row], bool]]) -> tuple[Row, ...]:
    """The rows that pass the first test which any row passes."""
    passing = (tuple(row for row in rows if test(row)) for test in tests)
    return next((found for found in passing if found), ())


def _line(title: str) -> str:
    return " ".join(title.casefold().split())


def _plain(title: str) -> str:
    """Letters and figures only."""
    return " ".join("".join(mark if mark.isalnum() else " " for mark in title.casefold()).split())
