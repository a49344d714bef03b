"""Questions for rows: what narrows them down is taken out, and no unknown word may be left."""

import re
from dataclasses import replace

from agents.offline.commands import OPEN, Command, Filter, Grouping, ListRows, RowKind, Shape, Status, Talk
from agents.offline.reading import Reading

_KINDS = (RowKind.TASK, RowKind.PROJECT, RowKind.CHECKPOINT, RowKind.NOTE)
_LONGEST_ADJECTIVE = 3
_START = r"(?:^|(?<=[\s,;('])\b|(?=[\ue000-\ue01f]))"
_END = r"(?=$|[\s,;)?!'])"


def read_list(reading: Reading) -> Command | None:
    """Rows to show or count; None if a part of the text is not understood."""
    return _Listing(reading).read()


class _Listing:
    """The text of one question, shrinking as its parts are understood."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._words = reading.grammar.listing
        self._left = reading.text
        self._asks = bool(reading.pattern(rf"(?:{self._words.questions})\b.*").fullmatch(reading.text))
        self._where = Filter()
        self._dated = True

    def read(self) -> Command | None:
        shape, chart_type = self._shape()
        grouping = self._grouping()
        self._due()
        self._priority()
        self._everything()
        self._assignee()
        self._project()
        self._searched()
        entity = self._entity(shape)
        self._statuses(entity)
        if entity is None:
            entity = self._implied()
        elif not self._about():
            return None
        if entity is None or self._unknown(self._left):
            return None
        if not self._dated:
            return Talk.NO_SUCH_DATE
        if grouping and shape is Shape.CARDS:
            shape = Shape.CHART
        return _fitting(
            ListRows(entity=entity, where=self._where, shape=shape, chart_type=chart_type, grouping=grouping)
        )

    def _take(self, pattern: str, *, to_end: bool = False) -> re.Match[str] | None:
        """The first place where ``pattern`` matches; it leaves the text."""
        end = "$" if to_end else _END
        match = self._reading.pattern(f"{_START}(?:{pattern}){end}").search(self._left)
        if match:
            self._left = f"{self._left[: match.start()].rstrip()} {self._left[match.end() :].lstrip()}".strip()
        return match

    def _shape(self) -> tuple[Shape, str]:
        for pattern, shape in self._words.shapes:
            if match := self._take(pattern):
                return shape, self._chart(match.groupdict().get("chart"))
        return Shape.CARDS, "bar"

    def _chart(self, word: str | None) -> str:
        meant = (kind for pattern, kind in self._words.charts if self._reading.pattern(pattern).fullmatch(word or ""))
        return next(meant, "bar")

    def _grouping(self) -> Grouping | None:
        return next((grouping for pattern, grouping in self._words.groupings if self._take(pattern)), None)

    def _due(self) -> None:
        if self._take(self._words.undated):
            self._where = replace(self._where, undated=True)
        elif self._take(self._words.overdue):
            self._where = replace(self._where, overdue=True)
        elif match := self._take(f"(?:(?:{self._words.due_mark}) )?{{when}}"):
            due = self._reading.when(match["when"])
            self._where = replace(self._where, due=due)
            self._dated = due is not None

    def _priority(self) -> None:
        for pattern in self._words.priority:
            if match := self._take(pattern):
                self._where = replace(self._where, priority=self._reading.grammar.priority(match["priority"]))
                return

    def _everything(self) -> None:
        archived = bool(self._take(self._words.archived))
        everything = bool(self._take(self._words.everything))
        self._where = replace(self._where, archived=archived, everything=everything)

    def _assignee(self) -> None:
        if match := self._take(self._words.assignee, to_end=True):
            self._where = replace(self._where, assignee=self._reading.name(match["names"]))

    def _project(self) -> None:
        for pattern in self._reading.grammar.to_project:
            if match := self._take(pattern, to_end=True):
                self._where = replace(self._where, project=self._reading.name(match["project"]))
                return

    def _searched(self) -> None:
        if match := self._take(self._words.words, to_end=True):
            self._where = replace(self._where, words=self._reading.name(match["words"]))

    def _entity(self, shape: Shape) -> RowKind | None:
        found = [kind for kind in _KINDS if self._take(f"{{{kind}_noun}}")]
        if found:
            return found[0] if len(found) == 1 else None
        return RowKind.CHECKPOINT if shape is Shape.TIMELINE else None

    def _statuses(self, entity: RowKind | None) -> None:
        if entity is RowKind.PROJECT:
            self._take(self._words.active)
            return
        statuses: set[Status] = set()
        while match := self._take(f"(?:(?:{self._words.status_mark}) )?{{status}}"):
            statuses |= self._reading.grammar.status(match["status"]) or OPEN
        if statuses:
            self._where = replace(self._where, statuses=frozenset(statuses))

    def _implied(self) -> RowKind | None:
        """Without a noun, dates, states and priorities mean tasks."""
        where = self._where
        if where.due or not self._dated or where.overdue or (self._asks and (where.statuses or where.priority)):
            return RowKind.TASK
        return None

    def _about(self) -> bool:
        """Whether the rest of the text is understood: filler words only, or one name."""
        if not self._unknown(self._left):
            return True
        match = self._take(self._words.about, to_end=True)
        if name := match["about"] if match else self._adjective():
            self._where = replace(self._where, about=self._reading.name(name))
        return bool(name)

    def _adjective(self) -> str:
        """The unknown words right before the noun: ``my milk tasks``. They are taken as a name."""
        words = self._unknown(self._left)
        phrase = " ".join(words)
        _, found, behind = self._reading.text.partition(phrase)
        if not found or len(words) > _LONGEST_ADJECTIVE or not self._starts_with_noun(behind):
            return ""
        self._left = " ".join(word for word in self._left.split() if word not in words)
        return phrase

    def _starts_with_noun(self, text: str) -> bool:
        return bool(self._reading.pattern(r" {any_noun}\b.*").fullmatch(text))

    def _unknown(self, text: str) -> list[str]:
        words = re.split(r"[\s,;]+", text)
        return [
            word for word in words if word and word.casefold().strip("'’") not in self._reading.grammar.filler_words
        ]


def _fitting(command: ListRows) -> ListRows | None:
    """The command; None if it filters by something that its kind of row does not have."""
    where = command.where
    of_tasks = where.priority or where.assignee or where.statuses or where.overdue or where.undated
    if command.entity is not RowKind.TASK and (of_tasks or command.grouping):
        return None
    if command.entity is RowKind.PROJECT and (where.due or where.project):
        return None
    if command.grouping is None and command.shape is Shape.CHART:
        return replace(command, grouping=Grouping.STATUS) if command.entity is RowKind.TASK else None
    return command
