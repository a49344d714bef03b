"""Jobs in a terminal: shown quietly while they run, and once when they have ended."""

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
class _ShownBoard:
    """A board and everything that it shows."""

    board: JobBoard
    screen: Screen

    @property
    def out(self) -> str:
        return written(self.screen.out)

    @property
    def err(self) -> str:
        return written(self.screen.err)

    async def tell(self, state: str, *, job_id: str = "j", **fields: Any) -> bool:
        """As the client handles an update."""
        update = JobUpdate(job_id=job_id, request_id="r", state=state, **fields)
        self.board.note(update)
        return update.tells_end and await self.board.deliver(update)


def _shown(store: Store, *, terminal: bool = False) -> _ShownBoard:
    out = console(width=200, terminal=terminal)
    screen = Screen(out, console(width=200), zone=ZoneInfo("UTC"))
    return _ShownBoard(JobBoard(screen, ShownJobs(store)), screen)


@pytest.fixture
def shown(store: Store) -> _ShownBoard:
    return _shown(store)


async def test_job_in_a_pipe_is_said_once_and_its_response_is_the_output(shown: _ShownBoard) -> None:
    for fraction in (None, 0.1, 0.2):
        assert not await shown.tell("running", label="Week", fraction=fraction)
    assert await shown.tell("done", response="**A lot.**")
    assert shown.out == "**A lot.**\n"
    assert shown.err == "The job “Week” goes on in the background.\nThe job “Week” is done.\n"


async def test_job_that_goes_on_writes_nothing_on_a_terminal_by_itself(store: Store) -> None:
    shown = _shown(store, terminal=True)
    await shown.tell("running", label="Week")
    assert (shown.out, shown.err) == ("", "")
    assert [line.plain for line in shown.board.running()] == ["Week (running)"]


@pytest.mark.parametrize("state", ["failed", "cancelled"])
async def test_job_that_did_not_end_well_is_one_sentence(shown: _ShownBoard, state: str) -> None:
    assert await shown.tell(state, response="It was too much.")
    assert shown.out == ""
    assert shown.err.count("\n") == 1


async def test_end_that_comes_again_is_not_shown_again_even_after_a_restart(data_file: Path) -> None:
    for number in range(2):
        with closing(Store(data_file)) as store:
            shown = _shown(store)
            assert await shown.tell("done", response="A lot.")
            assert await shown.tell("done", response="A lot.")
            assert shown.out == ("A lot.\n" if number == 0 else "")


async def test_end_waits_for_the_answer_in_whose_midst_it_comes(shown: _ShownBoard) -> None:
    async with shown.screen.answering:
        telling = [asyncio.create_task(shown.tell("done", response="A lot.")) for _ in range(2)]
        finished = asyncio.create_task(shown.board.finished(()))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert (shown.out, finished.done()) == ("", False)
        assert shown.board.running() == []
    assert await asyncio.gather(*telling) == [True, True]
    assert await finished
    assert shown.out == "A lot.\n"


async def test_end_that_is_withdrawn_before_it_was_shown_is_shown_when_it_comes_again(shown: _ShownBoard) -> None:
    async with shown.screen.answering:
        telling = asyncio.create_task(shown.tell("done", response="A lot."))
        await asyncio.sleep(0)
        telling.cancel()
        await asyncio.wait({telling})
    assert shown.out == ""
    assert len(shown.board.unfinished({"r"})) == 1
    assert await shown.tell("done", response="A lot.")
    assert shown.out == "A lot.\n"


async def test_known_jobs_are_those_that_go_on_and_those_that_ended(shown: _ShownBoard) -> None:
    await shown.tell("done", job_id="1", label="One")
    await shown.tell("queued", job_id="2", label="Two")
    assert [line.plain for line in shown.board.known()] == ["One (done)", "Two (queued)"]
    assert [line.plain for line in shown.board.running()] == ["Two (queued)"]


async def test_followers_are_called_when_a_job_moves_on_and_only_then(shown: _ShownBoard) -> None:
    seen: list[int] = []
    with shown.board.followed(lambda: seen.append(len(shown.board.running()))):
        await shown.tell("queued")
        await shown.tell("queued")
        await shown.tell("running")
    await shown.tell("running", fraction=0.5)
    assert seen == [0, 1, 1]


@pytest.mark.parametrize(("state", "well"), [("done", True), ("failed", False), ("cancelled", False)])
async def test_finish_is_when_the_jobs_of_the_requests_have_ended(shown: _ShownBoard, state: str, well: bool) -> None:
    await shown.tell("running", job_id="1")
    await shown.tell("running", job_id="2")
    assert await shown.board.finished({"another"})
    finished = asyncio.create_task(shown.board.finished({"r", "another"}))
    await shown.tell("done", job_id="1")
    await asyncio.sleep(0)
    assert not finished.done()
    await shown.tell(state, job_id="2")
    assert await finished is well


async def test_job_that_was_delivered_elsewhere_is_not_waited_for(shown: _ShownBoard) -> None:
    await shown.tell("running")
    assert not await shown.tell("delivered")
    assert await shown.board.finished({"r"})


async def test_end_is_not_acknowledged_when_no_one_reads_it(shown: _ShownBoard) -> None:
    class Closed:
        def write(self, _: str) -> int:
            raise BrokenPipeError

    await shown.tell("running")
    shown.screen.out.file = Closed()  # type: ignore[assignment]
    assert not await shown.tell("done", response="A lot.")
    with pytest.raises(BrokenPipeError):
        await shown.board.finished({"r"})


async def test_end_that_cannot_be_remembered_is_shown_once_by_this_terminal(shown: _ShownBoard, store: Store) -> None:
    store.run("CREATE TRIGGER full BEFORE INSERT ON _jobs BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
    assert await shown.tell("done", response="A lot.")
    assert await shown.tell("done", response="A lot.")
    assert shown.out == "A lot.\n"
    with pytest.raises(sqlite3.Error, match="the disk is full"):
        await shown.board.finished({"r"})
