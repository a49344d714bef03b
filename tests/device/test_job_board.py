"""Jobs of a terminal: shown quietly while they go on, and once when they have ended."""

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from device.frames import JobUpdate
from device.job_board import JobBoard
from device.jobs import ShownJobs
from device.screen import Screen
from device.store import Store
from tests.device.drawing import console, written


@dataclass
class _Desk:
    """A board, and all that is to be seen of it."""

    board: JobBoard
    screen: Screen

    @property
    def out(self) -> str:
        return written(self.screen.out)

    @property
    def err(self) -> str:
        return written(self.screen.err)

    async def tell(self, state: str, *, job_id: str = "j", **fields: Any) -> bool:
        """As the client does with an update."""
        update = JobUpdate(job_id=job_id, request_id="r", state=state, **fields)
        self.board.note(update)
        return update.tells_end and await self.board.deliver(update)


def _desk(store: Store, *, terminal: bool = False) -> _Desk:
    out = console(width=200, terminal=terminal)
    screen = Screen(out, console(width=200), zone=ZoneInfo("UTC"))
    return _Desk(JobBoard(screen, ShownJobs(store)), screen)


@pytest.fixture
def desk(store: Store) -> _Desk:
    return _desk(store)


async def test_job_in_a_pipe_is_said_once_and_its_response_is_the_output(desk: _Desk) -> None:
    for fraction in (None, 0.1, 0.2):
        assert not await desk.tell("running", label="Week", fraction=fraction)
    assert await desk.tell("done", response="**A lot.**")
    assert desk.out == "**A lot.**\n"
    assert desk.err == "The job “Week” goes on in the background.\nThe job “Week” is done.\n"


async def test_job_that_goes_on_writes_nothing_on_a_terminal_by_itself(store: Store) -> None:
    desk = _desk(store, terminal=True)
    await desk.tell("running", label="Week")
    assert (desk.out, desk.err) == ("", "")
    assert [line.plain for line in desk.board.running()] == ["Week (running)"]


@pytest.mark.parametrize("state", ["failed", "cancelled"])
async def test_job_that_did_not_end_well_is_one_sentence(desk: _Desk, state: str) -> None:
    assert await desk.tell(state, response="It was too much.")
    assert desk.out == ""
    assert desk.err.count("\n") == 1


async def test_end_that_comes_again_is_not_shown_again_even_after_a_restart(data_file: Path) -> None:
    for number in range(2):
        with closing(Store(data_file)) as store:
            desk = _desk(store)
            assert await desk.tell("done", response="A lot.")
            assert await desk.tell("done", response="A lot.")
            assert desk.out == ("A lot.\n" if number == 0 else "")


async def test_end_waits_for_the_answer_in_whose_midst_it_comes(desk: _Desk) -> None:
    async with desk.screen.answering:
        telling = [asyncio.create_task(desk.tell("done", response="A lot.")) for _ in range(2)]
        finished = asyncio.create_task(desk.board.finished(()))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert (desk.out, finished.done()) == ("", False)
        assert desk.board.running() == []
    assert await asyncio.gather(*telling) == [True, True]
    assert await finished
    assert desk.out == "A lot.\n"


async def test_end_that_is_withdrawn_before_it_was_shown_is_shown_when_it_comes_again(desk: _Desk) -> None:
    async with desk.screen.answering:
        telling = asyncio.create_task(desk.tell("done", response="A lot."))
        await asyncio.sleep(0)
        telling.cancel()
        await asyncio.wait({telling})
    assert desk.out == ""
    assert len(desk.board.unfinished({"r"})) == 1
    assert await desk.tell("done", response="A lot.")
    assert desk.out == "A lot.\n"


async def test_known_jobs_are_those_that_go_on_and_those_that_ended(desk: _Desk) -> None:
    await desk.tell("done", job_id="1", label="One")
    await desk.tell("queued", job_id="2", label="Two")
    assert [line.plain for line in desk.board.known()] == ["One (done)", "Two (queued)"]
    assert [line.plain for line in desk.board.running()] == ["Two (queued)"]


async def test_followers_are_called_when_a_job_moves_on_and_only_then(desk: _Desk) -> None:
    seen: list[int] = []
    with desk.board.followed(lambda: seen.append(len(desk.board.running()))):
        await desk.tell("queued")
        await desk.tell("queued")
        await desk.tell("running")
    await desk.tell("running", fraction=0.5)
    assert seen == [0, 1, 1]


@pytest.mark.parametrize(("state", "well"), [("done", True), ("failed", False), ("cancelled", False)])
async def test_finish_is_when_the_jobs_of_the_requests_have_ended(desk: _Desk, state: str, well: bool) -> None:
    await desk.tell("running", job_id="1")
    await desk.tell("running", job_id="2")
    assert await desk.board.finished({"another"})
    finished = asyncio.create_task(desk.board.finished({"r", "another"}))
    await desk.tell("done", job_id="1")
    await asyncio.sleep(0)
    assert not finished.done()
    await desk.tell(state, job_id="2")
    assert await finished is well


async def test_job_that_was_delivered_elsewhere_is_not_waited_for(desk: _Desk) -> None:
    await desk.tell("running")
    assert not await desk.tell("delivered")
    assert await desk.board.finished({"r"})


async def test_end_is_not_acknowledged_when_nobody_reads_it(desk: _Desk) -> None:
    class Closed:
        def write(self, _: str) -> int:
            raise BrokenPipeError

    await desk.tell("running")
    desk.screen.out.file = Closed()  # type: ignore[assignment]
    assert not await desk.tell("done", response="A lot.")
    with pytest.raises(BrokenPipeError):
        await desk.board.finished({"r"})


async def test_end_that_cannot_be_remembered_is_shown_once_by_this_terminal(desk: _Desk, store: Store) -> None:
    store.run("CREATE TRIGGER full BEFORE INSERT ON _jobs BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
    assert await desk.tell("done", response="A lot.")
    assert await desk.tell("done", response="A lot.")
    assert desk.out == "A lot.\n"
    with pytest.raises(sqlite3.Error, match="the disk is full"):
        await desk.board.finished({"r"})
