"""Two devices that differ only in what is never shared, and what a model is sent of each."""

import itertools
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from mcp.shared.exceptions import MCPError
from pydantic import BaseModel

from agents.adapters.base import ModelParams
from agents.calls import CallAction, ClientAnswer, ClientCall, Table
from agents.engine.run import AgentRun, Requester, RunDependencies, running
from agents.engine.viewed_page import glance, view_of
from agents.errors import ClientError
from agents.events import ToolCall
from agents.mcp.calling import McpCalls, ReachedDevice
from agents.mcp.resources import Told
from agents.permissions.approvals.policies import Policies
from agents.permissions.approvals.repository import Preview
from agents.permissions.approvals.service import AskedLater, NoAsker
from agents.permissions.models import Decision
from agents.permissions.sharing import Marks
from agents.requests import RequestKind
from agents.scopes import AnyScope, ListScope, NoteScope, ProjectScope
from agents.tools.briefs import day_rows, task_rows
from agents.tools.client import OnLate
from agents.tools.context import CallContext
from agents.tools.rows import LineContext
from agents.tools.spec import Risk, ToolSpec
from chat.devices.links import checked
from chat.protocol.frames.client import ToolResult
from device.executor import Executor
from device.store import Store
from device.tables import TABLES, TableName
from tests.agents.approving import OpenQuestions
from tests.agents.conftest import NOW
from tests.agents.disclosing import KeptDisclosures, KeptMarks
from tests.agents.embedding import RecordingEmbedder, unit_vector
from tests.agents.mcp.worlds import ALICE as PROGRAM
from tests.agents.scripts import ScriptedAdapter, says
from tests.agents.working import InMemoryWork

ROME: Final = ZoneInfo("Europe/Rome")
NOW_MS: Final = round(NOW.timestamp() * 1000)
DAY_MS: Final = 86_400_000
SHARED: Final = ("website", "attic")
HIDDEN: Final = ("secret", "vault")
PLAN: Final = '{"tasks": [{"title": "Fresh"}], "checkpoints": []}'


@dataclass(frozen=True, kw_only=True)
class SomeRow:
    """A row that is in both worlds, or only in the one with hidden rows."""

    table: Table
    id: str
    columns: Mapping[str, Any]
    hidden: bool
    number: int = 0
    """Rows are made in the order of their numbers."""


class RowIds:
    """Makes the ids of a store: ``next`` once, else numbers from 1."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        self.next: str | None = None
        self._numbers = itertools.count(1)

    def __call__(self) -> str:
        given, self.next = self.next, None
        return given or f"new-{next(self._numbers)}"


@dataclass
class Device:
    """The terminal's device at the port of tool calls, with the check that a real link makes of its answers."""

    store: Store
    ids: RowIds
    snapshots: bool = False
    counts: bool = False
    max_bytes: int = 4 * 1024 * 1024
    calls: list[ClientCall] = field(default_factory=list, repr=False)

    def supports(self, action: CallAction) -> bool:
        return action is not CallAction.PAGE_DETAILS or self.snapshots

    async def execute(self, call: ClientCall, *, on_late: OnLate) -> ClientAnswer:
        self.calls.append(call)
        frame: dict[str, Any] = {"id": call.id, "action": call.action.value, "table": call.table}
        frame |= {"data": call.data, "filters": call.filters, "limit": call.limit}
        frame["vector"] = None if call.vector is None else list(call.vector)
        frame |= {"by": call.by or None, "request_id": call.request_id or None}
        frame["count"] = True if self.counts and call.count else None
        given = {name: value for name, value in frame.items() if value is not None}
        answer: Any = Executor(self.store).execute(given, max_bytes=self.max_bytes)
        return checked(call, ToolResult.model_validate_json(json.dumps({"id": call.id, **answer})))

    def fill(self, rows: Sequence[SomeRow]) -> None:
        """Only these rows, made one after the other; notes have vectors."""
        self.calls.clear()
        self.ids.restart()
        with self.store.transaction():
            for table in ("_vectors", "_journal", *TABLES):
                self.store.run(f"DELETE FROM {table}")  # noqa: S608 - names of ours
            for row in rows:
                self._add(row)
        self.store.clock = lambda: NOW_MS

    def _add(self, row: SomeRow) -> None:
        self.ids.next = row.id
        self.store.clock = partial(int, NOW_MS - DAY_MS + row.number)
        self.store.insert(TableName(row.table), row.columns)
        if row.table is Table.NOTES:
            self._embed(row)

    def _embed(self, row: SomeRow) -> None:
        content = str(row.columns["content"])
        data = {"id": row.id, "projectId": row.columns.get("projectId"), "content": content}
        call: dict[str, Any] = {"id": row.id, "action": "vector_upsert", "table": "notes", "data": data}
        Executor(self.store).execute({**call, "vector": unit_vector(content).tolist()})


