"""The row of a job equals a simple model of it after any sequence of events."""

import itertools
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import ClassVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from accounts.models import User
from agents.errors import JobOver
from agents.jobs import service
from agents.jobs.models import OVER, JobState, ToolJob
from agents.jobs.service import MAX_WAIT, MESSAGE_LASTS, PUBLISH_WITHIN, sweep
from tests.agents.jobs.making import LEASE, NOW, claim, make
from tests.effort import tries

OWNERS = st.sampled_from(["a", "b"])
MOMENTS = st.sampled_from([timedelta(seconds=1), LEASE / 2, LEASE, MESSAGE_LASTS, MAX_WAIT])
_requests = itertools.count()


@dataclass(frozen=True, kw_only=True, slots=True)
class Known:
    """The state of the job in the model."""

    state: JobState = JobState.QUEUED
    owner: str = ""
    lease_until: datetime | None = None
    attempts: int = 0
    asked_to_stop: bool = False
    waiting_since: datetime | None = None
    first_away_at: datetime | None = None
    published_at: datetime | None = None
    told: bool = False

    def released(self, state: JobState, **changed: object) -> "Known":
        """No worker runs it any more."""
        free = replace(self, state=state, owner="", lease_until=None, waiting_since=None)
        return replace(free, **changed)  # type: ignore[arg-type] # fields of its own

    def again(self, state: JobState = JobState.QUEUED, **changed: object) -> "Known":
        return self.released(state, published_at=None, **changed)


