"""The agent loop: the model, its tool calls, the model again, until it answers.

There are at most ``MAX_TOOL_ROUNDS`` rounds of tools, and fewer if a call has the same outcome three times in a row;
then the model is asked once more and must answer. An answer that is empty, claims a change that was not made, or gives
up on a call that could be corrected is requested once more (``agents/engine/closing.py``). The conversation only grows,
so each request begins with the previous one.
"""

import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Final

from agents.adapters.base import (
    AssistantMessage,
    Message,
    ModelAdapter,
    ModelParams,
    ToolChoice,
    ToolMessage,
    UserMessage,
)
from agents.engine.closing import Closing
from agents.engine.executor import ToolExecutor
from agents.engine.findings import Done
from agents.engine.repetition import Repetitions
from agents.engine.reply import COPIED, MAX_CALLS, Reply
from agents.engine.rounds import ToolOutcome, dispatch, groups
from agents.errors import ModelBroken, ModelRefused
from agents.events import (
    AgentEvent,
    Finished,
    TextDelta,
    ToolCall,
    ToolFinished,
    ToolStarted,
)
from agents.tools.model_calls import as_object
from agents.tools.rows import CARDS_SHOWN

MAX_TOOL_ROUNDS: Final = 5
_PARAGRAPH: Final = "\n\n"
"""Between an answer and the corrected one."""
_BETWEEN: Final = re.compile(r"\\[ntr]|[\s\\]+")


async def run(
    adapter: ModelAdapter,
    messages: Sequence[Message],
    executor: ToolExecutor,
    params: ModelParams,
    *,
    with_rows: str = "",
    records: bool = False,
) -> AsyncGenerator[AgentEvent, None]:
    """Answer ``messages``, and yield the events of the answer.

    ``with_rows`` is added to the first rows that the model reads. ``records``: whether the exchange will be recorded in
    the memory. Raises ``ModelUnavailable``, ``ModelRefused`` or ``ModelBroken`` (also if the model neither says nor
    does anything).
    """
    answering = _Answering(list(messages), executor, params, with_rows=with_rows, records=records)
    while not answering.is_over:
        reply = Reply(
            executor.schemas,
            number=len(answering.closing.said),
            before=answering.before,
            told=answering.told,
            opening=answering.opening,
            calls_described=answering.calls_described,
            must_call=answering.closing.must_call,
            is_quoted=answering.has_read,
        )
        asked = adapter.stream(answering.conversation, executor.schemas, answering.params)
        try:
            async with aclosing(reply.read(asked)) as events:
                async for event in events:
                    yield event
        except (ModelRefused, ModelBroken):
            # Some servers do not support requiring a call.
            if not answering.closing.must_call or reply.text or reply.calls:
                raise
            answering.closing.must_call = False
            continue
        async with aclosing(answering.take(reply)) as following:
            async for after in following:
                yield after
    is_shown = answering.is_shown
    last = answering.closing.last_words(is_shown=is_shown, is_held=bool(answering.held.strip()))
    # An announcement of a call says less than what the server adds instead.
    if answering.held and (is_shown or not last):
        answering.shown.append(answering.held)
        yield TextDelta(text=answering.held)
    if last:
        answering.shown.append(f"{_PARAGRAPH}{last}" if answering.is_shown else last)
        yield TextDelta(text=answering.shown[-1])
    yield Finished(text="".join(answering.shown), tool_rounds=answering.tool_round, answers=reply.answers)


