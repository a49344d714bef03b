"""Jobs in memory, for tests of the tools that run as jobs."""

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from agents.adapters.base import Message, ModelAdapter, ModelParams, UserMessage
from agents.engine.executor import ToolExecutor
from agents.engine.roster import ROSTER, AgentName
from agents.engine.rounds import ToolOutcome
from agents.events import TextDelta, ToolCall
from agents.permissions.approvals.repository import Preview
from agents.tools.client import RecordingClient, using_client
from agents.tools.context import CallContext
from agents.tools.spec import Execution, ToolSpec
from device.store import Store
from tests.agents.approving import Allowed
from tests.agents.scripts import Reply, ScriptedAdapter
from tests.agents.stores import StoredClient
from tests.agents.tools.items import read_sections

LONG_TOOLS = [tool for tool in ROSTER[AgentName.GENERAL_AGENT].tools if tool.execution is Execution.QUEUED]


async def at_once(tool: ToolSpec, _context: CallContext, _shown: Preview | None) -> str:
    """Run a queued tool where it is called."""
    return (await tool.execute()).text


@dataclass
class InMemoryWork:
    """Asks ``adapter`` once per step and keeps the answers in ``written``, which survives a run as a journal does."""

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

    async def once(self, step: str, words: Callable[[], Awaitable[str]]) -> str:
        if step not in self.written:
            self.written[step] = await words()
        return self.written[step]

    async def progress(self, fraction: float, label: str) -> None:
        self.told.append((fraction, label))


@dataclass(kw_only=True)
class Job:
    """One job on one device, which can be run several times: ``words`` are the model's answers so far."""

    store: Store
    context: CallContext
    name: str
    arguments: dict[str, object] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)

    async def run(self, *replies: Reply, device: StoredClient | None = None) -> "Ran":
        """Run it with a model that gives ``replies`` to new requests."""
        return await self.run_with(ScriptedAdapter(list(replies)), device=device)

    async def run_with(self, adapter: ModelAdapter, *, device: StoredClient | None = None) -> "Ran":
        params = ModelParams(language=self.context.language, now=self.context.now())
        work = InMemoryWork(adapter, params, self.words)
        device = device or StoredClient(self.store)
        executor = ToolExecutor(LONG_TOOLS, replace(self.context, work=work), gate=Allowed(), start_job=at_once)
        with using_client(RecordingClient(device)):
            outcome = await executor.dispatch(ToolCall(id="1", name=self.name, arguments=json.dumps(self.arguments)))
        return Ran(outcome=outcome, device=device, work=work)


@dataclass(kw_only=True)
class Ran:
    """What one run of a job did."""

    outcome: ToolOutcome
    device: StoredClient
    work: InMemoryWork

    @property
    def message(self) -> str:
        """The model's first request."""
        _, [_, asked] = self.work.asked[0]
        assert isinstance(asked, UserMessage)
        return asked.text

    @property
    def sections(self) -> dict[str, list[str]]:
        """The titles in each section of the model's request."""
        return {
            title: [json.loads(name) for name in re.findall(r'^(?:- )?(".*?") [([]', body, re.MULTILINE)]
            for title, body in read_sections(self.message).items()
        }
