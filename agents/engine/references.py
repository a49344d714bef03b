"""References to rows in the arguments of tools: by the short id in a conversation, the row's own id, or its title."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from difflib import SequenceMatcher
from functools import partial
from typing import Final
from zoneinfo import ZoneInfo

from pydantic import JsonValue

from agents.calls import Row, Table
from agents.engine.grounding import Grounds
from agents.engine.repetition import DELETED_BEFORE
from agents.engine.short_ids import ShortIds
from agents.errors import ClientRefused, ModelRetry, Withheld
from agents.permissions.approvals.naming import COMMON_WORDS
from agents.permissions.withholding import SharingFilter
from agents.titles import words_of
from agents.tools import client
from agents.tools.arguments import PRIORITY_WORDS, TIME_WORDS, days_said
from agents.tools.client import RecordingClient
from agents.tools.rows import ASK_WHICH, ID_IN_TEXT, LINES, NOUNS, LineContext, text, title_of
from agents.tools.spec import Risk, ToolSpec
from memory.search.words import loosely

_MAX_CANDIDATES: Final = 10
_OF_NOTES: Final = frozenset({"note", "notes", "nota", "appunto", "appunti", "about", "what", "cosa"})
_OF_ROWS: Final = frozenset(
    {
        *("task", "tasks", "todo", "project", "projects", "checkpoint", "checkpoints", "comment", "comments"),
        *("attivita", "compito", "compiti", "progetto", "progetti", "traguardo", "traguardi", "commento", "commenti"),
        *("mark", "set", "move", "delete", "remove", "change", "rename", "done", "open", "new", "one"),
        *("segna", "imposta", "sposta", "elimina", "cancella", "cambia", "rinomina"),
        *("fatta", "fatto", "nuova", "nuovo"),
    }
)
"""Words of a message that do not describe a row."""
_CHOOSE: Final = "Call this again with the id of the one that is meant, or ask the user which:"
_POINTS: Final = re.compile(
    r"\b(?:all|both|every|each|any|ones?|first|second|third|fourth|last|latest|previous|newer|newest|older|oldest|earlier|"
    r"later|next|other|late|urgent|same|just|duplicates?|"
    r"tutt[eiao]|entramb[ei]|ogni|ciascun\w*|prim[oaie]|second[oaie]|terz[oa]|quart[oa]|ultim[oaie]|recent[ei]|"
    r"vecchi[oae]?|nuov[oaie]|prossim[oaie]|altr[oaie]|stess[oaie]|scadut[oaie]|ritardo|urgent[ei]|appena|doppion[ei])\b"
)
"""Words of a ``plain`` message that may select some of several rows by something that is not in their lines."""
_DENIES: Final = re.compile(r"\b(?:not|without|with no|\w+n t|except|but|non|senza|tranne|ma)\b")
"""Words that reverse the meaning of others."""
_POINTS_UNLESS_SET: Final[Mapping[str, re.Pattern[str]]] = {
    "status": re.compile(
        r"\b(?:open|done|pending|progress|complet\w+|finish\w+|closed|"
        r"apert[aoie]|fatt[aoie]|corso|finit[aoie]|chius[aoie])\b"
    ),
    "priority": PRIORITY_WORDS,
    "due_date": TIME_WORDS,
}
"""Further such words, if the parameter is not given: then they are not its new value."""
_LABELS: Final = frozenset(
    {
        *("due", "priority", "project", "created", "changed", "milestone", "on", "for", "by", "the", "of", "a", "an"),
        *("and", "to", "in", "with", "at", "my", "di", "del", "della", "dei", "delle", "il", "lo", "la", "le", "i"),
        *("gli", "l", "e", "al", "alla", "da", "per", "con", "su", "un", "una"),
    }
)
"""Words of lines and names that do not distinguish rows."""
_WITH_PROJECT: Final = re.compile(r"(?P<title>.+) \((?P<project>[^()]+)\)")
_OVER: Final = frozenset({"done", "archived"})
_NO_ID: Final = re.compile(r" ?\[id [^\]]*\]")
_DAY: Final = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_STEM: Final = 4
"""The fewest letters that two forms of a word share."""
_MAX_ENDING: Final = 3
"""In letters."""
_CLOSE: Final = 0.6
"""The similarity (0 to 1) from which a title is suggested for another."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RowResolver:
    """Replaces names of rows in the arguments of a tool by the rows' ids.

    The rows that were read in this run are known, and so is the viewed one (``viewed``). Others are looked up on the
    device, behind the sharing filter. ``said`` is the user's message. If the model's name matches no row, the rows that
    the message names are suggested. If the message names several rows alike, and nothing distinguishes them, the model
    may not choose which one to change. ``now`` is in the user's time zone.
    """

    short_ids: ShortIds
    results: RecordingClient
    sharing: SharingFilter
    timezone: ZoneInfo
    now: Callable[[], datetime]
    viewed: tuple[Table, str] | None = None
    said: str = ""

    async def name_rows(self, tool: ToolSpec, grounds: Grounds) -> ModelRetry | None:
        """Give ``tool`` the ids of the rows that its arguments name, as far as these have ``grounds``.

        Raises ``ModelRetry`` with the candidates unless exactly one row matches. If it is a change, and the user never
        shares some rows, the error is returned: only the gate knows whether the user's own words name one of those.
        Raises ``ClientError``.
        """
        try:
            row_id = partial(self._row_id, tool=tool, before=grounds.said)
            await tool.name_rows(row_id, is_made_up=grounds.is_made_up)
        except (ModelRetry, Withheld) as error:
            if tool.risk is Risk.READ or not await self.sharing.marks():
                raise
            return error if isinstance(error, ModelRetry) else None
        return None

    async def _row_id(self, table: Table, said: str, *, tool: ToolSpec, before: Sequence[str]) -> str:
        # Small models copy the text around an id.
        name = said.strip().removeprefix("[").removesuffix("]").removeprefix("id ").strip()
        if (row_id := await self._known(tool, table, name)) is not None:
            return row_id
        name = self.short_ids.row_id(name) or name
        if " " not in name and await self._exists(table, name):
            return name
        rows = await self._rows(table, name)
        found: Sequence[Row] = [row for row in rows if loosely(title_of(row)) == loosely(name)]
        if not found and tool.risk is Risk.READ:
            # A result contains the title of what was read, so a wrong row does no harm.
            found = _with_all_words(name, rows)
            if not found and table is Table.NOTES:
                found = _with_all_words(_words_in_both(name, self.said), rows) or _with_text(name, rows)
        found = found or await self._qualified(name, rows) or await self._named_instead(tool, table, name, rows, before)
        meant = await self._meant(tool, table, found)
        if len(meant) == 1:
            return text(meant[0], "id")
        if tool.risk is not Risk.READ and found and not meant:
            raise await self._ask_which(table, found)
        raise await self._refusal(table, said, found, rows, before=before, reads=tool.risk is Risk.READ)

    async def _known(self, tool: ToolSpec, table: Table, name: str) -> str | None:
        """The id of the viewed row, or of one that was read, if ``name`` is its id or short id.

        Raises ``ModelRetry`` if ``tool`` would change one that is deleted, or that the user does not mean.
        """
        for row_id in (name, self.short_ids.row_id(name) or name):
            if (table, row_id) == self.viewed:
                return row_id
            if (row := self.results.row(table, row_id)) is not None:
                if tool.risk is not Risk.READ:
                    await self._check_choice(tool, table, row)
                return row_id
            if tool.risk is not Risk.READ and self.results.has_deleted(table, row_id):
                raise ModelRetry(DELETED_BEFORE)
        return None

    async def _qualified(self, name: str, rows: Sequence[Row]) -> Sequence[Row]:
        """The rows that ``name`` describes by title and project, as the server does when it asks which one is meant."""
        described = _WITH_PROJECT.fullmatch(name)
        if described is None:
            return ()
        found = [row for row in rows if loosely(title_of(row)) == loosely(described["title"].strip('“”«»"'))]
        projects = await client.project_names(found)
        project = loosely(described["project"])
        return [row for row in found if loosely(projects.get(text(row, "projectId"), "")) == project]

    async def _named_instead(
        self, tool: ToolSpec, table: Table, name: str, rows: Sequence[Row], before: Sequence[str]
    ) -> Sequence[Row]:
        """The only row whose title the user's message contains, if the model has invented ``name``, or has given the
        name of that row's project.

        If the message has a word of ``name``, the user may mean another row, which does not exist. “All but “Buy milk””
        means others, too.
        """
        named = [row for row in _named_in(self.said, rows) if " " in words_of(title_of(row))]
        if not named:
            return await self._answered(table, name, rows, before)
        title = words_of(title_of(named[0]))
        beside = f" {words_of(self.said)} ".replace(f" {title} ", " ")
        if not _have_one_title(named) or _DENIES.search(beside) or _POINTS.search(beside):
            return ()
        meant = await self._meant(tool, table, named)
        if len(meant) != 1:
            return ()
        projects = await client.project_names(meant)
        is_project = words_of(name) in map(words_of, projects.values())
        is_invented = set(words_of(self.said).split()).isdisjoint(words_of(name).split())
        return meant if is_project or is_invented else ()

    async def _answered(self, table: Table, name: str, rows: Sequence[Row], before: Sequence[str]) -> Sequence[Row]:
        """The one of several rows with a title that the user named before which the user's message, such as “The one of
        Garden”, tells apart from the others, if the model has invented ``name``.
        """
        named = next(filter(None, (_named_in(each, rows) for each in reversed(before))), [])
        said = set(words_of(self.said).split())
        if len(named) < 2 or not _have_one_title(named) or said & set(words_of(name).split()):
            return ()
        found = _told_apart(named, await self._describing(table, named), said)
        return found if len(found) == 1 else ()

    async def _check_choice(self, tool: ToolSpec, table: Table, row: Row) -> None:
        """Raise ``ModelRetry`` if the user's message means another row with the title of ``row``."""
        alike = [each for each in self.results.rows(table) if loosely(title_of(each)) == loosely(title_of(row))]
        meant = await self._meant(tool, table, alike)
        if not any(text(each, "id") == text(row, "id") for each in meant):
            raise await self._ask_which(table, alike)

    async def _meant(self, tool: ToolSpec, table: Table, alike: Sequence[Row]) -> Sequence[Row]:
        """Those of the rows ``alike``, which have the same title, that the user may mean: all if the message lacks it.

        Words that are new values, which ``tool`` sets, do not describe the row as it is.
        """
        message = f" {words_of(self.said)} "
        title = words_of(title_of(alike[0])) if alike else ""
        if len(alike) < 2 or not title or f" {title} " not in message:
            return alike
        beside = message.replace(f" {title} ", " ", 1)
        # “Set” in Italian is also September.
        pointing = beside.replace(" set ", " ")
        if _DENIES.search(pointing):
            return alike
        points = [_POINTS, *(words for name, words in _POINTS_UNLESS_SET.items() if name not in tool.arguments)]
        values = (value for name, value in tool.arguments.items() if tool.routes[name].names is not table)
        given = {word for value in values for word in _compared(str(value))} - {*title.split()}
        said = beside.split()
        said = [word for word in said if word not in given or said.count(word) > 1]
        today = self.now().date()
        days = {_day_word(day.isoformat()) for day in days_said(" ".join(said), today).values()}
        lines = await self._describing(table, alike, today)
        if found := _told_apart(alike, lines, {*said, *(days - given)}):
            return found
        if any(words.search(pointing) for words in points):
            return alike
        in_view = [row for row in alike if (Table.PROJECTS, text(row, "projectId")) == self.viewed]
        return in_view or _not_yet(tool, alike)

    async def _describing(self, table: Table, rows: Sequence[Row], today: date | None = None) -> list[set[str]]:
        """The words that describe each of ``rows``: “overdue” only with ``today``."""
        projects = await client.project_names(rows)
        context = LineContext(timezone=self.timezone, today=today, projects=projects)
        return [_compared(ID_IN_TEXT.sub("", LINES[table](row, context))) - _LABELS for row in rows]

    async def _exists(self, table: Table, row_id: str) -> bool:
        try:
            return (await client.find(table, row_id)).row is not None
        except Withheld:
            raise
        except ClientRefused:  # a device may refuse a text that cannot be an id
            return False

    async def _rows(self, table: Table, name: str) -> Sequence[Row]:
        """The rows that ``name`` may mean. A table that is too large to be read whole is also searched."""
        filters: dict[str, JsonValue] = {"includeArchived": True} if table is Table.PROJECTS else {}
        answer = await client.select(table, **filters)
        if not answer.omitted and len(answer.rows) < client.SELECT_LIMIT:
            return answer.rows
        searched = await client.select(table, search=name, **filters)
        return list({text(row, "id"): row for row in (*searched.rows, *answer.rows)}.values())

    async def _refusal(
        self, table: Table, name: str, found: Sequence[Row], rows: Sequence[Row], *, before: Sequence[str], reads: bool
    ) -> ModelRetry:
        noun, quoted = NOUNS[table], json.dumps(name, ensure_ascii=False)
        may_choose = True
        if found:
            start = f"{len(found)} {noun}s are called {quoted}. {_CHOOSE}"
        else:
            start = f"There is no {noun} with the id or title {quoted}."
            if found := _named_in(self.said, rows):
                start = f"{start} The user's message names these. {_CHOOSE}"
            elif found := _close(rows, name):
                start = f"{start} These come close:"
            elif found := next(filter(None, (_named_in(each, rows) for each in reversed(before))), []):
                start = f"{start} The user has named these before. {_CHOOSE}"
            elif found := _partly_named_in(self.said, rows):
                may_choose = reads or len(found) == 1
                start = f"{start} The user's message may mean these. {_CHOOSE if may_choose else ASK_WHICH}"
            else:
                start = f"{start} Look the right one up first."
        return await self._listed(table, start, found, correctable=bool(found) and may_choose)

    async def _ask_which(self, table: Table, alike: Sequence[Row]) -> ModelRetry:
        quoted = json.dumps(title_of(alike[0]), ensure_ascii=False)
        return await self._listed(
            table, f"{len(alike)} {NOUNS[table]}s are called {quoted}. {ASK_WHICH}", alike, correctable=False
        )

    async def _listed(self, table: Table, start: str, found: Sequence[Row], *, correctable: bool) -> ModelRetry:
        """The error with ``start`` and the lines of the rows ``found``."""
        listed = found[:_MAX_CANDIDATES]
        # Rows with the same title differ by their projects.
        projects = await client.project_names(listed)
        context = LineContext(timezone=self.timezone, projects=projects)
        lines = [f"- {LINES[table](row, context)}" for row in listed]
        more = len(found) - len(lines)
        told = "\n".join([start, *lines, *([f"and {more} more."] if more else [])])
        choices = [_choice(row, projects) for row in listed]
        if len(set(choices)) < len(choices):
            choices = [_NO_ID.sub("", line.removeprefix("- ")) for line in lines]
        return ModelRetry(told, correctable=correctable, choices=choices)


