"""The offline assistant as a model: it reads plain commands, asks for tools, and answers from what they return."""

import json
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, assert_never

from accounts.timezones import utc_now
from agents.adapters.base import (
    AssistantMessage,
    Material,
    Message,
    ModelParams,
    Purpose,
    ToolChoice,
    ToolMessage,
    ToolSchema,
    UserMessage,
)
from agents.events import ModelEvent, ModelStopped, StopReason, TextDelta, ToolCall, Usage
from agents.offline.answers import PlanAnswer, fitting_value, write
from agents.offline.commands import Command
from agents.offline.context import CANNOT_HERE, MISSING, Context, Plan, Results, Round, next_step
from agents.offline.earlier import Earlier, beside, read_earlier
from agents.offline.grammar import grammars
from agents.offline.overviews import brief_of_day, brief_of_task, plan_for, review_of, summary_of
from agents.offline.plans import plan, report
from agents.offline.sidebar import plan_beside_page
from agents.offline.understanding import understand

_TOKENS: Final = re.compile(r"\w+|[^\w\s]")
_PIECES: Final = re.compile(r"\S+\s*|\s+")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Turn:
    """The person's last message, and the results of the tool rounds after it, in the order of their calls.

    ``called`` are the names of the tools, round by round as the results are.
    """

    message: str = ""
    earlier: Earlier = field(default_factory=Earlier)
    material: Material | None = None
    rounds: tuple[Results, ...] = ()
    called: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class _Written:
    """The whole text of an answer."""

    text: str
    reason: StopReason = StopReason.COMPLETE


class OfflineAdapter:
    """A ``ModelAdapter`` without a model: no key, no network, the same answer to the same conversation."""

    name = "offline"

    def __init__(self, *, clock: Callable[[], datetime] = utc_now) -> None:
        """``clock`` serves requests that do not say what time it is."""
        self._clock = clock
        grammars()  # reads the files now, not while someone waits for the first answer

    async def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
    ) -> AsyncGenerator[ModelEvent, None]:
        """One request: a round of tool calls, or the answer a word at a time. Raises nothing."""
        turn = _last_turn(messages)
        step = self._step(turn, () if params.tool_choice is ToolChoice.NONE else tools, params)
        read = sum(len(_TOKENS.findall(_words_of(message))) for message in messages)
        if isinstance(step, _Written):
            for piece in _PIECES.findall(step.text):
                yield TextDelta(text=piece)
            yield _usage(read, step.text)
            yield ModelStopped(reason=step.reason)
            return
        written = []
        for position, wanted in enumerate(step):
            arguments = json.dumps(wanted.arguments, ensure_ascii=False)
            # Unique in the conversation: which message of it, which round, which call of the round.
            call_id = f"offline-{len(messages)}-{len(turn.rounds)}-{position}"
            yield ToolCall(id=call_id, name=wanted.name, arguments=arguments)
            written += [wanted.name, arguments]
        yield _usage(read, " ".join(written))
        yield ModelStopped(reason=StopReason.TOOL_CALLS)

    def _step(self, turn: _Turn, tools: Sequence[ToolSchema], params: ModelParams) -> Round | _Written:
        """The next round of tool requests, or the whole text of the answer."""
        now = params.now or self._clock()
        context = Context(tools=tools, language=params.language, now=now, view=params.view)
        if turn.material is not None and (written := _written(context, turn.material)):
            return _Written(text=write(context, written, params.answer_format))
        command, language = understand(
            turn.message, language=params.language, today=now.date(), earlier=beside(turn.earlier, params.view)
        )
        if params.response_schema is not None:
            value = fitting_value(params.response_schema, turn.message, command)
            return _Written(text=json.dumps(value, ensure_ascii=False))
        context = replace(context, language=language)
        step = _job_report(context, turn, command) or next_step(_planned(context, command), turn.rounds)
        if not isinstance(step, PlanAnswer):
            if all(context.offers(wanted.name) for wanted in step):
                return step
            step = context.say(CANNOT_HERE)
        reason = StopReason.COMPLETE if step.answers else StopReason.NO_ANSWER
        return _Written(text=write(context, step, params.answer_format), reason=reason)


def _last_turn(messages: Sequence[Message]) -> _Turn:
    """The turn to answer; without a message of the person, an empty one."""
    asked = [(number, message) for number, message in enumerate(messages) if isinstance(message, UserMessage)]
    if not asked:
        return _Turn()
    number, question = asked[-1]
    since = messages[number + 1 :]
    results = {message.call_id: message for message in since if isinstance(message, ToolMessage)}
    rounds = [message.tool_calls for message in since if isinstance(message, AssistantMessage) and message.tool_calls]
    return _Turn(
        message=question.text,
        earlier=read_earlier(messages[:number]),
        material=question.material,
        rounds=tuple(tuple(results.get(call.id, MISSING) for call in calls) for calls in rounds),
        called=tuple(tuple(call.name for call in calls) for calls in rounds),
    )


def _written(context: Context, material: Material) -> PlanAnswer | None:
    """What the message asks to write; None for the person's own words."""
    day = material.day or context.today
    then = replace(context, now=datetime.combine(day, context.now.timetz()))
    match material.purpose:
        case Purpose.ANSWER:
            return None
        case Purpose.BRIEF:
            return brief_of_day(context, material.rows, day)
        case Purpose.TASK_BRIEF:
            return brief_of_task(context, material.rows)
        case Purpose.PROJECT_SUMMARY:
            return summary_of(then, material.rows)
        case Purpose.PROJECT_PLAN:
            return plan_for(then, material.rows)
        case Purpose.WEEKLY_REVIEW:
            return review_of(then, material.rows)
        case _:
            assert_never(material.purpose)


def _planned(context: Context, command: Command) -> Plan:
    return plan(context, command) if context.view is None else plan_beside_page(context, context.view, command)


def _job_report(context: Context, turn: _Turn, command: Command) -> PlanAnswer | None:
    """The answer to the outcome of a job, whose conversation holds one call alone, without the look-ups before it."""
    if len(turn.called) != 1 or len(turn.called[0]) != 1:
        return None
    first = next_step(_planned(context, command), ())
    begins_alike = not isinstance(first, PlanAnswer) and tuple(wanted.name for wanted in first) == turn.called[0]
    return None if begins_alike else report(context, turn.rounds[0][0])


def _words_of(message: Message) -> str:
    """What a model reads of ``message``."""
    calls = message.tool_calls if isinstance(message, AssistantMessage) else ()
    return " ".join([message.text, *(f"{call.name} {call.arguments}" for call in calls)])


def _usage(read: int, written: str) -> Usage:
    """Words and marks, counted here: there is no tokenizer behind this model."""
    return Usage(input_tokens=read, output_tokens=len(_TOKENS.findall(written)))
