"""How a brief's rows are read and told: a read that is refused is no reason to do without the others.

Everything is bounded: rows a section, characters a text, bytes a listing. What is left out is counted.
"""

from collections.abc import Callable, Coroutine, Iterable, Mapping
from typing import Any, Final, TypeAlias
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from agents.calls import ClientAnswer, Row
from agents.errors import ClientRefused
from agents.together import together
from agents.tools.wording import listing

MOST_BYTES: Final = 8_000
"""How much of a section reaches the model."""
MOST_CHARACTERS: Final = 4_000
"""How much of a description or a summary reaches the model."""
_MOST_ROWS: Final = 25
_LONGEST: Final[Mapping[str, int]] = {"title": 200, "name": 200, "content": 500}

Line: TypeAlias = Callable[[Row, ZoneInfo], str]


async def tried(reads: Iterable[Coroutine[Any, Any, ClientAnswer]]) -> list[ClientAnswer | None]:
    """What ``reads``, run together, were answered; None for one that the device refused.

    Raises ``ClientAbsent`` and ``ClientSilent``.
    """
    return await together(_tried(read) for read in reads)


async def _tried(read: Coroutine[Any, Any, ClientAnswer]) -> ClientAnswer | None:
    try:
        return await read
    except ClientRefused:
        return None


def section(
    answer: ClientAnswer | None,
    timezone: ZoneInfo,
    line: Line,
    one: str,
    is_meant: Callable[[Row], bool] = lambda _: True,
) -> str:
    """A listing of the rows that are meant, called ``one`` each; a sentence when the device did not tell them."""
    if answer is None:
        return f"The device would not tell the {one}s."
    rows = [row for row in answer.rows if is_meant(row)]
    lines = [line(cut(row), timezone) for row in rows[:_MOST_ROWS]]
    return listing(lines, one=one, many=f"{one}s", omitted=len(rows) - len(lines), max_bytes=MOST_BYTES)


def cut(row: Row) -> Row:
    """``row`` with the texts that a line shows shortened."""
    return {name: _shortened(value, _LONGEST.get(name)) for name, value in row.items()}


def _shortened(value: JsonValue, longest: int | None) -> JsonValue:
    if longest is None or not isinstance(value, str) or len(value) <= longest:
        return value
    return f"{value[:longest]}…"