class _Answering:
    """The state of an answer: the ``conversation``, which grows, and what was said and done for it."""

    def __init__(
        self,
        conversation: list[Message],
        executor: ToolExecutor,
        params: ModelParams,
        *,
        with_rows: str,
        records: bool,
    ) -> None:
        executor.follow(conversation)
        names = [tool.name for tool in executor.schemas]
        self.conversation = conversation
        self.closing = Closing(
            conversation,
            language=params.language,
            writes=bool(_writing(executor)),
            tools=names,
            records=records,
            draws=bool(with_rows),
        )
        self.shown: list[str] = []
        """The texts that the user sees."""
        self._objections: list[str] = []
        self._earlier = [
            each.text for each in conversation if isinstance(each, ToolMessage) and CARDS_SHOWN in each.text
        ]
        said = [each.text for each in conversation if isinstance(each, UserMessage)]
        # Models that copy the message also copy the situation, which comes before it.
        said.append(_PARAGRAPH.join(said[-2:]))
        request = self.closing.request
        self._request = [request.message, said[-1]] if request.wants_result else []
        answers = [each.text for each in conversation if isinstance(each, AssistantMessage) and each.text]
        known = (*said, *answers[-1:]) if request.wants_call else ()
        self._said_before = [each for each in known if len(each.split()) >= COPIED]
        self.held = ""
        """The text that was held back last. It is shown if there is nothing better to say."""
        self.opening = ""
        """What the next text begins with."""
        self.tool_round = 0
        self.is_over = False
        self._executor = executor
        self._params = params
        self._with_rows = with_rows
        self._repetitions = Repetitions(executor.reads)
        self._known_texts: list[str] = []
        self._known_messages = 0

    @property
    def told(self) -> Sequence[str]:
        """The texts that the model may copy: objections, results of failed calls, and cards of earlier turns.

        Before its first call also the user's messages, and before its first message its last answer.
        """
        failed = (done.outcome.text for done in self.closing.done if not done.outcome.ok)
        asked = [] if self.closing.done else self._request
        return [*self._objections, *self._earlier, *failed, *asked, *([] if self.closing.said else self._said_before)]

    @property
    def before(self) -> Sequence[str]:
        """What the user knows already: the model's messages in this answer, and the user's own request."""
        return [*self.closing.said, *self._request]

    @property
    def is_shown(self) -> bool:
        """Whether the user sees any text of the answer."""
        return any(text.strip() for text in self.shown)

    def has_read(self, written: str) -> bool:
        """Whether ``written`` is in what the user said or a tool gave. The model may repeat a call of its own."""
        new, self._known_messages = self.conversation[self._known_messages :], len(self.conversation)
        self._known_texts += [_compact(each.text) for each in new if isinstance(each, UserMessage | ToolMessage)]
        wanted = _compact(written)
        return bool(wanted) and any(wanted in text for text in self._known_texts)

    @property
    def calls_described(self) -> bool:
        """Whether to run a call that the next message only describes.

        That is so if nothing was called before, or if it corrects a failed call.
        """
        done = self.closing.done
        return not done or (done[-1].correctable and not any(each.changed for each in done))

    @property
    def params(self) -> ModelParams:
        """The parameters of the next request: without tools after too many rounds."""
        if self._must_answer:
            return replace(self._params, tool_choice=ToolChoice.NONE)
        if not self.closing.must_call:
            return self._params
        required = _writing(self._executor) if self.closing.must_change else ()
        return replace(self._params, tool_choice=ToolChoice.REQUIRED, required_tools=required)

    @property
    def _must_answer(self) -> bool:
        return self.tool_round == MAX_TOOL_ROUNDS or self._repetitions.hopeless

    async def take(self, reply: Reply) -> AsyncGenerator[AgentEvent, None]:
        """Run the calls of ``reply``. Without a call, the answer is over unless there is an objection to it."""
        self.closing.said.append(reply.text)
        self.closing.must_call = False
        if reply.shown:
            self.shown.append(reply.shown)
            self.opening = ""
        if reply.calls and not self._must_answer:
            self.opening = _PARAGRAPH if reply.is_description and reply.shown else self.opening
            async with aclosing(self._run_calls(reply)) as events:
                async for event in events:
                    yield event
            return
        objection = self.closing.objection(can_call=not self._must_answer, unknown=reply.unknown, is_cut=reply.is_cut)
        self.conversation += objection
        self._objections += [told.text for told in objection if isinstance(told, UserMessage)]
        self.is_over = not objection
        # A model may only repeat what was held back.
        self.held = reply.held if reply.held or reply.shown else self.held
        if objection and self.is_shown:
            self.opening = _PARAGRAPH

    async def _run_calls(self, reply: Reply) -> AsyncGenerator[AgentEvent, None]:
        executor, repetitions = self._executor, self._repetitions
        calls = [executor.named(call) for call in reply.calls[:MAX_CALLS]]
        # Some servers parse the arguments of earlier calls, and fail if these are not an object.
        sendable = tuple(replace(call, arguments=as_object(call.arguments)) for call in calls)
        self.conversation.append(AssistantMessage(text=reply.text, tool_calls=sendable))
        repetitions.begin_round()
        left = len(calls)
        async with executor.round([call for call in calls if not repetitions.needless(call)]):
            for group in groups(calls, executor):
                for call in group:
                    yield ToolStarted(call=call, label=executor.label(call))
                for call, outcome in zip(group, await dispatch(group, executor, repetitions), strict=True):
                    self._tell(call, outcome)
                    left -= 1
                    yield _finished(call, outcome, is_last=not left)
        if missing := reply.missing:
            self.conversation.append(UserMessage(text=missing))
            self._objections.append(missing)
        self.tool_round += 1

    def _tell(self, call: ToolCall, outcome: ToolOutcome) -> None:
        """Add ``outcome`` to the conversation and to the calls that are done."""
        reads = self._executor.reads(call)
        told = _tool_message(call, outcome, self._with_rows if reads else "")
        if told.text != outcome.text:
            self._with_rows = ""
        self.conversation.append(told)
        changed = outcome.ok and not reads
        self.closing.done.append(
            Done(
                call=call,
                outcome=told,
                changed=changed,
                correctable=outcome.correctable,
                choices=outcome.choices,
                unknown=outcome.unknown,
            )
        )


def _compact(written: str) -> str:
    """``written`` without spaces, and as it is outside of JSON: a row's text is told in either way."""
    return _BETWEEN.sub("", written)


def _tool_message(call: ToolCall, outcome: ToolOutcome, with_rows: str) -> ToolMessage:
    """The outcome as a message for the model, with ``with_rows`` if it has rows."""
    has_rows = any(part.rows for part in outcome.rows.values())
    text = f"{outcome.text}\n\n{with_rows}" if with_rows and has_rows else outcome.text
    return ToolMessage(call_id=call.id, text=text, ok=outcome.ok, rows=outcome.rows, provenance=outcome.provenance)


def _finished(call: ToolCall, outcome: ToolOutcome, *, is_last: bool) -> ToolFinished:
    return ToolFinished(
        call=call,
        text=outcome.text,
        ok=outcome.ok,
        duration_ms=outcome.duration_ms,
        provenance=outcome.provenance,
        asks_which=len(outcome.choices) > 1,
        is_last=is_last,
    )


def _writing(executor: ToolExecutor) -> Sequence[str]:
    """The names of the tools that can change something."""
    names = [tool.name for tool in executor.schemas]
    return [name for name in names if not executor.reads(ToolCall(id="", name=name, arguments=""))]
