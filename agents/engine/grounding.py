"""Whether what a model gives to a tool rests on anything: on what the user has said, or on what was read since.

Small models fill in every property that a schema names. Words are looked for in English and Italian, so that is only done where
the user writes one of these. Pure.
"""

import re
from collections.abc import Sequence
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


class Grounds:
    """What a model has read in a conversation, which grows while it is used. Without one, everything has a ground.

    It is made when all that the user says is in it: what comes later in their name are the server's own words.
    """

    def __init__(self, conversation: Sequence[Message] | None = None) -> None:
        self._conversation = conversation
        self._asked = len(conversation or ())

    def only_repeats(self, tool: ToolSpec) -> bool:
        """Whether the user only asks to see something, and ``tool`` would write what was read for that once more."""
        said, naming = self._said(), tool.naming()
        if not said or not asks_to_see(said[-1]):
            return False
        texts = [text for name, text in tool.arguments.items() if isinstance(text, str) and name not in naming]
        read = plain("\n".join(each.text for each in self._results()))
        return any(texts) and all(plain(text) in read for text in texts)

    def is_made_up(self, name: str) -> bool:
        """Whether ``name`` is no id, and the user has said not even a word of it, or means a time by it."""
        if self._conversation is None or _ROW_ID.fullmatch(name.strip(" []")):
            return False
        if TIME_WORDS.fullmatch(plain(name)):
            return True
        said = set(words_of(" ".join(self._said())).split())
        return said.isdisjoint(words_of(name).split())

    def unfounded(self, tool: ToolSpec) -> frozenset[str]:
        """The parameters of ``tool`` whose values rest on nothing."""
        given = tool.arguments
        founded = {name: route.founded for name, route in tool.routes.items() if route.founded and name in given}
        # Folding all that was read takes milliseconds.
        if not founded or not any(asks_only(said) or asks_for_change(said) for said in self._said()):
            return frozenset()
        read = plain("\n".join(self._read(with_results=tool.risk is not Risk.READ)))
        return frozenset(name for name, words in founded.items() if not words.search(read))

    def _said(self) -> list[str]:
        messages = (self._conversation or ())[: self._asked]
        return [
            _MOMENT.sub("", each.text)
            for each in messages
            if isinstance(each, UserMessage) and each.provenance is Provenance.SAID
        ]

    def _read(self, *, with_results: bool) -> list[str]:
        """What may be a ground; the model's own words are none.

        What a search has found is a ground for a change, but not for another search.
        """
        messages = self._conversation or ()
        read = [each for each in messages[: self._asked] if not isinstance(each, SystemMessage | AssistantMessage)]
        if with_results:
            read += self._results()
        # An image may say anything.
        images = ["1 today high" for each in read if isinstance(each, UserMessage) and each.images]
        return [*(_MOMENT.sub("", each.text) for each in read), *images]

    def _results(self) -> list[ToolMessage]:
        return [each for each in (self._conversation or ())[self._asked :] if isinstance(each, ToolMessage)]
