"""Jobs from beginning to end: run, interrupted, tried again, given up, and never done twice."""

import asyncio
import itertools
from datetime import timedelta
from typing import NoReturn
from uuid import UUID

import pytest
from channels.db import database_sync_to_async

from accounts.models import User
from agents.adapters.blueprints import Blueprint
from agents.calls import CallAction, ClientCall
from agents.dialogues.models import Dialogue
from agents.dialogues.rows import UserDialogues
from agents.errors import ModelUnavailable
from agents.jobs import running
from agents.jobs.models import JobState, ToolJob
from agents.jobs.records import JobReport, JobStanding
from agents.telemetry.observed_adapter import ObservedAdapter
from agents.telemetry.turns import ObservedTurn
from agents.telemetry.watching import Observers
from agents.tools import long
from agents.tools.models import publish
from tests.agents.jobs.making import make
from tests.agents.jobs.test_rows import close_account
from tests.agents.jobs.workshop import Garage, Workshop
from tests.agents.scripts import Reply, ScriptedAdapter, says

pytestmark = pytest.mark.django_db(transaction=True)
SUMMARY = long.SummarizeProject.tool_name
SUMMARISED: list[Reply] = [says("Two beds, one pond."), says("Your garden is summarised.")]


def workshop(*replies: Reply, garage: Garage | None = None) -> Workshop:
    return Workshop(ScriptedAdapter([*replies]), garage=garage or Garage())


async def job_of(user: User, shop: Workshop, tool: str = SUMMARY) -> UUID:
    """A job on its way to a worker."""
    made: JobStanding = await database_sync_to_async(make)(
        user, tool=tool, arguments={"project_id": "p1"}, now=shop.now()
    )
    await shop.dispatch.publish([made.id])
    return made.id


async def row_of(job_id: UUID) -> ToolJob:
    row: ToolJob = await ToolJob.objects.aget(id=job_id)
    return row


async def until(job_id: UUID, *states: JobState) -> ToolJob:
    async with asyncio.timeout(20):
        while (row := await row_of(job_id)).state not in states:  # noqa: ASYNC110 - the database rings no bell
            await asyncio.sleep(0.01)
    return row


async def report(shop: Workshop, job_id: UUID) -> JobReport:
    found = await shop.dispatch.store.look(job_id)
    assert found is not None
    return found


def updates(garage: Garage) -> list[object]:
    return [call.data and call.data.get("updates") for call in garage.effects]


async def test_job_is_done_on_the_device_and_answered_in_the_models_words(alice: User) -> None:
    shop = workshop(*SUMMARISED)
    job_id = await job_of(alice, shop)
    async with shop.working():
        await shop.told(job_id, times=2)
        await until(job_id, JobState.DONE)

    assert updates(shop.garage) == [{"aiSummary": "Two beds, one pond."}]
    assert (await report(shop, job_id)).response == "Your garden is summarised."
    assert [fraction for fraction, _ in shop.progress] == [0.0, 0.2, 0.9]
    assert isinstance(shop.adapter, ScriptedAdapter)
    [*_, outcome] = shop.adapter.requests[-1].messages
    assert "Two beds, one pond." in str(outcome)


async def test_device_that_is_away_is_waited_for(alice: User) -> None:
    shop = workshop(*SUMMARISED)
    shop.garage.here.clear()
    job_id = await job_of(alice, shop)
    async with shop.working():
        row = await until(job_id, JobState.WAITING_DEVICE)
        assert (row.attempts, row.claimed_by) == (0, "")
        shop.garage.here.set()
        await shop.dispatch.device_back(alice.id, "laptop")
        await until(job_id, JobState.DONE)
    assert len(shop.garage.effects) == 1


