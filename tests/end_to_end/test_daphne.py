"""A smoke test of ``manage.py runserver``, the development server, which runs daphne."""

import asyncio
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.adiuva.servers import reserved_port
from tests.databases import fresh_database
from tests.end_to_end.conftest import Running, environment, register
from tests.end_to_end.raw import device, text_of
from tests.forks import Fork, forked
from tests.model_server.scripts import calls, says, wants
from tests.model_server.server import ModelServer

pytestmark = pytest.mark.end_to_end
START_S = 120


@contextmanager
def runserver(data_dir: Path, model: ModelServer) -> Iterator[str]:
    """``manage.py runserver`` on a fresh database; yields its address once it answers."""
    with fresh_database() as url, reserved_port() as port:
        env = environment(url, data_dir, OPENAI_BASE_URL=model.base_url)
        with forked("manage.py", "runserver", "--noreload", f"127.0.0.1:{port}", env=env) as process:
            try:
                with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
                    wait_until_alive(client, process)
                yield f"http://127.0.0.1:{port}"
            finally:
                process.terminate()
                process.wait(60)


def wait_until_alive(client: httpx.Client, process: Fork) -> None:
    for _ in range(START_S * 10):
        assert process.poll() is None, "the server ended"
        try:
            if client.get("/healthz").status_code == 200:
                return
        except httpx.TransportError:
            # daphne does not announce that it listens: poll it every tenth of a second.
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(0.1)
    raise AssertionError("the server did not start")


async def test_a_whole_turn_on_daphne(database_server: None, tmp_path: Path) -> None:
    word = uuid.uuid4().hex
    with ModelServer() as model, runserver(tmp_path, model) as address:
        model.when(lambda request: word in request.asked, calls(wants("list_tasks")), says("All ", "read."))
        running = Running(url=address, model=model)
        account = await asyncio.to_thread(register, address)
        async with device(running, account.access) as raw:
            await raw.ask(f"tasks {word}")
            [*_, call] = await raw.until("tool_call")
            await raw.send({"type": "tool_result", "id": call["id"], "rows": [{"id": "1", "title": word}]})
            frames = await raw.until("stream_end")

        assert text_of(frames) == "All read."
        [_, second] = [request for request in model.requests if word in request.asked]
        assert word in second.told[0]
