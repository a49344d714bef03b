"""A question to the index, and what its words say about what it asks for. Pure."""

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Final
from uuid import UUID

from memory.search.change_words import asks_about_past
from memory.search.dates import Span, asked_spans, names_past
from memory.search.follow_ups import Earlier, followed_up
from memory.search.given_text import without_given_text
from memory.search.requests import (
    asked_in_full,
    asking_sentences,
    asks_how_to,
    asks_of_own_life,
    asks_of_the_world,
    is_closing,
    is_request,
    tells_of_self,
    wants_to_know,
    without_quotes,
)
from memory.search.vocabulary import STOP_WORDS
from memory.search.wording import OWN_LIFE, features_of
from memory.search.words import comparable, folded, primary_language

_ASKS_FOR_OVERVIEW: Final = re.compile(
    r"\b(?:order in which|in (?:what |which )?order(?! to\b)|summar(?:y|ies|ise|ize)|recap|overview|walk me through|"
    r"in (?:che |quale )?ordine|riassum\w+|riassunto|riepilog\w+|panoramica)\b"
)
_ASKS_IF_IN_ORDER: Final = re.compile(r"(?:is|are|was|were|e|sono|era|erano)\b.* in ord(?:er|ine)\W*\Z")
"""“Are my papers in order?” asks for no overview."""
_MAX_SPANS: Final = 100
"""How many spans of days in a question are used."""
_GENERAL: Final = -6.0
"""With a lower ``wording``, a request concerns nobody in particular: “recipe for a marble cake, 1lb tin”."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A message for which the memory is searched. ``now`` is in the user's time zone. ``language`` is an IETF tag.

    ``before`` is the conversation so far, the latest message last; its content is not recalled again. ``vectors`` has
    the similarity of exchanges' summaries in meaning, if known, in standard deviations above the mean. ``near`` are the
    exchanges that are more similar than any would be by chance.

    A search (``is_search``) finds everything that has one of its words, also what is no longer true, with a note. With
    ``since``, it finds only what was said since then.
    """

    text: str
    now: datetime
    language: str = "en"
    before: Sequence[Earlier] = ()
    is_search: bool = False
    since: datetime | None = None
    vectors: Mapping[UUID, float] = field(default_factory=dict)
    near: AbstractSet[UUID] = frozenset()

    @cached_property
    def message(self) -> str:
        """Its text, without a text to be translated, corrected or shortened."""
        return self.text if self.is_search else without_given_text(self.text)

    @cached_property
    def history(self) -> str:
        """The text of the conversation."""
        return "\n".join(earlier.text for earlier in self.before)

    @cached_property
    def followed_up(self) -> Sequence[Earlier]:
        """The messages of the conversation that it follows up, the latest first; none if it is clear by itself."""
        return followed_up(self.text, self.before)

    @cached_property
    def spans(self) -> Sequence[Span]:
        """The days that it names."""
        # Each once, and only the first ones of a long text, because searching for each takes time.
        return list(dict.fromkeys(asked_spans(self.message, self.now.date())))[:_MAX_SPANS]

    @cached_property
    def asks_for_overview(self) -> bool:
        """Whether it asks for everything about a matter, or for the order of events."""
        plain = folded(self.message).strip()
        return _ASKS_FOR_OVERVIEW.search(plain) is not None and not _ASKS_IF_IN_ORDER.match(plain)

    @cached_property
    def asked(self) -> str:
        """The part of the message that asks."""
        return asking_sentences(self.message)

    @cached_property
    def asked_unquoted(self) -> str:
        """The part that asks, with the sentences that it refers to, and without quotations."""
        return without_quotes(asked_in_full(self.message))

    @property
    def is_in_known_language(self) -> bool:
        """Whether its author speaks English or Italian."""
        return primary_language(self.language) in STOP_WORDS

    @cached_property
    def plain(self) -> str:
        """``asked``, as ``comparable``."""
        return comparable(self.asked)

    @cached_property
    def is_of_own_life(self) -> bool:
        """Whether it asks about its author's life, which others cannot know."""
        return asks_of_own_life(self.plain)

    @cached_property
    def is_of_the_world(self) -> bool:
        """Whether it asks for something that anyone may know or write."""
        return asks_of_the_world(self.plain)

    @cached_property
    def wording(self) -> float:
        """The log odds, by its wording and that of the messages that it follows up, that it is about its author's life.

        0 if its author speaks neither English nor Italian. At least 0 if it only tells about its author, because the
        classifier was fitted to questions.
        """
        # Words of other languages may look like one of these: “qui a notre clé?”
        if not self.is_in_known_language:
            return 0.0
        said = [earlier.text for earlier in self.followed_up if not earlier.is_answer]
        found = OWN_LIFE.log_odds(features_of("\n".join([self.asked_unquoted, *said])))
        return max(found, 0.0) if tells_of_self(comparable(self.message)) else found

    @cached_property
    def seems_of_own_life(self) -> bool:
        """Whether it may be about its author's life, judged without the memory."""
        return not is_closing(self.text) and (self.is_of_own_life or self.wording >= 0)

    @cached_property
    def preferences_may_apply(self) -> bool:
        """Whether preferences may apply to it though it is about nothing else in the memory: it asks to do something,
        and not for something that is the same for everyone.
        """
        if not is_request(self.request) or self.is_of_the_world or self.wording < _GENERAL:
            return False
        return not asks_how_to(self.request) or self.wording > 0

    @cached_property
    def request(self) -> str:
        """What it asks to do or propose, as ``comparable``; empty if it only wants to know something.

        If it is about its author's life, it is the whole message: “what can't I eat? must tell the caterer”.
        """
        plain = comparable(self.message) if self.is_of_own_life else self.plain
        return "" if self.past or self.asks_for_overview or wants_to_know(plain) else plain

    @cached_property
    def past(self) -> bool:
        """Whether it asks about the past, or is a search."""
        return self.is_search or asks_about_past(self.message) or names_past(self.message, self.now.date())
