"""One message of a model: its text, its calls, and the part of it that is shown."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Final

from agents.adapters.base import ToolSchema
from agents.engine import objections
from agents.engine.announcements import Announcements, described_call
from agents.engine.model_text import ModelText, Piece
from agents.engine.repetition import Endless, Runaway
from agents.events import ModelEvent, ModelProgress, ModelStopped, StopReason, TextDelta, ToolCall, Usage
from agents.tools.rows import ID_IN_TEXT

MAX_CALLS: Final = 50
"""How many calls of one message are run."""
_PLAIN_QUOTES: Final = str.maketrans("“”«»’", '""""\'')
_MAX_CHARS_BEFORE_CALL: Final = 2_000
"""In characters. A server that does not support ``required`` may return an answer instead of a call."""
_SAME_CALLS: Final = 4
"""So many equal calls in a row in one message are not intended, and may go on without end."""
COPIED: Final = 4
"""In words. A shorter answer, such as thanks, may be given twice."""


class Reply:
    """One message of the model. Its ``text``, the part that is ``shown`` and its calls are known when it has been read.

    ``number`` is its number in the answer, and ``opening`` precedes its text for the user. A message that only repeats
    one of ``before`` is not shown. One that repeats a text that the model was ``told`` counts as empty. Text that
    announces a call is ``held`` back. ``calls_described``: whether a call that is only described counts as one.

    If the model ``must_call``, text before a call is not shown. After ``_MAX_CHARS_BEFORE_CALL`` characters without a
    call the message ends, and counts as empty: on a server that allows an end only after a call, a model that has no
    call to make writes without end. ``is_quoted``: as for ``ModelText``.
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
        is_quoted: Callable[[str], bool],
    ) -> None:
        self._tools = frozenset(tool.name for tool in tools)
        self._ids = f"text-{number}"
        self._written = ModelText(self._tools, ids=self._ids, is_quoted=is_quoted)
        self._announcements = Announcements(self._tools)
        self._runaway = Runaway()
        self._endless: Endless | None = None
        self._calls_described = calls_described
        self._must_call = must_call
        self._reached_limit = self._lost_call = False
        self.answers = True
        self.is_description = False
        """Whether its call is one that it only describes."""
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
        """Read the message, and yield its text, its usage, and before it the progress of a slow model.

        Ends when the model writes without end.
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
        # A call whose arguments have no end is not intended.
        return pieces if self._endless is not Endless.WORDS else [each for each in pieces if isinstance(each, str)]

    @property
    def is_cut(self) -> bool:
        """Whether a call in it was cut off, or all of its text."""
        return self._written.cut or self._lost_call or (self._reached_limit and not self.text.strip())

    @property
    def missing(self) -> str:
        """What to tell a model some of whose calls were not run; else empty."""
        if len(self.calls) > MAX_CALLS:
            return objections.TOO_MANY.format(count=len(self.calls), most=MAX_CALLS)
        lost_in_text = self._written.cut and self._reached_limit and not self._calls
        return objections.LAST_CALL_CUT_OFF if self._lost_call or lost_in_text else ""

    @property
    def unknown(self) -> Sequence[str]:
        """The names in calls in its text that are no tool."""
        return self._written.unknown

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        # If a model also writes its calls as text, these are the same ones.
        return tuple(self._calls or self._calls_in_text)

    @property
    def _repeats_call(self) -> bool:
        """Whether the last calls in the text are equal."""
        last = [(call.name, call.arguments) for call in self._calls_in_text[-_SAME_CALLS:]]
        return len(last) == _SAME_CALLS and len(set(last)) == 1

    @property
    def _lacks_call(self) -> bool:
        return self._must_call and not self.calls and len(self.text) > _MAX_CHARS_BEFORE_CALL

    def _take(self, pieces: Sequence[Piece], *, ended: bool = False) -> str:
        """The text to show now, of ``pieces`` and of what was held back before."""
        self.text += "".join(piece for piece in pieces if isinstance(piece, str))
        self._calls_in_text += [piece for piece in pieces if isinstance(piece, ToolCall)]
        self.held = ""
        if (self._announcements.is_found and not ended) or self._repeats(ended=ended):
            return ""
        if self._must_call and (not ended or self.calls or self._lacks_call):
            return ""
        told = self._opening + self.text if self.text else ""
        known = self._announcements.shown(self.text, ended=ended)
        # Shown text stays shown: the end of a long sentence is not awaited.
        end = max(len(told) - len(self.text) + known if known else 0, len(self.shown))
        new, self.shown, self.held = told[len(self.shown) : end], told[:end], told[end:]
        if self._announcements.is_ours:
            self.held = ""
        return new

    def _repeats(self, *, ended: bool) -> bool:
        """Whether the text so far is the beginning of an earlier message; once it has ended, whether it equals one."""
        if self.shown or not self._before:
            return False
        said = _bare(self.text)
        if ended:
            return said in self._before or self._is_told(said)
        return any(each.startswith(said) for each in self._before)

    def _is_told(self, said: str) -> bool:
        """Whether ``said`` is a text that the model was told, or the beginning of one."""
        is_long = len(said.split()) >= COPIED
        return any(each == said or (is_long and each.startswith(said)) for each in self._told)


def _bare(said: str) -> str:
    """``said`` without what models add around a text that they copy, and without ids, which differ."""
    said = ID_IN_TEXT.sub("", said).translate(_PLAIN_QUOTES)
    whole, _, begun = said.rpartition("[")
    # This may become an id when more is written.
    if whole and "]" not in begun and "\n" not in begun:
        said = whole
    return said.strip("`[] \n\t")
