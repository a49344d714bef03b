"""What a model is sent is the same whether never-shared rows exist or not.

So are all tools, pages and briefs, and the tools, resources, prompts and completions of MCP.
"""

import asyncio
import json
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Literal, get_args, get_origin
from uuid import UUID

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from agents.calls import Table
from agents.engine.roster import SIDEBAR
from agents.engine.run import AgentRun
from agents.mcp import resources
from agents.mcp.prompts import PROMPTS, BriefPrompt, filled
from agents.mcp.refusals import invalid
from agents.mcp.resources import KINDS, ResourceKind, Told, complete_id, complete_title, page_of, read_resource
from agents.permissions.sharing import Marks
from agents.scopes import (
    AnyScope,
    ListScope,
    NoteScope,
    PopupScope,
    PopupScopeType,
    ProjectCounts,
    ProjectScope,
    viewed_row,
)
from agents.tools import client
from agents.tools.spec import Agent, ToolSpec, registered_tools
from tests.agents.permissions.sharing.worlds import (
    DAY_MS,
    HIDDEN,
    NOW_MS,
    SHARED,
    Device,
    SomeRow,
    World,
    device,
)
from tests.effort import tries

WORDS: Final = ("amber", "birch", "cedar", "a", "zz")
UNKNOWN: Final = "nowhere"
TOOLS: Final = [
    *(tool for tool in registered_tools().values() if tool.agent not in (Agent.MODELS, Agent.PROGRAMS, Agent.STAFF)),
    *(tool for tool in SIDEBAR.tools if tool not in registered_tools().values()),
]
_OWNED: Final = (Table.TASKS, Table.NOTES, Table.CHECKPOINTS)


@st.composite
def devices(draw: st.DrawFn) -> list[SomeRow]:
    """Rows of all tables, shared and hidden ones mixed: each hidden one is in a hidden project, or a task of one."""
    rows = [
        SomeRow(table=Table.PROJECTS, id=name, columns={"name": name.title()}, hidden=name in HIDDEN)
        for name in draw(st.permutations((*SHARED, *HIDDEN)))
    ]
    for number in range(draw(st.integers(0, 14))):
        table = draw(st.sampled_from((*_OWNED, *_OWNED, Table.TASK_COMMENTS)))
        row = draw(_comment(number, rows) if table is Table.TASK_COMMENTS else _owned(number, table))
        rows += [] if row is None else [row]
    return [replace(row, number=number) for number, row in enumerate(rows)]


@st.composite
def _owned(draw: st.DrawFn, number: int, table: Table) -> SomeRow:
    project = draw(st.sampled_from((*SHARED, *HIDDEN) if table is Table.CHECKPOINTS else (*SHARED, *HIDDEN, None)))
    word = st.sampled_from(WORDS)
    moment = NOW_MS + draw(st.integers(-9, 9)) * DAY_MS
    columns: dict[str, Any] = {"title": f"{draw(word)} {number}", "projectId": project}
    match table:
        case Table.TASKS:
            columns |= {"dueDate": moment, "status": draw(st.sampled_from(("todo", "in_progress", "done")))}
            columns |= {"description": draw(word)}
        case Table.NOTES:
            columns |= {"content": draw(word) * draw(st.integers(1, 3))}
        case _:
            columns |= {"date": moment}
    return SomeRow(table=table, id=f"{table}-{number}", columns=columns, hidden=project in HIDDEN)


@st.composite
def _comment(draw: st.DrawFn, number: int, rows: Sequence[SomeRow]) -> SomeRow | None:
    tasks = [row for row in rows if row.table is Table.TASKS]
    if not tasks:
        return None
    task = draw(st.sampled_from(tasks))
    columns = {"taskId": task.id, "author": "Anna", "content": draw(st.sampled_from(WORDS))}
    return SomeRow(table=Table.TASK_COMMENTS, id=f"comment-{number}", columns=columns, hidden=task.hidden)


