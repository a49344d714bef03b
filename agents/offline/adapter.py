"""The offline assistant as a model: it reads plain commands, asks for tools, and answers from what they say."""

import json
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from datetime import UTC, date, datetime

from agents.adapters.base import AnswerFormat, Message, ModelParams, Purpose, ToolSchema
from agents.events import ModelEvent, ModelStopped, StopReason, TextDelta, ToolCall, Usage
from agents.offline.answers import Answer
from agents.offline.briefing import brief_of_day, brief_of_task
from agents.offline.commands import Command
from agents.offline.conversation import Turn, last_turn, words_of
from agents.offline.desk import Desk, Plan, Round, next_step
from agents.offline.english.long import ENGLISH_LONG
from agents.offline.english.phrases import ENGLISH_PHRASES
from agents.offline.grammar import Language
from agents.offline.italian.long import ITALIAN_LONG
from agents.offline.italian.phrases import ITALIAN_PHRASES
from agents.offline.jobs import report
from agents.offline.planning import plan
from agents.offline.reviewing import review_of, summary_of
from agents.offline.schemas import fitting_value
from agents.offline.sidebar import plan_beside_page
from agents.offline.suggesting import plan_for
from agents.offline.understanding import understand
from agents.offline.writing import pieces, write
from agents.sections import read_sections
from agents.tools.overviews import Wanted, wanted_in

_PHRASES = {Language.ENGLISH: ENGLISH_PHRASES, Language.ITALIAN: ITALIAN_PHRASES}
_LONG = {Language.ENGLISH: ENGLISH_LONG, Language.ITALIAN: ITALIAN_LONG}
_WRITERS = {Wanted.SUMMARY: summary_of, Wanted.PLAN: plan_for, Wanted.REVIEW: review_of}
_TOKENS = re.compile(r"\w+|[^\w\s]")


def numbered_call_id(turn: int, tool_round: int, position: int) -> str:
    """The id of a call, unique in its conversation: which message of it, which round, which call of the round."""
    return f"offline-{turn}-{tool_round}-{position}"


class OfflineAdapter:
    """A ``ModelAdapter`` without a model: no key, no network, the same answer to the same conversation."""

    name = "offline"

    def __init__(
        self,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        call_id: Callable[[int, int, int], str] = numbered_call_id,
    ) -> None:
        """``clock`` serves requests that do not say what time it is."""
        self._clock = clock
        self._call_id = call_id

    async def stream(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], params: ModelParams
    ) -> AsyncGenerator[ModelEvent, None]:
        """One request: a round of tool calls, or the answer a word at a time. Raises nothing."""
        turn = last_turn(messages)
        step = self._step(turn, tools, params)
        read = sum(len(_TOKENS.findall(words_of(message))) for message in messages)
        if isinstance(step, str):
            for piece in pieces(step):
                yield TextDelta(text=piece)
            yield _usage(read, step)
            yield ModelStopped(reason=StopReason.COMPLETE)
            return
        calls = self._calls(step, len(messages), len(turn.rounds))
        for call in calls:
            yield call
        yield _usage(read, " ".join(f"{call.name} {call.arguments}" for call in calls))
        yield ModelStopped(reason=StopReason.TOOL_CALLS)

    def _step(self, turn: Turn, tools: Sequence[ToolSchema], params: ModelParams) -> Round | str:
        """The next round of tool requests, or the whole text of the answer."""
        now = params.now or self._clock()
        if params.purpose is not Purpose.ANSWER:
            return _brief(turn.message, now, params)
        wanted = wanted_in(turn.message)
        if wanted is not None:
            return _written(*wanted, turn.message, now, params)
        command, language = understand(turn.message, language=params.language, today=now.date())
        if params.response_schema is not None:
            return json.dumps(fitting_value(params.response_schema, turn.message, command), ensure_ascii=False)
        desk = Desk(tools=tools, phrases=_PHRASES[language], now=now, view=params.view)
        step = _told_of_job(desk, turn, command) or next_step(_planned(desk, command), turn.rounds)
        if not isinstance(step, Answer):
            if all(desk.offers(wanted.name) for wanted in step):
                return step
            step = desk.say(desk.phrases.cannot_here)
        return write(desk, step, params.answer_format)

    def _calls(self, requests: Round, turn: int, tool_round: int) -> list[ToolCall]:
        return [
            ToolCall(
                id=self._call_id(turn, tool_round, position),
                name=wanted.name,
                arguments=json.dumps(wanted.arguments, ensure_ascii=False),
            )
            for position, wanted in enumerate(requests)
        ]


def _planned(desk: Desk, command: Command) -> Plan:
    return plan(desk, command) if desk.view is None else plan_beside_page(desk, desk.view, command)


def _told_of_job(desk: Desk, turn: Turn, command: Command) -> Answer | None:
    """The answer to the outcome of a job, whose conversation holds one call alone, without the look-ups before it."""
    if len(turn.called) != 1 or len(turn.called[0]) != 1:
        return None
    first = next_step(_planned(desk, command), ())
    begins_alike = not isinstance(first, Answer) and tuple(wanted.name for wanted in first) == turn.called[0]
    return None if begins_alike else report(desk, turn.rounds[0][0])


def _brief(message: str, now: datetime, params: ModelParams) -> str:
    """The whole text of a brief: its message is the server's, so that the person's language is not in its words."""
    desk = Desk(tools=(), phrases=_PHRASES[_language(params)], now=now)
    brief = brief_of_day if params.purpose is Purpose.BRIEF else brief_of_task
    return write(desk, brief(desk, message), params.answer_format)


def _written(wanted: Wanted, day: date, message: str, now: datetime, params: ModelParams) -> str:
    """The whole text that is wanted of the rows in ``message``, as of ``day``."""
    phrases = _LONG[_language(params)]
    desk = Desk(tools=(), phrases=phrases.plain, now=datetime.combine(day, now.timetz()))
    text = _WRITERS[wanted](desk, phrases, read_sections(message))
    return write(desk, Answer(text=text), AnswerFormat.TEXT)


def _language(params: ModelParams) -> Language:
    italian = params.language.casefold().startswith(Language.ITALIAN)
    return Language.ITALIAN if italian else Language.ENGLISH


def _usage(read: int, written: str) -> Usage:
    """Words and marks, counted here: there is no tokenizer behind this model."""
    return Usage(input_tokens=read, output_tokens=len(_TOKENS.findall(written)))
