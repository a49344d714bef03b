"""How an answer ends: what is asked for once more, and what the server adds when the model does not put it right."""

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from accounts.translations import gettext_noop, translations
from agents.adapters.base import AssistantMessage, Message, ToolMessage, UserMessage
from agents.calls import Row
from agents.engine.claims import (
    admits_no_change,
    asks_for_change,
    asks_for_list,
    asks_how_many,
    asks_only,
    asks_to_reach,
    asks_to_see,
    claims_change,
    claims_to_reach,
    examined,
    finds_nothing,
    invented_assignees,
    names_days,
    names_states,
)
from agents.engine.promises import asks_to_remember, promises_memory
from agents.errors import ModelBroken
from agents.events import ToolCall
from agents.titles import words_of
from agents.tools.model_calls import as_object
from agents.tools.rows import CARDS_SHOWN, text, title_of

_EMPTY: Final = "[Your answer was empty. Answer the user now, in a sentence or two.]"
_EMPTY_UNCALLED: Final = (
    "[Your answer was empty. If one of your tools does what the user wants, call it now. Else answer in a sentence.]"
)
_EMPTY_AFTER_CARDS: Final = (
    "[Your answer was empty, and nothing was changed. If the user's message says something of what they were shown, "
    "call the tool that updates it now, with its id. Else answer in a sentence.]"
)
_NO_TOOL: Final = (
    "[There is no tool named {names}, and the user has seen nothing. If one of your tools does what the user wants, "
    "call it now. Else say that you cannot.]"
)
_UNDONE: Final = (
    "[Nothing was changed: no tool has done it. If the user asked for it, call the tool now. If not, or if something "
    "is missing, say that you have changed nothing.]"
)
_UNREACHED: Final = (
    "[You cannot do that: none of your tools reaches anyone or anything outside. Tell the user that you cannot.]"
)
_LISTS: Final = "list_"
"""What the names of tools that find all of a kind begin with."""
_DAY_FILTERS: Final = ("due_from", "due_to", "due_date", "overdue")
"""The parameters of a list that are about days."""
_SHORT: Final = 80
"""Longer answers say something of what was found if they have a word of it."""
_NAME: Final = re.compile(r'"((?:[^"\\\n]|\\.)+)"')
"""What a result calls a row, such as the project of a task."""
_SAYS_SOMETHING: Final = re.compile(
    r"[\d?]|\b(?:yes|no|not|none|nothing|one|two|three|four|five|six|seven|eight|nine|ten|"
    r"sì|non|nessun\w*|niente|nulla|tre|quattro|cinque|sette|otto|nove|dieci)\b",
    re.IGNORECASE,
)
"""Not the Italian words that say no number elsewhere: ``due`` is English, ``una`` an article, ``sei`` a verb."""
_MOST_OBJECTIONS: Final = 2
_ALIKE: Final = 0.8
"""From which similarity (0 to 1) on an answer only repeats the question."""
_ASKS_WHICH: Final = re.compile(
    r"\?|\b(?:which(?: one)?|tell me|let me know|specify|choose|qual[ei]|dimmi|specifica\w*|scegli\w*)\b", re.IGNORECASE
)
_SHORT_WORD: Final = 3
_PART: Final = 0.2
"""Which part of a text's words an answer has that tells something of it."""
_MOST_QUOTED: Final = 2_000
"""Characters of a note that is told in the place of an answer that does not."""
_BLANK: Final = "{}[] \n\t`"
"""What is no answer, however much of it there is."""
_DESCRIBED: Final = "[You have only described a call of a tool. Make the call now.]"
_UNUSED: Final = "[The tool has run, and its result is above. Answer the user with it now, in a sentence or two.]"
_FAILED_CALL: Final = (
    "[Your call failed, and the user has not seen it. Its result says what is right: call the tool again with that "
    "now. If the user has to choose, ask them.]"
)
_UNREAD: Final = "[You have not looked: no tool has read anything. Call the tool that finds it now.]"
_NOT_STORED: Final = (
    "[Nothing was stored: no tool has done it. If the user wants you to remember something, call remember now. If not, "
    "say that you have not noted it.]"
)
_REMEMBER: Final = "remember"
"""The tool that stores something under a key."""
_NOT_CHANGED: Final = gettext_noop("I have not changed anything.")
_WHICH: Final = gettext_noop("Which one do you mean: {titles}?")
_OUT_OF_REACH: Final = gettext_noop(
    "I cannot do that: I only see and change what you keep here, such as tasks and notes."
)
_NOT_REMEMBERED: Final = gettext_noop("I have not noted this: I will not know it in a later conversation.")
_NOT_KNOWN: Final = gettext_noop("Correction: I read of no one called “{name}”, so they are not assigned.")
_CREATED: Final = gettext_noop("Created: {titles}.")
_CHANGED: Final = gettext_noop("Changed: {titles}.")
_DELETED: Final = gettext_noop("It is deleted.")
_DONE: Final = gettext_noop("It is done.")
_FOUND: Final = gettext_noop("I found: {titles}.")
_ALSO: Final = gettext_noop("Also: {titles}.")
_IN_ALL: Final = gettext_noop("In all: {count}.")
_FOUND_NONE: Final = gettext_noop("I found nothing.")
_FAILED: Final = gettext_noop("That did not work.")
_MORE: Final = gettext_noop("{count} more")
_TITLES: Final = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class Done:
    """A call that has ended, and whether it ``changed`` something.

    ``correctable`` is whether it failed and was told what would be right, ``choices`` what the user may have meant.
    """

    call: ToolCall
    outcome: ToolMessage
    changed: bool
    correctable: bool = False
    choices: Sequence[str] = ()


