"""Jobs from start to end: run, interrupted, retried, failed, and never executed twice."""

import asyncio
import itertools
import threading
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, NoReturn
from uuid import UUID

import pytest
from channels.db import database_sync_to_async
from django.db import InterfaceError, OperationalError
from pydantic import JsonValue

from accounts.database import in_database
from accounts.models import User
from agents.adapters.base import Blueprint, ToolMessage
from agents.calls import CallAction, ClientCall
from agents.dialogues.models import Dialogue
from agents.dialogues.service import UserDialogues
from agents.engine import run
from agents.errors import ClientSilent, ModelUnavailable
from agents.jobs import service, worker
from agents.jobs.dispatch import JobDispatch
from agents.jobs.journal import steps
from agents.jobs.memory import MemoryQueue
from agents.jobs.models import JobState, ToolJob
from agents.jobs.queue import DELIVERY_LIMIT
from agents.jobs.records import ClaimedJob, JobReport, JobStatus, SweepResult
from agents.jobs.worker import ToolWorker
from agents.permissions.approvals.policies import DEFAULTS, Policies
from agents.permissions.approvals.previews import UNWRITTEN
from agents.permissions.approvals.repository import Preview, as_shown
from agents.permissions.models import Decision
from agents.telemetry.turns import ObservedAdapter, ObservedTurn, Observers
from agents.tools import long
from agents.tools.models import publish
from agents.tools.spec import Risk
from tests.agents.jobs.making import ASKED, NOW, REQUEST, make
from tests.agents.jobs.test_service import close_account
from tests.agents.jobs.worker_harness import RecordingDevice, WorkerHarness
from tests.agents.scripts import Reply, ScriptedAdapter, says

pytestmark = pytest.mark.django_db(transaction=True)
SUMMARY = long.SummarizeProject.tool_name
SUMMARISED: list[Reply] = [says("Two beds, one pond."), says("Your garden is summarised.")]


def harness_with(*replies: Reply, device: RecordingDevice | None = None) -> WorkerHarness:
    return WorkerHarness(ScriptedAdapter([*replies]), device=device or RecordingDevice())


async def job_of(user: User, harness: WorkerHarness, tool: str = SUMMARY, program: str = "") -> UUID:
    """A published job."""
    made: JobStatus = await database_sync_to_async(make)(
        user, tool=tool, arguments={"project_id": "p1"}, now=harness.now(), program=program
    )
    await harness.dispatch.publish([made.id])
    return made.id


async def row_of(job_id: UUID) -> ToolJob:
    row: ToolJob = await ToolJob.objects.aget(id=job_id)
    return row


async def until(job_id: UUID, *states: JobState) -> ToolJob:
    async with asyncio.timeout(20):
        while (row := await row_of(job_id)).state not in states:  # noqa: ASYNC110 - the database sends no event
            await asyncio.sleep(0.01)
    return row


async def report(harness: WorkerHarness, job_id: UUID) -> JobReport:
    found = await in_database(service.look, job_id)
    assert found is not None
    return found


def outcome_of(harness: WorkerHarness) -> str:
    """What the model that words the answer was told of the tool."""
    assert isinstance(harness.adapter, ScriptedAdapter)
    message = harness.adapter.requests[-1].messages[-1]
    assert isinstance(message, ToolMessage)
    return message.text


def updates(device: RecordingDevice) -> list[object]:
    return [call.data and call.data.get("updates") for call in device.effects]


async def test_job_runs_on_device_and_is_answered_by_model(alice: User) -> None:
    harness = harness_with(*SUMMARISED)
    job_id = await job_of(alice, harness)
    async with harness.working():
        await harness.told(job_id, times=2)
        await until(job_id, JobState.DONE)

    assert updates(harness.device) == [{"aiSummary": "Two beds, one pond."}]
    assert (await report(harness, job_id)).response == "Your garden is summarised."
    assert [fraction for fraction, _ in harness.progress] == [0.0, 0.2, 0.9]
    assert isinstance(harness.adapter, ScriptedAdapter)
    [*_, outcome] = harness.adapter.requests[-1].messages
    assert "Two beds, one pond." in str(outcome)


async def test_changes_of_job_of_program_carry_its_name(alice: User) -> None:
    harness = harness_with(*SUMMARISED)
    job_id = await job_of(alice, harness, program="mcp: notes")
    async with harness.working():
        await until(job_id, JobState.DONE)
    assert [call.by for call in harness.device.effects] == ["mcp: notes"]


