"""What happened in a task's conversation, as values: kept in the results, read by the judge and the report."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from benchmarks.evaluation.world import RowChange


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownBlock:
    """A block of an answer, as the device got it."""

    type: str
    data: dict[str, JsonValue]


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """What the user was asked before a tool ran, and the answer."""

    tool: str
    summary: str
    approved: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelRequest:
    """One request to a model: tokens as its server counted them, ``seconds`` until its last word."""

    model: str
    seconds: float
    input_tokens: int = 0
    cached_tokens: int = 0
    """Of the input tokens, those that the server had from an earlier request."""
    output_tokens: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolUse:
    """A tool that the model called: its arguments as the model wrote them, and what the model was told."""

    tool: str
    ok: bool
    arguments: str
    result: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelMessage:
    """A message of the conversation as the model saw it."""

    role: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Exchange:
    """One message of the user and all that followed. ``ended`` is ``done``, or why the answer did not end well."""

    asked: str
    ended: str
    seconds: float = 0.0
    text: str = ""
    blocks: Sequence[ShownBlock] = ()
    questions: Sequence[Question] = ()
    changes: Sequence[RowChange] = ()
    agent: str = ""
    requests: Sequence[ModelRequest] = ()
    tools: Sequence[ToolUse] = ()
    seen: Sequence[ModelMessage] = ()
    """What the model was sent last, and what it wrote then."""

    @property
    def shown(self) -> str:
        """All that the user can read of the answer."""
        return "\n".join([self.text, *(word for block in self.blocks for word in _words(block))])


@dataclass(frozen=True, kw_only=True, slots=True)
class Conversation:
    """All exchanges of a task, and the rows that are different after them."""

    exchanges: Sequence[Exchange]
    changes: Sequence[RowChange] = ()

    @property
    def answer(self) -> Exchange:
        """The last exchange."""
        return self.exchanges[-1]


_DRAWN = {
    "chart": ("title", "data", "config"),
    "table": ("headers", "rows"),
    "timeline": ("checkpoints",),
    "entity_ref": ("items",),
}
"""What clients draw of a block."""
_UNSEEN = frozenset({"id", "projectId", "clientId", "isAiSuggested", "isApproved", "createdAt", "color"})


def _words(block: ShownBlock) -> Iterator[str]:
    return (word for name in _DRAWN.get(block.type, ()) for word in _values(name, block.data.get(name)))


def _values(name: str, value: JsonValue) -> Iterator[str]:
    match value:
        case dict():
            for column, each in value.items():
                if column not in _UNSEEN:
                    yield from _values(column, each)
        case list():
            for each in value:
                yield from _values(name, each)
        case str() if name == "assignee":  # a list of names, written as JSON
            yield value.strip('[]"').replace('"', "")
        case None:
            pass
        case _:
            yield str(value)
