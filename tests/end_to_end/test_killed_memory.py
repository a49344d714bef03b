"""A server that is killed with SIGKILL: what it answered is remembered, and what it had begun is continued."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.adiuva.servers import lines_until_ready, serving
from tests.databases import fresh_database
from tests.end_to_end.conftest import Account, environment, register
from tests.end_to_end.raw import device
from tests.end_to_end.test_memory import ServerWithMemory, ask, drawn, is_summary, recorded, rest, summary_of
from tests.forks import Fork
from tests.model_server.recorded import Recorded
from tests.model_server.scripts import Hold, says
from tests.model_server.server import ModelServer

pytestmark = pytest.mark.end_to_end

LEASE_IS_OVER = (
    "UPDATE memory_memoryepisodic SET next_attempt_at = next_attempt_at - interval '1 hour'"
    " WHERE next_attempt_at IS NOT NULL"
)


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer() as model:
        model.otherwise(says("Noted."))
        yield model


@pytest.fixture
def database_url(database_server: None) -> Iterator[str]:
    with fresh_database() as url:
        yield url


@contextmanager
def started(model: ModelServer, database_url: str, data_dir: Path) -> Iterator[tuple[ServerWithMemory, Fork]]:
    """A server process on a database that outlives it."""
    env = environment(database_url, data_dir, OPENAI_BASE_URL=model.base_url, ADIUVA_MEMORY="1")
    with serving("--port", "0", env=env) as process:
        _, address = lines_until_ready(process)
        yield ServerWithMemory(url=address, model=model, database_url=database_url), process


def kill(process: Fork) -> None:
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait(30) == -signal.SIGKILL


def summarised(server: ServerWithMemory, account: Account, word: str) -> str:
    """The summary with this word, once its search row exists too."""
    recorded(server, account, "associative", word)
    [row] = [row for row in recorded(server, account, "episodic", word) if word in row["summary"]]
    return str(row["summary"])


def summaries_about(model: ModelServer, word: str) -> list[Recorded]:
    return [request for request in model.requests if is_summary(request) and word in request.asked]


async def test_what_was_answered_is_there_after_a_kill_right_at_the_end_and_gets_its_summary(
    model: ModelServer, database_url: str, tmp_path: Path
) -> None:
    word = drawn()
    model.when(is_summary, lambda body: says(summary_of(body)))
    with started(model, database_url, tmp_path) as (server, process):
        alice = register(server.url)
        async with device(server, alice.access) as socket:
            await socket.ask(f"My tasks are about {word}.")
            [*_, end] = await socket.until("stream_end")
            kill(process)
        assert end["finish_reason"] == "done"

    server.execute(LEASE_IS_OVER)
    with started(model, database_url, tmp_path) as (again, _):
        [episode] = rest(again, alice, "GET", "memory/episodic").json()["items"]
        assert word in episode["summary"]
        assert summarised(again, alice, word) == f"The user told: My tasks are about {word}."


async def test_a_summary_that_was_being_made_is_made_after_a_kill(
    model: ModelServer, database_url: str, tmp_path: Path
) -> None:
    word = drawn()
    model.when(is_summary, [Hold("never")], lambda body: says(summary_of(body)))
    with started(model, database_url, tmp_path) as (server, process):
        alice = register(server.url)
        await ask(server, alice, f"My tasks are about {word}.")
        model.wait_for_requests(2)
        assert len(summaries_about(model, word)) == 1
        kill(process)

    server.execute(LEASE_IS_OVER)
    with started(model, database_url, tmp_path) as (again, _):
        assert summarised(again, alice, word) == f"The user told: My tasks are about {word}."
        assert len(summaries_about(model, word)) == 2
        assert len(rest(again, alice, "GET", "memory/episodic").json()["items"]) == 1
        assert word not in json.dumps(rest(again, alice, "GET", "memory/core").json())