@pytest.mark.parametrize(
    ("what", "undone"),
    [("last", [{"by": "mcp: notes"}]), ("today", [{"by": "mcp: notes", "since": 1774738800000}]), (REQUEST, [])],
    ids=["last", "today", "a request"],
)
async def test_job_of_program_undoes_only_changes_of_that_program(
    alice: User, what: str, undone: list[dict[str, JsonValue]]
) -> None:
    harness = harness_with(says("It is over."))
    harness.now = lambda: NOW
    made: JobStatus = await database_sync_to_async(make)(
        alice, tool="undo_changes", arguments={"what": what}, program="mcp: notes"
    )
    await harness.dispatch.publish([made.id])
    async with harness.working():
        await until(made.id, JobState.DONE)
    assert [(call.data or {})["what"] for call in harness.device.effects] == undone


async def test_facts_about_rows_deleted_by_job_are_forgotten(alice: User) -> None:
    harness = harness_with(says("It is deleted."))
    made: JobStatus = await database_sync_to_async(make)(
        alice, tool="delete_project", arguments={"project_id": "p1"}, now=harness.now()
    )
    await harness.dispatch.publish([made.id])
    async with harness.working():
        await until(made.id, JobState.DONE)

    assert [call.action for call in harness.device.effects] == [CallAction.DELETE]
    assert harness.memory.gone == ["p1"]


async def test_queue_wait_is_reported_at_start_of_job_and_while_queued(alice: User) -> None:
    harness = harness_with(*SUMMARISED)
    started: list[float] = []
    oldest: list[float] = []
    harness.dispatch = replace(harness.dispatch, on_wait=oldest.append)
    made: JobStatus = await database_sync_to_async(make)(alice, now=harness.now() - timedelta(hours=1))
    await harness.dispatch.sweep()
    worker = harness.worker(sweep_every_s=3600)
    worker.dependencies = replace(worker.dependencies, on_start=started.append)
    working = asyncio.ensure_future(worker.run())
    await harness.told(made.id, times=2)
    worker.stop()
    await working
    assert [round(seconds / 3600) for seconds in started] == [1]
    assert round(oldest[0] / 3600) == 1
    await harness.dispatch.sweep()
    assert oldest[-1] == 0


async def test_job_waits_for_absent_device(alice: User) -> None:
    harness = harness_with(*SUMMARISED)
    harness.device.here.clear()
    job_id = await job_of(alice, harness)
    async with harness.working():
        row = await until(job_id, JobState.WAITING_DEVICE)
        assert (row.attempts, row.claimed_by) == (0, "")
        harness.device.here.set()
        await harness.dispatch.device_back(alice.id, "laptop")
        await until(job_id, JobState.DONE)
    assert len(harness.device.effects) == 1


async def approved_job(user: User, harness: WorkerHarness, tool: str, **arguments: str) -> UUID:
    """A published job of which the user was shown the row as it is now."""
    row = dict(harness.device.project)
    after = None if tool == "delete_task" else {**row, "aiSummary": UNWRITTEN}
    asked = replace(ASKED, shown=as_shown(Preview(before=row, after=after)))
    made: JobStatus = await database_sync_to_async(make)(
        user, tool=tool, arguments=arguments, now=harness.now(), asked=asked
    )
    await harness.dispatch.publish([made.id])
    return made.id


@pytest.mark.parametrize("changed", [True, False])
async def test_approved_change_is_dropped_if_row_changed_while_device_was_away(alice: User, changed: bool) -> None:
    device = RecordingDevice(project={"id": "t1", "title": "Old idea", "status": "todo"})
    harness, reads = harness_with(says("It is over."), device=device), itertools.count(1)

    def leave(call: ClientCall) -> None:
        # The second time the row is compared, and the deletion has not gone out.
        if call.action is CallAction.GET and next(reads) == 2:
            device.here.clear()

    device.before_answer = leave
    job_id = await approved_job(alice, harness, "delete_task", task_id="t1")
    async with harness.working():
        await until(job_id, JobState.WAITING_DEVICE)
        assert await in_database(steps, job_id) == {}
        device.before_answer = lambda _: None
        if changed:
            device.project = {**device.project, "description": "Hours of work"}
        device.here.set()
        await harness.dispatch.device_back(alice.id, "laptop")
        await until(job_id, JobState.DONE)
    assert len(device.effects) == (0 if changed else 1)
    assert ("The row has changed since the user was shown" in outcome_of(harness)) is changed


