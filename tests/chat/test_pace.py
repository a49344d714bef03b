"""How fast frames are read: at once up to a point, then slowly, with a notice, and in the end not at all."""

import asyncio
import uuid
from dataclasses import dataclass, field
from uuid import UUID

import pytest

from chat.rates import Buckets, SocketLimits, SocketRates
from chat.sockets.pace import FramePace
from tests.chat.test_rates import Clock

ALICE, BOB = uuid.uuid4(), uuid.uuid4()
MIB = 1024 * 1024


@dataclass
class Reader:
    """Reads the frames of sockets, by a clock that runs only while it waits."""

    limits: SocketLimits = field(default_factory=lambda: SocketLimits(frames_per_s=10, user_frames_per_s=1000))
    clock: Clock = field(default_factory=Clock)
    notices: list[float] = field(default_factory=list)
    floods: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rates = SocketRates(self.limits, clock=self.clock)

    def socket(self, user_id: UUID = ALICE) -> FramePace:
        return FramePace(
            rates=self.rates,
            user_id=user_id,
            notify=lambda: self.notices.append(self.clock.now),
            on_flood=lambda: self.floods.append(self.clock.now),
            sleep=self._wait,
        )

    def read(self, pace: FramePace, *sizes: int) -> float:
        """The seconds that reading frames of these sizes takes."""

        async def admit() -> None:
            for size in sizes:
                await pace.admit(size)

        began = self.clock.now
        asyncio.run(admit())
        return self.clock.now - began

    def answer(self, pace: FramePace) -> float:
        """The seconds that an answer to a call waits."""
        began = self.clock.now
        assert asyncio.run(pace.admit_answer())
        return self.clock.now - began

    async def _wait(self, seconds: float) -> None:
        self.clock.now += seconds


def test_five_seconds_worth_is_read_at_once_and_the_rest_at_the_rate() -> None:
    reader = Reader()
    pace = reader.socket()

    assert reader.read(pace, *[50] * 50) == 0
    assert reader.read(pace, *[50] * 30) == pytest.approx(3)


def test_large_frames_cost_more() -> None:
    reader = Reader()
    pace = reader.socket()

    assert reader.read(pace, 4 * MIB) == 0
    assert reader.read(pace, 10) == pytest.approx(1.6)


def test_the_client_is_told_seldom() -> None:
    reader = Reader(limits=SocketLimits(frames_per_s=2, user_frames_per_s=1000))
    pace = reader.socket()

    reader.read(pace, *[10] * 11)
    assert reader.notices == []
    reader.read(pace, *[10] * 9)
    assert reader.notices == [pytest.approx(0.5)]
    assert reader.floods == []


def test_a_client_that_goes_on_is_a_flood_and_one_that_pauses_is_not() -> None:
    reader = Reader()
    pace, patient = reader.socket(), reader.socket(BOB)

    reader.read(pace, *[10] * 100)
    assert (reader.floods, len(reader.notices)) == ([], 1)
    reader.read(pace, 10)
    assert reader.floods == [pytest.approx(5.0)]

    for _ in range(20):
        reader.read(patient, *[10] * 60)
        reader.clock.now += 2
    assert len(reader.floods) == 1


def test_a_burst_of_a_user_is_spread_over_a_second() -> None:
    reader = Reader(limits=SocketLimits(frames_per_s=20, user_frames_per_s=40))
    first, second = reader.socket(), reader.socket()

    assert reader.read(first, *[10] * 20) == 0
    assert reader.read(second, *[10] * 100) == pytest.approx(0.5)
    assert reader.read(reader.socket(BOB), 10) == 0
    assert not reader.notices


def test_sockets_of_a_user_share_a_rate_and_a_new_one_is_no_new_start() -> None:
    reader = Reader(limits=SocketLimits(frames_per_s=10, user_frames_per_s=20))
    reader.rates.user_bursts = Buckets(per_s=1e6, burst=1e6, clock=reader.clock)
    assert reader.read(reader.socket(), *[10] * 50) == 0
    assert reader.read(reader.socket(), *[10] * 50) == 0

    assert reader.read(reader.socket(), *[10] * 40) == pytest.approx(2)
    assert reader.read(reader.socket(BOB), *[10] * 50) == 0


def test_a_socket_that_closes_waits_no_longer() -> None:
    reader = Reader()
    pace = reader.socket()
    reader.read(pace, 60 * MIB)
    pace.end()

    assert reader.read(pace, 10) == 0


def test_frames_that_cost_the_event_loop_much_leave_it_to_others_afterwards() -> None:
    reader = Reader(limits=SocketLimits(frames_per_s=1000, user_frames_per_s=1000, frame_time_percent=10))
    first, second = reader.socket(), reader.socket()

    for pace in (first, second):
        assert reader.read(pace, 10) == 0
        pace.charge(0.010)
    # 20 ms may be taken at once, and each further millisecond takes ten to come back.
    assert reader.read(first, 10) == pytest.approx(0.01, abs=0.001)
    first.charge(0.020)
    assert reader.read(second, 10) == pytest.approx(0.2, abs=0.001)
    assert reader.read(reader.socket(BOB), 10) == 0


def test_answers_wait_for_what_only_looked_like_answers_on_any_socket_of_the_user() -> None:
    reader = Reader(limits=SocketLimits(frames_per_s=1000, user_frames_per_s=1000, frame_time_percent=10))
    first, second = reader.socket(), reader.socket()

    first.charge(1.0)
    assert reader.answer(second) == 0
    first.charge_disguised(0.040)
    assert reader.answer(second) == pytest.approx(0.21, abs=0.001)
    assert reader.answer(reader.socket(BOB)) == 0


def test_a_client_whose_frames_cost_too_much_is_told_and_in_the_end_closed() -> None:
    reader = Reader(limits=SocketLimits(frames_per_s=1, user_frames_per_s=1000, frame_time_percent=1))
    pace = reader.socket()
    for _ in range(9):
        reader.read(pace, 10)
        pace.charge(0.020)

    assert len(reader.notices) > 0
    assert len(reader.floods) > 0


def test_a_large_frame_costs_time_even_if_it_is_not_parsed() -> None:
    reader = Reader(limits=SocketLimits(frames_per_s=1000, user_frames_per_s=1000, frame_time_percent=10))
    pace = reader.socket()
    reader.read(pace, 8 * MIB)

    assert reader.read(pace, 10) == pytest.approx(0.2, abs=0.02)