def arguments_of(tool: type[ToolSpec], ids: Sequence[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Valid arguments of any tool, from its annotations: ids and words that rows have, and others."""
    fields = tool.arguments_model.model_fields
    values = {name: _values(name, fields[name].annotation, ids) for name in fields}
    required = {name: each for name, each in values.items() if fields[name].is_required()}
    optional = {name: each for name, each in values.items() if name not in required}
    return st.fixed_dictionaries(required, optional=optional)


def _values(name: str, kind: Any, ids: Sequence[str]) -> st.SearchStrategy[Any]:
    origin, inside = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _values(name, inside[0], ids)
    if origin is Literal:
        return st.sampled_from(inside)
    if origin in (typing.Union, types.UnionType):
        return st.one_of(*(_values(name, each, ids) for each in inside))
    if origin is list:
        return st.lists(_values(name, inside[0], ids), max_size=2)
    if kind is str:
        return st.sampled_from(_texts(name, ids))
    plain = {type(None): st.none(), bool: st.booleans(), int: st.integers(-1, 12), UUID: st.just(str(UUID(int=3)))}
    return plain[kind]


def _texts(name: str, ids: Sequence[str]) -> Sequence[str]:
    if name.endswith("_id") or name == "key":
        return ids
    if name in ("date", "due_date", "due_at", "since", "due_from", "due_to"):
        return ("2026-03-29", "2026-03-20T18:00", "soon")
    if name == "order_by":
        return ("dueDate", "-createdAt", "title", "-priority", "no column")
    return (*WORDS, *ids[:4], "")


def scopes(ids: Sequence[str]) -> st.SearchStrategy[AnyScope | None]:
    some_id = st.sampled_from([each for each in ids if each])
    counts = st.builds(ProjectCounts, tasks=st.just(1), notes=st.just(2), milestones=st.just(0))
    return st.one_of(
        st.none(),
        st.builds(PopupScope, type=st.sampled_from(PopupScopeType), id=some_id),
        st.builds(
            ProjectScope,
            page=st.just("project"),
            entityType=st.just("project"),
            entityId=some_id,
            entityName=st.just("Here"),
            counts=counts,
        ),
        st.builds(
            ListScope,
            page=st.sampled_from(("timeline", "tasks", "projects-list", "notes-list")),
            filters=st.fixed_dictionaries({}, optional={"projectId": some_id, "search": st.sampled_from(WORDS)}),
        ),
    )


@dataclass(frozen=True, kw_only=True)
class ProgramRead:
    """A request of a program's that calls no tool, about rows of ``kind``."""

    what: Literal["list", "resource", "ids", "titles", "prompt"]
    kind: ResourceKind
    said: str
    prompt: BriefPrompt
    start: int

    async def __call__(self, run: AgentRun) -> Told[Any]:
        match self.what:
            case "list":
                return await page_of(KINDS, f"{self.kind.name}:{self.start}")
            case "resource":
                read = await read_resource(self.kind, self.said, run.now(), run.requester.timezone)
                if read is None:
                    raise invalid("There is none.")
                return read
            case "ids":
                return await complete_id(self.kind, self.said[:3])
            case "titles":
                return await complete_title(self.kind, self.said[:3])
            case "prompt":
                return await filled(self.prompt, run, {"task": self.said, "project": self.said, "date": "2026-03-29"})


def program_reads(said: Sequence[str]) -> st.SearchStrategy[ProgramRead]:
    return st.builds(
        ProgramRead,
        what=st.sampled_from(("list", "resource", "ids", "titles", "prompt")),
        kind=st.sampled_from(KINDS),
        said=st.sampled_from(said),
        prompt=st.sampled_from(PROMPTS),
        start=st.integers(0, 4),
    )


@dataclass(frozen=True, kw_only=True)
class Step:
    """Something that a model reads or does, the same in both worlds."""

    way: Literal["tool", "mcp", "read", "page", "brief", "task brief"]
    tool: type[ToolSpec]
    arguments: Mapping[str, Any]
    scope: AnyScope | None
    task_id: str
    read: ProgramRead

    async def in_(self, world: World) -> None:
        match self.way:
            case "tool":
                await world.call(self.tool, json.dumps(self.arguments), self.scope)
            case "mcp" if self.tool.agent is not Agent.SIDEBAR:
                await world.call_over_mcp(self.tool, self.arguments)
            case "read":
                await world.read_over_mcp(self.read)
            case "brief":
                await world.brief()
            case "task brief":
                await world.brief(self.task_id)
            case "page" if isinstance(self.scope, ProjectScope | NoteScope | ListScope):
                await world.look(self.scope)
            case _:
                pass


@st.composite
def steps(draw: st.DrawFn, ids: Sequence[str]) -> list[Step]:
    ways = st.sampled_from(("tool",) * 6 + ("mcp", "mcp", "read", "read", "page", "brief", "task brief"))
    made = []
    for _ in range(draw(st.integers(1, 4))):
        tool = draw(st.sampled_from(TOOLS))
        arguments = draw(arguments_of(tool, ids))
        step = Step(
            way=draw(ways),
            tool=tool,
            arguments=arguments,
            scope=draw(scopes(ids)),
            task_id=draw(st.sampled_from([each for each in ids if each])),
            read=draw(program_reads([each for each in ids if each])),
        )
        event(f"{step.way}: {tool.tool_name}" if step.way in ("tool", "mcp") else step.way)
        made.append(step)
    return made


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[SomeRow], Marks, list[Step]]:
    rows = draw(devices())
    tables = draw(st.one_of(st.just(frozenset()), st.frozensets(st.sampled_from(Table), max_size=2)))
    named = [str(row.columns.get("title") or row.columns.get("name") or "") for row in rows]
    ids = ["", UNKNOWN, *(row.id for row in rows), *filter(None, named)]
    return rows, Marks(tables=tables, projects=frozenset(HIDDEN)), draw(steps(ids))


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Device, Device]]:
    folder = tmp_path_factory.mktemp("worlds")
    with ExitStack() as stack:
        yield (
            stack.enter_context(device(folder / "with.sqlite3")),
            stack.enter_context(device(folder / "without.sqlite3")),
        )


