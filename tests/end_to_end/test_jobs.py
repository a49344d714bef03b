"""A slow tool over the real broker: asked for, approved, its client away and back on another process, done by a worker.

All traffic between the processes and the broker is recorded.
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
from tests.adiuva.servers import line, lines_until_ready, readiness, reserved_port, serving_release
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
class Deployment:
    """Two servers, their model (unused if they are offline), and what a worker needs.

    ``broker`` has recorded all traffic with the broker.
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
        """A worker process that waits for jobs and must exit cleanly."""
        with forked("manage.py", "tool_worker", "--concurrency", "2", env=self.env, errors_apart=True) as process:
            assert line(process).startswith("Waiting for jobs")  # before that, a signal just ends it
            yield process
            process.terminate()
            assert process.wait(30) == 0


@pytest.fixture
def deployment(database_server: None, tmp_path: Path) -> Iterator[Deployment]:
    with ModelServer() as model, deployed(tmp_path, model, OPENAI_BASE_URL=model.base_url) as deployment:
        yield deployment


@pytest.fixture
def offline_deployment(database_server: None, tmp_path: Path) -> Iterator[Deployment]:
    """Without a model: the server's answers come from the rows themselves."""
    with ModelServer() as model, deployed(tmp_path, model) as deployment:
        yield deployment
        assert model.requests == []


@pytest.fixture
def early_deployment(database_server: None, tmp_path: Path) -> Iterator[Deployment]:
    """Its broker is not listening yet."""
    with (
        ModelServer() as model,
        reserved_port() as port,
        deployed(tmp_path, model, port=port, OPENAI_BASE_URL=model.base_url) as deployment,
    ):
        yield deployment


@contextmanager
def deployed(folder: Path, model: ModelServer, *, port: int = 0, **more: str) -> Iterator[Deployment]:
    """``port`` is where a broker will listen; with 0, one is listening already."""
    prefix = f"test.{uuid.uuid4().hex}."
    with ExitStack() as entered:
        database = entered.enter_context(fresh_database())
        broker = Overheard(port) if port else entered.enter_context(overheard(AMQP_PORT))
        more |= {
            "REDIS_URL": REDIS_URL,
            "ADIUVA_REDIS_PREFIX": prefix,
            "AMQP_URL": f"amqp://guest:guest@127.0.0.1:{broker.port}/",
            "ADIUVA_AMQP_PREFIX": prefix,
            # How long a worker waits for a device to reconnect before it parks the job; 30 s would be too slow here.
            "ADIUVA_CLIENT_CALL_TIMEOUT_S": "10",
        }
        env = environment(database, folder, **more)
        processes, urls = [], []
        for release in ("FIRST", "SECOND"):  # the first one creates the tables
            process = entered.enter_context(serving_release(release, "--port", "0", env=env))
            processes.append(process)
            urls.append(lines_until_ready(process)[1])
        yield Deployment((urls[0], urls[1]), model, env, prefix, broker)
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
    """The only message that waits for a worker; it stays in the queue."""
    async with await aio_pika.connect(AMQP_URL) as connection:
        channel = await connection.channel()
        queue = await channel.get_queue(f"{prefix}{QUEUES[0]}", ensure=False)
        async with asyncio.timeout(30):
            while (message := await queue.get(fail=False)) is None:  # noqa: ASYNC110 - there is no event to wait for
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
        else:
            await _answer(laptop, frame, rows)
    return updates


async def until_end(laptop: RawSocket, rows: Frame) -> list[Frame]:
    """The frames up to the end of the turn; calls are answered on the way."""
    frames = [await laptop.receive()]
    while frames[-1]["type"] != "stream_end":
        await _answer(laptop, frames[-1], rows)
        frames.append(await laptop.receive())
    return frames


async def _answer(laptop: RawSocket, frame: Frame, rows: Frame) -> None:
    if frame["type"] == "tool_call":
        answer: Frame = {"row": rows} if frame["action"] in {"get", "update"} else {"rows": []}
        await laptop.send({"type": "tool_result", "id": frame["id"], **answer})


