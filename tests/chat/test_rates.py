"""Token buckets: what comes at once, what comes back with time, and what is kept."""

import uuid

from chat.rates import RequestRate, SocketLimits, SocketRates, TokenBucket


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_fills_up_to_its_size() -> None:
    clock = Clock()
    bucket = TokenBucket(per_s=2, burst=4, clock=clock)

    assert [bucket.take() for _ in range(5)] == [0] * 4 + [0.5]
    clock.now = 0.5
    assert (bucket.left, bucket.wait_s) == (1, 0)
    clock.now = 100.0
    assert bucket.left == 4


def test_what_costs_more_than_is_left_is_waited_for_afterwards() -> None:
    clock = Clock()
    bucket = TokenBucket(per_s=2, burst=4, clock=clock)

    bucket.spend(9)
    assert (bucket.left, bucket.wait_s, bucket.take()) == (-5, 3.0, 3.0)
    clock.now = 3.0
    assert (bucket.wait_s, bucket.take(), bucket.left) == (0, 0, 0)


def test_a_minutes_worth_may_come_at_once_and_comes_back_with_time() -> None:
    clock, alice, bob = Clock(), uuid.uuid4(), uuid.uuid4()
    rate = RequestRate(per_minute=6, clock=clock)

    assert [rate.admit(alice) for _ in range(7)] == [True] * 6 + [False]
    assert rate.admit(bob)
    clock.now = 9.0
    assert [round(rate.wait_s(alice), 6) for _ in range(2)] == [1, 1]
    clock.now = 10.0
    assert [round(rate.wait_s(alice), 6) for _ in range(2)] == [0, 10]
    clock.now = 1000.0
    assert [rate.admit(alice) for _ in range(7)] == [True] * 6 + [False]


def test_users_whose_bucket_is_full_again_are_forgotten_and_no_others() -> None:
    clock, alice = Clock(), uuid.uuid4()
    rate = RequestRate(per_minute=6, clock=clock)
    for _ in range(1000):
        rate.admit(uuid.uuid4())
    clock.now = 59.0
    assert all(rate.admit(alice) for _ in range(6))
    clock.now = 61.0
    rate.admit(uuid.uuid4())

    assert len(rate._buckets._buckets) == 2
    assert not rate.admit(alice)


def test_a_users_sockets_share_one_bucket_and_each_has_its_own() -> None:
    clock, alice = Clock(), uuid.uuid4()
    rates = SocketRates(SocketLimits(frames_per_s=20, user_frames_per_s=40), clock=clock)
    rates.user_frames.of(alice).spend(200)

    assert rates.socket_frames().wait_s == 0
    assert rates.user_frames.of(alice).wait_s > 0
    assert rates.user_frames.of(uuid.uuid4()).wait_s == 0


def test_a_burst_of_requests_begins_one_by_one_and_four_times_as_fast_as_the_rate() -> None:
    clock, alice = Clock(), uuid.uuid4()
    rate = RequestRate(per_minute=60, clock=clock)

    assert [rate.delay_s(alice) for _ in range(5)] == [0, 0, 0, 0.25, 0.5]
    assert rate.delay_s(uuid.uuid4()) == 0
    clock.now = 0.75
    assert rate.delay_s(alice) == 0


def test_a_low_rate_delays_a_request_by_a_second_at_most_for_each_before_it() -> None:
    clock, alice = Clock(), uuid.uuid4()
    rate = RequestRate(per_minute=1, clock=clock)

    assert [rate.delay_s(alice) for _ in range(4)] == [0, 0, 1, 2]


def test_request_that_is_given_back_counts_neither_in_the_rate_nor_as_a_start() -> None:
    clock, alice = Clock(), uuid.uuid4()
    rate = RequestRate(per_minute=2, clock=clock)

    for _ in range(3):
        assert (rate.admit(alice), rate.delay_s(alice)) == (True, 0)
        rate.give_back(alice)
    assert (rate.admit(alice), rate.delay_s(alice)) == (True, 0)
    clock.now = 1000.0
    rate.give_back(alice)  # when as much has come back with time

    assert [rate.admit(alice) for _ in range(3)] == [True, True, False]
    assert [rate.delay_s(alice) for _ in range(3)] == [0, 0, 1]