@pytest.fixture
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The device gives at most five rows where it usually gives 500."""
    monkeypatch.setattr(client.select, "__defaults__", (5,))
    monkeypatch.setattr(client, "SELECT_LIMIT", 5)
    monkeypatch.setattr(resources, "PAGE_ROWS", 2)


def sent(to: Device, rows: Sequence[SomeRow], marks: Marks, doing: Sequence[Step], *, asks: bool) -> list[object]:
    """All that a model is sent while it does these things beside a device with these rows."""
    to.fill(rows)
    world = World(device=to, marks=marks, asks=asks)

    async def run() -> None:
        for step in doing:
            await step.in_(world)

    asyncio.run(run())
    return world.told


def without_hidden(rows: Sequence[SomeRow], marks: Marks) -> list[SomeRow]:
    tables = marks.tables | ({Table.TASK_COMMENTS} if Table.TASKS in marks.tables else set())
    return [row for row in rows if not row.hidden and row.table not in tables]


@pytest.mark.usefixtures("few_rows")
@settings(
    max_examples=tries(80, long=3_000),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(case=cases(), snapshots=st.booleans(), counts=st.booleans(), asks=st.booleans())
def test_text_sent_to_model_does_not_depend_on_hidden_rows(
    both: tuple[Device, Device],
    case: tuple[list[SomeRow], Marks, list[Step]],
    *,
    snapshots: bool,
    counts: bool,
    asks: bool,
) -> None:
    rows, marks, doing = case
    shared = without_hidden(rows, marks)
    if asks:
        # A row in front of the user may be asked about.
        known = {row.id for row in shared}
        doing = [step for step in doing if (viewed := viewed_row(step.scope)) is None or viewed[1] in known]
    with_hidden, without = both
    with_hidden.snapshots = without.snapshots = snapshots
    with_hidden.counts = without.counts = counts

    seen = sent(with_hidden, rows, marks, doing, asks=asks)

    assert seen == sent(without, shared, marks, doing, asks=asks)