class Closing:
    """Follows an answer: ``said`` are the model's messages, ``done`` its calls.

    ``writes`` is whether any of the tools, which are named ``tools``, can change something, and ``records`` whether the
    exchange is remembered.
    """

    def __init__(
        self,
        conversation: Sequence[Message],
        *,
        language: str,
        writes: bool,
        tools: Collection[str] = (),
        records: bool = False,
    ) -> None:
        self.said: list[str] = []
        self.done: list[Done] = []
        self._conversation = conversation
        self._language = language
        self._writes = writes
        self._records = records
        names = "|".join(sorted(name for name in tools if "_" in name))
        self._tool_named = re.compile(rf"\b(?:{names})\b") if names else None
        self._objections: set[str] = set()
        asked = [message for message in conversation if isinstance(message, UserMessage)]
        self._message = asked[-1].text if asked else ""

    def objection(self, *, can_call: bool, unknown: Sequence[str] = ()) -> list[Message]:
        """What to add to the conversation so that the model puts its answer right.

        Asks twice at most, and not for the same reason.
        ``can_call`` is whether it still has tools, and ``unknown`` are those that it called and does not have.
        """
        answer = self.said[-1]
        why = self._fault(answer) or (self._uncalled() if can_call else "")
        if why == _EMPTY and can_call:
            why = self._given_up() or self._empty(unknown)
        if why in self._objections or len(self._objections) == _MOST_OBJECTIONS:
            return []
        if why:
            self._objections.add(why)
        said: list[Message] = [AssistantMessage(text=answer)] if answer.strip() else []
        return [*said, UserMessage(text=why)] if why else []

    def _empty(self, unknown: Sequence[str]) -> str:
        if self.done or self._objections or self._tool_named is None:
            return _EMPTY
        if unknown:
            return _NO_TOOL.format(names=", ".join(unknown))
        follows = any(isinstance(each, ToolMessage) and CARDS_SHOWN in each.text for each in self._conversation)
        return _EMPTY_AFTER_CARDS if follows and not asks_only(self._message) else _EMPTY_UNCALLED

    def _fault(self, answer: str) -> str:
        if not answer.strip(_BLANK):
            return _UNREACHED if self._is_out_of_reach() else _EMPTY
        if self._reaches():
            return _UNREACHED
        if self._claims_falsely():
            return _UNDONE
        # What is recorded is remembered, but by what it says; what the user asks for belongs under a key.
        asked = asks_to_remember(self._message)
        if self._promises() and (asked or not self._records):
            return _NOT_STORED
        return _UNUSED if self._describes_call() else ""

    def last_words(self, *, is_shown: bool = True, is_held: bool = False) -> str:
        """What the server adds to the answer.

        ``is_shown`` is whether the user is shown anything of it, and ``is_held`` whether something is held back that
        announces a call. Raises ``ModelBroken`` if the model neither said nor did anything.
        """
        added = []
        if not (is_shown or is_held) or not self.said[-1].strip(_BLANK):
            added.append(self._in_place_of_nothing())
        elif which := self._unasked():
            added.append(which)
        elif self._reaches() or (self._is_out_of_reach() and not admits_no_change(self.said[-1])):
            added.append(self._text(_OUT_OF_REACH))
        elif (self._claims_falsely() or self._left_undone()) and not admits_no_change(self.said[-1]):
            added.append(self._text(_NOT_CHANGED))
        elif self._promises() and not self._records and not admits_no_change(self.said[-1]):
            added.append(self._text(_NOT_REMEMBERED))
        elif found := self._untold():
            added.append(found)
        elif self._tells_nothing_done(is_shown=is_shown):
            added.append(self._account())
        invented = invented_assignees("\n".join(self.said), self._told())
        added += [self._text(_NOT_KNOWN, name=name) for name in invented]
        return "\n\n".join(added)

    def _uncalled(self) -> str:
        """What to say to a model that does not call a tool where it should."""
        if not self.done and self._names_tool():
            return _DESCRIBED
        if self._tool_named is not None and not self.done and asks_only(self._message) and finds_nothing(self.said[-1]):
            return _UNREAD
        return self._given_up()

    def _given_up(self) -> str:
        """What to say to a model whose only calls failed although it was told what would be right, and who asks no one.

        Small models tell the user about their mistake instead of calling again.
        """
        failed = bool(self.done) and not any(done.outcome.ok for done in self.done)
        return _FAILED_CALL if failed and self.done[-1].correctable and "?" not in self.said[-1] else ""

    def _untold(self) -> str:
        """What the tools have found, if the user asked for it and the answer says nothing of it.

        Small models answer that this is what the tool has returned.
        """
        read, answer = [done for done in self.done if done.outcome.ok], self.said[-1]
        if not read or read[-1].changed or not asks_only(self._message):
            return ""
        found = [row for done in read for part in done.outcome.rows.values() for row in part.rows]
        # A note that was found and then read is one.
        rows = list({text(row, "id"): row for row in found}.values())
        told = f" {words_of(answer)} "
        titles = [title for row in rows if (title := _title(row))]
        named = [title for title in titles if f" {words_of(title)} " in told]
        if left_out := self._left_out(read, titles, named):
            return left_out
        is_reply = not (self._repeats_failure() or self._describes_call())
        gives_number = is_reply and _SAYS_SOMETHING.search(answer) is not None and not _echoes(answer, self._message)
        if self._wants_count(read[-1]):
            return "" if gives_number else self._counted(read[-1])
        is_long = is_reply and len(answer) > _SHORT
        says_more = gives_number or (is_long and _speaks_of(answer, read, rows, self._message))
        content = text(rows[0], "content")[:_MOST_QUOTED] if len(rows) == 1 else ""
        wants_it = bool(content) and asks_to_see(self._message)
        if _tells_of(answer, content) or ((named or says_more) and not wants_it):
            return ""
        return "\n\n".join(filter(None, [self._titled(_FOUND, read[-1]), content]))

    def _left_out(self, read: Sequence[Done], titles: Sequence[str], named: Sequence[str]) -> str:
        """Those of the ``titles`` of the only list that was ``read`` that are not ``named``, if that was asked for.

        Small models name the first.
        """
        answer, calls = self.said[-1], {(done.call.name, done.call.arguments) for done in read}
        is_list = len(calls) == 1 and read[-1].call.name.startswith(_LISTS) and len(titles) <= _TITLES
        more = [f"“{title}”" for title in titles if title not in named]
        if not more or not is_list or not asks_for_list(self._message) or not _answers(read[-1].call, self._message):
            return ""
        # Rows may be named by their ids in a block.
        if not named and ("?" in answer or "```" in answer or '"type"' in answer):
            return ""
        return self._text(_ALSO if named else _FOUND, titles=", ".join(more))

    def _wants_count(self, listed: Done) -> bool:
        """Whether the user asks for the number of what ``listed`` has found."""
        return asks_how_many(self._message) and listed.call.name.startswith(_LISTS)

    def _counted(self, listed: Done) -> str:
        """How many rows ``listed`` has found; empty where no one knows."""
        parts = listed.outcome.rows.values()
        counted = sum(len(part.rows) + part.omitted for part in parts)
        return "" if any(part.uncounted for part in parts) else self._text(_IN_ALL, count=counted)

    def _describes_call(self) -> bool:
        """Whether the answer tells a user who asked for what there is how to call a tool, though one has found it."""
        read = any(done.outcome.ok and not done.changed for done in self.done) and asks_only(self._message)
        return read and self._names_tool()

    def _names_tool(self) -> bool:
        return self._tool_named is not None and self._tool_named.search(examined(self.said[-1])) is not None

    def _tells_nothing_done(self, *, is_shown: bool) -> bool:
        """Whether the answer only says how to call a tool, or repeats what the model was told, after calls.

        Where something was only read, ``_untold`` says.
        """
        names_tool = self._names_tool() and not is_shown
        if any(done.changed for done in self.done):
            # “I deleted the note” is like the message, too.
            repeats_message = words_of(self.said[-1]) == words_of(self._message)
            return names_tool or self._repeats_failure() or repeats_message
        return bool(self.done) and not any(done.outcome.ok for done in self.done) and names_tool

    def _repeats_failure(self) -> bool:
        """Whether the answer is nothing but what the model was told of a call that failed."""
        answer = words_of(self.said[-1])
        return any(not done.outcome.ok and answer in words_of(done.outcome.text) for done in self.done)

    def _reaches(self) -> bool:
        return not asks_only(self._message) and claims_to_reach(self.said[-1])

    def _is_out_of_reach(self) -> bool:
        """Whether the user wants something sent. A text to send may be what the answer is for."""
        return asks_to_reach(self._message) and not any(done.changed for done in self.done)

    def _unasked(self) -> str:
        """The question that the user has to answer before anything can be done, if the answer does not ask it."""
        answer, choices = self.said[-1], self.done[-1].choices if self.done else ()
        # What was read may be all that was asked for.
        is_read = any(done.outcome.ok for done in self.done) and asks_only(self._message)
        if len(choices) < 2 or is_read or any(done.changed for done in self.done) or _ASKS_WHICH.search(answer):
            return ""
        return self._text(_WHICH, titles=", ".join(choices))

    def _left_undone(self) -> bool:
        """Whether the model gave up once more on a change that the user asked for."""
        return bool(self._objections) and bool(self._given_up()) and asks_for_change(self._message)

    def _claims_falsely(self) -> bool:
        if not self._writes or any(done.changed for done in self.done):
            return False
        return any(claims_change(answer, self._message) for answer in self.said)

    def _promises(self) -> bool:
        """Whether the answer promises to remember something that no tool has stored."""
        stored = any(done.changed and done.call.name == _REMEMBER for done in self.done)
        return not stored and any(promises_memory(answer) for answer in self.said)

    def _told(self) -> str:
        """Everything that names a person truly: what the user and the tools said, and what the tools were given."""
        texts = [message.text for message in self._conversation if not isinstance(message, AssistantMessage)]
        return "\n".join([*texts, *(done.call.arguments for done in self.done if done.changed)])

    def _account(self) -> str:
        """What the tools have done, in words for the user. Raises ``ModelBroken`` if they have done nothing."""
        if not self.done:
            raise ModelBroken("The model ended without an answer.")
        if changes := [done for done in self.done if done.changed]:
            return " ".join(dict.fromkeys(self._change(done) for done in changes))
        read = [done for done in self.done if done.outcome.ok]
        if not read:
            return self._text(_NOT_CHANGED if asks_for_change(self._message) else _FAILED)
        if self._wants_count(read[-1]):
            return self._counted(read[-1]) or self._titled(_FOUND, read[-1])
        return self._titled(_FOUND, read[-1]) or self._text(_FOUND_NONE)

    def _in_place_of_nothing(self) -> str:
        """What is said for a model that ends without a word. Raises as ``_account``."""
        if self._is_out_of_reach():
            return self._text(_OUT_OF_REACH)
        if which := self._unasked():
            return which
        return self._text(_NOT_CHANGED) if self._claims_falsely() else self._account()

    def _change(self, done: Done) -> str:
        verb = done.call.name.partition("_")[0]
        if verb == "delete":
            return self._text(_DELETED)
        return self._titled(_CREATED if verb in ("create", "add") else _CHANGED, done) or self._text(_DONE)

    def _titled(self, sentence: str, done: Done) -> str:
        """``sentence`` with the titles of the rows of ``done``; empty if there are none."""
        rows = [row for part in done.outcome.rows.values() for row in part.rows]
        titles = [f"“{title}”" for row in rows if (title := _title(row))]
        if not titles:
            return ""
        more = [self._text(_MORE, count=len(titles) - _TITLES)] if len(titles) > _TITLES else []
        return self._text(sentence, titles=", ".join([*titles[:_TITLES], *more]))

    def _text(self, text: str, **parts: object) -> str:
        return translations(self._language).gettext(text).format(**parts)