async def test_text_written_by_user_meanwhile_is_not_replaced(alice: User) -> None:
    device = RecordingDevice(project={"id": "p1", "name": "Garden", "status": "active", "aiSummary": "Old words"})
    harness = harness_with(*SUMMARISED, device=device)
    job_id = await approved_job(alice, harness, SUMMARY, project_id="p1")
    written = harness.device.project | {"aiSummary": "By hand"}

    class Writing(ScriptedAdapter):
        async def stream(self, messages, tools, params):  # type: ignore[no-untyped-def]
            device.project = written
            async for event in super().stream(messages, tools, params):
                yield event

    harness.adapter = Writing([*SUMMARISED])
    async with harness.working():
        await until(job_id, JobState.DONE)
    assert device.effects == []
    assert "The row has changed since the user was shown" in outcome_of(harness)


async def test_tool_denied_while_job_waits_is_not_run(alice: User) -> None:
    harness = harness_with(says("You do not allow it."))
    harness.device.here.clear()
    job_id = await job_of(alice, harness)
    async with harness.working():
        await until(job_id, JobState.WAITING_DEVICE)
        harness.policies = Policies(tools={SUMMARY: Decision.DENY})
        harness.device.here.set()
        await harness.dispatch.device_back(alice.id, "laptop")
        await until(job_id, JobState.DONE)
    assert harness.device.effects == []
    assert outcome_of(harness).startswith(f"{long.FAILED}The user's settings do not allow this, so nothing was changed")


async def test_tool_denied_during_run_stops_after_first_change(alice: User) -> None:
    device = RecordingDevice()
    harness = harness_with(SUMMARISED[0], says("It was stopped."), device=device)

    def forbid(call: ClientCall) -> None:
        if call.action is CallAction.UPDATE:
            harness.policies = Policies(risks={**DEFAULTS, Risk.WRITE: Decision.DENY})
            raise ClientSilent  # the device has done it, the answer is lost

    device.before_answer = forbid
    job_id = await job_of(alice, harness)
    async with harness.working():
        row = await until(job_id, JobState.DONE)
    assert (row.attempts, len(device.effects), device.repeated) == (2, 1, [])
    assert "What was changed before stays: tell the user to check." in outcome_of(harness)


@pytest.mark.parametrize("answered", [True, False], ids=["after the answer", "before the answer"])
async def test_worker_after_killed_one_repeats_no_change(alice: User, answered: bool) -> None:
    device, effect = RecordingDevice(), asyncio.Event()

    def stop_at_the_write(call: ClientCall) -> None:
        if call.action is CallAction.UPDATE:
            effect.set()
            if not answered:
                raise asyncio.CancelledError  # as the process ends: the device has done it, the answer is lost

    device.before_answer = stop_at_the_write
    # In a second run the model would answer differently: the first request must not be repeated.
    harness = harness_with(
        *SUMMARISED[:1], *([[asyncio.CancelledError()]] if answered else []), says("As I said."), device=device
    )
    job_id = await job_of(alice, harness)
    async with asyncio.timeout(30):
        await harness.worker(sweep_every_s=60).run()
    assert effect.is_set()
    device.before_answer = lambda _: None
    assert (await row_of(job_id)).state == JobState.RUNNING

    later = harness.now() + timedelta(minutes=2)
    harness.now = lambda: later
    async with harness.working():
        row = await until(job_id, JobState.DONE)
    assert (row.attempts, len(device.effects), len(device.repeated)) == (2, 1, 0 if answered else 1)
    assert updates(device) == [{"aiSummary": "Two beds, one pond."}]
    assert (await report(harness, job_id)).response == "As I said."


