"""A slow tool over the real broker: asked for, approved, its client away and back on another process, done by a worker.

Whatever passes between the processes and the broker is overheard.
"""

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aio_pika
import httpx
import pytest
import redis

from device.addresses import server_address
from device.client import DeviceClient, connected
from device.executor import Executor
from device.frames import ApprovalRequest, JobUpdate
from device.hello import Hello
from device.store import Store
from device.tables import TableName
from device.verdicts import Verdict
from tests.adiuva.servers import line, lines_until_ready, readiness, reserved_port, serving
from tests.databases import fresh_database
from tests.end_to_end.conftest import Account, Running, environment, register
from tests.end_to_end.overheard import Overheard, overheard
from tests.end_to_end.raw import WAIT_S, Frame, RawSocket, device
from tests.end_to_end.test_device import check, drawn, in_file, text_of
from tests.forks import Fork, forked
from tests.model_server.scripts import calls, says, wants
from tests.model_server.server import ModelServer

pytestmark = [pytest.mark.end_to_end, pytest.mark.redis, pytest.mark.rabbitmq]
REDIS_URL, AMQP_PORT = "redis://127.0.0.1:6379", 5672
AMQP_URL = f"amqp://guest:guest@127.0.0.1:{AMQP_PORT}/"
QUEUES = ("tool_execution_queue", "tool_results_queue")


@dataclass(frozen=True)
class Plant:
    """Two servers, the model they ask unless they are offline, and what a worker beside them needs.

    ``broker`` is all that they and the workers say to their broker, and it to them.
    """

    urls: tuple[str, str]
    model: ModelServer
    env: dict[str, str]
    prefix: str
    broker: Overheard

    def running(self, number: int) -> Running:
        return Running(url=self.urls[number], model=self.model)

    @contextmanager
    def worker(self) -> Iterator[Fork]:
        """A worker process that waits for jobs; it is expected to leave well."""
        with forked("manage.py", "tool_worker", "--concurrency", "2", env=self.env, errors_apart=True) as process:
            assert line(process).startswith("Waiting for jobs")  # before that, a signal just ends it
            yield process
            process.terminate()
            assert process.wait(30) == 0


@pytest.fixture
def plant(database_server: None, tmp_path: Path) -> Iterator[Plant]:
    with ModelServer() as model, planted(tmp_path, model, OPENAI_BASE_URL=model.base_url) as plant:
        yield plant


@pytest.fixture
def offline_plant(database_server: None, tmp_path: Path) -> Iterator[Plant]:
    """Its words come from the rows themselves."""
    with ModelServer() as model, planted(tmp_path, model) as plant:
        yield plant
        assert model.requests == []


@pytest.fixture
def early_plant(database_server: None, tmp_path: Path) -> Iterator[Plant]:
    """Nobody listens yet where its broker will be."""
    with (
        ModelServer() as model,
        reserved_port() as port,
        planted(tmp_path, model, port=port, OPENAI_BASE_URL=model.base_url) as plant,
    ):
        yield plant


@contextmanager
def planted(folder: Path, model: ModelServer, *, port: int = 0, **more: str) -> Iterator[Plant]:
    """``port`` is where a broker will be; 0: there is one."""
    prefix = f"test.{uuid.uuid4().hex}."
    with ExitStack() as entered:
        database = entered.enter_context(fresh_database())
        broker = Overheard(port) if port else entered.enter_context(overheard(AMQP_PORT))
        more |= {
            "REDIS_URL": REDIS_URL,
            "ADIUVA_REDIS_PREFIX": prefix,
            "AMQP_URL": f"amqp://guest:guest@127.0.0.1:{broker.port}/",
            "ADIUVA_AMQP_PREFIX": prefix,
            # A worker gives a device this long to come back before its job waits for it; 30 s would be waited out here.
            "ADIUVA_CLIENT_CALL_TIMEOUT_S": "10",
        }
        env = environment(database, folder, **more)
        processes, urls = [], []
        for _ in range(2):  # the first one makes the tables
            process = entered.enter_context(serving("--port", "0", env=env))
            processes.append(process)
            urls.append(lines_until_ready(process)[1])
        yield Plant((urls[0], urls[1]), model, env, prefix, broker)
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
        async with asyncio.timeout(30):
            while (message := await queue.get(fail=False)) is None:  # noqa: ASYNC110 - nothing rings a bell
                await asyncio.sleep(0.05)
        await message.nack(requeue=True)
        return message.body


async def until_job(laptop: RawSocket, state: str, rows: Frame, *, wait_s: float = WAIT_S) -> list[Frame]:
    """The updates of the job up to ``state``; calls are answered on the way."""
    updates: list[Frame] = []
    while not updates or updates[-1]["state"] != state:
        frame = await laptop.receive(wait_s=wait_s)
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
    secrets = (word, garden, "p1", "ummari", alice.email, alice.access)
    assert [secret for secret in secrets if plant.broker.holds(secret)] == []


@dataclass
class Person:
    """Whoever sits at the device: approves, and is told of jobs until one has ended."""

    asked: list[ApprovalRequest] = field(default_factory=list)
    updates: list[JobUpdate] = field(default_factory=list)
    told: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, request: ApprovalRequest) -> Verdict:
        self.asked.append(request)
        return Verdict(approved=True)

    def note(self, update: JobUpdate) -> None:
        self.updates.append(update)

    async def deliver(self, update: JobUpdate) -> bool:
        self.told.set()
        return True


