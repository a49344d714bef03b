"""The work on a job in memory, for tests of tools that run as jobs."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from agents.adapters.base import Message, ModelAdapter, ModelParams
from agents.events import TextDelta


@dataclass
class InMemoryWork:
    """Asks ``adapter`` once a step and keeps the words in ``written``, which outlives it as a journal would."""

    adapter: ModelAdapter
    params: ModelParams = field(default_factory=ModelParams)
    written: dict[str, str] = field(default_factory=dict)
    asked: list[tuple[str, Sequence[Message]]] = field(default_factory=list)
    told: list[tuple[float, str]] = field(default_factory=list)

    async def ask(self, step: str, messages: Sequence[Message]) -> str:
        self.asked.append((step, messages))
        if step not in self.written:
            events = [event async for event in self.adapter.stream(messages, (), self.params)]
            self.written[step] = "".join(event.text for event in events if isinstance(event, TextDelta))
        return self.written[step]

    async def progress(self, fraction: float, label: str) -> None:
        self.told.append((fraction, label))
