import asyncio
import io
import signal
from collections.abc import Awaitable, Callable

import pytest
from django.core.management import CommandError, call_command
from pytest_django import Settings

from accounts.models import User
from adiuva.server.serve import stopping
from adiuva.wiring import composition
from adiuva.wiring.jobs import WorkerProcess
from agents.jobs.models import JobState
from agents.jobs.queue import ToolResult
from agents.tools.long import SummarizeProject
from tests.agents.jobs.making import make, state_of

WAITING = "Waiting for jobs, 2 at a time.\n"
LEAVING = "Taking no more jobs; those that run are ended first.\n"

Meanwhile = Callable[[WorkerProcess], Awaitable[None]]


@pytest.mark.parametrize(
    ("amqp", "redis", "missing"),
    [("", "", "AMQP_URL and REDIS_URL"), ("amqp://localhost", "", "REDIS_URL"), ("", "redis://localhost", "AMQP_URL")],
)
def test_worker_of_its_own_says_what_it_lacks(settings: Settings, amqp: str, redis: str, missing: str) -> None:
    settings.AMQP_URL, settings.REDIS_URL = amqp, redis
    with pytest.raises(CommandError) as caught:
        call_command("tool_worker")
    assert str(caught.value) == (f"A worker of its own needs {missing}: without, jobs run in the server's own process.")


def test_worker_has_a_slot_at_least() -> None:
    with pytest.raises(CommandError, match=r"^--concurrency must be 1 or more\.$"):
        call_command("tool_worker", concurrency=0)


@pytest.mark.django_db(transaction=True)
class TestAtWork:
    """The command in this process, with an in-memory queue instead of a broker."""

    @pytest.fixture
    def ran(self, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Callable[[Meanwhile], str]:
        """Run the command with ``meanwhile`` beside it; return its output."""

        def run(meanwhile: Meanwhile) -> str:
            beside: list[asyncio.Future[None]] = []

            def in_memory(*, slots: int) -> WorkerProcess:
                settings.AMQP_URL = settings.REDIS_URL = ""
                built = wired(slots=slots)
                beside.append(asyncio.ensure_future(meanwhile(built)))
                return built

            wired = composition.worker_process
            settings.AMQP_URL, settings.REDIS_URL = "amqp://localhost", "redis://localhost"
            monkeypatch.setattr(composition, "worker_process", in_memory)
            # A signal after the command's end would end the tests.
            with io.StringIO() as said, stopping(lambda _number, _frame: None):
                call_command("tool_worker", concurrency=2, stdout=said)
                assert [each.result() for each in beside] == [None]
                return said.getvalue()

        return run

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_signal_ends_a_worker_that_has_done_its_jobs(
        self, alice: User, ran: Callable[[Meanwhile], str], number: signal.Signals
    ) -> None:
        job_id = make(alice, tool="tool_of_an_older_release").id

        async def leave_when_done(process: WorkerProcess) -> None:
            await process.jobs.publish([job_id])
            await told(process, times=2)
            signal.raise_signal(number)

        assert ran(leave_when_done) == WAITING + LEAVING
        assert state_of(job_id) == JobState.DONE

    def test_second_signal_hands_the_job_back_that_runs(self, alice: User, ran: Callable[[Meanwhile], str]) -> None:
        job_id = make(alice, tool=SummarizeProject.tool_name, arguments={"project_id": "p1"}).id

        async def leave_twice(process: WorkerProcess) -> None:
            await process.jobs.publish([job_id])
            await told(process, times=1)
            signal.raise_signal(signal.SIGTERM)
            await process.worker._stopping.wait()
            signal.raise_signal(signal.SIGTERM)

        assert ran(leave_twice) == WAITING + LEAVING
        # Another worker goes on with it at once.
        assert state_of(job_id) == JobState.QUEUED

    def test_failure_ends_the_command(self, ran: Callable[[Meanwhile], str], monkeypatch: pytest.MonkeyPatch) -> None:
        async def fail(_: WorkerProcess) -> None:
            raise ConnectionResetError("The broker is gone.")

        async def wait(_: WorkerProcess) -> None:
            """Nothing happens meanwhile."""

        monkeypatch.setattr(WorkerProcess, "run", fail)
        with pytest.raises(ConnectionResetError, match=r"^The broker is gone\.$"):
            ran(wait)


async def told(process: WorkerProcess, *, times: int) -> None:
    """Return after this many results have been published."""
    async with asyncio.timeout(30), process.jobs.queue.consume(ToolResult, slots=1) as deliveries:
        for _ in range(times):
            await (await anext(deliveries)).ack()
