"""Asking a source for every prompt. What cannot be had or used leaves the text before in force."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from agents.errors import PromptSourceAway, PromptUnusable
from agents.prompts import variables
from agents.prompts.book import Origin, Page, Pages
from agents.prompts.names import PromptName
from agents.prompts.source import PromptSource, SourceText


@dataclass(frozen=True, kw_only=True, slots=True)
class Fetched:
    """The source's pages from now on, and what was wrong, a sentence each."""

    pages: Pages
    problems: tuple[str, ...]


def fetch_all(source: PromptSource, before: Pages, *, wanted: Callable[[], bool]) -> Fetched:
    """Every prompt of ``source``, where ``before`` is what it had when it was asked last. Blocks.

    Once the source is away it is asked for nothing more, and nothing more is asked once it is no longer ``wanted``.
    """
    pages = dict(before)
    problems: dict[str, list[str]] = {}
    for name in PromptName:
        if not wanted():
            break
        try:
            _turn(pages, name, source.fetch(name))
        except PromptSourceAway as error:
            problems[str(error)] = []
            break
        except PromptUnusable as error:
            problems.setdefault(str(error), []).append(name)
    return Fetched(pages=pages, problems=tuple(_sentences(problems)))


def _turn(pages: dict[PromptName, Page], name: PromptName, found: SourceText | None) -> None:
    """Put ``found`` in its place. Raises ``PromptUnusable``."""
    if found is None:
        pages.pop(name, None)
        return
    text, before = found.text.strip(), pages.get(name)
    if before is not None and (before.text, before.version) == (text, found.version):
        return
    if wrong := variables.problems(name, text):
        raise PromptUnusable(" ".join(wrong))
    pages[name] = Page(text=text, origin=Origin.LANGFUSE, version=found.version, since=datetime.now(UTC))


def _sentences(problems: Mapping[str, list[str]]) -> list[str]:
    return [f"{', '.join(names)}: {sentence}" if names else sentence for sentence, names in problems.items()]
