"""When a run reads its user's policies, marks and keys, and when it goes on with those that it has read."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import LiteralString
from uuid import uuid4

import pytest
from django.db import OperationalError

from accounts.database import in_database
from accounts.errors import AccountGone
from accounts.keys.rotation import rotate_user_key
from accounts.models import User
from accounts.statements import Found, ThreadStatements, Value
from adiuva.database import notices
from adiuva.database.notices import NoticeChannel
from agents.calls import Table
from agents.errors import Withheld
from agents.permissions.approvals.policies import Policies, policies_of, remember_answer, replace_policies
from agents.permissions.models import Decision, ToolPolicy
from agents.permissions.rules import CHANNEL, MAX_AGE_S, RuleCache, RulesBefore
from agents.permissions.sharing import Marks, marks_of, replace_marks
from agents.tools.spec import Risk
from tests.databases import end_other_sessions

pytestmark = pytest.mark.django_db(transaction=True)
MARKS = Marks(tables=frozenset({Table.NOTES}), projects=frozenset({"p1"}))


class CountedStatements(ThreadStatements):
    """Counts the statements. ``broken`` makes them fail; before ``let`` is set none ends."""

    def __init__(self) -> None:
        self.run = 0
        self.broken = False
        self.begun, self.let = asyncio.Event(), asyncio.Event()
        self.let.set()

    async def rows(self, statement: LiteralString, parameters: Sequence[Value]) -> Found:
        self.run += 1
        if self.broken:
            raise OperationalError("the database is away")
        found = await super().rows(statement, parameters)
        self.begun.set()
        await self.let.wait()
        return found


@dataclass
class World:
    """A cache that hears of changes, and its clock."""

    now: float = 100.0
    statements: CountedStatements = field(default_factory=CountedStatements)

    def __post_init__(self) -> None:
        self.cache = RuleCache(self.statements, clock=lambda: self.now)
        self.cache.listening(live=True)


@pytest.fixture
async def world() -> World:
    return World()


CHANGES: list[Callable[[World, User], None]] = [
    lambda world, user: world.cache.heard(str(user.id)),
    lambda world, user: world.cache.expire(user.id),
    lambda world, _: world.cache.listening(live=True),
    lambda world, _: setattr(world, "now", world.now + MAX_AGE_S),
]
"""What may have changed a user's rules."""
CHANGE_IDS = ["notice", "wait", "listening again", "time"]


def deny(user: User) -> None:
    replace_policies(user.id, risks={Risk.WRITE: Decision.DENY}, tools={"delete_task": Decision.AUTO})


async def test_rules_are_read_in_one_statement(alice: User, bob: User, world: World) -> None:
    await in_database(deny, alice)
    await in_database(replace_marks, alice.id, MARKS)
    with world.cache.run(alice.id), world.cache.run(bob.id):
        for user, marks in ((alice, MARKS), (bob, Marks())):
            world.statements.run = 0
            rules = await world.cache.of(user.id)
            assert await world.cache.policies(user.id) == await in_database(policies_of, user.id) == rules.policies
            assert await world.cache.marks(user.id) == await in_database(marks_of, user.id) == marks
            assert rules.vault.key.version == 1
            assert world.statements.run == 1


async def test_concurrent_calls_share_one_read(alice: User, world: World) -> None:
    with world.cache.run(alice.id):
        await asyncio.gather(*(world.cache.policies(alice.id) for _ in range(5)))
    assert world.statements.run == 1


async def test_each_run_reads_earlier_decisions(alice: User, world: World) -> None:
    with world.cache.run(alice.id):
        assert await world.cache.policies(alice.id) == Policies()
        await in_database(deny, alice)
        with world.cache.run(alice.id):
            assert (await world.cache.policies(alice.id)).risks[Risk.WRITE] is Decision.DENY
    assert world.statements.run == 2


@pytest.mark.parametrize("happens", CHANGES, ids=CHANGE_IDS)
async def test_rules_are_read_again_after_possible_change(
    alice: User, world: World, happens: Callable[[World, User], None]
) -> None:
    with world.cache.run(alice.id):
        await world.cache.marks(alice.id)
        await in_database(replace_marks, alice.id, MARKS)
        assert await world.cache.marks(alice.id) == Marks()
        happens(world, alice)
        assert await world.cache.marks(alice.id) == MARKS


async def test_notice_of_another_user_causes_no_read(alice: User, bob: User, world: World) -> None:
    with world.cache.run(alice.id):
        await world.cache.marks(alice.id)
        world.cache.heard(str(bob.id))
        world.cache.heard("not a user")
        await world.cache.marks(alice.id)
    assert world.statements.run == 1