@pytest.mark.parametrize("answered", [True, False], ids=["after the answer", "before the answer"])
async def test_killed_worker_is_followed_by_one_that_does_nothing_twice(alice: User, answered: bool) -> None:
    garage, effect = Garage(), asyncio.Event()

    def stop_at_the_write(call: ClientCall) -> None:
        if call.action is CallAction.UPDATE:
            effect.set()
            if not answered:
                raise asyncio.CancelledError  # as the process ends: the device has done it, nobody heard

    garage.before_answer = stop_at_the_write
    # Whoever runs it again would be told something else by the model, and must not ask for the first part again.
    shop = workshop(
        *SUMMARISED[:1], *([[asyncio.CancelledError()]] if answered else []), says("As I said."), garage=garage
    )
    job_id = await job_of(alice, shop)
    async with asyncio.timeout(30):
        await shop.worker(sweep_every_s=60).run()
    assert effect.is_set()
    garage.before_answer = lambda _: None
    assert (await row_of(job_id)).state == JobState.RUNNING

    later = shop.now() + timedelta(minutes=2)
    shop.now = lambda: later
    async with shop.working():
        row = await until(job_id, JobState.DONE)
    assert (row.attempts, len(garage.effects), len(garage.repeated)) == (2, 1, 0 if answered else 1)
    assert updates(garage) == [{"aiSummary": "Two beds, one pond."}]
    assert (await report(shop, job_id)).response == "As I said."


