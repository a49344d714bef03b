"""A question to the index, and what its words ask for. Pure."""

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
from memory.search.supplied_text import without_supplied_text
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
"""How many dates in a question are used."""
_GENERAL: Final = -6.0
"""A request with a lower ``wording`` is not about its author: “recipe for a marble cake, 1lb tin”."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A message for which the memory is searched. ``now`` is in the user's time zone. ``language`` is an IETF tag.

    ``before`` is the conversation so far, latest message last. Its texts are not recalled again. ``vectors`` has the
    similarities of the exchanges' summaries in meaning, if known, as standard scores. ``near`` are the exchanges whose
    similarity is higher than that of random texts.

    A search (``is_search``) finds all passages that have one of its words, and superseded ones with a note. With
    ``since``, it finds only those of that time or later.
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
        """Its text, without a text that it supplies to be translated, corrected or shortened."""
        return self.text if self.is_search else without_supplied_text(self.text)

    @cached_property
    def history(self) -> str:
        """The text of the conversation."""
        return "\n".join(earlier.text for earlier in self.before)

    @cached_property
    def followed_up(self) -> Sequence[Earlier]:
        """The messages and answers that it follows up, latest first; none if it is clear by itself."""
        return followed_up(self.text, self.before)

    @cached_property
    def spans(self) -> Sequence[Span]:
        """The days that it mentions, each once."""
        # Searching for each takes time, so only the first ones of a long text are used.
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
        """The part that asks, with the sentences to which it refers, and without quotations."""
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
        """Whether it asks for information about its author's life."""
        return asks_of_own_life(self.plain)

    @cached_property
    def is_of_the_world(self) -> bool:
        """Whether it asks for general knowledge or for a text."""
        return asks_of_the_world(self.plain)

    @cached_property
    def wording(self) -> float:
        """The log odds, by its wording and that of the messages that it follows up, that it is about its author's life.

        0 if its author speaks neither English nor Italian. At least 0 if it only states something about its author,
        because the classifier was fitted to questions.
        """
        # Words of other languages may look like words of these two: “qui a notre clé?”
        if not self.is_in_known_language:
            return 0.0
        messages = [earlier.text for earlier in self.followed_up if not earlier.is_answer]
        log_odds = OWN_LIFE.log_odds(features_of("\n".join([self.asked_unquoted, *messages])))
        return max(log_odds, 0.0) if tells_of_self(comparable(self.message)) else log_odds

    @cached_property
    def seems_of_own_life(self) -> bool:
        """Whether it may be about its author's life, judged without the memory."""
        return not is_closing(self.text) and (self.is_of_own_life or self.wording >= 0)

    @cached_property
    def preferences_may_apply(self) -> bool:
        """Whether preferences may apply to it even if it is about nothing else in the memory: it asks for an action or
        a suggestion whose result is not the same for everyone.
        """
        if not is_request(self.request) or self.is_of_the_world or self.wording < _GENERAL:
            return False
        return not asks_how_to(self.request) or self.wording > 0

    @cached_property
    def request(self) -> str:
        """The action or suggestion that it asks for, as ``comparable``; empty if it only asks for information.

        If it is about its author's life, this is the whole message: “what can't I eat? must tell the caterer”.
        """
        plain = comparable(self.message) if self.is_of_own_life else self.plain
        return "" if self.past or self.asks_for_overview or wants_to_know(plain) else plain

    @cached_property
    def past(self) -> bool:
        """Whether it asks about the past, or is a search."""
        return self.is_search or asks_about_past(self.message) or names_past(self.message, self.now.date())
