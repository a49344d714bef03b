"""Whether what a model gives to a tool rests on anything: on what the user has said, or on what was read since.

Small models fill in every property that a schema names. Words are looked for in English and Italian, so that is only done where
the user writes one of these. Pure.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from agents.adapters.base import AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage
from agents.engine.claims import asks_for_change, asks_only, asks_to_see
from agents.provenance import Provenance
from agents.titles import plain, words_of
from agents.tools.arguments import TIME_WORDS
from agents.tools.spec import Risk, ToolSpec

_MOMENT: Final = re.compile(r"\AIt is [^\n]* in the user's time zone, [^\n]*")
"""As ``situation`` begins, which models copy."""
_ROW_ID: Final = re.compile(r"(?:[a-z]{1,2}\d+|[0-9a-f]{8}-[0-9a-f-]{27})", re.IGNORECASE)


@dataclass(slots=True)
class _Search:
    """How many results were looked through for some words, and whether one had them."""

    seen: int = 0
    found: bool = False


class Grounds:
    """What a model has read in a conversation, which grows while it is used. Without one, everything has a ground.

    It is made when all that the user says is in it: what comes later in their name are the server's own words.
    """

    def __init__(self, conversation: Sequence[Message] | None = None) -> None:
        self._conversation = conversation
        self._asked = len(conversation or ())
        self._followed = self._asked
        self._folded: list[str] = []
        self._found: dict[re.Pattern[str], _Search] = {}

    def only_repeats(self, tool: ToolSpec) -> bool:
        """Whether the user only asks to see something, and ``tool`` would write what was read for that once more."""
        if not self._asks_to_see:
            return False
        naming = tool.naming()
        texts = [text for name, text in tool.arguments.items() if isinstance(text, str) and name not in naming]
        read = " ".join(self._results())
        return any(texts) and all(plain(text) in read for text in texts)

    def is_made_up(self, name: str) -> bool:
        """Whether ``name`` is no id, and the user has said not even a word of it, or means a time by it."""
        if self._conversation is None or _ROW_ID.fullmatch(name.strip(" []")):
            return False
        if TIME_WORDS.fullmatch(plain(name)):
            return True
        said = set(words_of(" ".join(self._said)).split())
        return said.isdisjoint(words_of(name).split())

    def unfounded(self, tool: ToolSpec) -> frozenset[str]:
        """The parameters of ``tool`` whose values rest on nothing."""
        given = tool.arguments
        founded = {name: route.founded for name, route in tool.routes.items() if route.founded and name in given}
        if not founded or not self._asks:
            return frozenset()
        with_results = tool.risk is not Risk.READ
        return frozenset(
            name
            for name, words in founded.items()
            if not words.search(self._asked_with) and not (with_results and self._is_in_results(words))
        )

    def _is_in_results(self, words: re.Pattern[str]) -> bool:
        """Whether a result has one of ``words``. Each is looked through once: a turn may read a great deal."""
        results, search = self._results(), self._found.setdefault(words, _Search())
        search.found = search.found or any(words.search(each) for each in results[search.seen :])
        search.seen = len(results)
        return search.found

    @cached_property
    def _said(self) -> list[str]:
        """The user's own words."""
        messages = (self._conversation or ())[: self._asked]
        return [
            _MOMENT.sub("", each.text)
            for each in messages
            if isinstance(each, UserMessage) and each.provenance is Provenance.SAID
        ]

    @cached_property
    def _asks(self) -> bool:
        """Whether the user writes in a language whose words are known here."""
        return any(asks_only(said) or asks_for_change(said) for said in self._said)

    @cached_property
    def _asks_to_see(self) -> bool:
        return bool(self._said) and asks_to_see(self._said[-1])

    @cached_property
    def _asked_with(self) -> str:
        """What the user said and what went along with it, folded; the model's own words are no ground."""
        messages = (self._conversation or ())[: self._asked]
        read = [each for each in messages if not isinstance(each, SystemMessage | AssistantMessage)]
        # An image may say anything.
        images = ["1 today high" for each in read if isinstance(each, UserMessage) and each.images]
        return plain("\n".join([*(_MOMENT.sub("", each.text) for each in read), *images]))

    def _results(self) -> Sequence[str]:
        """What tools have told since, folded, which takes milliseconds for all of it.

        What a search has found is a ground for a change, but not for another search.
        """
        messages = self._conversation or ()
        new = [each.text for each in messages[self._followed :] if isinstance(each, ToolMessage)]
        self._followed = max(self._followed, len(messages))
        self._folded += map(plain, new)
        return self._folded
