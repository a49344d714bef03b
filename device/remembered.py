"""What the server remembered for the last answer, and why: shown with numbers, forgotten and corrected by them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import tzinfo
from typing import Final

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from device.addresses import ServerAddress
from device.errors import UsageError
from device.frames import RememberedItem
from device.memories import correct_item, forget_item
from device.screen import Screen
from device.wording import one_line, said_date

_WHY: Final = {
    "always": "told with every answer",
    "words": "because of the words",
    "neighbours": "because of what was said before or after it",
    "conversation": "because of the conversation it is from",
    "meaning": "because of the meaning",
    "date": "because of the date",
    "preference": "because it says how you like things",
    "latest": "because it is among the latest",
}
"""The server may name others later; those are left out."""
_DATED: Final = re.compile(r"\d{4}-\d\d-\d\d: ")
"""How the text of an exchange begins; its date is shown apart."""
_FORGET: Final = "Write /forget N, with N the number of one that /why shows."
_CORRECT: Final = "Write /correct N TEXT, with N the number of one that /why shows."


@dataclass(frozen=True, kw_only=True, slots=True)
class RememberedItems:
    """The items below each other; None for one that was forgotten. A rich renderable."""

    items: Sequence[RememberedItem | None]
    zone: tzinfo

    def __rich_console__(self, _console: Console, _options: ConsoleOptions) -> RenderResult:
        if not self.items:
            yield Text("Nothing was remembered for the last answer.", style="dim")
            return
        drawn = Table.grid(padding=(0, 2))
        drawn.add_column(justify="right", style="cyan")
        drawn.add_column(overflow="fold")
        for number, item in enumerate(self.items, start=1):
            drawn.add_row(str(number), Text("(forgotten)", style="dim") if item is None else self._described(item))
        yield drawn
        yield Text("/forget N forgets one of them, /correct N TEXT corrects it.", style="dim")

    def _described(self, item: RememberedItem) -> Text:
        said = [f"said on {date}"] if (date := said_date(item.said_at, self.zone)) else []
        about = ", ".join([*said, *(_WHY[why] for why in item.why if why in _WHY)])
        text = one_line(_DATED.sub("", item.text, count=1) if item.kind == "exchange" else item.text)
        return Text.assemble(text, "\n", (about, "dim")) if about else Text(text)


@dataclass(eq=False)
class LastRemembered:
    """What was remembered for the last answer; ``items`` keep their numbers when one is forgotten."""

    items: list[RememberedItem | None] = field(default_factory=list)

    def show(self, screen: Screen) -> None:
        screen.draw(RememberedItems(items=self.items, zone=screen.zone))

    async def forget(self, words: str, server: ServerAddress, token: str, screen: Screen) -> None:
        """Forget the item with this number. Raises ``UsageError``, and as ``device.memories.forget_item``."""
        _, item = self._numbered(words, usage=_FORGET)
        await forget_item(server, token, item)
        self.items = [None if each is None or _goes_with(each, item) else each for each in self.items]
        screen.say(f"Forgotten: {one_line(item.text)}")

    async def correct(self, words: str, server: ServerAddress, token: str, screen: Screen) -> None:
        """Correct the item with this number by the words after it. Raises as ``forget`` does."""
        number, _, text = words.partition(" ")
        if not text.strip():
            raise UsageError(_CORRECT)
        place, item = self._numbered(number, usage=_CORRECT)
        await correct_item(server, token, item, text.strip())
        self.items[place] = replace(item, text=text.strip())
        screen.say(f"Corrected: {one_line(text)}")

    def _numbered(self, number: str, *, usage: str) -> tuple[int, RememberedItem]:
        place = int(number) - 1 if number.isascii() and number.isdigit() else -1
        item = self.items[place] if 0 <= place < len(self.items) else None
        if item is None:
            raise UsageError(usage)
        return place, item


def _goes_with(item: RememberedItem, gone: RememberedItem) -> bool:
    """Whether ``item`` is forgotten with ``gone``: what was found of an exchange, and the exchange of a fact."""
    match gone.kind:
        case "exchange" if item.said_in == gone.id:
            return True
        case "fact" if item.kind == "exchange" and item.id == gone.said_in:
            return True
    return (item.id, item.kind) == (gone.id, gone.kind)
