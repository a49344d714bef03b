"""Short ids of rows in a conversation between a run and its model.

Models read ``[id t1]`` instead of a UUID, which costs ten times as many tokens, and which small models copy wrongly.
``ShortIdAdapter`` writes them, and ``RowResolver`` (``references.py``) resolves them in the arguments of tools.
"""

import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Final

from agents.adapters.base import AssistantMessage, Message, ModelAdapter, ModelParams, ToolSchema
from agents.calls import Table
from agents.events import ModelEvent
from agents.tools.rows import ID_IN_TEXT

MAX_SHORT_IDS: Final = 2_000
"""How many short ids a conversation keeps. The oldest are dropped first, and never reused."""
_WORTH_SHORTENING: Final = 16
"""Shorter ids, which some clients use, stay as they are."""
_PREFIXES: Final[Mapping[Table, str]] = {
    Table.TASKS: "t",
    Table.PROJECTS: "p",
    Table.CHECKPOINTS: "c",
    Table.NOTES: "n",
    Table.TASK_COMMENTS: "tc",
    Table.CLIENTS: "cl",
}


class ShortIds:
    """The short ids of one conversation: ``t1`` is the first task that a model has read in it."""

    def __init__(self) -> None:
        self._rows: dict[str, tuple[Table, str]] = {}
        self._short: dict[tuple[Table, str], str] = {}
        self._given = dict.fromkeys(Table, 0)

    def short(self, table: Table, row_id: str) -> str:
        """The short id of the row, which stays the same. A new row gets a new one."""
        known = self._short.get((table, row_id))
        if known is not None:
            return known
        self._given[table] += 1
        short = f"{_PREFIXES[table]}{self._given[table]}"
        self._keep(short, table, row_id)
        if len(self._rows) > MAX_SHORT_IDS:
            oldest = next(iter(self._rows))
            del self._short[self._rows.pop(oldest)]
        return short

    def resolve(self, short: str) -> tuple[Table, str] | None:
        """The table and the id of the row that ``short`` stands for; None if it is no short id of this conversation."""
        return self._rows.get(short.casefold())

    def row_id(self, short: str) -> str | None:
        """The id of the row that ``short`` stands for, as ``resolve``."""
        found = self.resolve(short)
        return None if found is None else found[1]

    def dump(self) -> Mapping[str, str]:
        """The ids of the rows by their short ids, oldest first, for ``restore``."""
        return {short: row_id for short, (_, row_id) in self._rows.items()}

    def restore(self, dumped: Mapping[str, str]) -> None:
        """Continue with short ids that were dumped."""
        tables = {prefix: table for table, prefix in _PREFIXES.items()}
        for short, row_id in dumped.items():
            prefix = short.rstrip("0123456789")
            table = tables[prefix]
            self._keep(short, table, row_id)
            self._given[table] = max(self._given[table], int(short.removeprefix(prefix)))

    def _keep(self, short: str, table: Table, row_id: str) -> None:
        self._rows[short] = table, row_id
        self._short[table, row_id] = short


@dataclass(frozen=True, kw_only=True, slots=True)
class ShortIdAdapter:
    """A ``ModelAdapter`` whose model reads a short id in each ``[id …]`` of a row that it may be sent.

    ``tables`` returns the tables of these rows by their ids.
    """

    adapter: ModelAdapter
    short_ids: ShortIds
    tables: Callable[[], Mapping[str, Table]]

    @property
    def name(self) -> str:
        return self.adapter.name

    async def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
    ) -> AsyncGenerator[ModelEvent, None]:
        """As ``ModelAdapter.stream``."""
        known = self.tables()

        def shortened(found: re.Match[str]) -> str:
            table = known.get(found[1]) if len(found[1]) >= _WORTH_SHORTENING else None
            return found[0] if table is None else f"[id {self.short_ids.short(table, found[1])}]"

        sent = [
            # A model's own messages contain the ids as it has read them.
            message
            if isinstance(message, AssistantMessage)
            else replace(message, text=ID_IN_TEXT.sub(shortened, message.text))
            for message in messages
        ]
        async with aclosing(self.adapter.stream(sent, tools, params)) as events:
            async for event in events:
                yield event
