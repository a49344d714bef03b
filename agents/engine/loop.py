"""The only loop: model, its tool calls, model again, until it answers.

At most ``MAX_TOOL_ROUNDS`` rounds of tools, fewer if a call comes to the same three times in a row; then the model is
asked once more and must answer. An answer that is empty, that claims a change where there was none, or that gives up on
a call that could be put right is asked for once more (``agents/engine/closing.py``). The conversation only grows, so
that each request begins with the one before.
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
_APART: Final = "\n\n"
"""Between an answer and the better one that the model is asked for."""
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
    """The answer to ``messages`` while it is made.

    ``with_rows`` is told to the model with the first rows that it reads. ``records`` is whether the exchange will be
    remembered. Raises ``ModelUnavailable``, ``ModelRefused`` or ``ModelBroken`` (also when the model neither says nor
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
            # A server may not know that a call can be required.
            if not answering.closing.must_call or reply.text or reply.calls:
                raise
            answering.closing.must_call = False
            continue
        async with aclosing(answering.take(reply)) as following:
            async for after in following:
                yield after
    is_shown = answering.is_shown
    last = answering.closing.last_words(is_shown=is_shown, is_held=bool(answering.held.strip()))
    # What only announces a call says less than what is said in its place.
    if answering.held and (is_shown or not last):
        answering.shown.append(answering.held)
        yield TextDelta(text=answering.held)
    if last:
        answering.shown.append(f"{_APART}{last}" if answering.is_shown else last)
        yield TextDelta(text=answering.shown[-1])
    yield Finished(text="".join(answering.shown), tool_rounds=answering.tool_round, answers=reply.answers)


class _Answering:
    """How far an answer is: the ``conversation``, which grows, and what was said and done for it."""

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
        """What the user sees of it."""
        self._objections: list[str] = []
        self._earlier = [
            each.text for each in conversation if isinstance(each, ToolMessage) and CARDS_SHOWN in each.text
        ]
        said = [each.text for each in conversation if isinstance(each, UserMessage)]
        # The time, which comes before the message, is copied with it.
        said.append(_APART.join(said[-2:]))
        request = self.closing.request
        self._request = [*request, said[-1]] if request else []
        answers = [each.text for each in conversation if isinstance(each, AssistantMessage) and each.text]
        known = (*said, *answers[-1:]) if self.closing.wants_call else ()
        self._said_before = [each for each in known if len(each.split()) >= COPIED]
        self.held = ""
        """What was held back last, which is shown if there is nothing better to say."""
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
        """What the model was told of its answers, of calls that failed, and of the cards of earlier turns.

        Before it has done anything also what it was asked, then and before, and its last answer.
        """
        failed = (done.outcome.text for done in self.closing.done if not done.outcome.ok)
        asked = [] if self.closing.done else self._request
        return [*self._objections, *self._earlier, *failed, *asked, *([] if self.closing.said else self._said_before)]

    @property
    def before(self) -> Sequence[str]:
        """What the user knows already: what the model has said in this answer, and what they want done."""
        return [*self.closing.said, *self._request]

    @property
    def is_shown(self) -> bool:
        """Whether the user sees anything of the answer."""
        return any(text.strip() for text in self.shown)

    def has_read(self, written: str) -> bool:
        """Whether ``written`` is in what the user said or a tool gave. The model may repeat a call of its own."""
        new, self._known_messages = self.conversation[self._known_messages :], len(self.conversation)
        self._known_texts += [_compact(each.text) for each in new if isinstance(each, UserMessage | ToolMessage)]
        wanted = _compact(written)
        return bool(wanted) and any(wanted in text for text in self._known_texts)

    @property
    def calls_described(self) -> bool:
        """Whether a call that the next message only describes is meant.

        That is so if nothing was called before, or if it puts a call right that failed.
        """
        done = self.closing.done
        return not done or (done[-1].correctable and not any(each.changed for each in done))

    @property
    def params(self) -> ModelParams:
        """Of the next request: without tools if there were enough rounds of them."""
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
        """Run what ``reply`` calls. Without a call the answer is over, unless it has to be put right."""
        self.closing.said.append(reply.text)
        self.closing.must_call = False
        if reply.shown:
            self.shown.append(reply.shown)
            self.opening = ""
        if reply.calls and not self._must_answer:
            self.opening = _APART if reply.is_description and reply.shown else self.opening
            async with aclosing(self._run_calls(reply)) as events:
                async for event in events:
                    yield event
            return
        objection = self.closing.objection(can_call=not self._must_answer, unknown=reply.unknown, is_cut=reply.is_cut)
        self.conversation += objection
        self._objections += [told.text for told in objection if isinstance(told, UserMessage)]
        self.is_over = not objection
        # A model may repeat what was held back, and say nothing else.
        self.held = reply.held if reply.held or reply.shown else self.held
        if objection and self.is_shown:
            self.opening = _APART

    async def _run_calls(self, reply: Reply) -> AsyncGenerator[AgentEvent, None]:
        executor, repetitions = self._executor, self._repetitions
        calls = [executor.named(call) for call in reply.calls[:MAX_CALLS]]
        # Some servers read the arguments of earlier calls, and fail on those that are no object.
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
        """Tell the model of ``outcome``."""
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
    """The outcome as the model is told of it, with ``with_rows`` if it has any."""
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
