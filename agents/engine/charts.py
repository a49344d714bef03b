"""The chart of tasks that the user asked for, drawn from the rows in place of a model that draws none. Pure."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from accounts.translations import gettext_noop, translations
from agents.calls import Row
from agents.engine.intents import asks_for_all, names_days, names_states
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
_GROUPED_BY: Final = {
    "status": (re.compile(r"\b(?:by|per) (?:status|state|stato)\b", re.IGNORECASE), gettext_noop("Tasks by status")),
    "priority": (re.compile(r"\b(?:by|per) priorit(?:y|à)(?!\w)", re.IGNORECASE), gettext_noop("Tasks by priority")),
}
_MAY_BE_CHART: Final = re.compile(r"```|[\"'](?:type|chart)")


def may_be_chart(answer: str) -> bool:
    """Whether ``answer`` contains a block, or something like one, that may be a chart."""
    return _MAY_BE_CHART.search(answer) is not None


def chart_of(tasks: Sequence[Row], message: str, *, language: str) -> str:
    """The chart of ``tasks`` as a block; empty if the user's ``message`` asks for another one, or for none.

    The server groups all tasks by one column. It does not know which tasks other charts would leave out.
    """
    asked = " ".join(word for word in words_of(message).split() if word not in _CHART_WORDS)
    is_wanted = _CHART_WANTED.search(message) is not None and asks_for_all(asked)
    if not is_wanted or names_days(asked) or names_states(asked):
        return ""
    translated = translations(language).gettext
    for field, (grouped, title) in _GROUPED_BY.items():
        counts = Counter(text(row, field).replace("_", " ") for row in tasks if text(row, field))
        if counts and grouped.search(message):
            labels = {name: translated("to do" if name == "todo" else name) for name in counts}
            chart = {
                "chartType": "pie" if _PIE.search(message) else "bar",
                "title": translated(title),
                "data": [{"name": labels[name], "value": count} for name, count in counts.items()],
            }
            return f"```chart\n{json.dumps(chart, ensure_ascii=False)}\n```"
    return ""
