"""What a language must say for the assistant to understand it: words and sentence patterns, read from ``grammars/``.

In these regular expressions a space matches one white-space character, and a word in braces a part of the sentence
 (``{target}``, ``{status}``, …; see ``LanguageGrammar.pattern``). Case is ignored.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Final, TypeAlias, TypeVar

from pydantic import BeforeValidator, TypeAdapter

from agents.offline.commands import Field, Grouping, Place, Priority, RowKind, Shape, Status
from agents.offline.dates import DateWords
from agents.offline.patterns import Pattern, compiled, filled

T = TypeVar("T")

Words: TypeAlias = Annotated[
    frozenset[str], BeforeValidator(lambda said: said.split() if isinstance(said, str) else said)
]
"""Words; in a grammar's file separated by spaces."""

QUOTED: Final = "[\ue000-\ue01f]"
"""Matches the placeholder of a quoted name."""

_FOLDER: Final = Path(__file__).with_name("grammars")


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangeSentence:
    """A sentence that changes one row. What its pattern does not name (``{status}`` and such) is given here."""

    pattern: Pattern
    entity: RowKind | None = None
    status: Status | None = None
    priority: Priority | None = None
    archived: bool | None = None
    clears: Field | None = None
    reopens: bool = False
    """Whether it says that a task is not done after all."""
    states: bool = False
    """Whether the sentence only says how the row is: with a question mark it asks for that."""
    shift: int = 0
    """1 if the row is put off by the days of ``{count}``, −1 if it is brought forward."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CreationWords:
    """Sentences that make a row."""

    verbs: Pattern
    untyped: Pattern
    """Verbs that wish for a new row, whatever comes after them."""
    articles: Pattern
    wishes: tuple[Pattern, ...]
    """Whole sentences with a ``{title}`` that wish for a task without calling it one."""
    dictations: tuple[Pattern, ...]
    """Whole sentences with a ``{content}`` that are a note."""
    qualifiers: Pattern
    """Words between verb and noun that say nothing."""
    priority_before: Pattern
    """A priority said before the noun."""
    priority_after: Pattern
    """A priority said right after the noun."""
    title_mark: Pattern
    """What comes right before a title, with or without words between it and the noun."""
    title_lead: Pattern
    """What may begin an unmarked title and is no part of it."""
    content_mark: Pattern
    note_mark: Pattern
    """What comes before a note's text."""
    priority: tuple[Pattern, ...]
    due_mark: Pattern
    not_bare_after: Pattern
    """Words after which a bare date belongs to the title."""
    assignees: Pattern
    people: Pattern
    """People after a title in quotes; without quotes it belongs to the title."""
    glue: Pattern
    """Words between details that say nothing."""
    joint: Pattern
    """The word that may join a title and its details."""
    within: Pattern
    """What comes before a project's name alone, as the last of several details."""
    nameless: Pattern
    """What may come in the place of a title and is none."""
    several: Pattern
    """Words before the noun of several rows that say nothing; in the group ``number`` how many."""
    plurals: Mapping[RowKind, Pattern]
    """The nouns that mean several rows without a number."""
    listed: tuple[Pattern, ...]
    """What comes after a verb where the ``{titles}`` of rows come before their ``kind``."""
    item_mark: Pattern
    """What may come before a title in a list."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ListingWords:
    """What narrows a list down, and what says nothing in a question."""

    questions: Pattern
    """How a question or a wish to see something begins."""
    shapes: tuple[tuple[Pattern, Shape], ...]
    """A group ``chart``, where there is one, names the kind of chart in a word of ``charts``."""
    charts: tuple[tuple[Pattern, str], ...]
    groupings: tuple[tuple[Pattern, Grouping], ...]
    due_mark: Pattern
    """What may come before a day on which rows are due."""
    bound_mark: Pattern
    """What may come before the words for a span of days in which rows are due."""
    made_mark: Pattern
    """What comes before the days on which rows were created."""
    ahead: Pattern
    """What says that checkpoints are still to come."""
    latest: Pattern
    """What asks for the rows that were made last: in the group ``most`` how many; the group ``one`` means one."""
    ordering: Pattern
    """An order by date, which lists have anyway."""
    ranking: Pattern
    """An order by priority."""
    overdue: Pattern
    undated: Pattern
    unassigned: Pattern
    unfiled: Pattern
    filed: Pattern
    priority: tuple[Pattern, ...]
    status_mark: Pattern
    """What may come before a state and belongs to it."""
    state_at_end: Pattern
    """A state that ends a question."""
    assignee: tuple[Pattern, ...]
    words: Pattern
    about: Pattern
    everything: Pattern
    archived: Pattern
    active: Pattern
    fillers: Words
    """Words that say nothing in a question."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ContinuingWords:
    """Messages that only make sense after the one before: ``and in Garden?``, ``no, medium is enough``."""

    opening: Pattern
    closing: Pattern
    """Words around what is new that say nothing, the spaces included."""
    among: Pattern
    """What asks for some of the rows that the list before has shown."""
    deadline: Pattern
    """Whole messages with a ``{when}`` that say, after a row was made, for when it is."""
    refusal: Pattern
    """How a message begins that is no answer to the question for a title."""
    project: tuple[Pattern, ...]
    due: Pattern
    assignee: Pattern
    priority: Pattern
    status: Pattern
    verbs: Mapping[str, str]
    """The verb to complete a message that has none, by what the change before it has set."""
    again: Pattern
    """Whole messages that ask for the rows that were counted or listed."""
    another: Pattern
    """Whole messages that ask for another row like the one before, with what is said of it as ``rest``."""
    too: tuple[Pattern, ...]
    """Whole messages that ask for the change before of the row ``{title}``, too."""
    same: tuple[Pattern, ...]
    """Whole messages that ask for another row, with its ``{title}``."""
    chosen: tuple[Pattern, ...]
    """Whole messages that say which row was meant, by its ``{project}``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryWords:
    """Whole sentences about what is remembered."""

    remember: tuple[Pattern, ...]
    mine: Pattern
    """What may be remembered without a word such as "that" before it."""
    subject: Pattern
    """A sentence that says what its ``key`` is, of which there is only one, unlike facts about a person."""
    lead: Pattern
    """What may come before the name of what is remembered."""
    recall_all: tuple[Pattern, ...]
    recall: tuple[Pattern, ...]
    forget: tuple[Pattern, ...]
    everything: Pattern
    """What means all that is remembered."""
    history: tuple[Pattern, ...]
    back: tuple[tuple[Pattern, int], ...]
    """Spans of days gone by, with how many days back they begin."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JobWords:
    """Sentences whose work takes minutes."""

    summaries: tuple[Pattern, ...]
    """Whole sentences with the ``{target}`` to summarise."""
    plan: Pattern
    """What comes before the ``{target}`` to plan, the space included."""
    aim: Pattern
    """What comes between the target and the goal where no colon does."""
    reviews: tuple[Pattern, ...]
    """Whole sentences that wish for the review of a week."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sentences:
    """Whole sentences, by kind. Several are tried in their order."""

    greetings: Pattern
    thanks: Pattern
    declined: Pattern
    """That nothing is to be done."""
    help: Pattern
    next: tuple[Pattern, ...]
    page: tuple[Pattern, ...]
    """Questions for what is on the page that the person has open."""
    undo: Pattern
    undo_day: Pattern
    changes: tuple[ChangeSentence, ...]
    topics: tuple[Pattern, ...]
    """What may be said of a row, the ``{target}``, before a command about it."""
    deletions: tuple[Pattern, ...]
    comment_deletions: tuple[Pattern, ...]
    comments: tuple[Pattern, ...]
    authored: Pattern
    """Who says the comment, at the end of it."""
    comment_lists: tuple[Pattern, ...]
    note_searches: tuple[Pattern, ...]
    readings: tuple[Pattern, ...]
    note_readings: tuple[Pattern, ...]
    """Questions for what a note says, by its title."""
    states: tuple[Pattern, ...]
    """Questions for how one row stands, for which its bare name is enough."""
    beginnings: Pattern
    """A question when a project begins or ends, which its checkpoints tell."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LanguageGrammar:
    """One language. Compared by identity, so that patterns can be cached for it."""

    language: str
    """The language's code, ``en``, which is also the name of its file."""
    words: frozenset[str]
    """All words of the file, in lower case: none of them is misspelt."""
    marks: Words
    """Frequent words that give the language away."""
    vocabulary: Mapping[str, Pattern]
    """Parts of sentences by their name in braces; they may contain each other, one level deep."""
    opening: Pattern
    """Politeness before a command."""
    hesitation: Pattern
    """How a command begins that corrects what was said before."""
    closing: Pattern
    """Politeness after one."""
    nouns: Mapping[RowKind, Pattern]
    articles: Pattern
    dates: DateWords
    statuses: tuple[tuple[Pattern, frozenset[Status]], ...]
    """In the order of trying: longer sayings first."""
    priorities: tuple[tuple[Pattern, Priority], ...]
    name_separators: Pattern
    to_project: tuple[Pattern, ...]
    """What says the project that a row is put in or looked for in."""
    in_project: tuple[Pattern, ...]
    """What says the project of a row that exists."""
    places: tuple[tuple[Pattern, Place], ...]
    """Words for a row that was shown before."""
    spellings: tuple[tuple[Pattern, str], ...]
    """What the beginning of a command may be written as, and what that stands for."""
    pronouns: Pattern
    """Names that name nothing."""
    me: Pattern
    """The person, in the place of a name."""
    stand_in: Pattern
    """A name with a word in the place of the noun: “the printer one”."""
    small: Words
    """Words that may be left out or differ in the name of a row."""
    plural: Pattern
    """Names that mean many rows."""
    creation: CreationWords
    listing: ListingWords
    continuing: ContinuingWords
    memory: MemoryWords
    jobs: JobWords
    sentences: Sentences

    def pattern(self, text: str) -> re.Pattern[str]:
        """``text`` with its parts in braces made groups of the same name."""
        return _compiled(self, text)

    @cached_property
    def parts(self) -> Mapping[str, str]:
        """What replaces a name in braces."""
        shared = {part: filled(expression, self.vocabulary) for part, expression in self.vocabulary.items()}
        return shared | {
            "target": "(?P<target>.+?)",
            "title": "(?P<title>.+)",
            "titles": "(?P<titles>.+?)",
            "number": rf"(?P<number>\d+|{'|'.join(self.dates.numbers)})",
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
            "days": f"(?P<days>{self.dates.span})",
            "count": f"(?P<count>{self.dates.count})",
            "status": f"(?P<status>{_either(self.statuses)})",
            "statuses": f"(?:{_either(self.statuses)})",
            "priority": f"(?P<priority>{_either(self.priorities)})",
            "article": self.articles,
            "any_noun": "(?:" + "|".join(self.nouns.values()) + ")",
            **{f"{entity}_noun": f"(?:{noun})" for entity, noun in self.nouns.items()},
        }

    def number(self, word: str) -> int | None:
        """The number that ``word`` says."""
        return int(word) if word.isdecimal() else self.dates.numbers.get(word.casefold())

    def status(self, word: str) -> frozenset[Status] | None:
        """The states that ``word`` says."""
        return _said(word, self.statuses)

    def priority(self, word: str) -> Priority | None:
        """The priority that ``word`` says."""
        return _said(word, self.priorities)


@cache
def grammars() -> tuple[LanguageGrammar, ...]:
    """Every language that the assistant understands, English first."""
    files = sorted(_FOLDER.glob("*.toml"), key=lambda path: (path.stem != "en", path.stem))
    adapter = TypeAdapter(LanguageGrammar)
    return tuple(adapter.validate_python(_read(path)) for path in files)


def _read(path: Path) -> dict[str, object]:
    text = path.read_text("utf-8")
    words = frozenset(re.findall(r"[^\W\d_]+", text.casefold()))
    return {"language": path.stem, "words": words, **tomllib.loads(text)}


@cache
def _compiled(grammar: LanguageGrammar, text: str) -> re.Pattern[str]:
    return compiled(filled(text, grammar.parts))


def _either(choices: tuple[tuple[str, object], ...]) -> str:
    return "|".join(f"(?:{pattern})" for pattern, _ in choices)


def _said(word: str, choices: tuple[tuple[str, T], ...]) -> T | None:
    return next((meaning for pattern, meaning in choices if compiled(pattern).fullmatch(word)), None)
