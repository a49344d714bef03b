import uuid

from chat.rates import RequestRate


def test_a_minutes_worth_may_come_at_once_and_comes_back_with_time() -> None:
    now = [0.0]
    rate, alice, bob = RequestRate(per_minute=6, clock=lambda: now[0]), uuid.uuid4(), uuid.uuid4()

    assert [rate.admit(alice) for _ in range(7)] == [True] * 6 + [False]
    assert rate.admit(bob)
    now[0] = 9.9
    assert not rate.admit(alice)
    now[0] = 10.0
    assert [rate.admit(alice), rate.admit(alice)] == [True, False]
    now[0] = 1000.0
    assert [rate.admit(alice) for _ in range(7)] == [True] * 6 + [False]


def test_who_has_not_asked_for_a_minute_is_not_kept() -> None:
    now = [0.0]
    rate = RequestRate(per_minute=6, clock=lambda: now[0])
    for _ in range(1500):
        rate.admit(uuid.uuid4())
    now[0] = 61.0
    rate.admit(uuid.uuid4())

    assert len(rate._buckets) == 1