async def test_job_is_done_while_its_client_comes_and_goes(deployment: Deployment) -> None:
    alice, word, garden = register(deployment.urls[0]), uuid.uuid4().hex, uuid.uuid4().hex
    project: Frame = {"id": "p1", "name": f"Garden {garden}", "status": "active"}
    deployment.model.when(
        lambda request: word in request.asked,
        calls(wants("summarize_project", project_id="p1")),
        says("It has begun."),
        says(f"The garden {garden} is summarised."),
    )
    deployment.model.when(lambda request: garden in request.asked, says(f"Two beds in {garden}."))
    async with device(deployment.running(0), alice.access, "ledger", "job_ack") as laptop:
        request_id = await laptop.ask(f"Summarise the project Garden {word}")
        frames = await until_end(laptop, project)
        [queued] = [frame for frame in frames if frame["type"] == "job_update"]
        message = await waiting_message(deployment.prefix)
    assert (queued["state"], queued["request_id"]) == ("queued", request_id)
    assert str(queued["job_id"]).encode() in message
    assert [secret for secret in (word, garden, "p1", "ummari", alice.email) if secret.encode() in message] == []

    with deployment.worker(), deployment.worker():
        await _until_state(deployment, alice.access, str(queued["job_id"]), "waiting_device")
        async with device(deployment.running(1), alice.access, "ledger", "job_ack") as back:
            done = (await until_job(back, "done", project))[-1]
            assert done["response"] == f"The garden {garden} is summarised."
            await back.send({"type": "job_ack", "job_id": done["job_id"]})
            await _until_state(deployment, alice.access, str(done["job_id"]), "delivered")
    secrets = (word, garden, "p1", "ummari", alice.email, alice.access)
    assert [secret for secret in secrets if deployment.broker.holds(secret)] == []


@dataclass
class RecordingUser:
    """A user who approves every call and records updates of jobs until one has ended."""

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
async def laptop(url: str, alice: Account, store: Store, person: RecordingUser) -> AsyncIterator[DeviceClient]:
    hello = Hello(device_id="laptop", timezone="Europe/Rome", language="en")
    async with connected(
        server_address(url), alice.access, executor=Executor(store), hello=hello, approve=person, jobs=person, tap=check
    ) as client:
        yield client


async def test_what_was_approved_waits_for_its_client_and_answers_from_the_clients_own_rows(
    offline_deployment: Deployment, tmp_path: Path
) -> None:
    deployment, data, alice, person = (
        offline_deployment,
        tmp_path / "device.sqlite3",
        register(offline_deployment.urls[0]),
        RecordingUser(),
    )
    await _have_ask(deployment.urls[0], alice.access, "plan_project")
    name, late, dateless, goal = drawn("Garden"), drawn("Dig the pond"), drawn("Order roses"), drawn("open to guests")
    with closing(Store(data)) as store:
        project = store.insert(TableName.PROJECTS, {"name": name, "status": "active"})
        for title, due in ((late, 1_700_000_000_000), (dateless, None)):
            store.insert(TableName.TASKS, {"projectId": project["id"], "title": title, "dueDate": due})
        async with laptop(deployment.urls[0], alice, store, person) as client:
            said = text_of([frame async for frame in client.home(f"Plan the project {name}: {goal}")])
            message = await waiting_message(deployment.prefix)
        [asked], [queued] = person.asked, person.updates
        assert (asked.tool, asked.risk, queued.state) == ("plan_project", "write", "queued")
        assert late not in said
        with deployment.worker(), deployment.worker():
            await _until_state(deployment, alice.access, queued.job_id, "waiting_device")
            assert in_file(data, "SELECT title FROM tasks WHERE isAiSuggested = 1") == []
            async with laptop(deployment.urls[1], alice, store, person), asyncio.timeout(90):
                await person.told.wait()
                await _until_state(deployment, alice.access, queued.job_id, "delivered")

    answer = person.updates[-1].response or ""
    assert [word for word in (name, late, dateless, goal) if word not in answer] == []
    tasks = in_file(data, "SELECT title FROM tasks WHERE isAiSuggested = 1 AND isApproved = 0")
    checkpoints = in_file(data, "SELECT title FROM checkpoints WHERE isAiSuggested = 1 AND isApproved = 0")
    suggested = [title for [title] in (*tasks, *checkpoints)]
    assert len(suggested) == len(set(suggested)) == answer.count("\n- ")
    assert [title for title in suggested if f"“{title}”" not in answer] == []
    # The queue contains the job's id, to the worker and back, and nothing about its content.
    assert queued.job_id.encode() in message
    assert deployment.broker.holds(queued.job_id) >= 2
    secrets = (name, late, dateless, goal, "Garden", "plan_project", str(project["id"]), alice.email, alice.access)
    assert [secret for secret in secrets if deployment.broker.holds(secret)] == []


