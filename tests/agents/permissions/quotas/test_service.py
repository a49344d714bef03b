import logging
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest

from agents.allowances import Quota, QuotaOverride, Usage
from agents.errors import QuotaExceeded
from agents.permissions.quotas import CountedElsewhere, OverrideCache, QuotaService
from agents.requests import RequestKind
from agents.telemetry.turns import ObservedTurn
from tests.agents.turns import STARTED, generation, turn

ALICE, BOB = uuid4(), uuid4()


@dataclass
class Rows:
    """A ``UsageLookup`` with the same usage for all users on the day of ``STARTED``. Records its calls."""

    usage: Usage = field(default_factory=Usage)
    asked: list[CountedElsewhere] = field(default_factory=list)
    away: bool = False

    async def __call__(self, user_id: UUID, *, since: datetime, elsewhere: CountedElsewhere) -> Usage:
        self.asked.append(elsewhere)
        if self.away:
            raise ConnectionError("the database is away")
        return self.usage if since <= STARTED else Usage()


def service(quota: Quota, rows: Rows, *unwritten: ObservedTurn, now: datetime = STARTED) -> QuotaService:
    def of(user_id: UUID) -> list[ObservedTurn]:
        return [turn for turn in unwritten if turn.origin.user_id == user_id]

    return QuotaService(installation=quota, written=rows, unwritten=of, now=lambda: now)


async def refused(service: QuotaService, user_id: UUID = ALICE) -> bool:
    with service.under_way(user_id, str(uuid4())) as begun:
        return await service.refusal(user_id, begun) is not None


@pytest.mark.parametrize(
    ("usage", "refusal"),
    [(Usage(turns=1, tokens=99), False), (Usage(turns=2), True), (Usage(tokens=100), True)],
)
async def test_turn_is_refused_once_either_limit_is_reached(usage: Usage, refusal: bool) -> None:
    assert await refused(service(Quota(turns=2, tokens=100), Rows(usage))) == refusal


async def test_usage_is_not_read_without_limit() -> None:
    rows = Rows()
    unlimited = service(Quota(), rows)
    assert not unlimited.may_limit(ALICE)
    assert not await refused(unlimited)
    await unlimited.check_tokens(ALICE)
    assert rows.asked == []


async def test_override_frees_its_user_from_installation_limit() -> None:
    rows = Rows(Usage(turns=5))
    cache = OverrideCache(read=lambda: {ALICE: QuotaOverride(turns=0), BOB: QuotaOverride(turns=5)})
    await cache.read()
    service = QuotaService(installation=Quota(turns=1), overrides=cache, written=rows, now=lambda: STARTED)
    assert not await refused(service)
    assert rows.asked == []
    assert await refused(service, BOB)


async def test_concurrent_turns_are_limited_to_remaining_quota() -> None:
    limited = service(Quota(turns=5), Rows(Usage(turns=2)))
    with ExitStack() as stack:
        begun = [stack.enter_context(limited.under_way(ALICE, str(number))) for number in range(8)]
        refusals = [await limited.refusal(ALICE, one) is not None for one in begun]
        assert refusals == [False] * 3 + [True] * 5
        assert not await refused(limited, BOB)
    assert not await refused(limited)


async def test_running_turns_are_excluded_from_row_count() -> None:
    rows = Rows()
    limited = service(Quota(turns=2), rows)
    with limited.under_way(ALICE, "r1"):
        assert not await refused(limited)
    [elsewhere] = rows.asked
    assert (elsewhere.request_ids, elsewhere.since) == (["r1"], STARTED)


async def test_unwritten_turns_count_once() -> None:
    rows = Rows(Usage(turns=1, tokens=10))
    yesterday = turn(ALICE, started_at=STARTED - timedelta(days=1))
    ended = turn(ALICE, generations=(generation(input_tokens=6, output_tokens=1),))
    job = turn(ALICE, kind=RequestKind.JOB, generations=(generation(output_tokens=5),))
    limited = service(Quota(turns=9), rows, yesterday, ended, job, turn(BOB))
    assert (await limited.allowance(ALICE)).usage == Usage(turns=2, tokens=22)
    assert rows.asked[0].ids == [ended.id, job.id]


async def test_usage_is_reset_at_midnight() -> None:
    rows, clock = Rows(Usage(turns=2)), [STARTED.replace(hour=23, minute=59, second=59)]
    limited = QuotaService(installation=Quota(turns=2), written=rows, now=lambda: clock[0])
    with limited.under_way(ALICE, "begun before midnight"):
        assert await refused(limited)
        clock[0] += timedelta(seconds=1)
        assert not await refused(limited)
        assert (await limited.allowance(ALICE)).usage == Usage()


async def test_unavailable_database_blocks_no_request(caplog: pytest.LogCaptureFixture) -> None:
    limited = service(Quota(turns=1), Rows(Usage(turns=1), away=True))
    with caplog.at_level(logging.WARNING):
        assert not await refused(limited)
        assert not await refused(limited)
    assert [record.levelname for record in caplog.records] == ["WARNING"]


async def test_programs_are_limited_by_tokens_only() -> None:
    await service(Quota(turns=1, tokens=100), Rows(Usage(turns=1, tokens=99))).check_tokens(ALICE)
    with pytest.raises(QuotaExceeded, match=r"100 tokens of the day are used up.*2026-03-30T00:00:00Z"):
        await service(Quota(tokens=100), Rows(Usage(tokens=100))).check_tokens(ALICE)
