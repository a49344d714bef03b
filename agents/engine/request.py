"""What the user's message asks for, in the light of the conversation before it. Pure."""

import json
import re
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from agents.adapters.base import AssistantMessage, Message, ToolMessage, UserMessage
from agents.engine.claims import admits_no_change, claims_change
from agents.engine.ground_words import telling_words
from agents.engine.intents import (
    asks_for_change,
    asks_for_rows,
    asks_for_text,
    asks_only,
    asks_to_see,
    continues_change,
    goes_on_asking,
    orders_change,
)
from agents.prompts.rendering import preferences_in
from agents.titles import plain, words_of
from agents.tools.rows import ASK_WHICH, CARDS_SHOWN

_CHANGED: Final = re.compile(r"(?:Created|Updated|Deleted|Added|Remembered|Undone)\b")
"""The beginning of the result of a tool that has changed something."""
_PARAGRAPH: Final = "\n\n"
_MIN_COPIED_WORDS: Final = 4
_MAX_CHOICE: Final = 200
"""In characters. A longer message says more than which row is meant."""
_DECLINES: Final = re.compile(
    r"\W*(?:no|never|none|neither|nothing|leave|forget|cancel|nessun\w*|niente|lascia\w*|annulla)\b", re.IGNORECASE
)
_MY: Final = ("my", "mio", "mia", "miei", "mie")


class Request:
    """The last message of the user in ``conversation``, which grows while it is answered."""

    def __init__(self, conversation: Sequence[Message]) -> None:
        self._conversation = conversation
        self._earlier = tuple(conversation)
        self.message = next((each.text for each in reversed(conversation) if isinstance(each, UserMessage)), "")

    @property
    def wants_result(self) -> bool:
        """Whether the user wants something done or shown: then no answer has the same text as the message."""
        return asks_for_change(self.message) or asks_to_see(self.message)

    @property
    def wants_call(self) -> bool:
        """Whether the user wants rows changed or shown, whatever the answer says."""
        wishes = (orders_change, asks_for_rows, goes_on_asking)
        return any(wishes_for(self.message) for wishes_for in wishes) or self.continues_change

    @property
    def wants_change(self) -> bool:
        """Whether the user wants something changed."""
        return asks_for_change(self.message) or orders_change(self.message) or self.continues_change

    @property
    def continues_change(self) -> bool:
        """Whether the message continues an earlier change in the conversation, or chooses the row to change."""
        return self.follows and (continues_change(self.message) or self._chooses)

    @cached_property
    def _chooses(self) -> bool:
        """Whether the message names one of the rows of which the user was just asked to choose one."""
        read = [at for at, each in enumerate(self._earlier) if isinstance(each, ToolMessage)]
        asked = self._earlier[read[-1]].text if read else ""
        since = [each for each in self._earlier[read[-1] :] if isinstance(each, AssistantMessage)] if read else []
        if ASK_WHICH not in asked or len(since) > 1 or len(self.message) > _MAX_CHOICE or asks_only(self.message):
            return False
        named = telling_words(plain(self.message)) & telling_words(plain(asked.partition(ASK_WHICH)[2]))
        return bool(named) and not _DECLINES.match(self.message)

    @property
    def follows(self) -> bool:
        """Whether tools have read or changed something in the conversation."""
        return any(self._read())

    @property
    def saw_cards(self) -> bool:
        """Whether the user was shown rows in the conversation."""
        return any(CARDS_SHOWN in text for text in self._read())

    def _read(self) -> list[str]:
        return [each.text for each in self._conversation if isinstance(each, ToolMessage)]

    @cached_property
    def wants_text(self) -> bool:
        """Whether the user wants a text written, also after “Shorter, please”."""
        if asks_for_text(self.message):
            return True
        asked = (each.text for each in self._earlier if isinstance(each, UserMessage))
        return not self.wants_change and any(map(asks_for_text, asked))

    @cached_property
    def may_recall(self) -> bool:
        """Whether an earlier turn has changed something, and the user wants nothing changed now."""
        if self.wants_change:
            return False
        # Without a session, only the earlier answer shows it.
        return any(
            (isinstance(each, ToolMessage) and each.ok and _CHANGED.match(each.text) is not None)
            or (isinstance(each, AssistantMessage) and claims_change(each.text, "") and not admits_no_change(each.text))
            for each in self._earlier
        )

    def repeats_answer(self, answer: str) -> bool:
        """Whether ``answer`` begins with the whole first paragraph of an earlier answer, of at least four words."""
        begin = words_of(answer.strip().partition(_PARAGRAPH)[0])
        earlier = (each.text.strip().partition(_PARAGRAPH)[0] for each in self._earlier if _is_answer(each))
        return len(begin.split()) >= _MIN_COPIED_WORDS and any(words_of(each) == begin for each in earlier)

    def remembered(self, answer: str) -> str:
        """The preferences in the prompt that the user asks for as “my …”, as JSON, without those in ``answer``."""
        asked, said = f" {words_of(self.message)} ", words_of(answer)
        told = {
            key: value
            for message in self._conversation
            if isinstance(message, UserMessage)
            for key, value in preferences_in(message.text).items()
            if any(f" {my} {words_of(key)} " in asked for my in _MY) and words_of(value) not in said
        }
        return json.dumps(told, ensure_ascii=False) if told else ""


def _is_answer(message: Message) -> bool:
    return isinstance(message, AssistantMessage) and not message.tool_calls
