"""A slow tool over the real broker: asked for, its client away and back on another process, done by a worker."""

import asyncio
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aio_pika
import httpx
import pytest
import redis

from tests.adiuva.servers import ROOT, lines_until_ready, serving
from tests.databases import fresh_database
from tests.end_to_end.conftest import Running, environment, register, server
from tests.end_to_end.raw import Frame, RawSocket, device
from tests.model_server.scripts import calls, says, wants
from tests.model_server.server import ModelServer

pytestmark = [pytest.mark.end_to_end, pytest.mark.redis, pytest.mark.rabbitmq]
REDIS_URL, AMQP_URL = "redis://127.0.0.1:6379", "amqp://guest:guest@127.0.0.1:5672/"
QUEUES = ("tool_execution_queue", "tool_results_queue")


@dataclass(frozen=True)
class Plant:
    """Two servers, the model they ask, and what a worker beside them needs."""

    urls: tuple[str, str]
    model: ModelServer
    env: dict[str, str]
    prefix: str

    def running(self, number: int) -> Running:
        return Running(url=self.urls[number], model=self.model)

    @contextmanager
    def worker(self) -> Iterator[subprocess.Popen[str]]:
        """A worker process; it is expected to leave well."""
        command = [sys.executable, "manage.py", "tool_worker", "--concurrency", "2"]
        with subprocess.Popen(command, cwd=ROOT, env=self.env, stdout=subprocess.PIPE, text=True) as process:
            yield process
            process.terminate()
            assert process.wait(30) == 0


@pytest.fixture
def plant(database_server: None, tmp_path: Path) -> Iterator[Plant]:
    prefix = f"test.{uuid.uuid4().hex}."
    with ExitStack() as entered:
        model, database = entered.enter_context(ModelServer()), entered.enter_context(fresh_database())
        more = {
            "REDIS_URL": REDIS_URL,
            "ADIUVA_REDIS_PREFIX": prefix,
            "AMQP_URL": AMQP_URL,
            "ADIUVA_AMQP_PREFIX": prefix,
            "OPENAI_BASE_URL": model.base_url,
        }
        env = environment(database, tmp_path, **more)
        processes, urls = [], []
        for _ in range(2):  # the first one makes the tables
            process = entered.enter_context(serving("--port", "0", env=env))
            processes.append(process)
            urls.append(lines_until_ready(process)[1])
        yield Plant((urls[0], urls[1]), model, env, prefix)
        for process in processes:
            process.terminate()
            assert process.wait(30) == 0
    asyncio.run(_without_queues(prefix))
    client = redis.Redis.from_url(REDIS_URL)
    names = list(client.scan_iter(match=f"{prefix}*", count=1000))
    if names:
        client.delete(*names)
    client.close()


async def _without_queues(prefix: str) -> None:
    async with await aio_pika.connect(AMQP_URL) as connection:
        channel = await connection.channel()
        for name in QUEUES:
            await channel.queue_delete(f"{prefix}{name}")
            await channel.queue_delete(f"{prefix}{name}.dead")


async def waiting_message(prefix: str) -> bytes:
    """The one message that waits for a worker; it goes on waiting."""
    async with await aio_pika.connect(AMQP_URL) as connection:
        channel = await connection.channel()
        queue = await channel.get_queue(f"{prefix}{QUEUES[0]}", ensure=False)
        async with asyncio.timeout(10):
            while (message := await queue.get(fail=False)) is None:  # noqa: ASYNC110 - nothing rings a bell
                await asyncio.sleep(0.05)
        await message.nack(requeue=True)
        return message.body


async def until_job(laptop: RawSocket, state: str, rows: Frame) -> list[Frame]:
    """The updates of the job up to ``state``; calls are answered on the way."""
    updates: list[Frame] = []
    while not updates or updates[-1]["state"] != state:
        frame = await laptop.receive()
        if frame["type"] == "job_update":
            updates.append(frame)
        elif frame["type"] == "tool_call":
            answer: Frame = {"row": rows} if frame["action"] in {"get", "update"} else {"rows": []}
            await laptop.send({"type": "tool_result", "id": frame["id"], **answer})
    return updates


async def test_job_is_done_while_its_client_comes_and_goes(plant: Plant) -> None:
    alice, word, garden = register(plant.urls[0]), uuid.uuid4().hex, uuid.uuid4().hex
    project: Frame = {"id": "p1", "name": f"Garden {garden}", "status": "active"}
    plant.model.when(
        lambda request: word in request.asked,
        calls(wants("summarize_project", project_id="p1")),
        says("It has begun."),
        says(f"The garden {garden} is summarised."),
    )
    plant.model.when(lambda request: garden in request.asked, says(f"Two beds in {garden}."))
    async with device(plant.running(0), alice.access, "ledger", "job_ack") as laptop:
        request_id = await laptop.ask(f"Summarise the project Garden {word}")
        frames = await laptop.until("stream_end")
        [queued] = [frame for frame in frames if frame["type"] == "job_update"]
        message = await waiting_message(plant.prefix)
    assert (queued["state"], queued["request_id"]) == ("queued", request_id)
    assert str(queued["job_id"]).encode() in message
    assert [secret for secret in (word, garden, "p1", "ummari", alice.email) if secret.encode() in message] == []

    with plant.worker(), plant.worker():
        await _until_state(plant, alice.access, str(queued["job_id"]), "waiting_device")
        async with device(plant.running(1), alice.access, "ledger", "job_ack") as back:
            done = (await until_job(back, "done", project))[-1]
            assert done["response"] == f"The garden {garden} is summarised."
            await back.send({"type": "job_ack", "job_id": done["job_id"]})
            await _until_state(plant, alice.access, str(done["job_id"]), "delivered")


async def _until_state(plant: Plant, access: str, job_id: str, state: str) -> None:
    async with httpx.AsyncClient(timeout=30, headers={"Authorization": f"Bearer {access}"}) as client:
        async with asyncio.timeout(30):
            while (await client.get(f"{plant.urls[0]}/api/v1/jobs/{job_id}")).json()["state"] != state:  # noqa: ASYNC110
                await asyncio.sleep(0.1)


async def test_server_starts_without_its_broker_says_so_and_keeps_the_jobs(
    database_server: None, tmp_path: Path
) -> None:
    more = {
        "REDIS_URL": REDIS_URL,
        "ADIUVA_REDIS_PREFIX": uuid.uuid4().hex,
        "AMQP_URL": "amqp://guest:guest@127.0.0.1:1/",
    }
    with ModelServer() as model, server(tmp_path, OPENAI_BASE_URL=model.base_url, **more) as url:
        parts = (await asyncio.to_thread(httpx.get, f"{url}/readyz", timeout=30)).json()["parts"]
        assert parts["rabbitmq"] == {"ok": False, "detail": "cannot be reached"}
        alice, word = register(url), uuid.uuid4().hex
        model.when(
            lambda request: word in request.asked,
            calls(wants("summarize_project", project_id="p1")),
            says("It has begun."),
        )
        async with device(Running(url=url, model=model), alice.access, "ledger", "job_ack") as laptop:
            await laptop.ask(f"Summarise the project Garden {word}")
            frames = await laptop.until("stream_end")
        [job] = (await _jobs(url, alice.access))["results"]
    assert frames[-1]["finish_reason"] == "done"
    assert (job["state"], job["tool"]) == ("queued", "summarize_project")


async def _jobs(url: str, access: str) -> Any:
    async with httpx.AsyncClient(timeout=30, headers={"Authorization": f"Bearer {access}"}) as client:
        return (await client.get(f"{url}/api/v1/jobs")).json()
