"""An answer before it is written: what is said, and what is shown below it."""

from dataclasses import dataclass
from typing import TypeAlias

from agents.offline.commands import Entity
from agents.offline.rows import Row


@dataclass(frozen=True, kw_only=True, slots=True)
class Cards:
    """Rows, one below the other.

    ``whole``: they are all the rows of their kind that the tools returned. ``named``: the text names them already.
    """

    entity: Entity
    rows: tuple[Row, ...]
    whole: bool = False
    named: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """Cells; every row is as long as the headers."""

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Chart:
    """Counts by name; ``label`` says what is counted."""

    chart_type: str
    title: str
    label: str
    counts: tuple[tuple[str, int], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Timeline:
    """Checkpoints, earliest first."""

    rows: tuple[Row, ...]


Shown: TypeAlias = Cards | Table | Chart | Timeline


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What is said, in the person's language, and what is shown below it, one thing after the other."""

    text: str
    shown: Shown | None = None
    more: tuple[Shown, ...] = ()
