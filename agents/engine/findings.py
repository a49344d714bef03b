"""What the tools have found and changed, in sentences for the user if the answer omits it. Pure."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from accounts.translations import gettext_noop, translations
from agents.adapters.base import ToolMessage
from agents.calls import Row, Table
from agents.engine.charts import chart_of, may_be_chart, wants_chart, without_chart
from agents.engine.claims import finds_nothing
from agents.engine.intents import (
    asks_for_all,
    asks_how_many,
    asks_only,
    asks_to_read,
    asks_to_see,
    names_days,
    names_states,
)
from agents.engine.sentences import examined, unquoted
from agents.events import ToolCall
from agents.titles import words_of
from agents.tools.model_calls import as_object
from agents.tools.rows import assignees, text, title_of

_LISTS: Final = "list_"
"""The beginning of the names of tools that list rows."""
_DAY_FILTERS: Final = ("due_from", "due_to", "due_date", "overdue")
"""The parameters of a list that are about days."""
_SHORT: Final = 80
"""In characters. A longer answer says something about what was found if it contains a word of it."""
_LONG: Final = 160
"""In characters. A longer answer says something about a note, perhaps in another language."""
_NAME: Final = re.compile(r'"((?:[^"\\\n]|\\.)+)"')
"""A name in a result, such as that of a task's project."""
_SAYS_SOMETHING: Final = re.compile(
    r"[\d?]|\b(?:yes|no|not|none|nothing|one|two|three|four|five|six|seven|eight|nine|ten|"
    r"sì|non|nessun\w*|niente|nulla|tre|quattro|cinque|sette|otto|nove|dieci)\b",
    re.IGNORECASE,
)
"""Without Italian numbers that are also other words: ``due`` is English, ``una`` an article, ``sei`` a verb."""
_ALIKE: Final = 0.8
"""The similarity (0 to 1) above which an answer only repeats the question."""
_DIGITS: Final = re.compile(r"\d+")
_SHORT_WORD: Final = 3
_PART: Final = 0.2
"""An answer tells something of a text if it contains this part of the text's words, or the text this part of its."""
_POINTING: Final = frozenset(
    {"here", "this", "that", "these", "following", "below", "ecco", "questa", "questo", "seguente"}
)
"""Words that announce a text, and say nothing of it."""
_MAX_QUOTED: Final = 2_000
"""How much of a note is quoted if the answer says nothing of it, in characters."""
_CREATED: Final = gettext_noop("Created: {titles}.")
_CHANGED: Final = gettext_noop("Changed: {titles}.")
_DELETED: Final = gettext_noop("It is deleted.")
_DONE: Final = gettext_noop("It is done.")
_FOUND: Final = gettext_noop("I found: {titles}.")
_ALSO: Final = gettext_noop("Also: {titles}.")
_IN_ALL: Final = gettext_noop("In all: {count}.")
_FOUND_NONE: Final = gettext_noop("I found nothing.")
_MORE: Final = gettext_noop("{count} more")
_TITLES: Final = 10
_WORLD_WORDS: Final = re.compile(
    r"\b(?:weather|forecasts?|headlines?|news|stocks?|prices?|rates?|tempo|meteo|previsioni|notizie)\b"
)
_YES_OR_NO: Final = re.compile(r"\W*(?:is|has|does|did|è|ha)\b", re.IGNORECASE)
_OF_WHAT: Final = ("assignee", "project_id", "task_id")
"""The parameters of a list that say what its rows belong to."""
_ROW_NOUNS: Final = {
    Table.TASKS: r"(?:tasks?|attività|compit[oi])",
    Table.PROJECTS: r"(?:projects?|progett[oi])",
    Table.NOTES: r"(?:notes?|not[ae]|appunt[oi])",
    Table.CHECKPOINTS: r"(?:checkpoints?|traguard[oi])",
}
"""What the rows of a table are called."""
_HOW_MANY: Final = re.compile(
    rf"\b(?:how many|quant[ie]) (?:\w+ ){{0,2}}?(?P<noun>{'|'.join(_ROW_NOUNS.values())})(?!\w)", re.IGNORECASE
)
_STATES: Final = {
    "open": re.compile(r"\b(?:open|apert[aei])\b", re.IGNORECASE),
    "done": re.compile(r"\b(?:done|completed|finished|fatt[aei]|completat[aei])\b", re.IGNORECASE),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Done:
    """A call that has ended, and whether it ``changed`` something.

    ``correctable``: whether it failed and its result says how to correct it. ``choices``: the rows that the user may
    have meant. ``unknown``: whether it may have changed something though it failed.
    """

    call: ToolCall
    outcome: ToolMessage
    changed: bool
    correctable: bool = False
    choices: Sequence[str] = ()
    unknown: bool = False


class Findings:
    """The outcomes of the calls ``done`` for the user's ``message``, in sentences in ``language``.

    ``draws``: whether the answer may contain charts.
    """

    def __init__(self, done: Sequence[Done], message: str, language: str, *, draws: bool = False) -> None:
        self._draws = draws
        self._done = done
        self._message = message
        self._language = language

    def account(self) -> str:
        """What was changed, or else what was found last; empty if every call failed."""
        if changes := [done for done in self._done if done.changed]:
            return " ".join(dict.fromkeys(self._change(done) for done in changes))
        read = [done for done in self._done if done.outcome.ok]
        if not read:
            return ""
        if self._wants_count(read[-1]):
            return self._counted(read[-1]) or self._titled(_FOUND, read[-1])
        content = _only_content(self._rows(read[-1])) if asks_only(self._message) else ""
        return self._shown(read[-1], content) or self._text(_FOUND_NONE)

    def concern_the_world(self) -> bool:
        """Whether any row that was found speaks of weather, news or prices, as the user's message does."""
        asked = set(_WORLD_WORDS.findall(words_of(self._message)))
        rows = (row for done in self._done for part in done.outcome.rows.values() for row in part.rows)
        values = (value for row in rows for value in row.values() if isinstance(value, str))
        return any(not asked.isdisjoint(words_of(value).split()) for value in values)

    def untold(self, said: Sequence[str], *, is_reply: bool) -> str:
        """What was found, if the user asked for it and the last of the model's messages, ``said``, omits it.

        ``is_reply``: whether that message is about it at all. Small models answer that the tool has returned something.
        """
        read = [done for done in self._done if done.outcome.ok]
        if not read or read[-1].changed or not asks_only(self._message):
            return ""
        if self._draws and (chart := self._chart(said, read)):
            return chart
        answer = said[-1]
        found = [row for done in read for row in self._rows(done)]
        # A note that was found and then read is one.
        rows = list({text(row, "id"): row for row in found}.values())
        told = f" {words_of(answer)} "
        titles = [title for row in rows if (title := _title(row))]
        named = [title for title in titles if f" {words_of(title)} " in told]
        if left_out := self._left_out(answer, read, titles, named):
            return left_out
        gives_number = is_reply and _SAYS_SOMETHING.search(answer) is not None and not _echoes(answer, self._message)
        if self._wants_count(read[-1]):
            # “There are 2 open tasks.” is like “How many open tasks are there?”, too.
            is_right = str(self._number(read[-1])) in words_of(answer).split()
            is_wrong = self._miscounts(answer, read) or (bool(rows) and finds_nothing(answer))
            is_told = is_right or (gives_number and not is_wrong)
            return "" if is_told else self._counted(read[-1])
        content = _only_content(rows)
        # An instruction in a note can make a model answer with a few words of it.
        is_long = is_reply and len(answer) > _SHORT and not content
        # “I did not read anything” is no answer from a note.
        gives_number = gives_number and (not content or any(each in content for each in _DIGITS.findall(answer)))
        says_more = gives_number or (is_long and _speaks_of(answer, read, rows, self._message))
        wants_it = bool(content) and asks_to_see(self._message)
        is_told = is_reply and len(answer) > _LONG if wants_it else bool(named) or says_more
        if is_told or _tells_of(answer, content, self._message):
            return ""
        return self._shown(read[-1], content)

    def _shown(self, read: Done, content: str) -> str:
        """The titles of what was ``read``, and its ``content``."""
        return "\n\n".join(filter(None, [self._titled(_FOUND, read), content]))

    def _chart(self, said: Sequence[str], read: Sequence[Done]) -> str:
        """The chart of the only list that was ``read``, if the user wants one and the messages ``said`` have none."""
        listed = _only_list(read)
        tasks = None if listed is None else listed.outcome.rows.get(Table.TASKS)
        is_complete = tasks is not None and not tasks.omitted and not tasks.uncounted
        if listed is None or tasks is None or not is_complete or may_be_chart("\n".join(said)):
            return ""
        asked = without_chart(self._message)
        is_of_all = _answers(listed.call, asked) and _has_state(listed.call, asked) and not _limits(listed.call)
        if not is_of_all or not wants_chart(self._message):
            return ""
        return chart_of(tasks.rows, listed.outcome.text, self._message, language=self._language)

    def _left_out(self, answer: str, read: Sequence[Done], titles: Sequence[str], named: Sequence[str]) -> str:
        """The ``titles`` of the only list that was ``read`` that are not among those that ``answer`` has ``named``, if
        the user asked for the list.

        Small models name only the first ones.
        """
        listed = _only_list(read)
        more = [f"“{title}”" for title in titles if title not in named]
        if not more or listed is None or len(titles) > _TITLES:
            return ""
        is_list = not (asks_how_many(self._message) or _YES_OR_NO.match(self._message))
        if not is_list or not _answers(listed.call, self._message):
            return ""
        # Rows may be named by their ids in a block.
        if not named and ("?" in answer or "```" in answer or '"type"' in answer):
            return ""
        return self._text(_ALSO if named else _FOUND, titles=", ".join(more))

    def _miscounts(self, answer: str, read: Sequence[Done]) -> bool:
        """Whether ``answer`` has a wrong number, if the user asks how many rows the only list has."""
        listed, counted, message = _only_list(read), _counted_table(self._message), self._message
        if listed is None or counted is None or list(listed.outcome.rows) != [counted]:
            return False
        if not _has_state(listed.call, message) or names_days(message) or not _answers(listed.call, message):
            return False
        numbers = re.findall(
            rf"\b(\d+) (?:[^\W\d]+ ){{0,2}}?{_ROW_NOUNS[counted]}(?!\w)", unquoted(answer), re.IGNORECASE
        )
        return bool(numbers) and str(self._number(listed)) not in numbers

    def _wants_count(self, listed: Done) -> bool:
        """Whether the user asks for the number of what ``listed`` has found."""
        if not asks_how_many(self._message) or not listed.call.name.startswith(_LISTS):
            return False
        counted = _counted_table(self._message)
        return counted is None or counted in listed.outcome.rows

    def _counted(self, listed: Done) -> str:
        """How many rows ``listed`` has found; empty if that is unknown."""
        if any(part.uncounted for part in listed.outcome.rows.values()):
            return ""
        return self._text(_IN_ALL, count=self._number(listed))

    def _change(self, done: Done) -> str:
        verb = done.call.name.partition("_")[0]
        if verb == "delete":
            return self._text(_DELETED)
        return self._titled(_CREATED if verb in ("create", "add") else _CHANGED, done) or self._text(_DONE)

    def _titled(self, sentence: str, done: Done) -> str:
        """``sentence`` with the titles of the rows of ``done``; empty if there are none."""
        titles = [f"“{title}”" for row in self._rows(done) if (title := _title(row))]
        if not titles:
            return ""
        more = [self._text(_MORE, count=len(titles) - _TITLES)] if len(titles) > _TITLES else []
        return self._text(sentence, titles=", ".join([*titles[:_TITLES], *more]))

    def _rows(self, done: Done) -> list[Row]:
        """The rows in the result of ``done``; if possible, only those of the tables and people that the user names.

        A page has more rows, and small models list all of them for one person.
        """
        told = [(table, row) for table, part in done.outcome.rows.items() for row in part.rows]
        named = _named_tables(self._message)
        rows = [row for table, row in told if table in named] or [row for _, row in told]
        return [row for row in rows if self._is_of_person(row)] or rows

    def _is_of_person(self, row: Row) -> bool:
        """Whether ``row`` is for someone whom the user names, perhaps by the first name alone."""
        names = [name.split()[0] for name in assignees(row) if name.strip()]
        return any(re.search(rf"\b{re.escape(name)}\b", self._message) for name in names)

    def _number(self, done: Done) -> int:
        """How many rows ``done`` has found; if the user names a person who has any, only theirs."""
        rows = self._rows(done)
        is_of_person = any(map(self._is_of_person, rows))
        return len(rows) if is_of_person else sum(len(part.rows) + part.omitted for part in done.outcome.rows.values())

    def _text(self, text: str, **parts: object) -> str:
        return translations(self._language).gettext(text).format(**parts)


def _named_tables(message: str) -> list[Table]:
    """The tables whose rows ``message`` names."""
    return [table for table, noun in _ROW_NOUNS.items() if re.search(rf"\b{noun}(?!\w)", message, re.IGNORECASE)]


def _counted_table(message: str) -> Table | None:
    """The table of the rows whose number ``message`` asks for, if it names them."""
    asked = _HOW_MANY.search(message)
    found = [table for table, noun in _ROW_NOUNS.items() if asked and re.fullmatch(noun, asked["noun"], re.IGNORECASE)]
    return found[0] if found else None


def _only_list(read: Sequence[Done]) -> Done | None:
    """The list that was ``read``, perhaps several times, if nothing else was."""
    calls = {(done.call.name, done.call.arguments) for done in read}
    return read[-1] if len(calls) == 1 and read[-1].call.name.startswith(_LISTS) else None


def _answers(call: ToolCall, message: str) -> bool:
    """Whether ``call`` looks for just the rows that ``message`` asks for, or asks to count."""
    given = json.loads(as_object(call.arguments))
    if not asks_for_all(message, " ".join(str(given[name]) for name in _OF_WHAT if given.get(name))):
        return False
    by_day = "due_today" in call.name or any(given.get(name) for name in _DAY_FILTERS)
    asks_days, asks_states = names_days(message), names_states(message)
    return (by_day or not asks_days) and (bool(given.get("status")) or not asks_states)


def _has_state(call: ToolCall, message: str) -> bool:
    """Whether ``call`` looks for rows in just the state that ``message`` names, or in any if it names none."""
    status = json.loads(as_object(call.arguments)).get("status")
    state = _STATES.get(str(status))
    return state.search(message) is not None if state else not status and not names_states(message)


def _limits(call: ToolCall) -> bool:
    """Whether ``call`` looks only for rows that belong to something, or have a text."""
    given = json.loads(as_object(call.arguments))
    return any(given.get(name) for name in (*_OF_WHAT, "search"))


def _tells_of(answer: str, content: str, message: str) -> bool:
    """Whether ``answer``, to the user's ``message``, contains enough of the longer words of ``content``, or consists of
    them to such a degree, as a summary of a long text does.
    """
    words = {word for word in words_of(content).split() if len(word) > _SHORT_WORD}
    said = set(words_of(examined(answer)).split())
    own = {word for word in said - _POINTING - set(words_of(message).split()) if len(word) > _SHORT_WORD}
    told = len(words & said)
    is_summary = not asks_to_read(message) and len(words & own) >= max(len(own) * _PART, 1)
    return told > 0 and (told >= len(words) * _PART or is_summary)


def _only_content(rows: Sequence[Row]) -> str:
    """The beginning of the text of the only row; empty if it has none, or there are several."""
    return text(rows[0], "content")[:_MAX_QUOTED] if len(rows) == 1 else ""


def _speaks_of(answer: str, read: Sequence[Done], rows: Sequence[Row], message: str) -> bool:
    """Whether ``answer`` has a longer word of the ``rows``, or of a name in ``read``, that is not in ``message``."""
    names = [name for done in read for name in _NAME.findall(done.outcome.text)]
    values = [value for row in rows for value in row.values() if isinstance(value, str)]
    telling = set(words_of(" ".join([*names, *values])).split()) - set(words_of(message).split())
    return any(len(word) > _SHORT_WORD for word in telling.intersection(words_of(examined(answer)).split()))


def _echoes(answer: str, message: str) -> bool:
    """Whether ``answer`` does little more than repeat ``message``, and contains no new number."""
    if set(_DIGITS.findall(answer)) - set(_DIGITS.findall(message)):
        return False
    return SequenceMatcher(None, words_of(answer), words_of(message)).ratio() > _ALIKE


def _title(row: Row) -> str:
    return " ".join((title_of(row) or text(row, "content")).split())
