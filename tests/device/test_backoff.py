from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from device.backoff import Backoff


def first(backoff: Backoff, count: int, *, at_least_s: float = 0.0) -> list[float]:
    return list(islice(backoff.pauses(at_least_s=at_least_s), count))


def test_pauses_double_up_to_the_longest() -> None:
    assert first(Backoff(draw=lambda: 1.0), 8) == [0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 15.0, 15.0]


def test_first_pause_is_what_the_server_asked_for_and_more() -> None:
    assert first(Backoff(draw=lambda: 0.5), 3, at_least_s=2.0) == [2.25, 0.5, 1.0]


@given(drawn=st.lists(st.floats(0, 1), min_size=20, max_size=20), asked_s=st.floats(0, 60))
def test_no_two_devices_need_to_meet_and_none_waits_longer_than_the_longest(drawn: list[float], asked_s: float) -> None:
    numbers = iter(drawn)
    pauses = first(Backoff(draw=lambda: next(numbers)), 20, at_least_s=asked_s)

    assert pauses[0] >= asked_s
    assert all(0 <= pause <= 15 for pause in pauses[1:])
