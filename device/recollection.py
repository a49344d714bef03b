"""What is remembered, for a person."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import tzinfo
from typing import Final

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from device.memories import Memories, Memory, Tier
from device.wording import one_line, said_date

_WIDEST_NAME: Final = 32
_UNREADABLE: Final = "(the server cannot read it)"
_PAST: Final = "(replaced since)"


@dataclass(frozen=True, kw_only=True, slots=True)
class Recollection:
    """The tiers one below the other, those that hold something; a rich renderable."""

    memories: Memories
    zone: tzinfo

    def __rich_console__(self, _console: Console, _options: ConsoleOptions) -> RenderResult:
        yield Text(_state(enabled=self.memories.enabled), style="dim")
        for title, tier in self._tiers():
            yield Text(title, style="bold")
            yield self._drawn(tier)
            if tier.more:
                yield Text("  … and more", style="dim")

    def _tiers(self) -> Iterator[tuple[str, Tier]]:
        found = self.memories
        named = {
            "Preferences": found.preferences,
            "Facts": found.facts,
            "Conversations": found.episodes,
            "Habits": found.habits,
        }
        yield from ((title, tier) for title, tier in named.items() if tier.memories)
        if not any(tier.memories for tier in named.values()):
            yield "Nothing is remembered yet.", Tier(memories=())

    def _drawn(self, tier: Tier) -> RenderableType:
        drawn = Table.grid(padding=(0, 2))
        drawn.add_column(overflow="fold", max_width=_WIDEST_NAME)
        drawn.add_column(overflow="fold")
        for memory in tier.memories:
            drawn.add_row(Text(self._head(memory), style="cyan" if memory.name else "dim"), _text(memory))
        return Padding(drawn, (0, 0, 0, 2))

    def _head(self, memory: Memory) -> str:
        if memory.name:
            return one_line(memory.name)
        if memory.confidence is not None:
            return f"{memory.confidence:.0%}"
        return said_date(memory.at, self.zone)


def _state(*, enabled: bool) -> str:
    if enabled:
        return "Memory is on. /memory forget KEY forgets a preference, /memory off turns it off."
    return "Memory is off: nothing is remembered, and this is not used. /memory on turns it on."


def _text(memory: Memory) -> Text:
    if memory.text is None:
        return Text(_UNREADABLE, style="red")
    return Text(f"{one_line(memory.text)} {_PAST}", style="dim") if memory.is_past else Text(one_line(memory.text))
