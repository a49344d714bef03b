"""Plans that keep, recall and forget what is remembered, and look through earlier conversations."""

import json
import re
from dataclasses import dataclass
from datetime import date

from agents.offline.answers import Answer
from agents.offline.commands import ForgetMemory, RecallMemory, Remember, SearchHistory
from agents.offline.desk import MOST_LINES, Desk, Plan, request
from agents.offline.rows import Moment
from agents.tools.wording import Item, read_items

_KEPT = re.compile(r'^- ("(?:[^"\\]|\\.)*"): ("(?:[^"\\]|\\.)*")$', re.MULTILINE)
_FOUND = "Found "
_FORGOT = "Forgot "
_REMEMBERED = "Remembered "


@dataclass(frozen=True, kw_only=True, slots=True)
class _Kept:
    key: str
    value: str

    @property
    def said(self) -> str:
        """The value alone where it says what it is about."""
        return self.value if self.key.casefold() in self.value.casefold() else f"{self.key}: {self.value}"


def remember(desk: Desk, command: Remember) -> Plan:
    """Keep a sentence."""
    [text] = yield (request("remember", key=command.key, value=command.value),)
    if not text.startswith(_REMEMBERED):
        return desk.failed(text)
    return desk.say(desk.phrases.remembered, text=desk.phrases.quoted(command.value))


def recall(desk: Desk, command: RecallMemory) -> Plan:
    """What is remembered, of everything or of one thing."""
    [text] = yield (request("recall", query=command.query),)
    if not text.startswith(_FOUND):
        return desk.failed(text)
    lines = [kept.said for kept in _kept_in(text)]
    lines += [item.title for item in read_items(text) if item.title not in lines]
    if not lines:
        return desk.say(desk.phrases.recalled_nothing, about=_about(desk, command.query))
    return Answer(text="\n".join([desk.phrases.recalled, *_listed(desk, lines)]))


def forget(desk: Desk, command: ForgetMemory) -> Plan:
    """Forget what is kept of one thing. It must be named as it is kept, or be the only one that fits."""
    [found] = yield (request("recall", query=command.name),)
    if not found.startswith(_FOUND):
        return desk.failed(found)
    fitting = _fitting(_kept_in(found), command.name)
    if not fitting:
        return desk.say(desk.phrases.recalled_nothing, about=_about(desk, command.name))
    if len(fitting) > 1:
        return Answer(text="\n".join([desk.phrases.forget_which, *_listed(desk, [kept.key for kept in fitting])]))
    [text] = yield (request("forget", key=fitting[0].key),)
    if not text.startswith(_FORGOT):
        return desk.failed(text)
    return desk.say(desk.phrases.forgot, text=desk.phrases.quoted(fitting[0].said))


def search_history(desk: Desk, command: SearchHistory) -> Plan:
    """What was spoken of, newest first."""
    since = command.since.isoformat() if command.since else None
    [text] = yield (request("search_history", query=command.query, since=since),)
    if not text.startswith(_FOUND):
        return desk.failed(text)
    found = [(item.title, day) for item in read_items(text) if _within(day := _day(item), command.until)]
    if not found:
        return desk.say(desk.phrases.no_history, about=_about(desk, command.query))
    lines = [f"{desk.phrases.moment(Moment(day=day), desk.today)}: {said}" if day else said for said, day in found]
    return Answer(text="\n".join([desk.phrases.history, *_listed(desk, lines)]))


def _kept_in(text: str) -> list[_Kept]:
    return [_Kept(key=json.loads(key), value=json.loads(value)) for key, value in _KEPT.findall(text)]


def _fitting(kept: list[_Kept], name: str) -> list[_Kept]:
    """Those that ``name`` names wholly, else those that hold all of it."""
    wanted = name.casefold()
    exact = [each for each in kept if wanted in (each.key.casefold(), each.value.casefold())]
    return exact or [each for each in kept if wanted in f"{each.key} {each.value}".casefold()]


def _about(desk: Desk, name: str) -> str:
    return desk.phrases.about.format(name=desk.phrases.quoted(name)) if name else ""


def _listed(desk: Desk, lines: list[str]) -> list[str]:
    shown = [f"- {line}" for line in lines[:MOST_LINES]]
    if len(lines) > MOST_LINES:
        shown.append(f"- {desk.phrases.more.format(count=len(lines) - MOST_LINES)}")
    return shown


def _day(item: Item) -> date | None:
    try:
        return date.fromisoformat(item.facts[0][:10])
    except (IndexError, ValueError):
        return None


def _within(day: date | None, until: date | None) -> bool:
    return day is None or until is None or day <= until
