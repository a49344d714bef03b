"""What a creation says beside the title: priority, date, people, project, description.

The last words of ``Buy milk for tomorrow with high priority`` are details, whatever their order. Those with a fixed
vocabulary (priority, date) are taken first; those that hold a name (people, project, description) reach to the end.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from agents.offline.commands import Details
from agents.offline.reading import Reading

_START = r"(?:^|[\s,;(]+)"
_END = r"(?=$|[\s,;)])"
_BARE = "bare"


def take_trailing(reading: Reading, text: str, details: Details) -> tuple[Details, str]:
    """``details`` with what the end of ``text`` says of them, and the text before it."""
    while found := _fixed_suffix(reading, text, details) or _named_suffix(reading, text, details):
        details, text = found[0], _without_glue(reading, found[1])
    return details, text


def take_all(reading: Reading, text: str, details: Details) -> tuple[Details, str]:
    """``details`` with all that ``text`` says of them anywhere, and what is left of the text."""
    for pattern in _fixed(reading):
        for match in reading.pattern(f"{_START}{pattern}{_END}").finditer(text):
            if taken := _applied(reading, details, match):
                details, text = taken, f"{text[: match.start()]} {text[match.end() :]}"
                break
    return take_trailing(reading, text.strip(), details)


def is_glue(reading: Reading, text: str) -> bool:
    """Whether ``text`` holds nothing but words that say nothing."""
    return bool(reading.pattern(rf"(?:[\s,;()]|\b(?:{reading.grammar.creation.glue})\b)*").fullmatch(text))


def _fixed(reading: Reading) -> Iterator[str]:
    words = reading.grammar.creation
    yield from (f"(?:{pattern})" for pattern in words.priority)
    yield f"(?:{words.due_mark}) {{when}}"
    yield f"(?P<{_BARE}>)(?P<when>{reading.grammar.dates.bare})"


def _named(reading: Reading) -> Iterator[str]:
    words = reading.grammar.creation
    yield words.assignees
    yield from words.project
    yield f"(?:{words.content_mark}):? {{content}}"


def _fixed_suffix(reading: Reading, text: str, details: Details) -> tuple[Details, str] | None:
    for pattern in _fixed(reading):
        match = reading.pattern(rf"(?P<rest>.*?){_START}{pattern}\)?").fullmatch(text)
        if match and not _belongs_to_title(reading, match) and (taken := _applied(reading, details, match)):
            return taken, match["rest"]
    return None


def _named_suffix(reading: Reading, text: str, details: Details) -> tuple[Details, str] | None:
    """The detail that begins last, so that it holds no other."""
    found: list[tuple[Details, str]] = []
    for pattern in _named(reading):
        match = reading.pattern(rf"(?P<rest>.*){_START}(?:{pattern})").fullmatch(text)
        if match and (taken := _applied(reading, details, match)):
            found.append((taken, match["rest"]))
    return max(found, key=lambda taken: len(taken[1]), default=None)


def _belongs_to_title(reading: Reading, match: re.Match[str]) -> bool:
    """``Meeting of Friday``: a date without a preposition of its own belongs to the word before it."""
    if match.groupdict().get(_BARE) is None:
        return False
    last = re.split(r"[\s']", match["rest"])[-1]
    return bool(reading.pattern(reading.grammar.creation.not_bare_after).fullmatch(last))


def _applied(reading: Reading, details: Details, match: re.Match[str]) -> Details | None:
    """``details`` with what ``match`` says; None when that is known already or says nothing."""
    said = match.groupdict()
    if (word := said.get("priority")) and details.priority is None:
        return replace(details, priority=reading.grammar.priority(word))
    if (words := said.get("when")) and details.due is None and (due := reading.when(words)):
        return replace(details, due=due)
    if (names := said.get("names")) and not details.assignees:
        return replace(details, assignees=reading.names(names))
    if (project := said.get("project")) and details.project is None:
        return replace(details, project=reading.name(project))
    if (content := said.get("content")) and details.content is None:
        return replace(details, content=reading.content(content))
    return None


def _without_glue(reading: Reading, text: str) -> str:
    return reading.pattern(rf"[\s,;(]*(?:\b(?:{reading.grammar.creation.joint}))?[\s,;(]*$").sub("", text)
