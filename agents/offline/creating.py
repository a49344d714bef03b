"""Sentences that make something: its kind, its title, and what is said of it."""

from dataclasses import replace

from agents.offline.commands import Command, CreateRow, Details, Entity, Incomplete, Missing
from agents.offline.details import is_glue, take_all, take_trailing
from agents.offline.grammar import CreationWords
from agents.offline.reading import EDGES, Reading
from agents.offline.spelling import QUOTED

_KINDS = (Entity.TASK, Entity.PROJECT, Entity.CHECKPOINT, Entity.NOTE)
_TITLE_CHARACTERS = 60


def read_creation(reading: Reading) -> Command | None:
    """A wish for a new row; ``Incomplete`` when it lacks a title."""
    words = reading.grammar.creation
    for match in reading.matches(words.dictations):
        return _note(reading, "", match["content"], Details())
    for match in reading.matches(words.wishes):
        return _read(reading, Entity.TASK, Details(), match["title"])
    for kind in _KINDS:
        for match in reading.matches((_opening(words, kind),)):
            said = match["priority"] or match["after"] or ""
            return _read(reading, kind, Details(priority=reading.grammar.priority(said)), match["rest"])
    return None


def _opening(words: CreationWords, kind: Entity) -> str:
    """``Add an urgent task …``, ``New task …`` or ``Task: …``."""
    wish = rf"(?:{words.verbs}) {words.articles}(?:(?:{words.qualifiers}) )*(?:{words.priority_before} )?"
    noun = f"{{{kind}_noun}}"
    after = rf"(?: (?P<after>{words.priority_after})(?=[\s:,]|$))?"
    return (
        rf"(?:{wish}{noun}{after}|(?:(?:{words.qualifiers}) )?{noun}(?=:)|(?:{words.qualifiers}) {noun})"
        r"(?P<rest>[\s:,].*|)"
    )


def _read(reading: Reading, kind: Entity, details: Details, rest: str) -> Command:
    words = reading.grammar.creation
    if kind is Entity.NOTE:
        head, mark, content = _split(reading, rest, words.note_mark)
        if mark:
            return _note(reading, head, content, details)
    title, details = _titled(reading, kind, rest, details)
    if not title:
        return Incomplete(missing=Missing.TITLE, entity=kind)
    return CreateRow(entity=kind, title=title, details=details)


def _note(reading: Reading, head: str, content: str, details: Details) -> Command:
    """A note with a text; without a title the text's first words are its title."""
    text = reading.content(content)
    title, details = _titled(reading, Entity.NOTE, head, details)
    if not text:
        return Incomplete(missing=Missing.CONTENT, entity=Entity.NOTE)
    first_line = text.partition("\n")[0].lstrip("# ").strip()
    title = title or _shortened(first_line or text)
    return CreateRow(entity=Entity.NOTE, title=title, details=replace(details, content=text))


def _titled(reading: Reading, kind: Entity, rest: str, details: Details) -> tuple[str, Details]:
    """The title in ``rest``, and the details around it."""
    head, mark, tail = _split(reading, rest, reading.grammar.creation.title_mark)
    taken, left = take_all(reading, head, details)
    if mark and is_glue(reading, left):
        return _title(reading, kind, tail, taken)
    return _title(reading, kind, _without_lead(reading, rest), details)


def _title(reading: Reading, kind: Entity, text: str, details: Details) -> tuple[str, Details]:
    if kind is Entity.PROJECT:
        return reading.name(text), details
    quoted = reading.pattern(rf"[\s:,]*(?P<title>{QUOTED})(?P<rest>.*)").fullmatch(text)
    if quoted:
        taken, left = take_all(reading, quoted["rest"], details)
        if is_glue(reading, left):
            return reading.name(quoted["title"]), taken
    details, left = take_trailing(reading, text, details)
    return reading.name(left), details


def _split(reading: Reading, text: str, mark: str) -> tuple[str, str, str]:
    """``text`` at the first ``mark`` or colon: what is before it, the mark, what is behind it."""
    match = reading.pattern(rf"(?P<head>.*?)(?P<mark>(?:^|[\s,;])(?:{mark}):?(?:\s|$)|:\s?)(?P<tail>.*)").fullmatch(
        text
    )
    return (match["head"], match["mark"], match["tail"]) if match else (text, "", "")


def _without_lead(reading: Reading, text: str) -> str:
    match = reading.pattern(rf"[\s,]*(?:{reading.grammar.creation.title_lead})?(?P<rest>.*)").fullmatch(text)
    return match["rest"] if match else text


def _shortened(text: str) -> str:
    if len(text) <= _TITLE_CHARACTERS:
        return text
    return text[:_TITLE_CHARACTERS].rpartition(" ")[0].strip(EDGES) or text[:_TITLE_CHARACTERS]
