"""Sentences that create several rows: “two tasks: milk and bread”, “a task “Milk” and a note “Ideas””.

Where it is not clear which words are one title, the answer is the question how many there are, and nothing is created.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from agents.offline.commands import CreateRow, CreateRows, Details, RowKind, Talk
from agents.offline.creations import KINDS, read_creation, read_details, read_items, take_trailing
from agents.offline.grammar import QUOTED
from agents.offline.reading import EDGES, Reading

_MOST = 20
_AFTER_COLON = re.compile(r"(?P<head>[^:\n]*)(?::(?!\d)|\n)\s*(?P<tail>.+)", re.DOTALL)


def read_several(reading: Reading) -> CreateRows | CreateRow | Talk | None:
    """A wish for new rows that are named in one sentence; None if it is none."""
    return _read_after_noun(reading) or _read_before_noun(reading) or _read_joined(reading)


def _read_after_noun(reading: Reading) -> CreateRows | CreateRow | Talk | None:
    """“Add two tasks for tomorrow: milk and bread”."""
    words = reading.grammar.creation
    for kind in KINDS:
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
        kind = next(kind for kind in KINDS if reading.pattern(f"{{{kind}_noun}}").fullmatch(match["kind"]))
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
    """The rows that ``text`` names after another one, with a ``verb`` of its own or the first one's."""
    words = reading.grammar.creation
    has_verb = reading.pattern(rf"(?:{words.verbs}) .*").match(text)
    noun = rf"(?:{words.articles})(?:(?:{words.qualifiers}) )*{{any_noun}}\b"
    named = reading.pattern(rf"{noun}(?P<said>.*)").fullmatch(text)
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
    # “A letter and a note for Anna” is one title; “milk and a note ideas” may be two.
    is_led = named and reading.pattern(rf"\s*(?:{words.title_lead}).*").fullmatch(named["said"])
    return None if is_led else Talk.ONE_OR_SEVERAL


def _created(
    reading: Reading, kind: RowKind, titles: Sequence[str], details: Details | None
) -> CreateRows | CreateRow | Talk:
    if details is None or len(titles) > _MOST:
        return Talk.ONE_OR_SEVERAL
    rows = read_items(reading, kind, titles, details)
    if not rows:
        return Talk.ONE_OR_SEVERAL
    return rows[0] if len(rows) == 1 else CreateRows(rows=rows)


def _items(reading: Reading, text: str, number: int) -> Sequence[str]:
    """The titles that ``text`` lists: ``number`` of them if that is not 0, else none."""
    lines = [line for line in text.split("\n") if line.strip(EDGES)]
    apart = [part for part in re.split(r"\s*[,;]\s*", text) if part.strip(EDGES)]
    joint = reading.pattern(rf" (?:{reading.grammar.creation.joint}) ")
    *before, last = apart or [""]
    # With commas the word joins only the last two.
    both = joint.split(last) if len(joint.split(last)) == 2 or not before else [last]
    ways = [lines] if len(lines) > 1 else [[*before, *both], apart, [text]]
    mark = reading.pattern(f"^(?:{reading.grammar.creation.item_mark})")
    titles = next((way for way in ways if number in {0, len(way)}), [])
    return [mark.sub("", title).strip(EDGES) for title in titles]
