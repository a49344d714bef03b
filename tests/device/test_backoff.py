from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from device.backoff import Backoff


def first(backoff: Backoff, count: int) -> list[float]:
    return list(islice(backoff.pauses(), count))


def test_pauses_double_up_to_the_longest() -> None:
    assert first(Backoff(draw=lambda: 1.0), 8) == [0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 15.0, 15.0]


@given(drawn=st.lists(st.floats(0, 1), min_size=20, max_size=20))
def test_no_two_devices_need_to_meet_and_none_waits_longer_than_the_longest(drawn: list[float]) -> None:
    numbers = iter(drawn)
    assert all(0 <= pause <= 15 for pause in first(Backoff(draw=lambda: next(numbers)), 20))