async def test_another_model_is_not_asked_again_after_a_kill(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, answered = ScriptedAdapter([says("Blue.")]), asyncio.Event()

    class Killed(UserDialogues):
        async def add(self, *_: object) -> NoReturn:
            answered.set()
            raise asyncio.CancelledError  # as the process ends: the model has said it, nothing came of it

    shop = workshop(says("It likes blue."))
    publish([Blueprint(name="large", model="large", adapter=asked, description="", parameters=frozenset())])
    try:
        made: JobStanding = await database_sync_to_async(make)(
            alice, tool="chat_with_large", arguments={"prompt": "Which colour?"}, now=shop.now()
        )
        await shop.dispatch.publish([made.id])
        with monkeypatch.context() as killing:
            killing.setattr(running, "UserDialogues", Killed)
            async with shop.working(sweep_every_s=60), asyncio.timeout(30):
                await answered.wait()
        later = shop.now() + timedelta(minutes=2)
        shop.now = lambda: later
        async with shop.working():
            row = await until(made.id, JobState.DONE)
    finally:
        publish(())
    assert (row.attempts, len(asked.requests)) == (2, 1)
    assert "Blue." in str(shop.adapter.requests[-1].messages[-1])  # type: ignore[attr-defined] # it is scripted
    dialogue = await Dialogue.objects.aget()
    assert [turn.content for turn in await UserDialogues(user_id=alice.id).turns(dialogue.id, "large")] == [
        "Which colour?",
        "Blue.",
    ]


async def test_model_that_is_away_three_times_fails_the_job_with_its_reason(alice: User) -> None:
    away: Reply = [ModelUnavailable("The model is having a rest.")]
    shop = workshop(away, away, away)
    job_id = await job_of(alice, shop)
    async with shop.working():
        row = await until(job_id, JobState.FAILED)
    assert row.attempts == 3
    assert (await report(shop, job_id)).failure == "The model is having a rest."
    assert shop.garage.effects == []


async def test_what_the_tool_says_of_its_failure_is_told_to_the_model(alice: User) -> None:
    shop = workshop(says("<think>nothing</think>"), says("There was nothing to write."))
    job_id = await job_of(alice, shop)
    async with shop.working():
        await until(job_id, JobState.DONE)
    assert (await report(shop, job_id)).response == "There was nothing to write."
    assert isinstance(shop.adapter, ScriptedAdapter)
    assert "It did not work." in str(shop.adapter.requests[-1].messages[-1])


async def test_tool_that_is_gone_is_said_to_be_gone(alice: User) -> None:
    shop = workshop(says("That is not possible any more."))
    job_id = await job_of(alice, shop, tool="paint_the_fence")
    async with shop.working():
        await until(job_id, JobState.DONE)
    assert isinstance(shop.adapter, ScriptedAdapter)
    assert "There is no tool named paint_the_fence any more" in str(shop.adapter.requests[-1].messages[-1])


async def test_cancelled_job_stops_while_it_runs(alice: User) -> None:
    shop = workshop(*SUMMARISED)
    shop.adapter = Endless()
    job_id = await job_of(alice, shop)
    async with shop.working():
        await until(job_id, JobState.RUNNING)
        await shop.dispatch.store.request_cancel(alice.id, job_id, now=shop.now())
        await until(job_id, JobState.CANCELLED)
    assert shop.garage.effects == []


async def test_job_whose_user_is_erased_while_it_runs_ends_as_cancelled_and_changes_nothing(alice: User) -> None:
    shop = workshop(*SUMMARISED)
    adapter = shop.adapter
    shop.adapter = gate = Endless()
    job_id = await job_of(alice, shop)
    async with shop.working():
        await until(job_id, JobState.RUNNING)
        await database_sync_to_async(close_account)(alice)
        gate.then = adapter
        gate.opened.set()
        # The run has lost it; nobody holds it any more when its lease is over, though it be renewed once more.
        began, looks = shop.now(), itertools.count(1)
        shop.now = lambda: began + next(looks) * timedelta(minutes=2)
        row = await until(job_id, JobState.CANCELLED)
    assert (row.response_encrypted, shop.garage.effects) == ("", [])


async def test_worker_that_is_to_stop_ends_its_job_and_takes_no_more(alice: User) -> None:
    shop = workshop(*SUMMARISED, *SUMMARISED)
    adapter = shop.adapter
    shop.adapter = gate = Endless()
    job_id = await job_of(alice, shop)
    worker = shop.worker()
    working = asyncio.ensure_future(worker.run())
    await until(job_id, JobState.RUNNING)
    worker.stop()
    second: JobStanding = await database_sync_to_async(make)(
        alice, tool=SUMMARY, arguments={"project_id": "p1"}, now=shop.now(), request="2"
    )
    await shop.dispatch.publish([second.id])
    assert not working.done()
    gate.then = adapter
    gate.opened.set()
    async with asyncio.timeout(30):
        await working
    assert [(await row_of(each)).state for each in (job_id, second.id)] == [JobState.DONE, JobState.QUEUED]


async def test_job_that_nobody_published_is_found_by_the_sweep(alice: User) -> None:
    shop = workshop(*SUMMARISED)
    made: JobStanding = await database_sync_to_async(make)(
        alice, tool=SUMMARY, arguments={"project_id": "p1"}, now=shop.now() - timedelta(minutes=1)
    )
    await ToolJob.objects.filter(id=made.id).aupdate(created_at=shop.now() - timedelta(minutes=1))
    async with shop.working():
        await until(made.id, JobState.DONE)
    assert len(shop.garage.effects) == 1


class Endless(ScriptedAdapter):
    """Says nothing until it is opened; then what ``then`` says."""

    def __init__(self) -> None:
        super().__init__([])
        self.opened = asyncio.Event()
        self.then: object = None

    async def stream(self, messages, tools, params):  # type: ignore[no-untyped-def]
        await self.opened.wait()
        assert isinstance(self.then, ScriptedAdapter)
        async for event in self.then.stream(messages, tools, params):
            yield event


async def test_a_run_of_a_job_is_told_to_observers(alice: User) -> None:
    told: list[ObservedTurn] = []
    shop = workshop(*SUMMARISED)
    shop.adapter = ObservedAdapter(shop.adapter)
    shop.observers = Observers(listeners=(told.append,))
    async with shop.working():
        await until(await job_of(alice, shop), JobState.DONE)
    [turn] = told
    assert (turn.origin.user_id, turn.origin.kind, turn.origin.source) == (alice.id, "job", "worker")
    assert (turn.outcome, turn.error_code, len(turn.generations)) == ("done", "", 2)
    assert [(use.tool, use.ok) for use in turn.tools] == [(SUMMARY, True)]


async def test_a_run_that_fails_is_told_with_how(alice: User) -> None:
    told: list[ObservedTurn] = []
    shop = workshop([ModelUnavailable()], *SUMMARISED)
    shop.adapter = ObservedAdapter(shop.adapter)
    shop.observers = Observers(listeners=(told.append,))
    async with shop.working():
        await until(await job_of(alice, shop), JobState.DONE)
    first, second = told
    assert (first.outcome, first.error_code, [use.ok for use in first.tools]) == ("error", "failed", [False])
    assert (second.outcome, second.error_code) == ("done", "")