def _not_yet(tool: ToolSpec, alike: Sequence[Row]) -> Sequence[Row]:
    """The only one of some rows that does not have the status that ``tool`` sets, or that is not done; else none.

    Of two tasks “Pay rent”, that of last month is done. Not for deletions.
    """
    if tool.risk is not Risk.WRITE:
        return ()
    wanted = tool.arguments.get("status")
    left = [row for row in alike if text(row, "status") not in ({wanted} if wanted else _OVER)]
    return left if len(left) == 1 else ()


def _have_one_title(rows: Sequence[Row]) -> bool:
    return len({words_of(title_of(row)) for row in rows}) == 1


def _compared(line: str) -> set[str]:
    """The words of ``line``. A date is one word."""
    return set(words_of(_DAY.sub(lambda day: _day_word(day[0]), line)).split())


def _day_word(day: str) -> str:
    return day.replace("-", "")


def _told_apart(rows: Sequence[Row], lines: Sequence[set[str]], said: set[str]) -> Sequence[Row]:
    """The ``rows`` whose ``lines`` share most words with ``said``, apart from those that all lines have; all rows if
    the lines are equal.
    """
    common = set.intersection(*lines)
    if all(line == common for line in lines):
        return rows
    own = [len((line - common) & said) for line in lines]
    return [row for row, count in zip(rows, own, strict=True) if count and count == max(own)]


