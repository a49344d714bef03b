"""The chart of tasks that the user asked for, drawn from the rows in place of a model that draws none. Pure."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import json5

from accounts.translations import gettext_noop, translations
from agents.calls import Row
from agents.titles import words_of
from agents.tools.rows import text

_CHART_WANTED: Final = re.compile(
    r"(?<!without )(?<!without a )(?<!no )(?<!not a )(?<!not as a )(?<!senza )(?<!senza un )(?<!non un )"
    r"\b(?:(?:pie|bar) )?(?:chart|graph|diagram|grafico|diagramma)\b",
    re.IGNORECASE,
)
_CHART_WORDS: Final = frozenset(
    {
        *("pie", "bar", "donut", "chart", "graph", "diagram", "by", "status", "state", "priority"),
        *("grafico", "diagramma", "torta", "barre", "a", "stato", "priorita", "delle", "dei"),
    }
)
_PIE: Final = re.compile(r"\b(?:pie|donut|torta)\b", re.IGNORECASE)
_PROJECT: Final = "projectId"
_GROUPED_BY: Final = {
    _PROJECT: (re.compile(r"\b(?:by|per) (?:project|progetto)\b", re.IGNORECASE), gettext_noop("Tasks by project")),
    "status": (re.compile(r"\b(?:by|per) (?:status|state|stato)\b", re.IGNORECASE), gettext_noop("Tasks by status")),
    "priority": (re.compile(r"\b(?:by|per) priorit(?:y|à)(?!\w)", re.IGNORECASE), gettext_noop("Tasks by priority")),
}
_NAMED_PROJECT: Final = re.compile(r'project (?P<name>"(?:[^"\\\n]|\\.)+") \[id (?P<id>[^\]\s]+)\]')
"""The project of a task, in the line that a model reads."""
_FENCED: Final = re.compile(r"```(?:chart|json)?\s*\n(?P<body>.*?)(?:```|\Z)", re.DOTALL)
_MAX_JSON5_CHARS: Final = 4_096
"""A longer block is not read as JSON5, which takes microseconds per character, and may be a chart."""
_MAY_BE_CHART: Final = re.compile(r"```|[\"'](?:type|chart)")


def may_be_chart(answer: str) -> bool:
    """Whether ``answer`` contains a block, or something like one, that may be a chart. One that is no JSON is none."""
    readable = _FENCED.sub(lambda block: block[0] if _is_json(block["body"]) else "", answer)
    return _MAY_BE_CHART.search(readable) is not None


def _is_json(body: str) -> bool:
    with suppress(ValueError, RecursionError):
        json.loads(body)
        return True
    with suppress(ValueError, RecursionError):
        return len(body) > _MAX_JSON5_CHARS or json5.loads(body) is not None
    return False


def wants_chart(message: str) -> bool:
    """Whether the user's ``message`` asks for a chart."""
    return _CHART_WANTED.search(message) is not None


def without_chart(message: str) -> str:
    """The words of ``message`` that say which rows the chart is about."""
    return " ".join(word for word in words_of(message).split() if word not in _CHART_WORDS)


def chart_of(tasks: Sequence[Row], read: str, message: str, *, language: str) -> str:
    """The chart of ``tasks`` that the user's ``message`` asks for, as a block; empty if it is not by one column.

    ``read`` are the lines of the tasks, which name their projects. Tasks without a value are left out.
    """
    translated = translations(language).gettext
    field = next((field for field, (grouped, _) in _GROUPED_BY.items() if grouped.search(message)), "")
    names = {found["id"]: json.loads(found["name"]) for found in _NAMED_PROJECT.finditer(read)}
    labels = {"todo": translated("to do"), **names}
    values = [value for row in tasks if (value := text(row, field))]
    counts = Counter(labels.get(value) or translated(value.replace("_", " ")) for value in values)
    if not counts or (field == _PROJECT and not names.keys() >= set(values)):
        return ""
    chart = {
        "chartType": "pie" if _PIE.search(message) else "bar",
        "title": translated(_GROUPED_BY[field][1]),
        "data": [{"name": name, "value": count} for name, count in counts.items()],
    }
    return f"```chart\n{json.dumps(chart, ensure_ascii=False)}\n```"
