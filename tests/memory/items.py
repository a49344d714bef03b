"""What a recall brings, made by tests."""

from collections.abc import Sequence
from uuid import UUID

from memory.recalled import ItemKind, Recalled, RecalledItem


def recalled(
    *,
    core: Sequence[tuple[str, str]] = (),
    facts: Sequence[str] = (),
    episodes: Sequence[str] = (),
    habits: Sequence[str] = (),
) -> Recalled:
    """Items with these texts, whose ids count from 0."""
    given = [
        *((ItemKind.PREFERENCE, key, value) for key, value in core),
        *((ItemKind.FACT, "", text) for text in facts),
        *((ItemKind.EXCHANGE, "", text) for text in episodes),
        *((ItemKind.HABIT, "", text) for text in habits),
    ]
    return Recalled(
        items=[
            RecalledItem(id=UUID(int=number), kind=kind, key=key, text=text)
            for number, (kind, key, text) in enumerate(given)
        ]
    )