def _choice(row: Row, projects: Mapping[str, str]) -> str:
    project = projects.get(text(row, "projectId"))
    return f"“{title_of(row)}”" if project is None else f"“{title_of(row)}” ({project})"


def _named_in(message: str, rows: Iterable[Row]) -> list[Row]:
    """The rows whose complete titles are in ``message``."""
    told = f" {words_of(message)} "
    return [row for row in rows if (title := words_of(title_of(row))) and f" {title} " in told]


def _partly_named_in(message: str, rows: Iterable[Row]) -> list[Row]:
    """The rows of whose titles ``message`` has most words, in any form; none if these are too many."""
    words = set(words_of(message).split()) - COMMON_WORDS - _LABELS - _OF_NOTES - _OF_ROWS
    titles = [(row, set(words_of(title_of(row)).split())) for row in rows]
    counts = [(row, sum(any(_same_stem(word, other) for other in words) for word in title)) for row, title in titles]
    most = max((count for _, count in counts), default=0)
    found = [row for row, count in counts if count and count == most]
    return found if len(found) <= _MAX_CANDIDATES else []


def _same_stem(word: str, other: str) -> bool:
    """Whether two words, such as “call” and “calling”, differ by their endings at most."""
    begin = max(_STEM, max(len(word), len(other)) - _MAX_ENDING)
    return word == other or (min(len(word), len(other)) >= begin and word[:begin] == other[:begin])


