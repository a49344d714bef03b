"""Tools for what is remembered of the user: on the server, encrypted, across all conversations."""

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo

from agents.calls import Row, Rows
from agents.errors import ModelRetry, ToolFailed
from agents.tools.context import Episode, Recollection
from agents.tools.routes import Route
from agents.tools.rows import LineContext, ToolResult, item, listed, milliseconds, text, to_iso, to_ms
from agents.tools.spec import Agent, Risk, ToolSpec

FACTS: Final = "facts"
"""The key of the facts among the rows of a result."""
MAX_FACTS = 10
MAX_EPISODES = 50
MAX_RECALLED = 10
_WORD = re.compile(r"\w+")


class _MemoryTool(ToolSpec, abstract=True):
    agent = Agent.ALL
    group = "memory"

    timezone: ZoneInfo = Route.context(init=False)
    memory: Recollection | None = Route.context(init=False)

    @property
    def recollection(self) -> Recollection:
        """The user's memory. Raises ``ToolFailed`` if the server has none."""
        if self.memory is None:
            raise ToolFailed("This server remembers nothing.")
        return self.memory


class Remember(_MemoryTool):
    """Remember a lasting fact or preference of the user; the same key replaces it."""

    risk = Risk.WRITE
    overwrites = True
    label = "Remembering"
    outlives = ("key", "value")

    key: str = Route.prompt("In the user's words, such as: favourite tea.")
    value: str = Route.prompt("A sentence or less, in the user's words.")

    async def execute(self) -> ToolResult:
        await self.recollection.remember(self.key, self.value)
        return ToolResult(text=f"Remembered {preference_line(self.key, self.value)}.")


class Recall(_MemoryTool):
    """Look up what is remembered of the user."""

    risk = Risk.READ
    label = "Recalling"

    query: str = Route.prompt("Empty for everything under a key.")

    async def execute(self) -> ToolResult:
        memory, query = self.recollection, self.query.strip()
        wanted = _words(query)
        kept = [
            entry for entry in await memory.preferences() if not wanted or wanted & _words(f"{entry.key} {entry.value}")
        ]
        facts = await memory.facts(query, limit=MAX_FACTS) if query else ()
        said = await memory.episodes(query, since=None, limit=MAX_RECALLED) if query else ()
        context = LineContext(timezone=self.timezone)
        rows: tuple[Row, ...] = tuple({"key": entry.key, "value": entry.value} for entry in kept)
        near: tuple[Row, ...] = tuple({"id": fact.id, "content": fact.content, "score": fact.score} for fact in facts)
        found = [listed("preferences", Rows(rows=rows), _preference, context, one="preference")]
        if near:
            found.append(listed(FACTS, Rows(rows=near), _fact, context, one="fact"))
        if said:
            found.append(_episodes(said, context))
        return ToolResult(
            text="\n".join(each.text for each in found),
            rows={key: rows for each in found for key, rows in each.rows.items()},
        )


class Forget(_MemoryTool):
    """Forget what is remembered under a key, with all that says the same, or one fact."""

    risk = Risk.WRITE
    overwrites = True
    label = "Forgetting"
    outlives = ("key",)
    # A question names what it is about, too.
    asked_by = (
        *("forget", "delete", "remove", "erase", "clear", "drop"),
        *("dimentica", "scorda", "cancella", "elimina", "rimuovi", "togli"),
    )

    key: str = Route.prompt("The key, or a fact's id.")

    async def execute(self) -> ToolResult:
        memory = self.recollection
        if await memory.forget(self.key):
            return ToolResult(text=f"Forgot {json.dumps(self.key, ensure_ascii=False)}.")
        keys = ", ".join(json.dumps(entry.key, ensure_ascii=False) for entry in await memory.preferences())
        raise ModelRetry(f"Nothing is remembered under {self.key!r}. The keys are: {keys or 'none'}.")


class SearchHistory(_MemoryTool):
    """Search earlier conversations, newest first."""

    risk = Risk.READ
    label = "Searching earlier conversations"

    query: str = Route.prompt("Empty for all.")
    since: str | None = Route.prompt("A date.", default=None)

    async def execute(self) -> ToolResult:
        since = None
        if self.since is not None:
            since = datetime.fromtimestamp(to_ms(self.since, self.timezone) / 1000, UTC)
        found = await self.recollection.episodes(self.query.strip(), since=since, limit=MAX_EPISODES)
        return _episodes(found, LineContext(timezone=self.timezone))


def _episodes(found: Sequence[Episode], context: LineContext) -> ToolResult:
    rows: tuple[Row, ...] = tuple(
        {"id": episode.id, "summary": episode.summary, "at": round(episode.at.timestamp() * 1000)} for episode in found
    )
    return listed("episodes", Rows(rows=rows), _episode, context, one="earlier conversation")


def preference_line(key: str, value: str) -> str:
    """``"favourite tea": "Assam"``: two JSON strings, so that their ends are unambiguous."""
    return f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"


def _preference(row: Row, _context: LineContext) -> str:
    return preference_line(text(row, "key"), text(row, "value"))


def _fact(row: Row, _context: LineContext) -> str:
    return item(text(row, "content"), [f"similarity {row['score']:.2f}"], text(row, "id"))


def _episode(row: Row, context: LineContext) -> str:
    return item(text(row, "summary"), [to_iso(milliseconds(row, "at"), context.timezone)], text(row, "id"))


def _words(said: str) -> set[str]:
    return set(_WORD.findall(said.casefold()))
