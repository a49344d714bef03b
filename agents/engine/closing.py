"""How an answer ends: what the model is asked to correct, and what the server adds if the model does not."""

import re
from collections.abc import Collection, Sequence
from functools import partial
from typing import Final

from accounts.translations import gettext_noop, translations
from agents.adapters.base import AssistantMessage, Message, UserMessage
from agents.engine import objections
from agents.engine.claims import (
    admits_no_change,
    claims_change,
    claims_creation,
    claims_to_reach,
    copied_changes,
    declines,
    finds_nothing,
    invented_assignees,
    only_declines,
    promises_memory,
    says_more,
)
from agents.engine.findings import Done, Findings
from agents.engine.intents import (
    asks_for_another,
    asks_for_change,
    asks_of_notes,
    asks_of_the_world,
    asks_only,
    asks_to_reach,
    asks_to_remember,
    goes_on_asking,
    orders_change,
)
from agents.engine.open_question import open_question
from agents.engine.repetition import NEEDLESS
from agents.engine.request import Request
from agents.engine.sentences import examined, unquoted
from agents.errors import ModelBroken
from agents.prompts.rendering import language_reminder
from agents.titles import has_words, words_of
from agents.tools.model_calls import sendable_name

_MAX_NAMED_TOOLS: Final = 3
_MAX_OBJECTIONS: Final = 2
_SHORT_DENIAL: Final = 80
"""In characters. A longer answer says more than that nothing was changed."""
_BLANK: Final = re.compile(r"[{}\[\]\s`]*+(?:\W*(?:tc|cl|[tpcn])\d{1,5}\W*)?")
"""A text without a word, or of nothing but an id, which is removed before the user sees it."""
_NO_SUCH_ROW: Final = re.compile(r"There is no (?!tool )")
"""The beginning of the result of a call that finds no row."""
_CHANGING: Final = ("create_", "add_", "update_", "delete_")
"""The beginnings of the names of tools that change rows."""
_REMEMBER: Final = "remember"
"""The tool that stores something under a key."""
_NOT_CHANGED: Final = gettext_noop("I have not changed anything.")
_MAY_HAVE_CHANGED: Final = gettext_noop(
    "Your device did not answer, so I do not know whether this was changed. Please check."
)
_TOO_LONG: Final = gettext_noop("The last step became too long for the model and was cut off, so it is not done.")
_OUT_OF_REACH: Final = gettext_noop(
    "I cannot do that: I only see and change what you keep here, such as tasks and notes."
)
_NOT_REMEMBERED: Final = gettext_noop("I have not noted this: I will not know it in a later conversation.")
_NOT_KNOWN: Final = gettext_noop("Correction: I read of no one called “{name}”, so they are not assigned.")
_FAILED: Final = gettext_noop("That did not work.")


