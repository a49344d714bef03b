"""``find_tools``: the tools that an agent seldom needs are in its requests only after it has looked for them."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from agents.adapters.base import ToolSchema
from agents.errors import ToolFailed
from agents.tools.routes import Route
from agents.tools.rows import ToolResult
from agents.tools.spec import Agent, Risk, ToolSpec

_WORD: Final = re.compile(r"[a-z]{3,}")
_STEM: Final = 4
"""Words count as the same if so many of their first letters are: comment and comments."""
_MAX_FOUND: Final = 5
_IN_NAME: Final = 2
"""How many words in the description a word in the name is worth."""


class FindTools(ToolSpec, known_as="find_tools"):
    """More tools: undoing, comments, checkpoints, projects, summaries, plans, reviews, earlier conversations."""

    agent = Agent.ALL
    risk = Risk.READ
    label = "Looking for tools"

    query: str = Route.prompt("What is to be done, in English.")
    find_tools: Callable[[str], Sequence[ToolSchema]] | None = Route.context(init=False)

    @property
    def is_bounded(self) -> bool:
        return True

    async def execute(self) -> ToolResult:
        found = self.find_tools(self.query) if self.find_tools is not None else ()
        if not found:
            raise ToolFailed("You have all the tools that there are.")
        names = ", ".join(tool.name for tool in found)
        return ToolResult(text=f"From now on you also have: {names}. Call them now.")


def matching_tools(query: str, tools: Sequence[ToolSchema]) -> Sequence[ToolSchema]:
    """The ``tools`` whose names and descriptions have most of the words of ``query``; all of them if none has any."""
    words = _stems(query)

    def score(tool: ToolSchema) -> int:
        return _IN_NAME * len(words & _stems(tool.name)) + len(words & _stems(tool.description))

    best = sorted(tools, key=score, reverse=True)[:_MAX_FOUND]
    found = [tool for tool in best if 2 * score(tool) > score(best[0])]
    return found or tools


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in _WORD.findall(text.lower())}