@contextmanager
def device(file: Path) -> Iterator[Device]:
    ids = RowIds()
    with closing(Store(file, new_id=ids)) as store:
        store.run("PRAGMA synchronous = OFF")
        yield Device(store, ids)


@dataclass(kw_only=True)
class World:
    """One device, and everything that a model is sent of it, in order: ``sent``. Without ``asks`` every tool runs."""

    device: Device
    marks: Marks
    sent: list[object] = field(default_factory=list)
    disclosures: KeptDisclosures = field(default_factory=KeptDisclosures)
    embedder: RecordingEmbedder = field(default_factory=RecordingEmbedder)
    asks: bool = False

    def __post_init__(self) -> None:
        self.adapter = ScriptedAdapter([])
        self.dependencies = RunDependencies(
            adapter=self.adapter,
            embedder=self.embedder,
            approvals=OpenQuestions(policies=self._policies),
            disclosures=self.disclosures,
            marks=KeptMarks(self.marks),
            clock=lambda: NOW,
        )

    async def _policies(self, user_id: UUID) -> Policies:
        asked = {Risk.DESTRUCTIVE: Decision.ASK} if self.asks else {}
        return Policies(risks={**dict.fromkeys(Risk, Decision.AUTO), **asked})

    @property
    def told(self) -> list[object]:
        """What the models were sent, and what the ledger says of it."""
        return [*self.sent, *self.embedder.texts, *self.disclosures.listed]

    def running(self) -> Any:
        asker = AskedLater() if self.asks else NoAsker()
        requester = Requester(user_id=PROGRAM.user_id, timezone=ROME, language="en", asker=asker)
        return running(self.dependencies, requester, request_id="r1", kind=RequestKind.HOME)

    async def call(self, tool: type[ToolSpec], arguments: str, scope: AnyScope | None) -> None:
        """Call ``tool`` as a model does in a turn; a queued one runs at once."""
        with self.running() as run:
            work = InMemoryWork(run.adapter, ModelParams(now=NOW))
            self.adapter.replies = [says(PLAN), says("Done."), says("Done.")]
            on_device = run.on(self.device)
            with on_device.active():
                executor = on_device.executor([tool], run.context(scope=scope, work=work), start_job=self._at_once)
                outcome = await executor.dispatch(ToolCall(id="1", name=tool.tool_name, arguments=arguments))
            await run.ledger.record_texts("model", [outcome.text])
        self.sent += [outcome.text, outcome.ok, outcome.rows, [messages for _, messages in work.asked]]

    async def call_over_mcp(self, tool: type[ToolSpec], arguments: Mapping[str, Any]) -> None:
        result = await McpCalls(dependencies=self.dependencies, devices=self).call(PROGRAM, tool, arguments)
        self.sent += [result.text, result.ok, result.structured, result.rows]

    async def read_over_mcp(self, work: Callable[[AgentRun], Awaitable[Told[BaseModel]]]) -> None:
        """What a program is told that reads a list, a resource, a prompt or a completion."""
        try:
            told = await McpCalls(dependencies=self.dependencies, devices=self).read(PROGRAM, "read", work)
            self.sent.append(told.model_dump_json())
        except (ClientError, MCPError) as error:
            self.sent.append(str(error))

    async def look(self, scope: ProjectScope | NoteScope | ListScope) -> None:
        """What the sidebar's model is told of the page, where it is told of it."""
        async with self._reading():
            seen = await glance(scope, today=NOW.date(), timezone=ROME, timeout_s=30)
            self.sent += [view_of(scope, seen, LineContext(timezone=ROME))]

    async def brief(self, task_id: str | None = None) -> None:
        """The rows of the day's brief, or of a task's."""
        async with self._reading() as run:
            if task_id is None:
                found = await day_rows(NOW.date(), ROME)
            else:
                found = await task_rows(task_id, NOW.date(), ROME, run.embedder)  # type: ignore[assignment]
            self.sent.append(found)

    @asynccontextmanager
    async def _reading(self) -> AsyncIterator[AgentRun]:
        with self.running() as run, run.on(self.device).active():
            try:
                yield run
            except ClientError as error:
                self.sent.append(str(error))

    async def _at_once(self, tool: ToolSpec, _context: CallContext, _shown: Preview | None) -> str:
        return (await tool.execute()).text

    @asynccontextmanager
    async def reached(self, user_id: UUID, request_id: str) -> AsyncIterator[ReachedDevice]:
        yield ReachedDevice(client=self.device, device_id="laptop")
