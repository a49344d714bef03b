"""The report of a run as one HTML page: its figures, and every failed conversation to read."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from django.template import Context, Engine
from pydantic import JsonValue

from benchmarks.evaluation.conversation import Conversation, Exchange, ShownBlock
from benchmarks.evaluation.judge import Kind
from benchmarks.evaluation.results import Attempt, Run
from benchmarks.evaluation.summary import HEADINGS, Figures, cells
from benchmarks.evaluation.task import Task
from benchmarks.evaluation.world import RowChange, title_of

_TEMPLATE: Final = Path(__file__).with_name("report.html")


# The template gets texts alone: numbers would need Django's settings.


def report(run: Run, figures: Sequence[Figures], attempts: Mapping[Task, Sequence[Attempt]]) -> str:
    """The page."""
    failed = [
        {"task": task, "tried": str(len(tried)), "attempts": [_attempt(one) for one in tried if not one.passed]}
        for task, tried in attempts.items()
        if not all(one.passed for one in tried)
    ]
    unasked = [one for tried in attempts.values() for one in tried if one.has(Kind.UNASKED_CHANGE)]
    context = {
        "run": run,
        "headings": HEADINGS,
        "figures": [cells(each) for each in figures],
        "failed": failed,
        "counts": {
            "failed": str(len(failed)),
            "passed": str(len(attempts) - len(failed)),
            "unasked": str(len(unasked)),
        },
        "passed": [task for task, tried in attempts.items() if all(one.passed for one in tried)],
        "unasked": [
            {
                "task": one.task,
                "number": str(one.number),
                "words": [fault.words for fault in one.faults if fault.kind is Kind.UNASKED_CHANGE],
            }
            for one in unasked
        ],
    }
    return Engine().from_string(_TEMPLATE.read_text(encoding="utf-8")).render(Context(context))


def _attempt(attempt: Attempt) -> dict[str, object]:
    conversation: Conversation = attempt.conversation
    return {
        "number": str(attempt.number),
        "faults": attempt.faults,
        "exchanges": [_exchange(exchange) for exchange in conversation.exchanges],
        "changes": [_change(change) for change in conversation.changes],
    }


def _exchange(exchange: Exchange) -> dict[str, object]:
    return {
        "asked": exchange.asked,
        "agent": exchange.agent,
        "ended": exchange.ended,
        "seconds": f"{exchange.seconds:.1f}",
        "tools": exchange.tools,
        "questions": exchange.questions,
        "text": exchange.text,
        "blocks": [_block(block) for block in exchange.blocks],
        "seen": exchange.seen,
    }


def _block(block: ShownBlock) -> dict[str, str]:
    return {"type": block.type, "data": _as_json(block.data)}


def _change(change: RowChange) -> dict[str, str]:
    verb = "inserted" if change.before is None else "deleted" if change.after is None else "changed"
    columns = "" if change.after is None else _as_json(change.columns)
    title = title_of(change.before or change.after or {})
    return {"verb": verb, "table": change.table, "title": title, "columns": columns}


def _as_json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)