@asynccontextmanager
async def laptop(url: str, alice: Account, store: Store, person: Person) -> AsyncIterator[DeviceClient]:
    hello = Hello(device_id="laptop", timezone="Europe/Rome", language="en")
    async with connected(
        server_address(url), alice.access, executor=Executor(store), hello=hello, approve=person, jobs=person, tap=check
    ) as client:
        yield client


async def test_what_was_approved_waits_for_its_client_and_answers_from_the_clients_own_rows(
    offline_plant: Plant, tmp_path: Path
) -> None:
    plant, data, alice, person = offline_plant, tmp_path / "device.sqlite3", register(offline_plant.urls[0]), Person()
    await _have_ask(plant.urls[0], alice.access, "plan_project")
    name, late, dateless, goal = drawn("Garden"), drawn("Dig the pond"), drawn("Order roses"), drawn("open to guests")
    with closing(Store(data)) as store:
        project = store.insert(TableName.PROJECTS, {"name": name, "status": "active"})
        for title, due in ((late, 1_700_000_000_000), (dateless, None)):
            store.insert(TableName.TASKS, {"projectId": project["id"], "title": title, "dueDate": due})
        async with laptop(plant.urls[0], alice, store, person) as client:
            said = text_of([frame async for frame in client.home(f"Plan the project {name}: {goal}")])
            message = await waiting_message(plant.prefix)
        [asked], [queued] = person.asked, person.updates
        assert (asked.tool, asked.risk, queued.state) == ("plan_project", "write", "queued")
        assert late not in said
        with plant.worker(), plant.worker():
            await _until_state(plant, alice.access, queued.job_id, "waiting_device")
            assert in_file(data, "SELECT title FROM tasks WHERE isAiSuggested = 1") == []
            async with laptop(plant.urls[1], alice, store, person), asyncio.timeout(90):
                await person.told.wait()
                await _until_state(plant, alice.access, queued.job_id, "delivered")

    answer = person.updates[-1].response or ""
    assert [word for word in (name, late, dateless, goal) if word not in answer] == []
    tasks = in_file(data, "SELECT title FROM tasks WHERE isAiSuggested = 1 AND isApproved = 0")
    checkpoints = in_file(data, "SELECT title FROM checkpoints WHERE isAiSuggested = 1 AND isApproved = 0")
    suggested = [title for [title] in (*tasks, *checkpoints)]
    assert len(suggested) == len(set(suggested)) == answer.count("\n- ")
    assert [title for title in suggested if f"“{title}”" not in answer] == []
    # The queue names the job, to the worker and back, and says nothing of what it is about.
    assert queued.job_id.encode() in message
    assert plant.broker.holds(queued.job_id) >= 2
    secrets = (name, late, dateless, goal, "Garden", "plan_project", str(project["id"]), alice.email, alice.access)
    assert [secret for secret in secrets if plant.broker.holds(secret)] == []


async def _have_ask(url: str, access: str, tool: str) -> None:
    """Decide, as a client does, that ``tool`` must ask."""
    async with httpx.AsyncClient(timeout=30, headers={"Authorization": f"Bearer {access}"}) as client:
        policies = (await client.get(f"{url}/api/v1/policies")).json()
        decided = {**policies, "tools": {**policies["tools"], tool: "ask"}}
        assert (await client.put(f"{url}/api/v1/policies", json=decided)).status_code == 200


async def _until_state(plant: Plant, access: str, job_id: str, state: str) -> None:
    async with httpx.AsyncClient(timeout=30, headers={"Authorization": f"Bearer {access}"}) as client:
        async with asyncio.timeout(60):
            while (await client.get(f"{plant.urls[0]}/api/v1/jobs/{job_id}")).json()["state"] != state:  # noqa: ASYNC110
                await asyncio.sleep(0.1)


async def test_servers_start_without_their_broker_say_so_and_their_jobs_are_done_when_it_comes(
    early_plant: Plant,
) -> None:
    plant, alice, word = early_plant, register(early_plant.urls[0]), uuid.uuid4().hex
    assert await _broker_at(plant.urls[0]) == {"ok": False, "detail": "cannot be reached"}
    plant.model.when(
        lambda request: word in request.asked,
        calls(wants("summarize_project", project_id="p1")),
        says("It has begun."),
        says("Done after all."),
    )
    plant.model.when(lambda request: "Garden" in request.asked, says("Two beds."))
    async with device(plant.running(0), alice.access, "ledger", "job_ack") as laptop:
        await laptop.ask(f"Summarise the project {word}")
        frames = await laptop.until("stream_end")
        [job] = (await _jobs(plant.urls[0], alice.access))["results"]
        assert (frames[-1]["finish_reason"], job["state"], job["tool"]) == ("done", "queued", "summarize_project")
        with overheard(AMQP_PORT, port=plant.broker.port), plant.worker():
            # Whoever looks after jobs does so every 15 s.
            done = await until_job(laptop, "done", {"id": "p1", "name": "Garden"}, wait_s=90.0)
            assert done[-1]["response"] == "Done after all."
            assert await _broker_at(plant.urls[0]) == {"ok": True}


async def _broker_at(url: str) -> Any:
    return (await asyncio.to_thread(readiness, url)).json()["parts"]["rabbitmq"]


async def _jobs(url: str, access: str) -> Any:
    async with httpx.AsyncClient(timeout=30, headers={"Authorization": f"Bearer {access}"}) as client:
        return (await client.get(f"{url}/api/v1/jobs")).json()
