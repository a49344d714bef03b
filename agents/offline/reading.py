"""A message and the language to read it in: what the readers of all sentences share."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from agents.offline.commands import Command, Incomplete, Missing, RowKind, Talk, Target
from agents.offline.dates import When
from agents.offline.grammar import LanguageGrammar
from agents.offline.spelling import Utterance, one_line

EDGES = " \n,;:.–—"


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """A message in one language. ``text`` is without politeness; ``today`` is the person's."""

    grammar: LanguageGrammar
    utterance: Utterance
    text: str
    today: date

    def pattern(self, text: str) -> re.Pattern[str]:
        """A pattern of the grammar, compiled once."""
        return self.grammar.pattern(text)

    def matches(self, patterns: Sequence[str]) -> Iterator[re.Match[str]]:
        """The whole text as each of ``patterns`` reads it, in their order."""
        for pattern in patterns:
            if match := self.pattern(pattern).fullmatch(self.text):
                yield match

    def name(self, part: str) -> str:
        """``part`` as typed, on one line, without the marks around it."""
        return one_line(self.utterance.restored(part.strip(EDGES)))

    def content(self, part: str) -> str:
        """``part`` as typed, its lines kept."""
        return self.utterance.restored(part.strip(" \n:,;"))

    def names(self, part: str) -> tuple[str, ...]:
        """The names that ``part`` lists."""
        parts = self.pattern(self.grammar.name_separators).split(part)
        return tuple(name for name in map(self.name, parts) if name)

    def when(self, part: str) -> When | None:
        """The date that ``part`` says."""
        return self.grammar.dates.read(self.utterance.restored(part), self.today)

    def target(self, part: str, entity: RowKind | None = None) -> Target | Command:
        """The row that ``part`` names; a command that asks back if it names none, or many."""
        literal = part.strip(EDGES)
        if self.pattern(self.grammar.pronouns).fullmatch(literal):
            return Incomplete(missing=Missing.WHICH, entity=entity)
        if self.pattern(self.grammar.plural).fullmatch(literal):
            return Talk.ONE_AT_A_TIME
        rest, project = self._split_project(literal)
        name, said = self._split_noun(rest, entity)
        if not name.strip(EDGES):
            return Incomplete(missing=Missing.WHICH, entity=said or entity)
        return Target(name=self.name(name), literal=self.name(literal), entity=said or entity, project=project)

    def _split_project(self, text: str) -> tuple[str, str | None]:
        for pattern in self.grammar.in_project:
            if match := self.pattern(f"(?P<rest>.+?),? {pattern}").fullmatch(text):
                return match["rest"], self.name(match["project"])
        return text, None

    def _split_noun(self, text: str, entity: RowKind | None) -> tuple[str, RowKind | None]:
        """``text`` without article and noun, and the kind that the noun names; only ``entity`` if it is given."""
        bare = self.pattern("{article}(?P<rest>.+)").fullmatch(text)
        text = bare["rest"] if bare else text
        mark = self.grammar.creation.title_mark
        for kind in RowKind if entity is None else (entity,):
            before = self.pattern(rf"{{{kind}_noun}}(?:(?: (?:{mark}))?[ :]+(?P<rest>.+)|)").fullmatch(text)
            behind = self.pattern(f"(?P<rest>.+) {{{kind}_noun}}").fullmatch(text)
            if match := before or behind:
                return match["rest"] or "", kind
        return text, None
