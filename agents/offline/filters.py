"""Questions for rows. Their filters are extracted one after the other, and no unknown word must remain."""

import re
from dataclasses import fields, replace
from datetime import date

from agents.offline.commands import (
    OPEN,
    TITLED,
    Command,
    Filter,
    FindNotes,
    Grouping,
    ListRows,
    RowKind,
    Shape,
    Status,
    Talk,
)
from agents.offline.dates import When
from agents.offline.grammar import grammars
from agents.offline.reading import Reading

_MAX_ADJECTIVE_WORDS = 3
_LATEST_COUNT = 5
"""The number of rows in a list of “the latest” ones."""
_START = r"(?:^|(?<=[\s,;('])\b|(?=[\ue000-\ue01f]))"
_END = r"(?=$|[\s,;)?!'])"


def read_list(reading: Reading) -> Command | None:
    """A request to show or count rows; None if a part of the text is not understood."""
    return _Listing(reading, reading.text).read()


def read_more(before: ListRows, reading: Reading, new: str) -> Command | None:
    """The list ``before`` with the filters, the shape and the grouping in ``new``."""
    found = _Listing(reading, new, before.entity).read()
    if not isinstance(found, ListRows) or found == ListRows(entity=before.entity):
        return found if isinstance(found, Talk | FindNotes) else None
    changes = {
        each.name: value for each in fields(Filter) if (value := getattr(found.where, each.name)) != each.default
    }
    if found.where.due:
        changes["overdue"] = found.where.overdue
    if found.where.project or found.where.assignee:
        changes["about"] = None
    grouping = before.grouping if found.shape is Shape.CHART and before.grouping else found.grouping
    return replace(
        before,
        where=replace(before.where, **changes),
        shape=before.shape if found.shape is Shape.CARDS else found.shape,
        chart_type=found.chart_type,
        grouping=grouping,
        ordered=before.ordered or found.ordered,
        ranked=found.ranked if found.ordered else before.ranked,
    )


