"""How an answer is written: as the blocks of a home answer, one JSON object a line, or as plain text."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import assert_never

from agents.adapters.base import AnswerFormat
from agents.offline.answers import Answer, Cards, Chart, Shown, Table, Timeline
from agents.offline.desk import Desk

MOST_CARDS = 50
"""As many rows as the server fills into one answer (protocol.md, blocks of a home answer)."""

_COLOR = "#4f7cff"
_PIECES = re.compile(r"\S+\s*|\s+")


def write(desk: Desk, answer: Answer, answer_format: AnswerFormat) -> str:
    """The whole text of ``answer``."""
    if answer_format is AnswerFormat.TEXT:
        shown = (_plain(desk, part) for part in (answer.shown, *answer.more))
        return _sendable("\n".join(part for part in (answer.text, *shown) if part))
    shown_blocks = (block for part in (answer.shown, *answer.more) for block in _blocks(desk, part))
    blocks = [{"type": "text", "content": answer.text}, *shown_blocks]
    return _sendable("\n".join(json.dumps(block, ensure_ascii=False) for block in blocks))


def pieces(text: str) -> Iterator[str]:
    """``text`` a word at a time."""
    return iter(_PIECES.findall(text))


def _blocks(desk: Desk, shown: Shown | None) -> Iterator[Mapping[str, object]]:
    match shown:
        case None:
            return
        case Cards(entity=entity, rows=rows, whole=whole):
            if whole:
                yield {"type": "entity_ref", "entity": entity}
            else:
                yield from ({"type": "entity_ref", "entity": entity, "id": row.id} for row in rows[:MOST_CARDS])
        case Chart():
            yield {
                "type": "chart",
                "chartType": shown.chart_type,
                "title": shown.title,
                "data": [{"name": name, "value": value} for name, value in shown.counts],
                "config": {"value": {"label": shown.label, "color": _COLOR}},
            }
        case Table(headers=headers, rows=cells):
            yield {"type": "table", "headers": headers, "rows": cells}
        case Timeline(rows=rows):
            yield {"type": "timeline", "checkpoints": list(_points(desk, shown))}
        case _:
            assert_never(shown)


def _points(desk: Desk, timeline: Timeline) -> Iterator[Mapping[str, object]]:
    for row in timeline.rows:
        if row.moment:
            milliseconds = round(desk.instant(row.moment).timestamp() * 1000)
            yield {"id": row.id, "title": row.title, "date": milliseconds}


def _plain(desk: Desk, shown: Shown | None) -> str:
    match shown:
        case None | Chart():
            # The counts of a chart are in the text already.
            return ""
        case Cards(rows=rows, named=named):
            return "" if named else desk.lines(rows)
        case Timeline(rows=rows):
            return desk.lines(rows)
        case Table(headers=headers, rows=cells):
            return "\n".join(" | ".join(row) for row in (headers, *cells))
        case _:
            assert_never(shown)


def _sendable(text: str) -> str:
    """``text`` without half characters, which a message may hold and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode()
