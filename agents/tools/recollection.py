"""Tools for what is remembered of the user: on the server, encrypted, across all conversations."""

import json
import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from agents.errors import ModelRetry, ToolFailed
from agents.tools.dates import to_iso, to_ms
from agents.tools.memory import Episode, Fact, Preference, Recollection
from agents.tools.spec.route import Route
from agents.tools.spec.tool import Agent, Risk, ToolSpec
from agents.tools.wording import item, listing

MAX_FACTS = 10
MAX_EPISODES = 50
_WORD = re.compile(r"\w+")
_NO_MEMORY = "This server remembers nothing."


class _MemoryTool(ToolSpec, abstract=True):
    agent = Agent.ALL

    memory: Recollection | None = Route.context(init=False)

    @property
    def recollection(self) -> Recollection:
        """The user's memory. Raises ``ToolFailed`` where there is none."""
        if self.memory is None:
            raise ToolFailed(_NO_MEMORY)
        return self.memory


class Remember(_MemoryTool):
    """Remember a lasting fact or preference of the user for all later conversations, when the user asks for it or
    tells one. The same key replaces what stood under it.
    """

    risk = Risk.WRITE
    label = "Remembering"

    key: str = Route.prompt("What it is about, in a few words, such as: favourite tea.")
    value: str = Route.prompt("What is to be remembered, in a sentence or less.")

    async def execute(self) -> str:
        await self.recollection.remember(self.key, self.value)
        return f"Remembered {preference_line(self.key, self.value)}."


class Recall(_MemoryTool):
    """Look up what is remembered of the user: what was kept under a key, and facts that are near in meaning."""

    risk = Risk.READ
    label = "Recalling"

    query: str = Route.prompt("What to look for; an empty text for everything that was kept under a key.")

    async def execute(self) -> str:
        memory, query = self.recollection, self.query.strip()
        kept = [entry for entry in await memory.preferences() if not query or _shares_a_word(entry, query)]
        facts = await memory.facts(query, limit=MAX_FACTS) if query else ()
        lines = [preference_line(entry.key, entry.value) for entry in kept]
        told = [listing(lines, one="preference", many="preferences")]
        if facts:
            told.append(listing(list(map(_fact_line, facts)), one="fact", many="facts"))
        return "\n".join(told)


class Forget(_MemoryTool):
    """Forget what is remembered under a key, or one fact, when the user asks for it."""

    risk = Risk.WRITE
    label = "Forgetting"

    key: str = Route.prompt("The key, or the id of a fact that recall has found.")

    async def execute(self) -> str:
        memory = self.recollection
        if await memory.forget(self.key):
            return f"Forgot {json.dumps(self.key, ensure_ascii=False)}."
        keys = ", ".join(json.dumps(entry.key, ensure_ascii=False) for entry in await memory.preferences())
        raise ModelRetry(f"Nothing is remembered under {self.key!r}. The keys are: {keys or 'none'}.")


class SearchHistory(_MemoryTool):
    """Search summaries of the user's earlier conversations, newest first."""

    risk = Risk.READ
    label = "Searching earlier conversations"

    query: str = Route.prompt("Words to look for; an empty text for all of them.")
    since: str | None = Route.prompt("Only from this date on.", default=None)
    timezone: ZoneInfo = Route.context(init=False)

    async def execute(self) -> str:
        since = None if self.since is None else _moment(self.since, self.timezone)
        found = await self.recollection.episodes(self.query.strip(), since=since, limit=MAX_EPISODES)
        lines = [_episode_line(episode, self.timezone) for episode in found]
        return listing(lines, one="earlier conversation", many="earlier conversations")


def preference_line(key: str, value: str) -> str:
    """``"favourite tea": "Assam"``: two JSON strings, so that neither can end where it does not."""
    return f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"


def _fact_line(fact: Fact) -> str:
    return item(fact.content, [f"similarity {fact.score:.2f}"], fact.id)


def _episode_line(episode: Episode, timezone: ZoneInfo) -> str:
    return item(episode.summary, [to_iso(round(episode.at.timestamp() * 1000), timezone)], episode.id)


def _moment(text: str, timezone: ZoneInfo) -> datetime:
    return datetime.fromtimestamp(to_ms(text, timezone) / 1000, UTC)


def _shares_a_word(entry: Preference, query: str) -> bool:
    wanted = _words(query)
    return not wanted or bool(wanted & _words(f"{entry.key} {entry.value}"))


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