class Closing:
    """Follows an answer: ``said`` are the model's messages so far, ``done`` its calls.

    ``tools`` are the names of the tools. ``writes``: whether any can change something. ``records``: whether the memory
    will record the exchange. ``draws``: whether the answer may contain charts.
    """

    def __init__(
        self,
        conversation: Sequence[Message],
        *,
        language: str,
        writes: bool,
        tools: Collection[str] = (),
        records: bool = False,
        draws: bool = False,
    ) -> None:
        self.said: list[str] = []
        self.done: list[Done] = []
        self.must_call = self.must_change = False
        """Whether only a call, or only a call that changes something, meets the last objection."""
        self.request = Request(conversation)
        self._conversation = conversation
        self._language = language
        self._writes = writes
        self._records = records
        self._draws = draws
        self._tools = tools
        names = "|".join(sorted(name for name in tools if "_" in name))
        self._tool_named = re.compile(rf"\b(?:{names})\b") if names else None
        self._objections: set[str] = set()
        self._is_cut = False
        self._message = self.request.message

    def objection(self, *, can_call: bool, unknown: Sequence[str] = (), is_cut: bool = False) -> list[Message]:
        """The messages to add to the conversation so that the model corrects its answer; none if it is right.

        There are two objections at most, for different reasons. ``can_call``: whether the model may still call tools.
        ``unknown``: the names of tools that it called and that do not exist. ``is_cut``: whether its call was cut off.
        """
        answer = self.said[-1]
        self._is_cut = is_cut and can_call
        why = objections.CUT_OFF if self._is_cut else self._fault(answer) or (self._uncalled() if can_call else "")
        if why == objections.EMPTY and can_call:
            why = self._given_up() or self._empty(unknown)
        if not why or why in self._objections or len(self._objections) == _MAX_OBJECTIONS:
            return []
        self._objections.add(why)
        self.must_call = can_call and self._takes_call(why)
        self.must_change = self.must_call and why == objections.UNDONE
        said: list[Message] = [AssistantMessage(text=answer)] if answer.strip() else []
        if self.must_change:
            wants_other = orders_change(self._message) or asks_for_another(self._message)
            shown = self.request.saw_cards and not wants_other
            why = objections.UNDONE_AFTER_CARDS if shown else objections.UNDONE_CALL
        reminder = language_reminder(self._language)
        return [*said, UserMessage(text=f"{why.removesuffix(']')} {reminder}]" if reminder else why)]

    def _takes_call(self, why: str) -> bool:
        """Whether ``why`` requires a call, so that the model may not ask or decline instead.

        Only if the user's words want one: a model that must call changes something in any case.
        """
        # A call that failed or was refused is not required again.
        if self._is_out_of_reach() or not all(done.outcome.ok for done in self.done):
            return False
        if why == objections.NOT_STORED:
            return asks_to_remember(self._message)
        if why in (objections.UNDONE, objections.NOT_ALL_DONE):
            return orders_change(self._message) or self.request.continues_change
        return why in objections.WANTING_CALLS and self.request.wants_call

    def _empty(self, unknown: Sequence[str]) -> str:
        if self.done or self._objections or self._tool_named is None:
            return objections.EMPTY
        if unknown:
            return objections.NO_TOOL.format(names=", ".join(map(sendable_name, unknown[:_MAX_NAMED_TOOLS])))
        goes_on = self.request.saw_cards and not asks_only(self._message)
        return objections.EMPTY_AFTER_CARDS if goes_on else objections.EMPTY_UNCALLED

    def _fault(self, answer: str) -> str:
        if _BLANK.fullmatch(answer):
            return objections.UNREACHED if self._is_out_of_reach() else objections.EMPTY
        if self._reaches():
            return objections.UNREACHED
        if self._claims_falsely():
            undone = objections.NOT_ALL_DONE if self._has_changed else objections.UNDONE
            return objections.UNKNOWN if self._is_unknown() else undone
        # A recorded exchange is remembered, too, but what the user asks to remember belongs under a key.
        if (not self._records or asks_to_remember(self._message)) and self._promises():
            return objections.NOT_STORED
        return objections.UNUSED if self._describes_call() or self._takes_for_created(answer) else ""

    def last_words(self, *, is_shown: bool = True, is_held: bool = False) -> str:
        """What the server adds to the answer; empty if nothing.

        ``is_shown``: whether the user has seen any of the answer. ``is_held``: whether an announcement of a call is
        held back. Raises ``ModelBroken`` if the model neither said nor did anything.
        """
        added = []
        if self._is_cut:
            added.append(self._text(_TOO_LONG))
        elif not (is_shown or is_held) or _BLANK.fullmatch(self.said[-1]):
            added.append(self._in_place_of_nothing())
        elif question := self._open_question():
            added.append(question)
        elif self._reaches() or (self._is_out_of_reach() and not admits_no_change(self.said[-1])):
            added.append(self._text(_OUT_OF_REACH))
        elif (self._claims_falsely() or self._left_undone()) and not admits_no_change(self.said[-1]):
            added.append(self._not_changed())
        elif not self._records and self._promises() and not admits_no_change(self.said[-1]):
            added.append(self._text(_NOT_REMEMBERED))
        elif found := self._findings.untold(self.said, is_reply=self._is_reply()):
            added.append(found)
        elif any(self._takes_for_created(answer) for answer in self.said):
            added.append(self._text(_NOT_CHANGED))
        elif self._tells_nothing_done(is_shown=is_shown):
            added.append(self._account())
        invented = [] if self.request.wants_text else invented_assignees("\n".join(self.said), self._told())
        added += [self._text(_NOT_KNOWN, name=name) for name in invented]
        return "\n\n".join(added)

    def _uncalled(self) -> str:
        """The objection to an answer without a call that should have one."""
        if not self.done and self._names_tool():
            return objections.DESCRIBED
        if not (self.done or self.request.follows) and "search_notes" in self._tools and asks_of_notes(self._message):
            return objections.UNREAD
        if not self.done and self._writes and self.request.wants_change and self._says_nothing_new():
            return objections.UNDONE
        asks = asks_only(self._message) or goes_on_asking(self._message)
        if self._tool_named and not self.done and asks and finds_nothing(self.said[-1]):
            return objections.UNREAD
        if not self.done and declines(self.said[-1]) and self.request.follows and not self._is_out_of_reach():
            return objections.DECLINED
        return self._given_up()

    def _says_nothing_new(self) -> bool:
        """Whether the answer is an order (“Mark the task “Buy milk” as done.”), or an earlier answer to another one."""
        answer = self.said[-1]
        return orders_change(answer) or (orders_change(self._message) and self.request.repeats_answer(answer))

    def _given_up(self) -> str:
        """The objection to an answer after calls that all failed, if it asks the user nothing.

        Small models tell the user about their mistake instead of calling again, and search for what is in their prompt.
        """
        if not self.done or any(done.outcome.ok for done in self.done) or "?" in self.said[-1]:
            return ""
        if self.done[-1].correctable:
            return objections.FAILED_CALL
        finds_none = _NO_SUCH_ROW.match(self.done[-1].outcome.text) or self.done[-1].call.name == _REMEMBER
        remembered = self.request.remembered(self.said[-1]) if finds_none and asks_only(self._message) else ""
        return objections.RECALLED.format(remembered=remembered) if remembered else ""

    def _describes_call(self) -> bool:
        """Whether the answer names a tool to a user who asked to see something, though a tool has found it."""
        return self._has_only_read() and self._names_tool()

    def _takes_for_created(self, answer: str) -> bool:
        """Whether ``answer`` says that something was created, which was only read, as the user wanted."""
        return self._has_only_read() and claims_creation(answer, self._message)

    def _has_only_read(self) -> bool:
        """Whether the user only asked for what there is, something was read, and nothing was changed."""
        read = any(done.outcome.ok for done in self.done) and not self._has_changed
        return read and asks_only(self._message)

    def _names_tool(self) -> bool:
        return self._tool_named is not None and self._tool_named.search(examined(self.said[-1])) is not None

    def _tells_nothing_done(self, *, is_shown: bool) -> bool:
        """Whether there were calls, and the answer only says how to call a tool, or repeats what the model was told.

        If something was only read, ``Findings.untold`` tells instead.
        """
        names_tool = self._names_tool() and not is_shown
        if self._has_changed:
            # “I deleted the note” is like the message, too.
            repeats_message = words_of(self.said[-1]) == words_of(self._message)
            return names_tool or self._repeats_failure() or repeats_message or self._denies()
        return bool(self.done) and not any(done.outcome.ok for done in self.done) and names_tool

    def _denies(self) -> bool:
        """Whether the answer says only that it cannot, or that nothing was changed, though everything was done."""
        answer = self.said[-1]
        denies = declines(answer) or admits_no_change(answer)
        is_long = len(answer) > _SHORT_DENIAL and not only_declines(answer)
        has_more = is_long or unquoted(answer) != answer or says_more(answer)
        return denies and not has_more and all(done.outcome.ok or done.outcome.text in NEEDLESS for done in self.done)

    def _repeats_failure(self) -> bool:
        """Whether the answer only repeats the result of a failed call."""
        failed = [done.outcome.text for done in self.done if not done.outcome.ok]
        answer = words_of(self.said[-1])
        return any(answer in words_of(text) for text in failed)

    def _reaches(self) -> bool:
        return not asks_only(self._message) and not self.request.wants_text and claims_to_reach(self.said[-1])

    def _is_out_of_reach(self) -> bool:
        """Whether the user wants something that no tool can do or knows, and no rows were found or changed for it."""
        if asks_of_the_world(self._message) and not any(getattr(each, "images", ()) for each in self._conversation):
            return not self._findings.concern_the_world()
        return asks_to_reach(self._message) and not self._has_changed

    def _left_undone(self) -> bool:
        """Whether the model gave up once more on a change that the user asked for, or that it tried to make."""
        tried = any(done.call.name.startswith(_CHANGING) for done in self.done)
        return bool(self._objections) and bool(self._given_up()) and (tried or asks_for_change(self._message))

    def _claims_falsely(self) -> bool:
        if self.request.wants_text:
            return False
        if self._has_changed:
            told = " ".join(done.outcome.text for done in self.done)
            return not all(has_words(told, title) for title in copied_changes(self.said[-1]))
        if not self._writes or self.request.may_recall:
            return False
        return any(claims_change(answer, self._message) for answer in self.said)

    def _promises(self) -> bool:
        """Whether the answer promises to remember something that no tool has stored."""
        stored = any(done.changed and done.call.name == _REMEMBER for done in self.done)
        promises = partial(promises_memory, is_asked=asks_to_remember(self._message))
        return not stored and not self.request.wants_text and any(map(promises, self.said))

    def _told(self) -> str:
        """All texts that may truly name a person: those of the user and the tools, and the arguments of changes."""
        texts = [message.text for message in self._conversation if not isinstance(message, AssistantMessage)]
        return "\n".join([*texts, *(done.call.arguments for done in self.done if done.changed)])

    @property
    def _findings(self) -> Findings:
        return Findings(self.done, self._message, self._language, draws=self._draws)

    def _is_reply(self) -> bool:
        """Whether the answer is about what was found, and not about calls or itself."""
        return not (self._repeats_failure() or self._describes_call() or declines(self.said[-1]))

    def _account(self) -> str:
        """What the tools have done, for the user. Raises ``ModelBroken`` if none was called."""
        if not self.done:
            raise ModelBroken("The model ended without an answer.")
        failed = self._not_changed() if asks_for_change(self._message) else self._text(_FAILED)
        return self._findings.account() or failed

    def _in_place_of_nothing(self) -> str:
        """The answer in place of a model's empty one. Raises as ``_account``."""
        if self._is_out_of_reach():
            return self._text(_OUT_OF_REACH)
        return self._open_question() or (self._not_changed() if self._claims_falsely() else self._account())

    def _open_question(self) -> str:
        return open_question(self.done, self._message, self.said[-1] if self.said else "", language=self._language)

    @property
    def _has_changed(self) -> bool:
        return any(done.changed for done in self.done)

    def _not_changed(self) -> str:
        return (
            self._findings.account()
            if self._has_changed
            else self._text(_MAY_HAVE_CHANGED if self._is_unknown() else _NOT_CHANGED)
        )

    def _is_unknown(self) -> bool:
        """Whether a change may have happened that no tool has confirmed."""
        return any(done.unknown for done in self.done)

    def _text(self, text: str, **parts: object) -> str:
        return translations(self._language).gettext(text).format(**parts)
