"""``/history``, ``/undo`` and ``/redo``: what was changed on this device, and taking it back, at the prompt."""

from collections.abc import Iterator
from datetime import date, datetime
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from device.changes import change_of
from device.entries import Entry, RowChange
from device.errors import UsageError
from device.frames import Preview
from device.journal import Journal
from device.overview import row_names
from device.screen import Screen
from device.tables import NOUNS, Row, TableName, title_of
from device.undo_plans import Conflict
from device.undoing import Undone, Which, day_in, effect_of, of_day, of_latest_request, undo
from device.wording import one_line

_MAX_TITLE_CHARS: Final = 60


class ChangeHistory:
    """The commands about ``journal``. What they say is on ``screen``."""

    def __init__(self, journal: Journal, screen: Screen) -> None:
        self._journal = journal
        self._screen = screen
        self._undone: str | None = None

    def take(self, command: str, words: str) -> bool:
        """Carry a command out. Whether everything was undone that was to be. Raises ``UsageError``."""
        match command, words.split():
            case "/history", []:
                self._show(self._today())
            case "/history", [day]:
                self._show(_day(day))
            case "/redo", rest if rest in ([], ["rest"]):
                return self._redo(partial=bool(rest))
            case "/undo", ["day", *rest] if rest in ([], ["rest"]):
                return self._undo(of_day(self._today(), self._screen.zone), partial=bool(rest))
            case "/undo", ["by", *name, "rest"] if name:
                return self._undo_by(" ".join(name), partial=True)
            case "/undo", ["by", *name] if name:
                return self._undo_by(" ".join(name), partial=False)
            case "/undo", rest if rest in ([], ["rest"]):
                return self._undo(of_latest_request(), partial=bool(rest))
            case _:
                raise UsageError(
                    "Write /undo, /undo day, /undo by NAME or /redo, with “rest” or without; or /history [DAY]."
                )
        return True

    def _undo_by(self, name: str, *, partial: bool) -> bool:
        return self._undo(of_day(self._today(), self._screen.zone, by=name), partial=partial)

    def _today(self) -> date:
        return datetime.fromtimestamp(self._journal.store.clock() / 1000, self._screen.zone).date()

    def _undo(self, which: Which, *, partial: bool) -> bool:
        undone = undo(self._journal, which, partial=partial)
        if undone.id is not None:
            self._undone = undone.id
        return self._told(undone, "There is nothing to undo.")

    def _redo(self, *, partial: bool) -> bool:
        if self._undone is None:
            self._screen.say("Nothing was undone here.")
            return True
        undone = undo(self._journal, Which(where="id = ?", parameters=(self._undone,)), partial=partial)
        # What was in the way may be gone the next time.
        if undone.rows or not undone.conflicts:
            self._undone = None
        return self._told(undone, "There is nothing to do again.")

    def _told(self, undone: Undone, nothing: str) -> bool:
        for row in undone.rows:
            self._screen.say(f"{effect_of(row).capitalize()} the {_named(row.table, row.before or row.after)}.")
            if row.before is not None and row.after is not None:
                self._screen.draw(self._difference(row.before, row.after))
        for conflict in undone.conflicts:
            self._screen.draw(self._conflict(conflict))
        if undone.conflicts:
            others = "" if undone.rows else " Nothing was undone: with “rest” behind the command, all else is."
            self._screen.complain(f"Left as they are, because of what was changed since.{others}")
        elif not undone.rows:
            self._screen.say(nothing)
        return not undone.conflicts

    def _conflict(self, conflict: Conflict) -> RenderableType:
        name = Text(f"The {_named(conflict.table, conflict.now or conflict.would_be)}, as it is and as it would be:")
        return Group(name, self._difference(conflict.now, conflict.would_be))

    def _difference(self, before: Row | None, after: Row | None) -> RenderableType:
        names = row_names(self._journal.store)
        return change_of(Preview(before=before, after=after), names, zone=self._screen.zone)

    def _show(self, day: date) -> None:
        entries = self._journal.entries("at >= ? AND at < ?", day_in(day, self._screen.zone))
        lines = [self._line(entry) for entry in entries if entry.changes or entry.undoes]
        if not lines:
            self._screen.say("Nothing was changed that day.")
        for line in lines:
            self._screen.draw(line)

    def _line(self, entry: Entry) -> Text:
        at = datetime.fromtimestamp(entry.at / 1000, self._screen.zone)
        said = "; ".join(_said(entry))
        line = Text(f"{at:%H:%M}  {one_line(entry.by)}: {said}")
        if entry.undone_by is not None:
            line.append("  undone", style="dim")
        return line


def _said(entry: Entry) -> Iterator[str]:
    if entry.undoes:
        yield "an undo"
    for change in entry.changes or ():
        yield f"{_verb(change)} the {_named(change.table, change.after or change.before)}"


def _verb(change: RowChange) -> str:
    if change.before is None:
        return "added"
    return "deleted" if change.after is None else "changed"


def _named(table: TableName, row: Row | None) -> str:
    name = one_line(title_of(row or {}))
    return f"{NOUNS[table]} “{name if len(name) <= _MAX_TITLE_CHARS else f'{name[:_MAX_TITLE_CHARS]}…'}”"


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{one_line(text)} is no day: write one as 2026-11-24.") from None
