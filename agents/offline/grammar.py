"""What a language must say for the assistant to understand it: words and sentence patterns, as data.

Patterns are regular expressions in which a space stands for one white-space character and a word in braces for a part
of the sentence (``{target}``, ``{status}``, …; see ``Grammar.pattern``). Case never matters.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TypeVar

from agents.offline.commands import Entity, Field, Grouping, Priority, Shape, Status
from agents.offline.dates import DateWords, compiled
from agents.offline.spelling import QUOTED

T = TypeVar("T")


class Language(StrEnum):
    """The languages the assistant understands."""

    ENGLISH = "en"
    ITALIAN = "it"


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """A sentence that changes one row. What its pattern does not name (``{status}`` and such) is given here."""

    pattern: str
    entity: Entity | None = None
    status: Status | None = None
    priority: Priority | None = None
    archived: bool | None = None
    clears: Field | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class CreationWords:
    """Sentences that make a row."""

    verbs: str
    articles: str
    wishes: tuple[str, ...]
    """Whole sentences with a ``{title}`` that wish for a task without calling it one."""
    dictations: tuple[str, ...]
    """Whole sentences with a ``{content}`` that are a note."""
    qualifiers: str
    """What may stand between verb and noun and says nothing."""
    priority_before: str
    """A priority said before the noun."""
    priority_after: str
    """A priority said right after the noun."""
    title_mark: str
    """What comes right before a title, whatever stands between it and the noun."""
    title_lead: str
    """What may begin an unmarked title and is no part of it."""
    content_mark: str
    note_mark: str
    """What comes before a note's text."""
    priority: tuple[str, ...]
    due_mark: str
    not_bare_after: str
    """Words after which a bare date belongs to the title."""
    assignees: str
    project: tuple[str, ...]
    glue: str
    """Words between details that say nothing."""
    joint: str
    """The word that may join a title and its details."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ListingWords:
    """What narrows a list down, and what says nothing in a question."""

    questions: str
    """How a question or a wish to see something begins."""
    shapes: tuple[tuple[str, Shape], ...]
    """A group ``chart``, where there is one, names the kind of chart in a word of ``charts``."""
    charts: tuple[tuple[str, str], ...]
    groupings: tuple[tuple[str, Grouping], ...]
    due_mark: str
    overdue: str
    undated: str
    priority: tuple[str, ...]
    status_mark: str
    """What may stand before a state and belongs to it."""
    assignee: str
    project: tuple[str, ...]
    words: str
    about: str
    everything: str
    archived: str
    active: str
    fillers: str
    """Words that say nothing in a question."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryWords:
    """Whole sentences about what is remembered."""

    remember: tuple[str, ...]
    mine: str
    """What may be remembered without a word such as "that" before it."""
    subject: str
    """A sentence that says what its ``key`` is, of which there is one: of a person much may be remembered."""
    lead: str
    """What may stand before the name of what is remembered."""
    recall_all: tuple[str, ...]
    recall: tuple[str, ...]
    forget: tuple[str, ...]
    history: tuple[str, ...]
    back: tuple[tuple[str, int], ...]
    """Spans of days gone by, with how many days back they begin."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JobWords:
    """Sentences whose work takes minutes."""

    summaries: tuple[str, ...]
    """Whole sentences with the ``{target}`` that is to be summarised."""
    plan: str
    """What stands before the ``{target}`` that is to be planned, the space included."""
    aim: str
    """What stands between the target and the goal where no colon does."""
    reviews: tuple[str, ...]
    """Whole sentences that wish for the review of a week."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sentences:
    """Whole sentences, and how each kind of them is told apart. Several are tried in their order."""

    greetings: str
    thanks: str
    help: str
    next: tuple[str, ...]
    page: tuple[str, ...]
    """Questions for what the page shows that the person has open."""
    changes: tuple[Change, ...]
    deletions: tuple[str, ...]
    comment_deletions: tuple[str, ...]
    comments: tuple[str, ...]
    authored: str
    """Who says the comment, at the end of it."""
    comment_lists: tuple[str, ...]
    note_searches: tuple[str, ...]
    readings: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Grammar:
    """One language. Compared by identity, so that patterns can be kept for it."""

    language: Language
    marks: str
    """Frequent words that give the language away."""
    vocabulary: Mapping[str, str]
    """Parts of sentences by the name that stands in braces for them; they may hold each other, one deep."""
    opening: str
    """Politeness before a command."""
    closing: str
    """Politeness after one."""
    nouns: Mapping[Entity, str]
    articles: str
    dates: DateWords
    statuses: tuple[tuple[str, frozenset[Status]], ...]
    """In the order of trying: longer sayings first."""
    priorities: tuple[tuple[str, Priority], ...]
    name_separators: str
    in_project: tuple[str, ...]
    """What says the project of a row that exists."""
    pronouns: str
    """Names that name nothing."""
    plural: str
    """Names that mean many rows."""
    creation: CreationWords
    listing: ListingWords
    memory: MemoryWords
    jobs: JobWords
    sentences: Sentences

    def pattern(self, text: str) -> re.Pattern[str]:
        """``text`` with its parts in braces made groups of the same name."""
        return compiled(_filled(text, self._parts))

    @cached_property
    def _parts(self) -> Mapping[str, str]:
        shared = {part: _filled(expression, self.vocabulary) for part, expression in self.vocabulary.items()}
        return shared | {
            "target": "(?P<target>.+?)",
            "title": "(?P<title>.+)",
            "content": "(?P<content>.+)",
            "names": "(?P<names>.+)",
            "project": "(?P<project>.+?)",
            "content_mine": f"(?P<content>{self.memory.mine})",
            "goal": "(?P<goal>.+)",
            "query": "(?P<query>.+)",
            "query_short": "(?P<query>.+?)",
            "span": f"(?P<span>{self.dates.any}|{'|'.join(pattern for pattern, _ in self.memory.back)})",
            "author": "(?P<author>.+)",
            "quoted": f"(?P<content>{QUOTED})",
            "when": f"(?P<when>{self.dates.any})",
            "status": f"(?P<status>{_either(self.statuses)})",
            "statuses": f"(?:{_either(self.statuses)})",
            "priority": f"(?P<priority>{_either(self.priorities)})",
            "article": self.articles,
            "any_noun": "(?:" + "|".join(self.nouns.values()) + ")",
            **{f"{entity}_noun": f"(?:{noun})" for entity, noun in self.nouns.items()},
        }

    @cached_property
    def mark_words(self) -> frozenset[str]:
        return frozenset(self.marks.split())

    @cached_property
    def filler_words(self) -> frozenset[str]:
        return frozenset(self.listing.fillers.split())

    def status(self, word: str) -> frozenset[Status] | None:
        """The states that ``word`` says."""
        return _said(word, self.statuses)

    def priority(self, word: str) -> Priority | None:
        """The priority that ``word`` says."""
        return _said(word, self.priorities)


def _filled(text: str, parts: Mapping[str, str]) -> str:
    for part, expression in parts.items():
        text = text.replace(f"{{{part}}}", expression)
    return text


def _either(choices: tuple[tuple[str, object], ...]) -> str:
    return "|".join(f"(?:{pattern})" for pattern, _ in choices)


def _said(word: str, choices: tuple[tuple[str, T], ...]) -> T | None:
    return next((meaning for pattern, meaning in choices if compiled(pattern).fullmatch(word)), None)
