"""The words and sentence patterns of each language that the assistant understands, read from ``grammars/``.

In these regular expressions, a space matches one white-space character, and a word in braces matches a part of the
sentence (``{target}``, ``{status}``, …; see ``LanguageGrammar.pattern``). Case is ignored.
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
    frozenset[str], BeforeValidator(lambda given: given.split() if isinstance(given, str) else given)
]
"""A set of words. In a grammar's file they are separated by spaces."""

QUOTED: Final = "[\ue000-\ue01f]"
"""Matches the placeholder of a quoted name."""

_FOLDER: Final = Path(__file__).with_name("grammars")


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangeSentence:
    """A sentence that changes one row. Its fields have the values that its pattern has no group for."""

    pattern: Pattern
    entity: RowKind | None = None
    status: Status | None = None
    priority: Priority | None = None
    archived: bool | None = None
    clears: Field | None = None
    reopens: bool = False
    """Whether the sentence says that a task is not done after all."""
    states: bool = False
    """Whether the sentence only describes the row, so that it is a question if it ends with a question mark."""
    shift: int = 0
    """1 if the row is postponed by the days of ``{count}``, −1 if it is brought forward."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CreationWords:
    """Sentences that create a row."""

    verbs: Pattern
    untyped: Pattern
    """Verbs that always ask for a new row."""
    articles: Pattern
    wishes: tuple[Pattern, ...]
    """Whole sentences with a ``{title}`` that ask for a task without the noun."""
    dictations: tuple[Pattern, ...]
    """Whole sentences with a ``{content}`` that are a note."""
    qualifiers: Pattern
    """Words between verb and noun without a meaning."""
    priority_before: Pattern
    """A priority before the noun."""
    priority_after: Pattern
    """A priority immediately after the noun."""
    title_mark: Pattern
    """Words immediately before a title, with or without words between them and the noun."""
    title_lead: Pattern
    """Words at the beginning of an unmarked title that are no part of it."""
    content_mark: Pattern
    note_mark: Pattern
    """Words before a note's text."""
    priority: tuple[Pattern, ...]
    due_mark: Pattern
    not_bare_after: Pattern
    """Words after which a bare date belongs to the title."""
    assignees: Pattern
    people: Pattern
    """People after a title in quotes. After a title without quotes, they are a part of it."""
    glue: Pattern
    """Words between details without a meaning."""
    joint: Pattern
    """The word that can join a title and its details."""
    within: Pattern
    """Words before a project's name without a noun, as the last of several details."""
    nameless: Pattern
    """Words in the position of a title that are no title."""
    several: Pattern
    """Words without a meaning before the noun of several rows. The group ``number`` is their number."""
    plurals: Mapping[RowKind, Pattern]
    """Nouns that mean several rows even without a number."""
    listed: tuple[Pattern, ...]
    """The rest of a sentence after its verb if the ``{titles}`` of rows come before their ``kind``."""
    item_mark: Pattern
    """Words or marks before a title in a list."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ListingWords:
    """Filters of lists, and words without a meaning in questions."""

    questions: Pattern
    """The beginning of a question or of a request to see rows."""
    shapes: tuple[tuple[Pattern, Shape], ...]
    """The optional group ``chart`` is a word of ``charts``."""
    charts: tuple[tuple[Pattern, str], ...]
    groupings: tuple[tuple[Pattern, Grouping], ...]
    due_mark: Pattern
    """Optional words before the day on which rows are due."""
    bound_mark: Pattern
    """Optional words before the days in which rows are due."""
    made_mark: Pattern
    """Words before the days on which rows were created."""
    ahead: Pattern
    """Words for coming checkpoints."""
    latest: Pattern
    """A request for the newest rows. The group ``most`` is their number; the group ``one`` means one."""
    ordering: Pattern
    """An order by date, which is the default."""
    ranking: Pattern
    """An order by priority."""
    overdue: Pattern
    undated: Pattern
    unassigned: Pattern
    unfiled: Pattern
    filed: Pattern
    priority: tuple[Pattern, ...]
    status_mark: Pattern
    """Optional words before a state that belong to it."""
    state_at_end: Pattern
    """A state that ends a question."""
    assignee: tuple[Pattern, ...]
    words: Pattern
    about: Pattern
    everything: Pattern
    archived: Pattern
    active: Pattern
    fillers: Words
    """Words without a meaning in a question."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ContinuingWords:
    """Messages that continue the previous one: ``and in Garden?``, ``no, medium is enough``."""

    opening: Pattern
    closing: Pattern
    """Words without a meaning around the new part, including the spaces."""
    among: Pattern
    """A request for some of the rows in the previous list."""
    deadline: Pattern
    """Whole messages with a ``{when}`` that set the deadline of a row that was just created."""
    refusal: Pattern
    """The beginning of a message that does not answer the question for a title."""
    project: tuple[Pattern, ...]
    due: Pattern
    assignee: Pattern
    priority: Pattern
    status: Pattern
    verbs: Mapping[str, str]
    """The verb for a message without one, by the name of the field that the previous change has set."""
    again: Pattern
    """Whole messages that ask for the rows that were counted or listed."""
    another: Pattern
    """Whole messages that ask for another row like the previous one. ``rest`` is its description."""
    too: tuple[Pattern, ...]
    """Whole messages that ask for the previous change also of the row ``{title}``."""
    same: tuple[Pattern, ...]
    """Whole messages that ask for another row with this ``{title}``."""
    chosen: tuple[Pattern, ...]
    """Whole messages that say which row was meant, by its ``{project}``."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryWords:
    """Whole sentences about the memory."""

    remember: tuple[Pattern, ...]
    mine: Pattern
    """A sentence that can be remembered without a word such as "that" before it."""
    subject: Pattern
    """A sentence about a ``key`` that has only one value, unlike facts about a person."""
    lead: Pattern
    """Words before the name of a memory."""
    recall_all: tuple[Pattern, ...]
    recall: tuple[Pattern, ...]
    forget: tuple[Pattern, ...]
    everything: Pattern
    """Words for the whole memory."""
    history: tuple[Pattern, ...]
    back: tuple[tuple[Pattern, int], ...]
    """Past spans of days, each with the number of days since its beginning."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JobWords:
    """Sentences that start a job."""

    summaries: tuple[Pattern, ...]
    """Whole sentences with the ``{target}`` to summarise."""
    plan: Pattern
    """Words before the ``{target}`` to plan, including the space."""
    aim: Pattern
    """Words between the target and the goal in place of a colon."""
    reviews: tuple[Pattern, ...]
    """Whole sentences that ask for the review of a week."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sentences:
    """Whole sentences, by kind. Several patterns are tried in order."""

    greetings: Pattern
    thanks: Pattern
    declined: Pattern
    """A message that declines any action."""
    help: Pattern
    next: tuple[Pattern, ...]
    page: tuple[Pattern, ...]
    """Questions for the content of the viewed page."""
    undo: Pattern
    undo_day: Pattern
    changes: tuple[ChangeSentence, ...]
    topics: tuple[Pattern, ...]
    """Statements about a row, the ``{target}``, before a command about it."""
    deletions: tuple[Pattern, ...]
    comment_deletions: tuple[Pattern, ...]
    comments: tuple[Pattern, ...]
    authored: Pattern
    """The author of a comment, after its text."""
    comment_lists: tuple[Pattern, ...]
    note_searches: tuple[Pattern, ...]
    readings: tuple[Pattern, ...]
    note_readings: tuple[Pattern, ...]
    """Questions for the text of a note with a title."""
    states: tuple[Pattern, ...]
    """Questions for the state of a row, whose bare name suffices."""
    beginnings: Pattern
    """A question for the beginning or the end of a project, which its checkpoints answer."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LanguageGrammar:
    """One language. Compared by identity, so that patterns can be cached for it."""

    language: str
    """The language's code, ``en``, which is also the name of its file."""
    words: frozenset[str]
    """All words of the file, in lower case. None of them is misspelt."""
    marks: Words
    """Frequent words that identify the language."""
    vocabulary: Mapping[str, Pattern]
    """Parts of sentences by their name in braces. A part can contain others, one level deep."""
    opening: Pattern
    """Politeness before a command."""
    hesitation: Pattern
    """The beginning of a command that corrects an earlier one."""
    closing: Pattern
    """Politeness after a command."""
    nouns: Mapping[RowKind, Pattern]
    articles: Pattern
    dates: DateWords
    statuses: tuple[tuple[Pattern, frozenset[Status]], ...]
    """Tried in order, so longer phrases come first."""
    priorities: tuple[tuple[Pattern, Priority], ...]
    name_separators: Pattern
    to_project: tuple[Pattern, ...]
    """The project into which a row is put, or whose rows are wanted."""
    in_project: tuple[Pattern, ...]
    """The project of an existing row."""
    places: tuple[tuple[Pattern, Place], ...]
    """Words for a row that was shown before."""
    spellings: tuple[tuple[Pattern, str], ...]
    """Variants of the beginning of a command, each with its normal form."""
    pronouns: Pattern
    """Words in place of a name."""
    me: Pattern
    """Words for the user in place of a name."""
    stand_in: Pattern
    """A name with a pronoun in place of the noun, such as “the printer one”."""
    small: Words
    """Words of a row's name that can be omitted or differ."""
    plural: Pattern
    """Words for many rows in place of a name."""
    creation: CreationWords
    listing: ListingWords
    continuing: ContinuingWords
    memory: MemoryWords
    jobs: JobWords
    sentences: Sentences

    def pattern(self, text: str) -> re.Pattern[str]:
        """The pattern ``text``, whose parts in braces become groups with the same name."""
        return _compiled(self, text)

    @cached_property
    def parts(self) -> Mapping[str, str]:
        """The patterns for names in braces."""
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
        """The number that ``word`` means."""
        return int(word) if word.isdecimal() else self.dates.numbers.get(word.casefold())

    def status(self, word: str) -> frozenset[Status] | None:
        """The states that ``word`` means."""
        return _meaning(word, self.statuses)

    def priority(self, word: str) -> Priority | None:
        """The priority that ``word`` means."""
        return _meaning(word, self.priorities)


@cache
def grammars() -> tuple[LanguageGrammar, ...]:
    """The grammars of all languages that the assistant understands, English first."""
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


def _meaning(word: str, choices: tuple[tuple[str, T], ...]) -> T | None:
    return next((meaning for pattern, meaning in choices if compiled(pattern).fullmatch(word)), None)
