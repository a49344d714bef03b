"""Whether the arguments that a model gives to a tool are grounded in what the user has said, or in what was read since.

Small models fill in every property in a schema. Words are searched in English and Italian, so only messages in these
languages are checked. Pure.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from pydantic import JsonValue

from agents.adapters.base import AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage
from agents.engine.dates import CallDates, order_said
from agents.engine.ground_words import (
    CLEARS,
    CREATES,
    LIKENESS,
    OFFERS,
    POINTS_AT,
    POINTS_AT_PEOPLE,
    POINTS_AT_TIME,
    SAYS_WHAT,
    long_words,
    telling_words,
    without_numbers,
)
from agents.engine.intents import (
    asks_for_another,
    asks_for_change,
    asks_of_notes,
    asks_of_the_world,
    asks_only,
    asks_to_reach,
    asks_to_remember,
    asks_to_see,
    leaves_state,
    may_rename,
    names_change,
    orders_update,
    wants_archived,
)
from agents.engine.sentences import QUOTED, unquoted
from agents.permissions.approvals.naming import COMMON_WORDS
from agents.prompts.rendering import HEAD
from agents.provenance import Provenance
from agents.titles import has_words, plain, words_of
from agents.tools.arguments import TIME_WORDS, is_placeholder
from agents.tools.routes import ABSENT, Route
from agents.tools.spec import Execution, Risk, ToolSpec

_MOMENT: Final = re.compile(r"\AIt is [^\n]* in the user's time zone, [^\n]*")
"""The beginning of ``situation``, which models copy."""
_ASIDE: Final = re.compile(
    re.escape(HEAD) + r'|"(?:until )?\d{4}-\d\d-\d\d: |"(?:earlier_conversations|habits)": \[[^\n]*'
)
"""The parts of ``remembered_text`` besides preferences and facts: dates, and messages of other conversations."""
_EMPTY: Final[tuple[JsonValue, ...]] = ("", [], None)
_NEVER_EMPTY: Final = frozenset({"title", "name"})
_ORDER: Final = "order_by"
_SHORT_WORD: Final = 3
_ROW_ID: Final = re.compile(r"(?:[a-z]{1,2}\d+|[0-9a-f]{8}-[0-9a-f-]{27})", re.IGNORECASE)


@dataclass(slots=True)
class _Search:
    """How many results were searched for a pattern, and whether it was found."""

    seen: int = 0
    found: bool = False


def _words_for(route: Route, value: JsonValue) -> re.Pattern[str] | None:
    """The words on which ``value`` must rest; None if it needs none."""
    return (value in _EMPTY and route.cleared) or route.founded


class Grounds:
    """What a model has read in a ``conversation``, which grows meanwhile. Without one, everything counts as grounded.

    Create it when the conversation contains all that the user says: later user messages are the server's own words.
    """

    def __init__(self, conversation: Sequence[Message] | None = None) -> None:
        self._conversation = conversation
        self._asked = len(conversation or ())
        self._followed = self._asked
        self._folded: list[str] = []
        self._found: dict[re.Pattern[str], _Search] = {}
        self._telling: list[set[str]] = []
        """The telling words of each result that was examined so far."""

    def only_looks(self, tool: ToolSpec) -> bool:
        """Whether the user only asks to see something, and ``tool`` would change a row or the memory.

        Not for a job, which may show it, as a summary does.
        """
        if tool.risk is Risk.READ or tool.execution is not Execution.INLINE or not self._asks_to_see:
            return False
        # “Show dates in words from now on” may be remembered, but not what was read for it, nor a question.
        return tool.changes is not None or bool(self._results()) or self.said[-1].rstrip().endswith("?")

    def created_before(self, tool: ToolSpec) -> bool:
        """Whether ``tool`` creates a row that an earlier turn has created, and the user asks for no other one."""
        said = self.said
        if not tool.tool_name.startswith("create_") or not said:
            return False
        if not isinstance(title := tool.arguments.get("title"), str):
            return False
        if not self._created or CREATES.search(said[-1]) or words_of(title) in self._words_said_last:
            return False
        return any(json.dumps(title, ensure_ascii=False) in text for text in self._created)

    def created_instead(self, tool: ToolSpec) -> bool:
        """Whether ``tool`` creates a row with the title of one that the user wants changed."""
        title = tool.arguments.get("title") if tool.tool_name.startswith("create_") else None
        if not isinstance(title, str) or not self.said or not (words := words_of(title)):
            return False
        asked = self.said[-1]
        is_named = f" {words} " in f" {self._words_said_last} "
        return is_named and orders_update(asked) and not CREATES.search(unquoted(asked))

    def changed_instead(self, tool: ToolSpec) -> bool:
        """Whether ``tool`` changes a row that an earlier turn has created, and the user wants another one like it."""
        if not tool.overwrites or not self._created or not asks_for_another(self.said[-1]):
            return False
        ids = [str(value) for name, value in tool.arguments.items() if name.endswith("_id")]
        created = [text for text in self._created if any(f"[id {each}]" in text or f'"{each}"' in text for each in ids)]
        titles, told = QUOTED.findall(self.said[-1]), " ".join(created)
        return bool(created and titles) and not any(has_words(told, title) for title in titles)

    def deleted_instead(self, tool: ToolSpec) -> bool:
        """Whether ``tool`` deletes what the user wants archived."""
        return tool.risk is Risk.DESTRUCTIVE and bool(self.said) and wants_archived(self.said[-1])

    def remembers_else(self, tool: ToolSpec) -> bool:
        """Whether ``tool`` remembers a key or a value without a word of the user's, who is asked the next time."""
        asked = self.said[-1] if tool.tool_name == "remember" and self.said else ""
        if not (asks_to_remember(asked) and SAYS_WHAT.search(asked)) or self._results() or self._images:
            return False
        said = set(words_of(" ".join([*self.said, *self._last_answer])).split())
        return any(said.isdisjoint(words_of(str(tool.arguments.get(name, ""))).split()) for name in ("key", "value"))

    def out_of_reach(self, tool: ToolSpec) -> bool:
        """Whether ``tool`` changes something, or begins a job, for a user who wants what no tool can do or knows."""
        acts = tool.risk is not Risk.READ or tool.execution is not Execution.INLINE
        return acts and self._asks_beyond_reach

    def dates_of(self, tool: ToolSpec) -> CallDates | None:
        """The dates of ``tool``, compared with what the user has said; None if there are none."""
        return CallDates.of(tool, message=self.said[-1], read=self._results()) if self.said else None

    def order_of(self, tool: ToolSpec) -> Mapping[str, str]:
        """The parameter for the order of rows in the direction that the user wants; empty if it has that, or none."""
        given = tool.arguments.get(_ORDER)
        wanted = order_said(given, self.said[-1]) if isinstance(given, str) and given and self.said else given
        return {_ORDER: wanted} if isinstance(wanted, str) and wanted != given else {}

    def is_made_up(self, name: str, *, whole: bool = False, there_is: bool = False) -> bool:
        """Whether ``name`` is no id, and the user has not used a word of it, or means a time by it; or a placeholder.

        With ``whole``, every word of it must be the user's. A row that exists (``there_is``) may also be pointed at.
        """
        if not there_is and is_placeholder(name) and not self._is_label_said(name):
            return True
        if self._conversation is None or _ROW_ID.fullmatch(name.strip(" []")):
            return False
        if there_is and (not self._asks or any(POINTS_AT.search(plain(each)) for each in self.said[-1:])):
            return False
        if not there_is and TIME_WORDS.fullmatch(plain(name)):
            return True
        said, words = set(words_of(" ".join(self.said)).split()), set(words_of(name).split())
        words = words - COMMON_WORDS or words
        return not words <= said if whole else said.isdisjoint(words)

    def _is_label_said(self, name: str) -> bool:
        """Whether the user has said ``name``, and it is one that a row may have, such as “Project X”."""
        return len(words_of(name).split()) > 1 and any(has_words(each, name) for each in self.said)

    def unfounded(self, tool: ToolSpec) -> frozenset[str]:
        """The parameters of ``tool`` whose values are not grounded."""
        emptied = self._emptied(tool)
        given = {name: value for name, value in tool.arguments.items() if name not in emptied}
        founded = {name: words for name, value in given.items() if (words := _words_for(tool.routes[name], value))}
        with_read = not tool.overwrites or any(POINTS_AT_PEOPLE.search(plain(each)) for each in self.said[-1:])
        unmentioned = {
            name
            for name, value in given.items()
            if tool.routes[name].mentioned and not self._is_mentioned(value, with_read=with_read)
        }
        emptied |= self._besides(tool)
        if not founded or not self._asks:
            return emptied | unmentioned
        with_results = tool.risk is not Risk.READ
        unfounded = frozenset(
            name
            for name, words in founded.items()
            if not words.search(self._grounds_of(tool, name))
            and not (with_results and self._is_in_results(words))
            and not self._shares_word(tool, name, with_results=with_results)
        )
        return emptied | unmentioned | unfounded

    def _grounds_of(self, tool: ToolSpec, name: str) -> str:
        """What the user said, and what else the value of the parameter ``name`` may rest on, folded."""
        if tool.overwrites:
            return self._said_with
        # The dates in an earlier list do not filter the next one, unless the user means one of them: “due then”.
        is_filter = tool.risk is Risk.READ and tool.routes[name].is_date
        points = any(POINTS_AT_TIME.search(plain(each)) for each in self.said[-1:])
        return self._asked_without_results if is_filter and not points else self._asked_with

    def _emptied(self, tool: ToolSpec) -> frozenset[str]:
        """The columns that ``tool`` would clear besides other changes, although the user has not asked for that.

        If it would do nothing but clear columns, that is what the user wants.
        """
        given = {name: value for name, value in tool.arguments.items() if tool.routes[name].default is ABSENT}
        empty = frozenset(name for name, value in given.items() if value in _EMPTY)
        if not tool.overwrites or not self.said or len(empty) == len(given):
            return frozenset()
        # A “yes” may answer the question whether to clear something.
        said = (*self.said[-3:], *self._last_answer)
        may_clear = not self._asks or any(CLEARS.search(plain(each)) for each in said)
        return empty & _NEVER_EMPTY if may_clear else empty

    def _besides(self, tool: ToolSpec) -> frozenset[str]:
        """The columns that ``tool`` would change besides what the user's message orders: a text that was read may have
        asked for it.
        """
        if not tool.overwrites or not self.said:
            return frozenset()
        asked = self.said[-1]
        state = frozenset({"status"}) if leaves_state(asked) else frozenset()
        title = _NEVER_EMPTY if orders_update(asked) and not may_rename(asked) else frozenset()
        return (state | title) & tool.arguments.keys()

    def _is_mentioned(self, value: JsonValue, *, with_read: bool) -> bool:
        """Whether a message, except the model's own of this turn, has a word of ``value``; also if that has no words.

        ``with_read``: whether results of this turn count, too. Always true with an image, which may show anyone, and in
        other languages, which may decline names.
        """
        if self._conversation is None or not value or not self._asks:
            return True
        words = set(words_of(" ".join(map(str, value)) if isinstance(value, list) else str(value)).split())
        before = [each for each in self._before if not isinstance(each, SystemMessage)]
        since = self._conversation[self._asked :] if with_read else ()
        read = [each for each in since if isinstance(each, ToolMessage)]
        if not words or any(isinstance(each, UserMessage) and each.images for each in before):
            return True
        # The situation speaks of “the user”, which is no name.
        told = (_ASIDE.sub("", _MOMENT.sub("", each.text)) for each in before if isinstance(each, UserMessage))
        answers = (each.text for each in before if not isinstance(each, UserMessage))
        texts = [words_of(each) for each in (*told, *answers, *(each.text for each in read))]
        # “Peter” is in “Peters”, but “me” is not in “some”.
        return any(word in (text if len(word) > _SHORT_WORD else text.split()) for text in texts for word in words)

    def _is_in_results(self, words: re.Pattern[str]) -> bool:
        """Whether a result has one of ``words``. Each result is searched once, because a turn may read a great deal."""
        results, search = self._results(), self._found.setdefault(words, _Search())
        search.found = search.found or any(words.search(each) for each in results[search.seen :])
        search.seen = len(results)
        return search.found

    def _shares_word(self, tool: ToolSpec, name: str, *, with_results: bool) -> bool:
        """Whether the parameter ``name`` has a word of what was said or read that no other parameter has."""
        if not tool.routes[name].own_words:
            return False
        others = " ".join(str(value) for each, value in tool.arguments.items() if each != name)
        given = long_words(plain(str(tool.arguments[name]))) - long_words(plain(others))
        given = {word for word in given if not TIME_WORDS.fullmatch(word)}
        return not given.isdisjoint(self._words_asked) or (
            with_results and not all(given.isdisjoint(words) for words in self._words_read())
        )

    @cached_property
    def _before(self) -> Sequence[Message]:
        """The conversation up to the user's message, without the model's work on the answer."""
        return (self._conversation or ())[: self._asked]

    @cached_property
    def said(self) -> list[str]:
        """The user's messages, oldest first."""
        return [
            _MOMENT.sub("", each.text)
            for each in self._before
            if isinstance(each, UserMessage) and each.provenance is Provenance.SAID
        ]

    @cached_property
    def _words_said_last(self) -> str:
        return words_of(self.said[-1])

    @cached_property
    def _created(self) -> Sequence[str]:
        """The results of earlier turns that created rows."""
        return [each.text for each in self._before if isinstance(each, ToolMessage) and each.text.startswith("Created")]

    @cached_property
    def _asks_to_see(self) -> bool:
        if not self.said:
            return False
        asked = self.said[-1]
        return asks_to_see(asked) or ("?" in asked and asks_of_notes(asked) and not names_change(asked))

    @cached_property
    def _asks_beyond_reach(self) -> bool:
        return bool(self.said) and (asks_to_reach(self.said[-1]) or asks_of_the_world(self.said[-1]))

    @cached_property
    def _asks(self) -> bool:
        """Whether the user writes in a language whose words are known here."""
        return any(asks_only(said) or asks_for_change(said) for said in self.said)

    @cached_property
    def _asked_with(self) -> str:
        """What the user said and what it was sent with, folded; without the model's own words."""
        return self._texts_of(UserMessage, ToolMessage)

    @cached_property
    def _asked_without_results(self) -> str:
        """As ``_asked_with``, without the results of earlier turns."""
        return self._texts_of(UserMessage)

    def _texts_of(self, *kinds: type[Message]) -> str:
        told = (_ASIDE.sub("", _MOMENT.sub("", each.text)) for each in self._before if isinstance(each, kinds))
        return plain("\n".join([*map(without_numbers, told), *self._images]))

    @cached_property
    def _said_with(self) -> str:
        """What the user said, and what they may have agreed to, folded.

        What the message was sent with does not count for the change of a row, because it has the priorities and days
        of other rows; unless the user wants the row to be like another one.
        """
        if self.said and LIKENESS.search(plain(self.said[-1])):
            return self._asked_with
        said = [*self.said, *(each for each in self._last_answer if OFFERS.search(each))]
        return plain("\n".join([*map(without_numbers, said), *self._images]))

    @cached_property
    def _last_answer(self) -> Sequence[str]:
        return [each.text for each in self._before if isinstance(each, AssistantMessage) and each.text][-1:]

    @cached_property
    def _images(self) -> Sequence[str]:
        """Words for images, which may show anything."""
        return ["1 today high" for each in self._before if isinstance(each, UserMessage) and each.images]

    @cached_property
    def _words_asked(self) -> set[str]:
        # “Save it in that task” means the last answer.
        return telling_words("\n".join([self._asked_with, *map(plain, self._last_answer)]))

    def _words_read(self) -> Sequence[set[str]]:
        """The telling words of each result, which is split only once."""
        self._telling += map(telling_words, self._results()[len(self._telling) :])
        return self._telling

    def _results(self) -> Sequence[str]:
        """The results since the user's message, folded. Each is folded once, because that takes milliseconds.

        They are a ground for a change, but not for another search.
        """
        messages = self._conversation or ()
        new = [each.text for each in messages[self._followed :] if isinstance(each, ToolMessage)]
        self._followed = max(self._followed, len(messages))
        self._folded += (plain(without_numbers(each)) for each in new)
        return self._folded
