"""The offline assistant as a model: it reads plain commands, requests tools, and answers from their results."""

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
    """The user's last message, and the rounds of tool results after it, in the order of their calls.

    ``called`` are the names of the called tools in each round.
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
    """A ``ModelAdapter`` without a model. It needs no key and no network, and it is deterministic."""

    name = "offline"

    def __init__(self, *, clock: Callable[[], datetime] = utc_now) -> None:
        """``clock`` is used for requests without a time."""
        self._clock = clock
        grammars()  # reads the files now, so that the first answer need not wait for them

    async def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
    ) -> AsyncGenerator[ModelEvent, None]:
        """The events of a round of tool calls, or of an answer word by word. Raises nothing."""
        turn = _last_turn(messages)
        step = self._step(turn, () if params.tool_choice is ToolChoice.NONE else tools, params)
        input_tokens = sum(_count_tokens(_text_of(message)) for message in messages)
        if isinstance(step, _Written):
            for piece in _PIECES.findall(step.text):
                yield TextDelta(text=piece)
            yield Usage(input_tokens=input_tokens, output_tokens=_count_tokens(step.text))
            yield ModelStopped(reason=step.reason)
            return
        output_tokens = 0
        for position, tool in enumerate(step):
            arguments = json.dumps(tool.arguments, ensure_ascii=False)
            # Unique in the conversation, by the numbers of the message, of the round, and of the call in the round.
            call_id = f"offline-{len(messages)}-{len(turn.rounds)}-{position}"
            yield ToolCall(id=call_id, name=tool.name, arguments=arguments)
            output_tokens += _count_tokens(f"{tool.name} {arguments}")
        yield Usage(input_tokens=input_tokens, output_tokens=output_tokens)
        yield ModelStopped(reason=StopReason.TOOL_CALLS)

    def _step(self, turn: _Turn, tools: Sequence[ToolSchema], params: ModelParams) -> Round | _Written:
        """The next round of tool requests, or the whole text of the answer."""
        now = params.now or self._clock()
        context = Context(tools=tools, language=params.language, now=now, view=params.view)
        if turn.material is not None and (answer := _answer_from(context, turn.material)):
            return _Written(text=write(context, answer, params.answer_format))
        command, language = understand(
            turn.message, language=params.language, today=now.date(), earlier=beside(turn.earlier, params.view)
        )
        if params.response_schema is not None:
            value = fitting_value(params.response_schema, turn.message, command)
            return _Written(text=json.dumps(value, ensure_ascii=False))
        context = replace(context, language=language)
        step = _job_report(context, turn, command) or next_step(_planned(context, command), turn.rounds)
        if not isinstance(step, PlanAnswer):
            if all(context.offers(tool.name) for tool in step):
                return step
            step = context.say(CANNOT_HERE)
        reason = StopReason.COMPLETE if step.answers else StopReason.NO_ANSWER
        return _Written(text=write(context, step, params.answer_format), reason=reason)


def _last_turn(messages: Sequence[Message]) -> _Turn:
    """The turn to answer. It is empty if there is no message of the user."""
    questions = [(at, message) for at, message in enumerate(messages) if isinstance(message, UserMessage)]
    if not questions:
        return _Turn()
    position, question = questions[-1]
    since = messages[position + 1 :]
    results = {message.call_id: message for message in since if isinstance(message, ToolMessage)}
    rounds = [message.tool_calls for message in since if isinstance(message, AssistantMessage) and message.tool_calls]
    return _Turn(
        message=question.text,
        earlier=read_earlier(messages[:position]),
        material=question.material,
        rounds=tuple(tuple(results.get(call.id, MISSING) for call in calls) for calls in rounds),
        called=tuple(tuple(call.name for call in calls) for calls in rounds),
    )


def _answer_from(context: Context, material: Material) -> PlanAnswer | None:
    """The text that the server requests with ``material``; None for a message in the user's own words."""
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
    """The answer about a job's outcome. Its conversation contains only one call, without the look-ups before it."""
    if len(turn.called) != 1 or len(turn.called[0]) != 1:
        return None
    first = next_step(_planned(context, command), ())
    begins_alike = not isinstance(first, PlanAnswer) and tuple(tool.name for tool in first) == turn.called[0]
    return None if begins_alike else report(context, turn.rounds[0][0])


def _text_of(message: Message) -> str:
    """The text of ``message`` for a model, including its tool calls."""
    calls = message.tool_calls if isinstance(message, AssistantMessage) else ()
    return " ".join([message.text, *(f"{call.name} {call.arguments}" for call in calls)])


def _count_tokens(text: str) -> int:
    """The number of words and marks: this model has no tokenizer."""
    return len(_TOKENS.findall(text))
