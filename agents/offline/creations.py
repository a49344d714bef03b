"""Sentences that create a row: its kind, its title, and its details.

In ``Buy milk for tomorrow with high priority``, the details are at the end, in any order. Details with a fixed
vocabulary (priority, date) are extracted first. Details with a free text (people, project, description) extend to the
end of the text.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from agents.offline.commands import TITLED, Command, CreateRow, Details, Incomplete, Missing, RowKind
from agents.offline.grammar import QUOTED
from agents.offline.reading import EDGES, Reading

_MAX_TITLE_CHARS = 60
_START = r"(?:^|[\s,;(]+)"
_END = r"(?=$|[\s,;)])"
_BARE = "bare"


def read_creation(reading: Reading) -> Command | None:
    """A request for a new row; ``Incomplete`` if it lacks a title."""
    words = reading.grammar.creation
    for match in reading.matches(words.dictations):
        return _note(reading, "", match["content"], Details())
    for match in reading.matches(words.wishes):
        return _read(reading, RowKind.TASK, Details(), match["title"])
    wish = rf"(?:{words.verbs}) {words.articles}(?:(?:{words.qualifiers}) )*(?:{words.priority_before} )?"
    after = rf"(?: (?P<after>{words.priority_after})(?=[\s:,]|$))?"
    for kind in TITLED:
        noun = f"{{{kind}_noun}}"
        # "Add an urgent task …", "Task: …" or "New task …".
        opening = rf"{wish}{noun}{after}|(?:(?:{words.qualifiers}) )?{noun}(?=:)|(?:{words.qualifiers}) {noun}"
        for match in reading.matches((rf"(?:{opening})(?P<rest>[\s:,].*|)",)):
            priority = reading.grammar.priority(match["priority"] or match["after"] or "")
            return _read(reading, kind, Details(priority=priority), match["rest"])
    return None


def read_untyped(reading: Reading) -> Command | None:
    """A request for a new row of unknown kind: a task if it has a date, else ``Incomplete``."""
    for match in reading.matches((rf"(?:{reading.grammar.creation.untyped}):? (?P<title>.+)",)):
        if reading.utterance.asks or reading.pattern(r".*\b{any_noun}\b.*").fullmatch(match["title"]):
            return None
        title, details = _title(reading, RowKind.TASK, match["title"], Details())
        if not title or _is_nameless(reading, title):
            return None
        if details.due:
            return CreateRow(entity=RowKind.TASK, title=title, details=details)
        return Incomplete(missing=Missing.KIND, entity=None, title=title, details=details)
    return None


def _read(reading: Reading, kind: RowKind, details: Details, rest: str) -> Command:
    words = reading.grammar.creation
    if kind is RowKind.NOTE:
        head, mark, content = _split(reading, rest, words.note_mark)
        if mark:
            return _note(reading, head, content, details)
    title, details = _titled(reading, kind, rest, details)
    if not title:
        return Incomplete(missing=Missing.TITLE, entity=kind, details=details)
    return CreateRow(entity=kind, title=title, details=details)


def read_title(reading: Reading, kind: RowKind, details: Details) -> Command:
    """A row of ``kind`` with ``details``. The whole text is its title and further details."""
    return _read(reading, kind, details, reading.text)


def read_row(reading: Reading, kind: RowKind, text: str) -> Command:
    """A row of ``kind``. ``text`` is its description, as after the noun in a request."""
    return _read(reading, kind, Details(), text)


def _note(reading: Reading, head: str, content: str, details: Details) -> Command:
    """A note with a text. Without a title, the first words of the text become its title."""
    text = reading.content(content)
    title, details = _titled(reading, RowKind.NOTE, head, details)
    if not text:
        return Incomplete(missing=Missing.CONTENT, entity=RowKind.NOTE)
    if not title:
        title = text.partition("\n")[0].lstrip("# ").strip() or text
        if len(title) > _MAX_TITLE_CHARS:
            cut = title[:_MAX_TITLE_CHARS]
            title = cut.rpartition(" ")[0].strip(EDGES) or cut
    return CreateRow(entity=RowKind.NOTE, title=title, details=replace(details, content=text))


def read_items(reading: Reading, kind: RowKind, titles: Sequence[str], details: Details) -> tuple[CreateRow, ...]:
    """Rows of ``kind`` with ``details``; each of ``titles`` can have further details. Empty if one lacks a title."""
    rows = []
    for text in titles:
        title, own = _title(reading, kind, text, details)
        if not title or _is_nameless(reading, title):
            return ()
        rows.append(CreateRow(entity=kind, title=title, details=own))
    return tuple(rows)


def read_details(reading: Reading, text: str) -> Details | None:
    """The details in ``text``; None if it contains anything else."""
    details, rest = _take_people(reading, *_take_project(reading, *_take_all(reading, text, Details())))
    return details if _is_glue(reading, rest) else None


def take_trailing(reading: Reading, text: str) -> tuple[Details, str]:
    """The details at the end of ``text``, and the text before them."""
    return _take_trailing(reading, text, Details())


def _is_nameless(reading: Reading, title: str) -> bool:
    return bool(reading.pattern(reading.grammar.creation.nameless).fullmatch(title))


def _titled(reading: Reading, kind: RowKind, rest: str, details: Details) -> tuple[str, Details]:
    """The title in ``rest``, and the details around it."""
    head, mark, tail = _split(reading, rest, reading.grammar.creation.title_mark)
    taken, left = _take_all(reading, head, details)
    # “To project Website” has details and no title.
    has_details = kind is not RowKind.PROJECT and taken != details
    if (mark or has_details) and _is_glue(reading, left):
        return _title(reading, kind, tail, taken)
    unmarked = reading.pattern(rf"[\s,]*(?:{reading.grammar.creation.title_lead})?(?P<rest>.*)").fullmatch(rest)
    text = unmarked["rest"] if unmarked else rest
    title, details = _title(reading, kind, text, details)
    is_quoted = reading.pattern(f".*{QUOTED}.*").fullmatch(text)
    # “For me” and “from this note” are no titles.
    is_named = is_quoted or not _is_nameless(reading, title)
    return title if is_named else "", details


def _title(reading: Reading, kind: RowKind, text: str, details: Details) -> tuple[str, Details]:
    if kind is RowKind.PROJECT:
        return reading.name(text), details
    quoted = reading.pattern(rf"[\s:,]*(?P<title>{QUOTED})(?P<rest>.*)").fullmatch(text)
    if quoted:
        taken, left = _take_people(reading, *_take_project(reading, *_take_all(reading, quoted["rest"], details)))
        if _is_glue(reading, left):
            return reading.name(quoted["title"]), taken
    details, left = _take_trailing(reading, text, details)
    return reading.name(left), details


def _split(reading: Reading, text: str, mark: str) -> tuple[str, str, str]:
    """``text`` split at the first ``mark`` or colon: the text before it, the mark, and the text after it."""
    parts = reading.pattern(rf"(?P<head>.*?)(?P<mark>(?:^|[\s,;])(?:{mark}):?(?:\s|$)|:\s?)(?P<tail>.*)")
    match = parts.fullmatch(text)
    return (match["head"], match["mark"], match["tail"]) if match else (text, "", "")


def _take_trailing(reading: Reading, text: str, details: Details) -> tuple[Details, str]:
    """``details`` with those at the end of ``text``, and the text before them."""
    listed = reading.pattern(rf"(?P<rest>.+), (?:{reading.grammar.creation.within}) (?P<project>[^,]+)").fullmatch(text)
    if listed:
        # “Send invoice, due Friday, in Website”: a title can end like this, but not after another detail.
        taken, left = _take_trailing(reading, listed["rest"], details)
        if taken != details and taken.project is None:
            return replace(taken, project=reading.name(listed["project"])), left
    joint = reading.pattern(rf"[\s,;.(–—-]*(?:\b(?:{reading.grammar.creation.joint}))?[\s,;(]*$")
    while found := _fixed_suffix(reading, text, details) or _named_suffix(reading, text, details):
        details, text = found[0], joint.sub("", found[1])
    return details, text


def _take_all(reading: Reading, text: str, details: Details) -> tuple[Details, str]:
    """``details`` with those anywhere in ``text``, and the rest of the text."""
    for pattern in _fixed(reading):
        for match in reading.pattern(f"{_START}{pattern}{_END}").finditer(text):
            if taken := _applied(reading, details, match):
                details, text = taken, f"{text[: match.start()]} {text[match.end() :]}"
                break
    return _take_trailing(reading, text.strip(), details)


def _take_people(reading: Reading, details: Details, text: str) -> tuple[Details, str]:
    """``details`` with the people in ``text``, if it contains only names, which begin with a capital letter."""
    match = reading.pattern(rf"[\s,]*{reading.grammar.creation.people}[\s,]*").fullmatch(text)
    names = reading.names(match["names"]) if match else ()
    if names and not details.assignees and all(name[:1].isupper() for name in names):
        return replace(details, assignees=names), ""
    return details, text


def _take_project(reading: Reading, details: Details, text: str) -> tuple[Details, str]:
    """``details`` with the project at the end of ``text``, which has no noun, and with any people after it."""
    words = reading.grammar.creation
    pattern = rf"(?P<rest>.*?){_START}(?:{words.within}) {{project}}(?:[\s,]+{words.people})?[\s,]*"
    match = reading.pattern(pattern).fullmatch(text)
    if match is None or details.project is not None:
        return details, text
    people = details.assignees or reading.names(match["names"] or "")
    return replace(details, project=reading.name(match["project"]), assignees=people), match["rest"]


def _is_glue(reading: Reading, text: str) -> bool:
    """Whether ``text`` has only words that join details."""
    return bool(reading.pattern(rf"(?:[\s,;()]|\b(?:{reading.grammar.creation.glue})\b)*").fullmatch(text))


def _fixed(reading: Reading) -> tuple[str, ...]:
    words = reading.grammar.creation
    bare = f"(?P<{_BARE}>)(?P<when>{reading.grammar.dates.bare})"
    return *(f"(?:{pattern})" for pattern in words.priority), f"(?:{words.due_mark}) {{when}}", bare


def _fixed_suffix(reading: Reading, text: str, details: Details) -> tuple[Details, str] | None:
    for pattern in _fixed(reading):
        match = reading.pattern(rf"(?P<rest>.*?){_START}{pattern}\)?").fullmatch(text)
        if match and not _belongs_to_title(reading, match) and (taken := _applied(reading, details, match)):
            return taken, match["rest"]
    return None


def _named_suffix(reading: Reading, text: str, details: Details) -> tuple[Details, str] | None:
    """The detail that begins last, because it contains no other."""
    words = reading.grammar.creation
    candidates: list[tuple[Details, str]] = []
    for pattern in (words.assignees, *reading.grammar.to_project, f"(?:{words.content_mark}):? {{content}}"):
        match = reading.pattern(rf"(?P<rest>.*){_START}(?:{pattern})").fullmatch(text)
        if match and (taken := _applied(reading, details, match)):
            candidates.append((taken, match["rest"]))
    return max(candidates, key=lambda candidate: len(candidate[1]), default=None)


def _belongs_to_title(reading: Reading, match: re.Match[str]) -> bool:
    """Whether the date belongs to the word before it, as in ``Meeting of Friday``: it has no preposition of its own."""
    if match.groupdict().get(_BARE) is None:
        return False
    last = re.split(r"[\s']", match["rest"])[-1]
    return bool(reading.pattern(reading.grammar.creation.not_bare_after).fullmatch(last))


def _applied(reading: Reading, details: Details, match: re.Match[str]) -> Details | None:
    """``details`` with the one in ``match``; None if it is known already, or empty."""
    groups = match.groupdict()
    if (word := groups.get("priority")) and details.priority is None:
        return replace(details, priority=reading.grammar.priority(word))
    if (words := groups.get("when")) and details.due is None and (due := reading.when(words)):
        return replace(details, due=due)
    if (names := groups.get("names")) and not details.assignees:
        return replace(details, assignees=reading.names(names))
    if (project := groups.get("project")) and details.project is None:
        return replace(details, project=reading.name(project))
    if (content := groups.get("content")) and details.content is None:
        return replace(details, content=reading.content(content))
    return None