async def test_model_tool_is_not_called_again_after_killed_worker(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, answered = ScriptedAdapter([says("Blue.")]), asyncio.Event()

    class Killed(UserDialogues):
        async def add(self, *_: object) -> NoReturn:
            answered.set()
            raise asyncio.CancelledError  # as the process ends: the model has answered, the answer is lost

    harness = harness_with(says("It likes blue."))
    publish([Blueprint(name="large", model="large", adapter=asked, description="", parameters=frozenset())])
    try:
        made: JobStatus = await database_sync_to_async(make)(
            alice, tool="chat_with_large", arguments={"prompt": "Which colour?"}, now=harness.now()
        )
        await harness.dispatch.publish([made.id])
        with monkeypatch.context() as killing:
            killing.setattr(run, "UserDialogues", Killed)
            async with harness.working(sweep_every_s=60), asyncio.timeout(30):
                await answered.wait()
        later = harness.now() + timedelta(minutes=2)
        harness.now = lambda: later
        async with harness.working():
            row = await until(made.id, JobState.DONE)
    finally:
        publish(())
    assert (row.attempts, len(asked.requests)) == (2, 1)
    assert "Blue." in str(harness.adapter.requests[-1].messages[-1])  # type: ignore[attr-defined] # it is scripted
    dialogue = await Dialogue.objects.aget()
    assert [turn.content for turn in await UserDialogues(user_id=alice.id).turns(dialogue.id, "large")] == [
        "Which colour?",
        "Blue.",
    ]


@pytest.mark.parametrize("foreign", [True, False])
async def test_answer_is_marked_foreign_if_earlier_run_read_foreign_text(alice: User, foreign: bool) -> None:
    device = RecordingDevice(project={"id": "p1", "name": "Garden", "status": "active", "foreign": foreign})
    harness = harness_with(SUMMARISED[0], [ModelUnavailable()], says("As I said."), device=device)
    job_id = await job_of(alice, harness)

    def clear_foreign(call: ClientCall) -> None:
        if call.action is CallAction.UPDATE:
            device.project = {"id": "p1", "name": "Garden", "status": "active"}

    device.before_answer = clear_foreign
    async with harness.working():
        row = await until(job_id, JobState.DONE)
    assert (row.attempts, harness.foreign) == (2, ["As I said."] if foreign else [])


@pytest.mark.parametrize("foreign", [True, False])
async def test_answer_is_marked_foreign_if_request_was_foreign(alice: User, foreign: bool) -> None:
    harness = harness_with(*SUMMARISED)
    asked = replace(ASKED, foreign=foreign)
    made: JobStatus = await database_sync_to_async(make)(
        alice, tool=SUMMARY, arguments={"project_id": "p1"}, now=harness.now(), asked=asked
    )
    await harness.dispatch.publish([made.id])
    async with harness.working():
        await until(made.id, JobState.DONE)
    assert harness.foreign == (["Your garden is summarised."] if foreign else [])


async def test_job_fails_with_reason_after_model_is_unavailable_three_times(alice: User) -> None:
    away: Reply = [ModelUnavailable("The model is having a rest.")]
    harness = harness_with(away, away, away)
    job_id = await job_of(alice, harness)
    async with harness.working():
        row = await until(job_id, JobState.FAILED)
    assert row.attempts == 3
    assert (await report(harness, job_id)).failure == "The model is having a rest."
    assert harness.device.effects == []


async def test_last_failure_ends_job_without_pause(alice: User) -> None:
    harness = harness_with([ModelUnavailable("The model is having a rest.")])
    job_id = await job_of(alice, harness)
    await ToolJob.objects.filter(id=job_id).aupdate(attempts=2)
    async with harness.working(pause_s=3600):
        await until(job_id, JobState.FAILED)
    assert (await report(harness, job_id)).failure == "The model is having a rest."


async def test_failure_of_tool_is_reported_to_model(alice: User) -> None:
    harness = harness_with(says("<think>nothing</think>"), says("<think>Hm.</think>There was nothing to write."))
    job_id = await job_of(alice, harness)
    async with harness.working():
        await until(job_id, JobState.DONE)
    assert (await report(harness, job_id)).response == "There was nothing to write."
    assert isinstance(harness.adapter, ScriptedAdapter)
    assert "It did not work." in str(harness.adapter.requests[-1].messages[-1])


async def test_unknown_tool_is_reported_to_model(alice: User) -> None:
    harness = harness_with(says("That is not possible any more."))
    job_id = await job_of(alice, harness, tool="paint_the_fence")
    async with harness.working():
        await until(job_id, JobState.DONE)
    assert isinstance(harness.adapter, ScriptedAdapter)
    assert "There is no tool named paint_the_fence any more" in str(harness.adapter.requests[-1].messages[-1])


async def test_running_job_stops_when_cancelled(alice: User) -> None:
    harness = harness_with(*SUMMARISED)
    harness.adapter = Endless()
    job_id = await job_of(alice, harness)
    async with harness.working():
        await until(job_id, JobState.RUNNING)
        await in_database(service.request_cancel, alice.id, job_id, now=harness.now())
        await until(job_id, JobState.CANCELLED)
    assert harness.device.effects == []


async def test_job_of_user_erased_during_run_is_cancelled_without_changes(alice: User) -> None:
    harness = harness_with(*SUMMARISED)
    adapter = harness.adapter
    harness.adapter = gate = Endless()
    job_id = await job_of(alice, harness)
    async with harness.working():
        await until(job_id, JobState.RUNNING)
        await database_sync_to_async(close_account)(alice)
        gate.then = adapter
        gate.opened.set()
        # The run has lost the job: once the lease expires it has no holder, even if it was renewed again.
        began, looks = harness.now(), itertools.count(1)
        harness.now = lambda: began + next(looks) * timedelta(minutes=2)
        row = await until(job_id, JobState.CANCELLED)
    assert (row.response_encrypted, harness.device.effects) == ("", [])


async def test_stopping_worker_finishes_its_job_and_takes_no_more(alice: User) -> None:
    harness = harness_with(*SUMMARISED, *SUMMARISED)
    adapter = harness.adapter
    harness.adapter = gate = Endless()
    job_id = await job_of(alice, harness)
    stopping = harness.worker()
    working = asyncio.ensure_future(stopping.run())
    await until(job_id, JobState.RUNNING)
    stopping.stop()
    second: JobStatus = await database_sync_to_async(make)(
        alice, tool=SUMMARY, arguments={"project_id": "p1"}, now=harness.now(), request="2"
    )
    await harness.dispatch.publish([second.id])
    assert not working.done()
    gate.then = adapter
    gate.opened.set()
    async with asyncio.timeout(30):
        await working
    assert [(await row_of(each)).state for each in (job_id, second.id)] == [JobState.DONE, JobState.QUEUED]


async def test_cancelled_worker_hands_its_job_back(alice: User) -> None:
    harness = harness_with(*SUMMARISED)
    adapter, harness.adapter, harness.kind = harness.adapter, Endless(), ToolWorker
    job_id = await job_of(alice, harness)
    async with harness.working():
        await until(job_id, JobState.RUNNING)
    handed_back = await row_of(job_id)
    assert (handed_back.state, handed_back.attempts, handed_back.claimed_by) == (JobState.QUEUED, 0, "")

    harness.adapter = adapter
    # Its message is in the queue: no sweep finds it.
    async with harness.working(sweep_every_s=60):
        await until(job_id, JobState.DONE)
    assert updates(harness.device) == [{"aiSummary": "Two beds, one pond."}]


async def test_job_of_stopped_server_is_continued_without_its_memory_queue(alice: User) -> None:
    harness = harness_with(*SUMMARISED)
    adapter, harness.adapter, harness.kind = harness.adapter, Endless(), ToolWorker
    job_id = await job_of(alice, harness)
    async with harness.working():
        await until(job_id, JobState.RUNNING)
    await ToolJob.objects.filter(id=job_id).aupdate(created_at=harness.now() - timedelta(minutes=1))

    harness.adapter, harness.queue = adapter, MemoryQueue()
    harness.dispatch = JobDispatch(queue=harness.queue, clock=harness.now)
    async with harness.working():
        await until(job_id, JobState.DONE)
    assert updates(harness.device) == [{"aiSummary": "Two beds, one pond."}]


async def test_job_claimed_during_cancellation_of_worker_is_handed_back(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    claiming, go_on, claim = threading.Event(), threading.Event(), service.claim

    def slow_claim(*given: Any, **named: Any) -> ClaimedJob | None:
        claiming.set()
        assert go_on.wait(30)
        return claim(*given, **named)

    monkeypatch.setattr(service, "claim", slow_claim)
    harness = harness_with()
    harness.kind = ToolWorker
    job_id = await job_of(alice, harness)
    working = asyncio.ensure_future(harness.worker().run())
    assert await asyncio.to_thread(claiming.wait, 30)
    working.cancel()
    go_on.set()
    await asyncio.gather(working, return_exceptions=True)
    row = await row_of(job_id)
    assert (row.state, row.started_at is not None) == (JobState.QUEUED, True)


async def test_end_of_job_is_stored_once_database_is_back(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_AWAY_S", 0.01)
    finish, failures = service.finish, iter([OperationalError("away"), InterfaceError("away")])

    def failing_finish(*given: Any, **named: Any) -> JobState | None:
        for failure in failures:
            raise failure
        return finish(*given, **named)

    monkeypatch.setattr(service, "finish", failing_finish)
    harness = harness_with(*SUMMARISED)
    job_id = await job_of(alice, harness)
    async with harness.working():
        row = await until(job_id, JobState.DONE)
    assert (row.attempts, len(harness.device.effects)) == (1, 1)


async def test_message_of_job_is_kept_while_database_is_unavailable(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "_AWAY_S", 0.01)
    claim, failures = service.claim, iter([OperationalError("away")] * (DELIVERY_LIMIT + 2))

    def failing_claim(*given: Any, **named: Any) -> ClaimedJob | None:
        for failure in failures:
            raise failure
        return claim(*given, **named)

    monkeypatch.setattr(service, "claim", failing_claim)
    harness = harness_with(*SUMMARISED)
    job_id = await job_of(alice, harness)
    async with harness.working():
        await until(job_id, JobState.DONE)
    assert await harness.queue.dead_letters() == 0


async def test_worker_stopped_while_database_is_unavailable_requeues_message(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "_AWAY_S", 3600)
    claim, tried = service.claim, threading.Event()

    def away(*_: Any, **__: Any) -> NoReturn:
        tried.set()
        raise OperationalError("away")

    monkeypatch.setattr(service, "claim", away)
    harness = harness_with(*SUMMARISED)
    job_id = await job_of(alice, harness)
    stopping = harness.worker(sweep_every_s=3600)
    working = asyncio.ensure_future(stopping.run())
    assert await asyncio.to_thread(tried.wait, 30)
    stopping.stop()
    async with asyncio.timeout(30):
        await working
    monkeypatch.setattr(service, "claim", claim)
    async with harness.working(sweep_every_s=3600):
        await until(job_id, JobState.DONE)


async def test_sweep_publishes_unpublished_job(alice: User) -> None:
    harness = harness_with(*SUMMARISED)
    made: JobStatus = await database_sync_to_async(make)(
        alice, tool=SUMMARY, arguments={"project_id": "p1"}, now=harness.now() - timedelta(minutes=1)
    )
    await ToolJob.objects.filter(id=made.id).aupdate(created_at=harness.now() - timedelta(minutes=1))
    async with harness.working():
        await until(made.id, JobState.DONE)
    assert len(harness.device.effects) == 1


async def test_sweep_logs_unavailable_database_in_one_line(
    alice: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    sweep, failures = service.sweep, [OperationalError("away")]

    def failing(*, now: datetime) -> SweepResult:
        if failures:
            raise failures.pop()
        return sweep(now=now)

    monkeypatch.setattr(service, "sweep", failing)
    harness = harness_with(*SUMMARISED)
    made: JobStatus = await database_sync_to_async(make)(
        alice, tool=SUMMARY, arguments={"project_id": "p1"}, now=harness.now() - timedelta(minutes=1)
    )
    async with harness.working(beat_s=0.01):
        await until(made.id, JobState.DONE)
    [said] = [record for record in caplog.records if record.name == "agents.jobs.worker"]
    assert (said.getMessage(), said.exc_info) == (
        "looking after jobs waits for the database: OperationalError",
        None,
    )


class Endless(ScriptedAdapter):
    """Sends nothing until it is opened; then ``then``."""

    def __init__(self) -> None:
        super().__init__([])
        self.opened = asyncio.Event()
        self.then: object = None

    async def stream(self, messages, tools, params):  # type: ignore[no-untyped-def]
        await self.opened.wait()
        assert isinstance(self.then, ScriptedAdapter)
        async for event in self.then.stream(messages, tools, params):
            yield event


async def test_run_of_job_is_reported_to_observers(alice: User) -> None:
    told: list[ObservedTurn] = []
    harness = harness_with(*SUMMARISED)
    harness.adapter = ObservedAdapter(harness.adapter)
    harness.observers = Observers(listeners=(told.append,))
    async with harness.working():
        await until(await job_of(alice, harness), JobState.DONE)
    [turn] = told
    assert (turn.origin.user_id, turn.origin.kind, turn.origin.source) == (alice.id, "job", "worker")
    assert (turn.outcome, turn.error_code, len(turn.generations)) == ("done", "", 2)
    assert [(use.tool, use.ok) for use in turn.tools] == [(SUMMARY, True)]


async def test_failed_run_is_reported_with_reason(alice: User) -> None:
    told: list[ObservedTurn] = []
    harness = harness_with([ModelUnavailable()], *SUMMARISED)
    harness.adapter = ObservedAdapter(harness.adapter)
    harness.observers = Observers(listeners=(told.append,))
    async with harness.working():
        await until(await job_of(alice, harness), JobState.DONE)
    first, second = told
    assert (first.outcome, first.error_code, [use.ok for use in first.tools]) == ("error", "failed", [False])
    assert (second.outcome, second.error_code) == ("done", "")
