import json
from datetime import datetime, timedelta

import pytest
from pytest_django import DjangoAssertNumQueries

from accounts.export import export_account
from accounts.models import User
from agents.allowances import QuotaOverride, Usage, day_of
from agents.permissions.models import UserQuota
from agents.permissions.quotas import CountedElsewhere, all_overrides, override_of, usage_written
from agents.requests import RequestKind
from agents.telemetry.recorder import save_turns
from agents.telemetry.turns import ObservedTurn
from tests.agents.turns import STARTED, generation, turn

pytestmark = pytest.mark.django_db(transaction=True)
MIDNIGHT = day_of(STARTED)


def used(
    user: User, kind: RequestKind = RequestKind.HOME, *, at: datetime = STARTED, request_id: str = "r1"
) -> ObservedTurn:
    """A turn of twelve tokens."""
    tokens = (generation(input_tokens=10, output_tokens=2),)
    return turn(user.id, kind=kind, started_at=at, generations=tokens, request_id=request_id)


def usage(user: User, elsewhere: CountedElsewhere | None = None) -> Usage:
    return usage_written(user.id, since=MIDNIGHT, elsewhere=elsewhere or CountedElsewhere())


def test_only_own_turns_of_the_day_count(
    alice: User, bob: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    yesterday = MIDNIGHT - timedelta(microseconds=1)
    save_turns([used(alice), used(alice, at=MIDNIGHT), used(alice, at=yesterday), used(bob)])
    with django_assert_num_queries(1):
        assert usage(alice) == Usage(turns=2, tokens=24)


def test_jobs_and_programs_count_by_tokens_only(alice: User) -> None:
    save_turns([used(alice, kind) for kind in RequestKind])
    assert usage(alice) == Usage(turns=len(RequestKind) - 2, tokens=12 * len(RequestKind))


def test_user_without_turns_has_no_usage(alice: User) -> None:
    assert usage(alice) == Usage()


def test_turns_counted_elsewhere_are_not_counted_again(alice: User) -> None:
    ended = used(alice, request_id="ended")
    save_turns([ended, used(alice, request_id="going on"), used(alice)])
    elsewhere = CountedElsewhere(ids=[ended.id], request_ids=["going on"], since=STARTED)
    # The tokens of a turn that is under way count once its row has them.
    assert usage(alice, elsewhere) == Usage(turns=1, tokens=24)


def test_earlier_turn_with_same_request_id_counts(alice: User) -> None:
    save_turns([used(alice, request_id="again")])
    elsewhere = CountedElsewhere(request_ids=["again"], since=STARTED + timedelta(minutes=11))
    assert usage(alice, elsewhere) == Usage(turns=1, tokens=12)


def test_overrides_are_read_per_user(alice: User, bob: User) -> None:
    UserQuota.objects.create(user=alice, turns=3)
    assert all_overrides() == {alice.id: QuotaOverride(turns=3)}
    assert (override_of(alice.id), override_of(bob.id)) == (QuotaOverride(turns=3), QuotaOverride())


def test_export_contains_quota_of_user(alice: User) -> None:
    UserQuota.objects.create(user=alice, tokens=0)
    [exported] = json.loads("".join(export_account(alice.id)))["agents_userquota"]
    assert (exported["turns"], exported["tokens"]) == (None, 0)
