"""What was sent to models, for a person: request by request, with the rows as this device calls them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from itertools import groupby
from typing import Final

from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from device.disclosures import Disclosed
from device.wording import one_line, said_date

_NAMED: Final = 3
"""How many rows of a disclosure are called by their names."""
_MAX_NAME_CHARS: Final = 30


@dataclass(frozen=True, kw_only=True, slots=True)
class DisclosedRows:
    """The disclosures below each other, those of a request together; a rich renderable. ``names`` are rows' by id."""

    disclosures: Sequence[Disclosed]
    names: Mapping[str, str]
    zone: tzinfo

    def __rich_console__(self, _console: Console, _options: ConsoleOptions) -> RenderResult:
        if not self.disclosures:
            yield Text("No row of yours was sent to a model yet.", style="dim")
        for _, together in groupby(self.disclosures, key=lambda each: (each.request_id, each.source, each.model)):
            yield from self._request(list(together))

    def _request(self, disclosures: Sequence[Disclosed]) -> Iterator[Text | Padding]:
        first = disclosures[0]
        where = "" if first.left_server else ", which is part of the server: nothing went further"
        source = one_line(first.source).replace("_", " ")
        yield Text(f"{said_date(first.at, self.zone)}  {source} → {one_line(first.model)}{where}", style="bold")
        drawn = Table.grid(padding=(0, 2))
        drawn.add_column(justify="right")
        drawn.add_column()
        drawn.add_column(overflow="fold")
        for each in disclosures:
            drawn.add_row(str(each.count), one_line(each.table), Text(self._called(each), style="dim"))
        yield Padding(drawn, (0, 0, 0, 2))

    def _called(self, disclosed: Disclosed) -> str:
        known = [self.names[row_id] for row_id in disclosed.row_ids if self.names.get(row_id)]
        shown = [one_line(name)[:_MAX_NAME_CHARS] for name in known[:_NAMED]]
        return ", ".join([*shown, *(["…"] if disclosed.count > len(shown) and shown else [])])