async def test_change_noticed_during_read_causes_another_read(alice: User, world: World) -> None:
    with world.cache.run(alice.id):
        world.statements.let.clear()
        reading = asyncio.create_task(world.cache.marks(alice.id))
        await world.statements.begun.wait()
        await in_database(replace_marks, alice.id, MARKS)
        world.cache.heard(str(alice.id))
        world.statements.let.set()
        await reading
        assert await world.cache.marks(alice.id) == MARKS


async def test_each_use_reads_while_notices_are_unavailable(alice: User, world: World) -> None:
    world.cache.listening(live=False)
    with world.cache.run(alice.id):
        assert await world.cache.marks(alice.id) == Marks()
        await in_database(replace_marks, alice.id, MARKS)
        assert await world.cache.marks(alice.id) == MARKS


async def before(world: World, user: User) -> RulesBefore:
    """The user's rules, read now."""
    moment = world.cache.moment()
    return RulesBefore(rules=await world.cache.of(user.id), moment=moment)


async def test_run_reuses_rules_read_just_before(alice: User, world: World) -> None:
    with world.cache.run(alice.id, await before(world, alice)):
        await world.cache.marks(alice.id)
    assert world.statements.run == 1


@pytest.mark.parametrize("happens", CHANGES, ids=CHANGE_IDS)
async def test_run_rereads_rules_that_may_have_changed_before_it(
    alice: User, world: World, happens: Callable[[World, User], None]
) -> None:
    read = await before(world, alice)
    await in_database(replace_marks, alice.id, MARKS)
    happens(world, alice)
    with world.cache.run(alice.id, read):
        assert await world.cache.marks(alice.id) == MARKS


async def test_run_rereads_earlier_rules_without_notices(alice: User, world: World) -> None:
    world.cache.listening(live=False)
    read = await before(world, alice)
    await in_database(replace_marks, alice.id, MARKS)
    with world.cache.run(alice.id, read):
        assert await world.cache.marks(alice.id) == MARKS


async def test_rules_are_not_cached_outside_runs(alice: User, world: World) -> None:
    with world.cache.run(alice.id):
        await world.cache.of(alice.id)
    await world.cache.of(alice.id)
    assert (world.statements.run, world.cache._cached) == (2, {})


async def test_unreadable_marks_withhold_everything(alice: User, world: World) -> None:
    world.statements.broken = True
    with pytest.raises(Withheld):
        await world.cache.marks(alice.id)


async def test_deleted_user_has_no_keys_and_no_marks(world: World) -> None:
    gone = uuid4()
    assert await world.cache.marks(gone) == Marks()
    with pytest.raises(AccountGone):
        _ = (await world.cache.of(gone)).vault


async def test_marks_are_readable_during_key_rotation(alice: User, world: World) -> None:
    await in_database(replace_marks, alice.id, MARKS)
    await in_database(rotate_user_key, alice.id)
    rules = await world.cache.of(alice.id)
    assert (rules.vault.key.version, rules.marks) == (2, MARKS)


class RecordingListener:
    """A listener that keeps what it is told."""

    def __init__(self) -> None:
        self.told: asyncio.Queue[str | bool] = asyncio.Queue()

    def heard(self, payload: str) -> None:
        self.told.put_nowait(payload)

    def listening(self, *, live: bool) -> None:
        self.told.put_nowait(live)

    async def next(self) -> str | bool:
        async with asyncio.timeout(60):
            return await self.told.get()


async def test_database_notifies_of_each_committed_change(alice: User) -> None:
    heard = RecordingListener()
    channel = NoticeChannel(CHANNEL, heard)
    channel.begin()
    try:
        assert await heard.next() is True
        changes: list[Callable[[], object]] = [
            lambda: deny(alice),
            lambda: remember_answer(alice.id, "create_task", Risk.WRITE, approved=True),
            lambda: ToolPolicy.objects.filter(risk=Risk.WRITE).update(decision=Decision.ASK),
            lambda: ToolPolicy.objects.all().delete(),
            lambda: replace_marks(alice.id, MARKS),
            lambda: replace_marks(alice.id, Marks()),
        ]
        for change in changes:
            await in_database(change)
            assert await heard.next() == str(alice.id)
    finally:
        await channel.aclose()
    assert await heard.next() is False


async def test_lost_connection_is_reopened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notices, "_RETRY_S", 0.0)
    heard = RecordingListener()
    channel = NoticeChannel(CHANNEL, heard)
    channel.begin()
    try:
        assert await heard.next() is True
        await in_database(end_other_sessions)
        assert [await heard.next(), await heard.next()] == [False, True]
    finally:
        await channel.aclose()