async def _have_ask(url: str, access: str, tool: str) -> None:
    """Set the policy of ``tool`` to ask, as a client does."""
    async with httpx.AsyncClient(timeout=30, headers={"Authorization": f"Bearer {access}"}) as client:
        policies = (await client.get(f"{url}/api/v1/policies")).json()
        decided = {**policies, "tools": {**policies["tools"], tool: "ask"}}
        assert (await client.put(f"{url}/api/v1/policies", json=decided)).status_code == 200


async def _until_state(deployment: Deployment, access: str, job_id: str, state: str) -> None:
    async with httpx.AsyncClient(timeout=30, headers={"Authorization": f"Bearer {access}"}) as client:
        async with asyncio.timeout(60):
            while (await client.get(f"{deployment.urls[0]}/api/v1/jobs/{job_id}")).json()["state"] != state:  # noqa: ASYNC110
                await asyncio.sleep(0.1)


async def test_servers_start_without_their_broker_say_so_and_their_jobs_are_done_when_it_comes(
    early_deployment: Deployment,
) -> None:
    deployment, alice, word = early_deployment, register(early_deployment.urls[0]), uuid.uuid4().hex
    assert await _broker_at(deployment.urls[0], said="cannot be reached") == {
        "ok": False,
        "detail": "cannot be reached",
    }
    deployment.model.when(
        lambda request: word in request.asked,
        calls(wants("summarize_project", project_id="p1")),
        says("It has begun."),
        says("Done after all."),
    )
    deployment.model.when(lambda request: "Garden" in request.asked, says("Two beds."))
    async with device(deployment.running(0), alice.access, "ledger", "job_ack") as laptop:
        await laptop.ask(f"Summarise the project {word}")
        frames = await until_end(laptop, {"id": "p1", "name": "Garden"})
        [job] = (await _jobs(deployment.urls[0], alice.access))["results"]
        assert (frames[-1]["finish_reason"], job["state"], job["tool"]) == ("done", "queued", "summarize_project")
        with overheard(AMQP_PORT, port=deployment.broker.port), deployment.worker():
            # The sweep runs every 15 s.
            done = await until_job(laptop, "done", {"id": "p1", "name": "Garden"}, wait_s=90.0)
            assert done[-1]["response"] == "Done after all."
            assert await _broker_at(deployment.urls[0], said=None) == {"ok": True}


async def _broker_at(url: str, *, said: str | None) -> Any:
    """What a server says of its broker: on a busy machine at first that it took too long to look at."""
    for _ in range(60):
        told = (await asyncio.to_thread(readiness, url)).json()["parts"]["rabbitmq"]
        if told.get("detail") == said:
            break
        await asyncio.sleep(0.5)
    return told


async def _jobs(url: str, access: str) -> Any:
    async with httpx.AsyncClient(timeout=30, headers={"Authorization": f"Bearer {access}"}) as client:
        return (await client.get(f"{url}/api/v1/jobs")).json()