def _with_all_words(name: str, rows: Iterable[Row]) -> list[Row]:
    """The only row whose title has all words of ``name``; none if there are several."""
    wanted = set(words_of(name).split())
    found = [row for row in rows if wanted and wanted <= set(words_of(title_of(row)).split())]
    return found if len(found) == 1 else []


def _with_text(name: str, rows: Iterable[Row]) -> list[Row]:
    """The notes whose titles and texts contain all the words of ``name``; none if it has no telling word."""
    wanted = set(words_of(name).split()) - COMMON_WORDS - _OF_NOTES
    texts = ((row, set(words_of(f"{title_of(row)} {text(row, 'content')}").split())) for row in rows)
    return [row for row, words in texts if wanted and wanted <= words]


def _words_in_both(name: str, said: str) -> str:
    """The meaningful words of ``name`` that the user has said: models add others, as in ``wifi_status``."""
    known = set(words_of(said).split()) - COMMON_WORDS - _OF_NOTES
    return " ".join(word for word in words_of(name).split() if word in known)


def _close(rows: Iterable[Row], said: str) -> list[Row]:
    """The rows whose titles are most similar to ``said``, the most similar first."""
    name = words_of(said)
    rated = [(_likeness(words_of(title_of(row)), name), row) for row in rows if title_of(row)]
    close = sorted((each for each in rated if each[0] >= _CLOSE), key=lambda each: -each[0])
    return [row for _, row in close[:_MAX_CANDIDATES]]


def _likeness(title: str, name: str) -> float:
    """The similarity from 0 to 1. It is 1 if one of the two has all words of the other."""
    words, others = set(title.split()), set(name.split())
    if words and others and (words <= others or others <= words):
        return 1.0
    return SequenceMatcher(None, title, name).ratio()
