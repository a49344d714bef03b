"""How fast the home formatter reads: characters a second, beside ``json.loads`` of the whole in the same run.

``python -m benchmarks.formatter`` prints the table. The floor is what reading would cost at least, if a person could
wait for the whole answer; a row in tokens shows what a person who does not wait costs.
"""

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from chat.formatters.blocks import Entity, Row
from chat.formatters.formatter import Formatter

TOKEN = 4
"""Characters of a token, about what models write at a time."""
_SENTENCE = 'You have **three tasks** due today:\n- "Buy milk" is the first, and è urgente 😀.\n'
_ROWS: list[Row] = [{"id": f"t{number}", "title": f"Task {number}", "status": "todo"} for number in range(50)]
_MIN_RUN_S = 0.2


@dataclass(frozen=True, kw_only=True, slots=True)
class Measurement:
    """One kind of message, fed one way: best of several runs."""

    message: str
    characters: int
    fed: str
    milliseconds: float
    per_second: float
    floor_per_second: float


def run() -> list[Measurement]:
    """Every message, in tokens and whole."""
    return [measurement for message, written in _messages() for measurement in _measure(message, written)]


def _messages() -> Iterator[tuple[str, str]]:
    for label, size in (("1 kB", 1_000), ("10 kB", 10_000), ("100 kB", 100_000), ("1 MB", 1_000_000)):
        yield f"text, {label}", _source({"type": "text", "content": (_SENTENCE * (size // len(_SENTENCE) + 1))[:size]})
    yield "prose, 10 kB", (_SENTENCE * 200)[:10_000]
    yield (
        "chart",
        _source(
            {
                "type": "chart",
                "chartType": "bar",
                "title": "Open tasks",
                "data": [{"project": f"Project {number}", "open": number, "done": number / 2} for number in range(30)],
                "config": {"open": {"label": "Open", "color": "#36c"}, "done": {"label": "Done", "color": "#6c3"}},
            }
        ),
    )
    yield (
        "table",
        _source(
            {
                "type": "table",
                "headers": ["Task", "Due", "Hours"],
                "rows": [[f"Task {number}", "tomorrow", number] for number in range(30)],
            }
        ),
    )
    yield (
        "timeline",
        _source(
            {
                "type": "timeline",
                "checkpoints": [
                    {"id": f"c{number}", "title": f"Launch {number}", "date": 1_790_000_000_000 + number}
                    for number in range(30)
                ],
            }
        ),
    )
    yield "entity_ref", _source({"type": "entity_ref", "entity": "task"})


def _source(block: dict[str, object]) -> str:
    return json.dumps([block], ensure_ascii=False)


def _measure(message: str, written: str) -> Iterator[Measurement]:
    in_tokens = [written[start : start + TOKEN] for start in range(0, len(written), TOKEN)]
    floor = _seconds(partial(json.loads, written)) if written.startswith("[") else math.nan
    for fed, tokens in ((f"{TOKEN} at a time", in_tokens), ("whole", [written])):
        seconds = _seconds(partial(_show, tokens))
        yield Measurement(
            message=message,
            characters=len(written),
            fed=fed,
            milliseconds=seconds * 1000,
            per_second=len(written) / seconds,
            floor_per_second=len(written) / floor,
        )


def _show(tokens: Sequence[str]) -> None:
    formatter = Formatter(_refuse, rows=_rows)
    parts = sum(len(formatter.feed(token)) for token in tokens) + len(formatter.end_message())
    assert parts, "the message shows something"


def _rows(entity: Entity) -> list[Row]:
    return _ROWS if entity is Entity.TASK else []


def _refuse(reason: str) -> None:
    raise AssertionError(reason)


def _seconds(work: Callable[[], object]) -> float:
    """The best of as many runs as fit into the shortest time worth measuring, and of three at least (CPU time)."""
    runs: list[float] = []
    while len(runs) < 3 or sum(runs) < _MIN_RUN_S:
        started = time.process_time()
        work()
        runs.append(time.process_time() - started)
    return min(runs)


def _print(measurements: Sequence[Measurement]) -> None:
    print(f"{'message':<13} {'chars':>9} {'fed':<12} {'ms':>9} {'Mchar/s':>9} {'json.loads':>11}")
    for each in measurements:
        speeds = f"{each.per_second / 1e6:>9.2f} {each.floor_per_second / 1e6:>11.1f}"
        print(f"{each.message:<13} {each.characters:>9} {each.fed:<12} {each.milliseconds:>9.3f} {speeds}")


if __name__ == "__main__":
    _print(run())