class JobMachine(RuleBasedStateMachine):
    """Two runs, a device, a user and a sweep, all acting on one job."""

    user: ClassVar[User]

    def __init__(self) -> None:
        super().__init__()
        self.now = NOW
        self.job_id = make(self.user, now=NOW, request=str(next(_requests))).id
        self.known = Known()
        self.endings: list[JobState] = []

    def teardown(self) -> None:
        ToolJob.objects.filter(id=self.job_id).delete()

    def holds(self, owner: str) -> bool:
        return self.known.state is JobState.RUNNING and self.known.owner == owner

    def lapsed(self) -> bool:
        return self.known.lease_until is not None and self.known.lease_until <= self.now

    def ends(self, state: JobState) -> JobState:
        self.endings.append(state)
        self.known = self.known.released(state)
        return state

    @initialize(
        deaths=st.integers(min_value=0, max_value=service.ATTEMPTS), asked_to_stop=st.sampled_from([False, False, True])
    )
    def workers_have_died_before(self, deaths: int, *, asked_to_stop: bool) -> None:
        for death in range(deaths):
            self.a_message_reaches_a_worker("a")
            if asked_to_stop and death == deaths - 1:
                self.the_user_cancels()
            self.time_passes(LEASE)

    @rule(moment=MOMENTS)
    def time_passes(self, moment: timedelta) -> None:
        self.now += moment

    @rule(owner=OWNERS)
    def a_message_reaches_a_worker(self, owner: str) -> None:
        known = self.known
        taken_over = self.lapsed() and known.attempts < service.ATTEMPTS and not known.asked_to_stop
        free = known.state is JobState.QUEUED or taken_over
        claimed = claim(self.job_id, owner, now=self.now)

        assert (claimed is not None) is free
        if claimed is not None:
            attempt = known.attempts + 1
            assert claimed.attempt == attempt
            lease_until = self.now + LEASE
            self.known = replace(known, state=JobState.RUNNING, owner=owner, lease_until=lease_until, attempts=attempt)

    @rule(owner=OWNERS)
    def a_run_renews(self, owner: str) -> None:
        held = self.holds(owner) and not self.known.asked_to_stop
        assert service.renew(self.job_id, owner, now=self.now, lease=LEASE) is held
        if held:
            self.known = replace(self.known, lease_until=self.now + LEASE)

    @rule(owner=OWNERS, well=st.booleans())
    def a_run_ends(self, owner: str, *, well: bool) -> None:
        wanted = self.ends(JobState.DONE if well else JobState.FAILED) if self.holds(owner) else None
        end = service.finish if well else service.fail
        assert end(self.job_id, owner, "The garden", now=self.now) is wanted

    @rule(owner=OWNERS)
    def a_run_fails(self, owner: str) -> None:
        wanted: JobState | None = None
        if self.holds(owner):
            if self.known.asked_to_stop:
                wanted = self.ends(JobState.CANCELLED)
            elif self.known.attempts == service.ATTEMPTS:
                wanted = self.ends(JobState.FAILED)
            else:
                wanted, self.known = JobState.QUEUED, self.known.again()
        assert service.retry_or_fail(self.job_id, owner, "It broke", now=self.now) is wanted

    @rule(owner=OWNERS)
    def a_run_finds_the_device_away(self, owner: str) -> None:
        wanted: JobState | None = None
        if self.holds(owner):
            if self.known.asked_to_stop:
                wanted = self.ends(JobState.CANCELLED)
            else:
                wanted, attempts = JobState.WAITING_DEVICE, self.known.attempts - 1
                first = self.known.first_away_at or self.now
                self.known = self.known.again(wanted, waiting_since=self.now, first_away_at=first, attempts=attempts)
        assert service.keep_waiting(self.job_id, owner, now=self.now) is wanted

    @rule(owner=OWNERS)
    def a_worker_hands_the_job_back(self, owner: str) -> None:
        wanted: JobState | None = None
        if self.holds(owner):
            if self.known.asked_to_stop:
                wanted = self.ends(JobState.CANCELLED)
            else:
                wanted, self.known = JobState.QUEUED, self.known.again(attempts=self.known.attempts - 1)
        assert service.hand_back(self.job_id, owner, now=self.now) is wanted

    @rule(owner=OWNERS)
    def a_run_looks_whether_it_is_to_stop(self, owner: str) -> None:
        wanted = self.holds(owner) and self.known.asked_to_stop
        assert service.cancel_if_asked(self.job_id, owner, now=self.now) is wanted
        if wanted:
            self.ends(JobState.CANCELLED)

    @rule()
    def the_device_says_hello(self) -> None:
        waits = self.known.state is JobState.WAITING_DEVICE
        assert service.device_back(self.user.id, "laptop") == ([self.job_id] if waits else [])
        if waits:
            self.known = self.known.again()

    @rule()
    def a_message_goes_out(self) -> None:
        service.published([self.job_id], now=self.now)
        if self.known.state is JobState.QUEUED:
            self.known = replace(self.known, published_at=self.now)

    @rule()
    def the_user_cancels(self) -> None:
        try:
            status = service.request_cancel(self.user.id, self.job_id, now=self.now)
        except JobOver:
            assert self.known.state in (JobState.DONE, JobState.FAILED, JobState.DELIVERED)
            return
        if self.known.state in (JobState.QUEUED, JobState.WAITING_DEVICE):
            self.ends(JobState.CANCELLED)
        self.known = replace(self.known, asked_to_stop=True)
        assert status.state is self.known.state

    @rule()
    def the_device_knows(self) -> None:
        news = self.known.state in OVER and not self.known.told
        assert service.delivered(self.user.id, self.job_id, now=self.now) is news
        if news:
            state = JobState.DELIVERED if self.known.state is JobState.DONE else self.known.state
            self.known = replace(self.known, state=state, told=True)

    @rule()
    def a_process_sweeps(self) -> None:
        before = len(self.endings)
        if self.lapsed():
            self.a_worker_is_dead()
        first = self.known.first_away_at
        if self.known.state is JobState.WAITING_DEVICE and first is not None and first <= self.now - MAX_WAIT:
            self.ends(JobState.FAILED)
        swept = sweep(now=self.now)

        assert [status.state for status in swept.ended] == self.endings[before:]
        sent, made = self.known.published_at, NOW
        due = made <= self.now - PUBLISH_WITHIN if sent is None else sent <= self.now - MESSAGE_LASTS
        assert swept.publish == ((self.job_id,) if self.known.state is JobState.QUEUED and due else ())

    def a_worker_is_dead(self) -> None:
        if self.known.asked_to_stop:
            self.ends(JobState.CANCELLED)
        elif self.known.attempts == service.ATTEMPTS:
            self.ends(JobState.FAILED)
        else:
            self.known = self.known.again()

    @invariant()
    def the_row_equals_the_model(self) -> None:
        row = ToolJob.objects.get(id=self.job_id)
        assert (
            Known(
                state=JobState(row.state),
                owner=row.claimed_by,
                lease_until=row.lease_until,
                attempts=row.attempts,
                asked_to_stop=row.cancel_requested_at is not None,
                waiting_since=row.waiting_since,
                first_away_at=row.first_away_at,
                published_at=row.published_at,
                told=row.delivered_at is not None,
            )
            == self.known
        )

    @invariant()
    def the_job_ends_once_and_is_reported_until_acknowledged(self) -> None:
        over = self.known.state in OVER
        assert len(self.endings) == (1 if over else 0)
        told = [report.status.id for report in service.undelivered(self.user.id, "laptop")]
        assert told == ([self.job_id] if over and not self.known.told else [])


def test_job_behaves_like_its_model(alice: User) -> None:
    JobMachine.user = alice

    run_state_machine_as_test(JobMachine, settings=settings(max_examples=tries(15, long=200), stateful_step_count=30))
