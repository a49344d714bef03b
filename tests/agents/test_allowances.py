from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.allowances import Allowance, Quota, QuotaOverride, Usage, day_of, written

TEN = datetime(2026, 3, 29, 10, 0, tzinfo=UTC)
ALASKA = timezone(timedelta(hours=-9))


def allowance(quota: Quota, usage: Usage, now: datetime = TEN) -> Allowance:
    return Allowance(quota=quota, usage=usage, now=now)


@pytest.mark.parametrize(
    ("override", "quota"),
    [
        (QuotaOverride(), Quota(turns=20, tokens=1000)),
        (QuotaOverride(turns=5), Quota(turns=5, tokens=1000)),
        (QuotaOverride(tokens=0), Quota(turns=20, tokens=0)),
        (QuotaOverride(turns=0, tokens=0), Quota()),
    ],
)
def test_override_replaces_only_limits_that_it_sets(override: QuotaOverride, quota: Quota) -> None:
    assert Quota(turns=20, tokens=1000).changed_by(override) == quota


@pytest.mark.parametrize(
    ("quota", "usage", "used_up"),
    [
        (Quota(turns=2), Usage(turns=1, tokens=10**9), []),
        (Quota(turns=2), Usage(turns=2), ["turns"]),
        (Quota(tokens=100), Usage(turns=10**6, tokens=99), []),
        (Quota(tokens=100), Usage(tokens=250), ["tokens"]),
        (Quota(turns=1, tokens=1), Usage(turns=1, tokens=1), ["turns", "tokens"]),
        (Quota(), Usage(turns=10**6, tokens=10**9), []),
    ],
)
def test_limit_is_used_up_once_reached(quota: Quota, usage: Usage, used_up: list[str]) -> None:
    assert [meter.name for meter in allowance(quota, usage).used_up] == used_up


@given(st.timedeltas(timedelta(0), timedelta(days=9999)).map(lambda later: TEN.astimezone(ALASKA) + later))
def test_allowance_is_renewed_at_next_midnight_utc(now: datetime) -> None:
    at = allowance(Quota(turns=1), Usage(turns=1), now)
    assert timedelta(0) < at.renews_at - now <= timedelta(days=1)
    assert at.renews_at == day_of(at.renews_at)
    assert at.waits_s == (at.renews_at - now).total_seconds()
    assert day_of(now) <= now


def test_sentence_names_used_up_limits_and_time_of_renewal() -> None:
    at = allowance(Quota(turns=20, tokens=5000), Usage(turns=20, tokens=5001))
    assert at.sentence == (
        "The 20 requests and 5000 tokens of the day are used up. There will be new ones at 2026-03-30T00:00:00Z."
    )


def test_times_are_written_in_utc() -> None:
    assert written(TEN.astimezone(timezone(timedelta(hours=2)))) == "2026-03-29T10:00:00Z"
