"""What a turn and a call over MCP ask of the database, with everything that a server has: counted, not timed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID

import pytest

from accounts.auth.personal_tokens import issue_personal_token
from accounts.database import in_database
from accounts.models import User
from adiuva.wiring import composition
from adiuva.wiring.composition import Parts
from agents.calls import Table
from agents.mcp.calling import McpCalls, ReachedDevice, caller_with
from agents.permissions.models import Disclosure
from agents.telemetry.models import TurnRecord
from agents.tools.tasks import ListTasks
from memory.models import MemoryEpisodic
from memory.tiers import set_core
from tests.agents.tables import InMemoryClient
from tests.chat.accounts import ALICE
from tests.chat.rows import RowDevice, row_device
from tests.chat.sockets import Server
from tests.costs import DatabaseCosts, database_costs

pytestmark = pytest.mark.django_db(transaction=True)


@dataclass
class World:
    """A device of Alice's on a server, and the parts of its process."""

    parts: Parts
    device: RowDevice

    async def costs_of(self, message: str) -> DatabaseCosts:
        """Of a turn, from its request until all that it leaves behind is written: record, episode, summary, facts."""
        assert self.parts.memory is not None
        recorder = self.parts.memory.recorder
        with database_costs() as costs:
            await self.device.ask({"type": "home_request", "message": message})
            await recorder._attempt(recorder._summaries, recorder._backlog.get_nowait())
            await self.parts.observation.recorder.flush()
        return costs


def signed_up() -> User:
    user = User(id=ALICE, email="alice@example.com")
    user.set_unusable_password()
    user.save()
    return user


@asynccontextmanager
async def begun(parts: Parts) -> AsyncIterator[None]:
    """What turns use is at work, and nothing that asks the database by itself."""
    assert parts.statements is not None
    assert parts.notices is not None
    parts.statements.begin()
    assert parts.statements._opening is not None
    await parts.statements._opening
    parts.services.turns.run.rules.listening(live=True)
    overrides = parts.services.turns.run.quotas.overrides
    assert overrides is not None
    await overrides.read()
    try:
        yield
    finally:
        await parts.observation.aclose()
        await parts.statements.aclose()


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    await in_database(signed_up)
    parts, server = composition.parts(), Server()
    server.services = replace(server.services, turns=parts.services.turns)
    async with begun(parts), row_device(server.restarted(), tmp_path / "device.sqlite3") as device:
        device.add("tasks", title="Buy milk", status="todo")
        world = World(parts, device)
        # The first turn opens connections, and the second one has an episode and a fact to recall.
        for _ in range(2):
            await world.costs_of("List my tasks")
        await in_database(set_core, ALICE, "tea", "Assam")
        yield world


@pytest.mark.parametrize(
    ("message", "commits", "disclosures"),
    [("Hello", 5, 0), ("List my tasks", 7, 1), ("Create a task called Paint the fence", 7, 1)],
    ids=["words", "read", "write"],
)
async def test_turn_with_a_memory_commits_at_most(world: World, message: str, commits: int, disclosures: int) -> None:
    before = await counts()
    costs = await world.costs_of(message)

    episodes, turns, disclosed = (now - then for now, then in zip(await counts(), before, strict=True))
    assert (episodes, turns, disclosed) == (1, 1, disclosures)
    assert costs.commits <= commits, costs.statements
    assert len(costs.statements) <= 32, costs.statements
    assert not await MemoryEpisodic.objects.filter(facts_at=None).aexists()


async def counts() -> list[int]:
    return await in_database(lambda: [model.objects.count() for model in (MemoryEpisodic, TurnRecord, Disclosure)])


class OneDevice:
    """Reaches a device with one task."""

    @asynccontextmanager
    async def reached(self, user_id: UUID, request_id: str) -> AsyncIterator[ReachedDevice]:
        client = InMemoryClient()
        client.rows[Table.TASKS].append({"id": "t1", "title": "Buy milk", "status": "todo"})
        yield ReachedDevice(client=client, device_id="laptop")


async def test_call_over_mcp_commits_twice() -> None:
    user = await in_database(signed_up)
    token = (await in_database(issue_personal_token, user, name="Editor")).text
    parts = composition.parts()
    statements = parts.statements
    assert statements is not None
    calls = McpCalls(dependencies=parts.services.turns.run, devices=OneDevice())
    rules = parts.services.turns.run.rules

    async def call() -> None:
        result = await calls.call(await caller_with(token, statements, rules), ListTasks, {})
        assert "Buy milk" in result.text

    async with begun(parts):
        await call()
        with database_costs() as costs:
            await call()
    # The token with policies, marks and keys; the ledger.
    assert (costs.commits, len(costs.statements)) == (2, 2), costs.statements
