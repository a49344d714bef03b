"""How rows are told to a model: short, human, and readable back without guessing.

One row is one item: the title as a JSON string (quotes and line breaks escaped), the facts in brackets, the id last:
``"Buy milk" (todo, high priority, due 2026-11-21) [id 3f2c…]``. ``read_items`` is the exact inverse of ``item`` for
whoever has only the text (the offline adapter).
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

MAX_LISTING_BYTES = 60_000
"""How much of a listing reaches the model; some of a call's 64 KiB is left for the words around it."""

_ITEM = re.compile(r'("(?:[^"\\]|\\.)*")(?: \(([^()\n]*)\))? \[id ([^\]\s]+)\]')


@dataclass(frozen=True, kw_only=True, slots=True)
class Item:
    """One row as told: its title, its facts in order, its id."""

    title: str
    facts: tuple[str, ...]
    id: str


def item(title: str, facts: Iterable[str], row_id: str) -> str:
    """The one-line form of a row."""
    said = ", ".join(fact.translate(_PLAIN) for fact in facts if fact)
    brackets = f" ({said})" if said else ""
    return f"{json.dumps(title, ensure_ascii=False)}{brackets} [id {row_id}]"


def listing(items: Sequence[str], *, one: str, many: str, omitted: int = 0, max_bytes: int = MAX_LISTING_BYTES) -> str:
    """``Found 2 tasks:`` and an item a line, or a sentence that there are none.

    ``omitted`` counts rows that exist beyond ``items``; together with the items over ``max_bytes`` they are
    said in a last line.
    """
    if not items:
        return f"Found no {many}."
    total = len(items) + omitted
    count = f"Found 1 {one}:" if total == 1 else f"Found {total} {many}:"
    shown = list(_within(items, max_bytes))
    left = total - len(shown)
    rest = [f"{left} more are not shown: narrow the search."] if left else []
    return "\n".join([count, *(f"- {line}" for line in shown), *rest])


def _within(items: Sequence[str], budget: int) -> Iterator[str]:
    for line in items:
        budget -= len(line.encode("utf-8", "replace"))
        if budget < 0:
            return
        yield line


def read_items(text: str) -> list[Item]:
    """Every item told in ``text``, in order."""
    return [
        Item(
            title=json.loads(title),
            facts=tuple(facts.split(", ")) if facts else (),
            id=row_id,
        )
        for title, facts, row_id in _ITEM.findall(text)
    ]


# A fact may hold a person's name or a free text: what would end the brackets or the fact is replaced.
_PLAIN = str.maketrans({"(": "[", ")": "]", ",": ";", "\n": " "})
