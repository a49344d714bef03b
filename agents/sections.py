"""Text in sections, for a model to read and to be read back by whoever has only the text (the offline adapter).

A section is a line ``== its title ==`` and what follows it. What rows say can look like anything, so a line of a body
that begins like a title is moved in by a space. Pure.
"""

import re
from collections.abc import Mapping
from typing import Final, TypeVar

Title = TypeVar("Title", bound=str)

_TITLE: Final = re.compile(r"== (.+) ==")
_LIKE_A_TITLE: Final = re.compile(r"^(?===)", re.MULTILINE)


def write_sections(sections: Mapping[Title, str]) -> str:
    """The sections, one below the other; one with an empty body is left out."""
    return "\n\n".join(
        f"== {title} ==\n{_LIKE_A_TITLE.sub(' ', body.strip())}" for title, body in sections.items() if body.strip()
    )


def read_sections(text: str) -> dict[str, str]:
    """The bodies in ``text`` by title; what stands before the first title is none."""
    found: dict[str, list[str]] = {}
    body: list[str] = []
    for line in text.split("\n"):
        if title := _TITLE.fullmatch(line):
            body = found.setdefault(title[1], [])
        else:
            body.append(line)
    return {title: "\n".join(lines).strip() for title, lines in found.items()}