class _Listing:
    """The text of one question, which shrinks as its parts are understood. ``kind`` is that of its rows, if known."""

    def __init__(self, reading: Reading, text: str, kind: RowKind | None = None) -> None:
        self._reading = reading
        self._words = reading.grammar.listing
        self._left = text
        self._kind = kind
        self._where = Filter()
        self._dated = True

    def read(self) -> Command | None:
        shape, chart_type = self._shape()
        ranked = self._take(self._words.ranking) is not None
        grouping = next((grouping for pattern, grouping in self._words.groupings if self._take(pattern)), None)
        ordered = self._take(self._words.ordering) is not None or ranked
        self._take_due()
        self._take_facts()
        latest = self._latest()
        entity = self._kind or self._entity(shape)
        if self._kind:
            self._take(f"{{{self._kind}_noun}}")
        self._take_statuses(entity)
        self._take_ahead(entity)
        if entity is None:
            entity = self._implied()
        elif self._kind is None and self._unknown():
            self._take_name()
        if entity is None or self._unknown():
            return None
        if not self._dated:
            return Talk.NO_SUCH_DATE
        if grouping and shape is Shape.CARDS:
            shape = Shape.CHART
        return _fitting(
            ListRows(
                entity=entity,
                where=self._where,
                shape=shape,
                chart_type=chart_type,
                grouping=grouping,
                latest=latest,
                ordered=ordered,
                ranked=ranked,
            )
        )

    def _take(self, *patterns: str, to_end: bool = False) -> re.Match[str] | None:
        """The first match of the first of ``patterns`` that occurs. It is removed from the text."""
        end = "$" if to_end else _END
        for pattern in patterns:
            if match := self._reading.pattern(f"{_START}(?:{pattern}){end}").search(self._left):
                self._left = f"{self._left[: match.start()].rstrip()} {self._left[match.end() :].lstrip()}".strip()
                return match
        return None

    def _shape(self) -> tuple[Shape, str]:
        for pattern, shape in self._words.shapes:
            if match := self._take(pattern):
                word = match.groupdict().get("chart") or ""
                charts = (kind for name, kind in self._words.charts if self._reading.pattern(name).fullmatch(word))
                return shape, next(charts, "bar")
        return Shape.CARDS, "bar"

    def _take_due(self) -> None:
        self._take_made()
        if self._take(self._words.undated):
            self._where = replace(self._where, undated=True)
        elif self._take(self._words.overdue):
            self._where = replace(self._where, overdue=True)
        elif match := self._take(f"(?:(?:{self._words.bound_mark}) )?{{days}}"):
            due = self._reading.days(match["days"])
            self._where = replace(self._where, due=due)
            self._dated = due is not None
        elif match := self._take(f"(?:(?:{self._words.due_mark}) )?{{when}}"):
            due = self._reading.when(match["when"])
            self._where = replace(self._where, due=due)
            self._dated = due is not None

    def _take_ahead(self, entity: RowKind | None) -> None:
        """Words for coming checkpoints, which are those from today on."""
        if entity is RowKind.CHECKPOINT and self._where.due is None and self._take(self._words.ahead):
            today = self._reading.today
            self._where = replace(self._where, due=When(first=today, last=date.max, deadline=today))

    def _latest(self) -> int | None:
        match = self._take(self._words.latest)
        return int(match["most"] or (_LATEST_COUNT if match["one"] is None else 1)) if match else None

    def _take_made(self) -> None:
        if match := self._take(f"(?:{self._words.made_mark}) {{span}}"):
            since, until = self._reading.past(match["span"])
            self._dated = since is not None
            if since:
                last = until or self._reading.today
                self._where = replace(self._where, made=When(first=since, last=last, deadline=last))

    def _take_facts(self) -> None:
        reading, words = self._reading, self._words
        unassigned, unfiled = bool(self._take(words.unassigned)), bool(self._take(words.unfiled))
        filed = bool(self._take(words.filed))
        priority = self._take(*words.priority)
        everything = False
        while self._take(words.everything):
            everything = True
        archived = bool(self._take(words.archived))
        assignee = self._take_assignee()
        if state := self._take(words.state_at_end, to_end=True):
            # Otherwise it would be read as a part of the name before it.
            self._left = f"{state['status']} {self._left}"
        project = self._take(*reading.grammar.to_project, to_end=True)
        searched = self._take(words.words, to_end=True)
        self._where = replace(
            self._where,
            priority=reading.grammar.priority(priority["priority"]) if priority else None,
            archived=archived,
            everything=everything,
            unassigned=unassigned,
            unfiled=unfiled,
            filed=filed,
            assignee=reading.name(assignee) if assignee else None,
            project=reading.name(project["project"]) if project else None,
            words=reading.name(searched["words"]) if searched else None,
        )

    def _take_assignee(self) -> str | None:
        match = self._take(*self._words.assignee, to_end=True)
        if match is None:
            return None
        state = self._reading.pattern(f"(?P<names>.+?),? (?:(?:{self._words.status_mark}) )?{{status}}").fullmatch(
            match["names"]
        )
        if state:
            self._left = f"{state['status']} {self._left}"
        return (state or match)["names"]

    def _entity(self, shape: Shape) -> RowKind | None:
        found = [kind for kind in TITLED if self._take(f"{{{kind}_noun}}")]
        if found:
            return found[0] if len(found) == 1 else None
        return {Shape.TIMELINE: RowKind.CHECKPOINT, Shape.CHART: RowKind.TASK}.get(shape)

    def _take_statuses(self, entity: RowKind | None) -> None:
        if entity is RowKind.PROJECT:
            self._take(self._words.active)
            return
        statuses: set[Status] = set()
        while match := self._take(f"(?:(?:{self._words.status_mark}) )?{{status}}"):
            statuses |= self._reading.grammar.status(match["status"]) or OPEN
        if statuses:
            self._where = replace(self._where, statuses=frozenset(statuses))

    def _implied(self) -> RowKind | None:
        """The kind of rows in a question without a noun: dates, states and priorities mean tasks."""
        where = self._where
        if where.made or where.assignee:
            return RowKind.TASK
        asks = self._reading.pattern(rf"(?:{self._words.questions})\b.*").fullmatch(self._reading.text)
        if where.due or not self._dated or where.overdue or (asks and (where.statuses or where.priority)):
            return RowKind.TASK
        return None

    def _take_name(self) -> None:
        """The name that is the rest of the text, or the unknown words before the noun, as in ``my milk tasks``."""
        if match := self._take(self._words.about, to_end=True):
            name = match["about"]
        else:
            words = self._unknown()
            if any(word.casefold() in each.listing.fillers for each in grammars() for word in words):
                return  # a sentence in another language
            name = " ".join(words)
            _, found, after = self._reading.text.partition(name)
            is_before_noun = found and self._reading.pattern(r" {any_noun}\b.*").fullmatch(after)
            if not is_before_noun or len(words) > _MAX_ADJECTIVE_WORDS:
                return
            self._left = " ".join(word for word in self._left.split() if word not in words)
        self._where = replace(self._where, about=self._reading.name(name))

    def _unknown(self) -> list[str]:
        """The remaining words that are not fillers."""
        fillers = self._reading.grammar.listing.fillers
        return [
            word for word in re.split(r"[\s,;]+", self._left) if word and word.casefold().strip("'’") not in fillers
        ]


def _fitting(command: ListRows) -> ListRows | FindNotes | None:
    """The command; None if it filters by a property that its kind of row does not have.

    Only the tool that lists tasks can search for words. Notes have a search of their own, and others only their titles.
    """
    where = command.where
    if where.made and command.entity is RowKind.NOTE:
        return _fitting(replace(command, where=replace(where, made=None, due=where.made)))
    of_tasks = where.priority or where.assignee or where.statuses or where.overdue or where.undated or where.unassigned
    if command.entity is not RowKind.TASK and (of_tasks or command.grouping):
        return None
    if command.entity is RowKind.PROJECT and (where.due or where.project or where.unfiled or where.filed):
        return None
    if (where.made or command.ranked) and command.entity is not RowKind.TASK:
        return None
    if command.latest and command.entity not in {RowKind.TASK, RowKind.NOTE}:
        return None
    if command.grouping is None and command.shape is Shape.CHART:
        return replace(command, grouping=Grouping.STATUS) if command.entity is RowKind.TASK else None
    if where.words and command.entity is RowKind.NOTE and where.due is None:
        return FindNotes(query=where.words, project=where.project)
    if where.words and command.entity is not RowKind.TASK:
        return replace(command, where=replace(where, words=None, about=where.words))
    return command