def _answers(call: ToolCall, message: str) -> bool:
    """Whether ``call`` looks for rows by the days and the states that ``message`` speaks of, if it does."""
    given = json.loads(as_object(call.arguments))
    by_day = "due_today" in call.name or any(given.get(name) for name in _DAY_FILTERS)
    asks_days, asks_states = names_days(message), names_states(message)
    return (by_day or not asks_days) and (bool(given.get("status")) or not asks_states)


def _tells_of(answer: str, content: str) -> bool:
    """Whether ``answer`` has a part of the longer words of ``content``."""
    words = {word for word in words_of(content).split() if len(word) > _SHORT_WORD}
    told = len(words & set(words_of(examined(answer)).split()))
    return told > 0 and told >= len(words) * _PART


def _speaks_of(answer: str, read: Sequence[Done], rows: Sequence[Row], message: str) -> bool:
    """Whether ``answer`` has a longer word of the ``rows`` that were ``read``, or of a name there, that is its own."""
    names = [name for done in read for name in _NAME.findall(done.outcome.text)]
    values = [value for row in rows for value in row.values() if isinstance(value, str)]
    telling = set(words_of(" ".join([*names, *values])).split()) - set(words_of(message).split())
    return any(len(word) > _SHORT_WORD for word in telling.intersection(words_of(examined(answer)).split()))


def _echoes(answer: str, message: str) -> bool:
    """Whether ``answer`` does little but repeat ``message``."""
    return SequenceMatcher(None, words_of(answer), words_of(message)).ratio() > _ALIKE


def _title(row: Row) -> str:
    return " ".join((title_of(row) or text(row, "content")).split())
