"""The only loop: model, its tool calls, model again, until it answers.

At most ``MAX_TOOL_ROUNDS`` rounds of tools, fewer if a call comes to the same three times in a row; then the model is
asked once more and must answer. An answer that is empty, that claims a change where there was none, or that gives up on
a call that could be put right is asked for once more (``agents/engine/closing.py``). The conversation only grows, so
that each request begins with the one before.
"""

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
    ToolSchema,
    UserMessage,
)
from agents.engine.announcements import Announcements, described_call
from agents.engine.closing import Closing
from agents.engine.executor import ToolExecutor
from agents.engine.findings import Done
from agents.engine.model_text import ModelText, Piece
from agents.engine.repetition import Repetitions
from agents.engine.rounds import ToolOutcome, dispatch, groups
from agents.engine.runaway import Endless, Runaway
from agents.errors import ModelBroken, ModelRefused
from agents.events import (
    AgentEvent,
    Finished,
    ModelEvent,
    ModelProgress,
    ModelStopped,
    StopReason,
    TextDelta,
    ToolCall,
    ToolFinished,
    ToolStarted,
    Usage,
)
from agents.tools.model_calls import as_object
from agents.tools.rows import CARDS_SHOWN, ID_IN_TEXT

MAX_TOOL_ROUNDS: Final = 5
MAX_CALLS: Final = 50
"""In one message. What a model calls beside these is not run."""
_TOO_MANY: Final = (
    "[Your message had {count} calls, and only the first {most} were run. Make the others now, at most {most} in a "
    "message, or tell the user that they were not made.]"
)
_LOST_CALL: Final = (
    "[Your message was cut off before its end, so the last call in it was not run. Make it now, shorter if it can be, "
    "or tell the user that it was not made.]"
)
_PLAIN_QUOTES: Final = str.maketrans("“”«»’", '""""\'')
_APART: Final = "\n\n"
"""Between an answer and the better one that the model is asked for."""
_LONGEST_BEFORE_CALL: Final = 2_000
"""Characters. A server that does not know the choice ``required`` may still give an answer."""
_SAME_CALLS: Final = 4
"""From so many on, the same call in one message is no longer meant, and its writing may have no end."""
_COPIED: Final = 4
"""Words: a shorter answer, such as thanks, may well be given twice."""


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
        reply = _Reply(
            executor.schemas,
            number=len(answering.closing.said),
            before=answering.before,
            told=answering.told,
            opening=answering.opening,
            calls_described=answering.calls_described,
            must_call=answering.closing.must_call,
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
        self._said_before = [each for each in known if len(each.split()) >= _COPIED]
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

    async def take(self, reply: "_Reply") -> AsyncGenerator[AgentEvent, None]:
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

    async def _run_calls(self, reply: "_Reply") -> AsyncGenerator[AgentEvent, None]:
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


class _Reply:
    """One message of the model. Its ``text``, what is ``shown`` of it and its calls are known when it has been read.

    ``number`` counts the messages of the answer, and ``opening`` is what its text begins with for the user. A message
    that only repeats one of those ``before`` is not shown, nor one that repeats what the model was ``told``, which is
    as good as empty. ``calls_described`` is whether a call that it only describes is meant. What announces one is
    ``held``. Of one that ``must_call`` no text before a call is shown, and it is over, and as good as empty, when it
    has ``_LONGEST_BEFORE_CALL`` characters without one: a server that lets it end only after a call makes a model that
    has none to make write for ever.
    """

    def __init__(
        self,
        tools: Sequence[ToolSchema],
        *,
        number: int,
        before: Sequence[str],
        told: Sequence[str],
        opening: str,
        calls_described: bool,
        must_call: bool,
    ) -> None:
        self._tools = frozenset(tool.name for tool in tools)
        self._ids = f"text-{number}"
        self._written = ModelText(self._tools, ids=self._ids)
        self._announcements = Announcements(self._tools)
        self._runaway = Runaway()
        self._endless: Endless | None = None
        self._calls_described = calls_described
        self._must_call = must_call
        self._reached_limit = self._lost_call = False
        self.answers = True
        self.is_description = False
        """Whether its call is one that it describes."""
        self.text = ""
        self.shown = ""
        self.held = ""
        self._told = [bare for each in told if (bare := _bare(each))]
        self._before = [*(bare for said in before if (bare := _bare(said))), *self._told]
        self._opening = opening
        self._calls: list[ToolCall] = []
        self._calls_in_text: list[ToolCall] = []

    async def read(
        self, events: AsyncGenerator[ModelEvent, None]
    ) -> AsyncGenerator[TextDelta | Usage | ModelProgress, None]:
        """Its text as it comes, what it cost, and before it how far a slow model is.

        It is over where the model does not stop any more.
        """
        async with aclosing(events):
            async for event in events:
                if isinstance(event, TextDelta):
                    if new := self._take(self._written.feed(event.text)):
                        yield TextDelta(text=new)
                    self._endless = self._runaway.feed(event.text)
                    if self._endless is not None or self._lacks_call or self._repeats_call:
                        break
                elif isinstance(event, ToolCall):
                    self._calls.append(event)
                elif isinstance(event, ModelStopped):
                    self._reached_limit, self._lost_call = event.reason is StopReason.LENGTH, event.lost_call
                    self.answers = event.reason is not StopReason.NO_ANSWER
                else:
                    yield event
        if new := self._take(self._rest(), ended=True):
            yield TextDelta(text=new)
        if not self.shown and (self._is_told(_bare(self.text)) or self._announcements.is_ours or self._lacks_call):
            self.text = self.held = ""
        if self._calls_described and not self.calls and (described := described_call(self.text, self._tools)):
            self.is_description = True
            self._calls_in_text = [ToolCall(id=f"{self._ids}-0", name=described[0], arguments=described[1])]

    def _rest(self) -> Sequence[Piece]:
        pieces = self._written.end(broken_off=self._reached_limit or self._repeats_call)
        # A call with arguments that have no end is not meant.
        return pieces if self._endless is not Endless.WORDS else [each for each in pieces if isinstance(each, str)]

    @property
    def is_cut(self) -> bool:
        """Whether a call in it was cut off, or all that it would have said."""
        return self._written.cut or self._lost_call or (self._reached_limit and not self.text.strip())

    @property
    def missing(self) -> str:
        """What to say to a model that has called more than is run."""
        if len(self.calls) > MAX_CALLS:
            return _TOO_MANY.format(count=len(self.calls), most=MAX_CALLS)
        lost_in_text = self._written.cut and self._reached_limit and not self._calls
        return _LOST_CALL if self._lost_call or lost_in_text else ""

    @property
    def unknown(self) -> Sequence[str]:
        """The names in the calls in its text that are no tool's."""
        return self._written.unknown

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        # A model that also writes its calls as text means the same ones.
        return tuple(self._calls or self._calls_in_text)

    @property
    def _repeats_call(self) -> bool:
        """Whether the last calls in the text are all the same."""
        last = [(call.name, call.arguments) for call in self._calls_in_text[-_SAME_CALLS:]]
        return len(last) == _SAME_CALLS and len(set(last)) == 1

    @property
    def _lacks_call(self) -> bool:
        return self._must_call and not self.calls and len(self.text) > _LONGEST_BEFORE_CALL

    def _take(self, pieces: Sequence[Piece], *, ended: bool = False) -> str:
        """What is shown of ``pieces`` and of what was held back before them."""
        self.text += "".join(piece for piece in pieces if isinstance(piece, str))
        self._calls_in_text += [piece for piece in pieces if isinstance(piece, ToolCall)]
        self.held = ""
        if (self._announcements.is_found and not ended) or self._repeats(ended=ended):
            return ""
        if self._must_call and (not ended or self.calls or self._lacks_call):
            return ""
        told = self._opening + self.text if self.text else ""
        known = self._announcements.shown(self.text, ended=ended)
        # What is shown stays: of a long sentence it is not waited for how it ends.
        end = max(len(told) - len(self.text) + known if known else 0, len(self.shown))
        new, self.shown, self.held = told[len(self.shown) : end], told[:end], told[end:]
        if self._announcements.is_ours:
            self.held = ""
        return new

    def _repeats(self, *, ended: bool) -> bool:
        """Whether the text so far only repeats a message before; when it has ended, the whole of one."""
        if self.shown or not self._before:
            return False
        said = _bare(self.text)
        if ended:
            return said in self._before or self._is_told(said)
        return any(each.startswith(said) for each in self._before)

    def _is_told(self, said: str) -> bool:
        """Whether ``said`` is what the model was told, or the beginning of it."""
        is_long = len(said.split()) >= _COPIED
        return any(each == said or (is_long and each.startswith(said)) for each in self._told)


def _bare(said: str) -> str:
    """``said`` without what models put around a text that they copy, and without ids, which they know in short."""
    said = ID_IN_TEXT.sub("", said).translate(_PLAIN_QUOTES)
    whole, _, begun = said.rpartition("[")
    # While it is written, this may become an id.
    if whole and "]" not in begun and "\n" not in begun:
        said = whole
    return said.strip("`[] \n\t")


def _writing(executor: ToolExecutor) -> Sequence[str]:
    """The names of the tools that can change something."""
    names = [tool.name for tool in executor.schemas]
    return [name for name in names if not executor.reads(ToolCall(id="", name=name, arguments=""))]
