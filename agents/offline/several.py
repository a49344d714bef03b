"""Sentences that create several rows: “two tasks: milk and bread”, “a task “Milk” and a note “Ideas””.

If it is not clear which words form one title, the assistant asks how many titles there are, and creates nothing.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from agents.offline.commands import TITLED, CreateRow, CreateRows, Details, RowKind, Talk
from agents.offline.creations import read_creation, read_details, read_items, take_trailing
from agents.offline.grammar import QUOTED
from agents.offline.reading import EDGES, Reading

_MAX_ROWS = 20
_AFTER_COLON = re.compile(r"(?P<head>[^:\n]*)(?::(?!\d)|\n)\s*(?P<tail>.+)", re.DOTALL)


def read_several(reading: Reading) -> CreateRows | CreateRow | Talk | None:
    """A request for several new rows in one sentence; None if it is something else."""
    return _read_after_noun(reading) or _read_before_noun(reading) or _read_joined(reading)


def _read_after_noun(reading: Reading) -> CreateRows | CreateRow | Talk | None:
    """“Add two tasks for tomorrow: milk and bread”."""
    words = reading.grammar.creation
    for kind in TITLED:
        noun, plural = f"(?P<noun>{reading.grammar.nouns[kind]})", words.plurals.get(kind, "(?!)")
        wish = rf"(?:{words.verbs}) (?:(?:{words.several}|{words.qualifiers}) )*"
        opening = rf"{wish}|(?:(?:{words.qualifiers}) )?(?=(?:{plural}):)"
        for match in reading.matches((rf"(?:{opening}){noun}(?P<rest>[\s:,].*|)",)):
            number = reading.grammar.number(match["number"] or "") or 0
            if number > 1 or reading.pattern(plural).fullmatch(match["noun"]):
                return _read_titles(reading, kind, match["rest"], number)
    return None


def _read_titles(reading: Reading, kind: RowKind, text: str, number: int) -> CreateRows | CreateRow | Talk:
    sequence = rf"{QUOTED}(?:{reading.grammar.name_separators}{QUOTED})+"
    all_quoted = rf"(?P<head>[^:\ue000-\ue01f]*):?\s?(?P<titles>{sequence})(?P<rest>.*)"
    if quoted := reading.pattern(all_quoted).fullmatch(text):
        titles: Sequence[str] = re.findall(QUOTED, quoted["titles"])
        return _created(reading, kind, titles, read_details(reading, f"{quoted['head']} {quoted['rest']}"))
    if after := _AFTER_COLON.fullmatch(text):
        return _created(reading, kind, _items(reading, after["tail"], number), read_details(reading, after["head"]))
    details, left = take_trailing(reading, text)
    titles = _items(reading, left, number)
    return _created(reading, kind, titles if number else (), details)


def _read_before_noun(reading: Reading) -> CreateRows | CreateRow | Talk | None:
    """“Add milk and bread as two tasks”."""
    words = reading.grammar.creation
    for match in reading.matches(tuple(f"(?:{words.verbs}) {pattern}" for pattern in words.listed)):
        kind = next(kind for kind in TITLED if reading.pattern(f"{{{kind}_noun}}").fullmatch(match["kind"]))
        number = reading.grammar.number(match["number"] or "") or 0
        is_plural = reading.pattern(words.plurals.get(kind, "(?!)")).fullmatch(match["kind"])
        titles = _items(reading, match["titles"], number)
        if number == 0 and not is_plural and len(titles) > 1:
            return Talk.ONE_OR_SEVERAL
        return _created(reading, kind, titles, read_details(reading, match["rest"]))
    return None


def _read_joined(reading: Reading) -> CreateRows | Talk | None:
    """“Create a task “Milk” and a note “Ideas””."""
    words, text = reading.grammar.creation, reading.text
    verb = reading.pattern(rf"(?:{words.verbs}) ").match(text)
    if verb is None:
        return None
    joint = reading.pattern(rf"(?:,? (?:{words.joint})|,) ")
    for found in joint.finditer(text):
        first = read_creation(replace(reading, text=text[: found.start()].rstrip(",")))
        if not isinstance(first, CreateRow) or first.details.content:
            continue
        if second := _second(reading, text[found.end() :], verb[0]):
            return second if isinstance(second, Talk) else CreateRows(rows=(first, *second))
    return None


def _second(reading: Reading, text: str, verb: str) -> tuple[CreateRow, ...] | Talk | None:
    """The further rows that ``text`` names, with a verb of its own, or else with the first row's ``verb``."""
    words = reading.grammar.creation
    has_verb = reading.pattern(rf"(?:{words.verbs}) .*").match(text)
    noun = rf"(?:{words.articles})(?:(?:{words.qualifiers}) )*{{any_noun}}\b"
    named = reading.pattern(rf"{noun}(?P<rest>.*)").fullmatch(text)
    has_article = named and not reading.pattern(r"{any_noun}\b").match(text)
    if not has_verb and not has_article:
        return None
    own = replace(reading, text=text if has_verb else f"{verb}{text}")
    more = _read_joined(own) or read_creation(own)
    if isinstance(more, CreateRows):
        return more.rows
    if not isinstance(more, CreateRow):
        return more if isinstance(more, Talk) else None
    is_marked = reading.pattern(rf".*(?:{QUOTED}|:|\b(?:{words.title_mark})\b).*").fullmatch(text)
    if has_verb or is_marked:
        return (more,)
    # “A letter and a note for Anna” is one title. “Milk and a note ideas” can be two.
    has_lead = named and reading.pattern(rf"\s*(?:{words.title_lead}).*").fullmatch(named["rest"])
    return None if has_lead else Talk.ONE_OR_SEVERAL


def _created(
    reading: Reading, kind: RowKind, titles: Sequence[str], details: Details | None
) -> CreateRows | CreateRow | Talk:
    if details is None or len(titles) > _MAX_ROWS:
        return Talk.ONE_OR_SEVERAL
    rows = read_items(reading, kind, titles, details)
    if not rows:
        return Talk.ONE_OR_SEVERAL
    return rows[0] if len(rows) == 1 else CreateRows(rows=rows)


def _items(reading: Reading, text: str, number: int) -> Sequence[str]:
    """The titles in the list ``text``. If ``number`` is not 0 and the list has another length, there are none."""
    lines = [line for line in text.split("\n") if line.strip(EDGES)]
    apart = [part for part in re.split(r"\s*[,;]\s*", text) if part.strip(EDGES)]
    joint = reading.pattern(rf" (?:{reading.grammar.creation.joint}) ")
    *before, last = apart or [""]
    # In a list with commas, the word joins only the last two.
    both = joint.split(last) if len(joint.split(last)) == 2 or not before else [last]
    splits = [lines] if len(lines) > 1 else [[*before, *both], apart, [text]]
    mark = reading.pattern(f"^(?:{reading.grammar.creation.item_mark})")
    titles = next((split for split in splits if number in {0, len(split)}), [])
    return [mark.sub("", title).strip(EDGES) for title in titles]
