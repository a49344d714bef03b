"""Two real server processes over one Redis."""

import asyncio
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import redis

from tests.adiuva.servers import Started, lines_until_ready, readiness, serving, serving_release
from tests.databases import fresh_database
from tests.end_to_end.conftest import Account, Running, environment, register, server
from tests.end_to_end.mcp_clients import mcp_client, personal_token
from tests.end_to_end.mcp_clients import text_of as mcp_text
from tests.end_to_end.raw import Frame, RawSocket, device, text_of
from tests.faults.killing import DeviceAccount, kill_one_of_two, teach
from tests.model_server.scripts import calls, says, wants
from tests.model_server.server import ModelServer

pytestmark = [pytest.mark.end_to_end, pytest.mark.redis]
REDIS_URL = "redis://127.0.0.1:6379"


@dataclass(frozen=True)
class Pair:
    """Two servers for the same users, and their model."""

    urls: tuple[str, str]
    processes: tuple[Started, Started]
    model: ModelServer
    prefix: str

    def running(self, number: int) -> Running:
        return Running(url=self.urls[number], model=self.model)


@pytest.fixture
def pair(database_server: None, tmp_path: Path) -> Iterator[Pair]:
    prefix = f"test:{uuid.uuid4().hex}"
    with ExitStack() as entered:
        model, database = entered.enter_context(ModelServer()), entered.enter_context(fresh_database())
        more = {"REDIS_URL": REDIS_URL, "ADIUVA_REDIS_PREFIX": prefix, "OPENAI_BASE_URL": model.base_url}
        env = environment(database, tmp_path, **more)
        urls, processes = [], []
        for release in ("FIRST", "SECOND"):
            process = entered.enter_context(serving_release(release, "--port", "0", env=env))
            processes.append(process)
            urls.append(lines_until_ready(process)[1])
        yield Pair((urls[0], urls[1]), (processes[0], processes[1]), model, prefix)
        for process in processes:
            process.terminate()
            assert process.wait(30) in {0, -9}
    client = redis.Redis.from_url(REDIS_URL)
    names = list(client.scan_iter(match=f"{prefix}*", count=1000))
    if names:
        client.delete(*names)
    client.close()


def person(account: Account) -> DeviceAccount:
    return DeviceAccount(email=account.email, password=account.password, access=account.access)


async def test_rest_on_one_process_reaches_the_device_on_the_other(pair: Pair) -> None:
    alice, word = register(pair.urls[0]), uuid.uuid4().hex
    pair.model.when(lambda request: word in request.asked, calls(wants("list_tasks")), says("One task."))
    async with device(pair.running(0), alice.access) as laptop, httpx.AsyncClient(timeout=30) as client:
        ready = await asyncio.to_thread(readiness, pair.urls[1])
        assert ready.json()["parts"]["redis"] == {"ok": True}
        asking = asyncio.create_task(
            client.post(
                f"{pair.urls[1]}/api/v1/chat",
                json={"message": f"Which tasks are due? {word}", "device_id": "laptop"},
                headers={"Authorization": f"Bearer {alice.access}"},
            )
        )
        wanted = await laptop.receive()
        row: Frame = {"id": "t1", "title": "Water the roses"}
        await laptop.send({"type": "tool_result", "id": wanted["id"], "rows": [row]})
        answer = await asking
    assert (answer.status_code, answer.json()["response"]) == (200, "One task.")


async def test_answer_begun_before_a_restart_is_read_to_its_end_elsewhere(pair: Pair) -> None:
    """A process that stops lets its turns end, and its clients read the rest on another one."""
    alice, word = register(pair.urls[0]), uuid.uuid4().hex
    pair.model.when(lambda request: word in request.asked, calls(wants("list_tasks")), says("All ", "of it."))
    async with device(pair.running(0), alice.access, "ledger") as laptop:
        request_id = await laptop.ask(f"Which tasks are due? {word}")
        [*_, wanted] = await laptop.until("tool_call")
        pair.processes[0].terminate()
        await laptop.until("server_shutdown")
    async with device(pair.running(1), alice.access, "ledger") as again:
        assert [each["request_id"] for each in again.welcome["running"]] == [request_id]  # type: ignore[index,union-attr,call-overload]
        assert (await again.receive())["id"] == wanted["id"]
        await again.send({"type": "tool_result", "id": wanted["id"], "rows": []})
        await again.send({"type": "resume_request", "request_id": request_id, "after_seq": -1})
        frames = await again.until("stream_end")
    assert (text_of(frames), frames[-1]["finish_reason"]) == ("All of it.", "done")
    assert [frame["seq"] for frame in frames] == list(range(len(frames)))


async def test_killed_process_loses_its_turns_soon_and_no_write_happens_twice(pair: Pair, tmp_path: Path) -> None:
    teach(pair.model)
    people = [person(register(pair.urls[0])) for _ in range(4)]

    outcome = await kill_one_of_two(people, pair.urls, turns=8, kill=pair.processes[0].kill, folder=tmp_path)

    assert (outcome.finished, outcome.wrong_writes) == (8, 0)
    assert outcome.asked_again >= 1
    # The benchmark ``many-processes`` shows that it takes less than 5 s; on a busy machine only an upper bound is safe.
    assert max(outcome.lost_s) <= 20.0


async def test_what_was_approved_right_after_its_process_was_killed_is_done_once(pair: Pair) -> None:
    alice, word = register(pair.urls[0]), uuid.uuid4().hex
    row: Frame = {"id": "t1", "title": "Water the roses", "status": "todo"}
    pair.model.when(
        lambda request: word in request.asked, calls(wants("delete_task", task_id="t1")), says("No such turn.")
    )
    pair.model.when(lambda request: "I approve this" in request.asked, says("Gone, as you wished."))
    capabilities = ("ledger", "approvals", "job_ack")
    async with device(pair.running(0), alice.access, *capabilities) as laptop:
        request_id = await laptop.ask(f"Delete my task {word}")
        asked = await _question(laptop, row)
        pair.processes[0].kill()
        pair.processes[0].wait()
    async with device(pair.running(1), alice.access, *capabilities) as again:
        assert (await _question(again, row))["id"] == asked["id"]
        await again.send({"type": "approval_response", "id": asked["id"], "approved": True})
        frames = await _until_done(again, row)
        # Long enough for every process to look for orphans twice: the call is not run again.
        with suppress(TimeoutError):
            while True:
                frames.append(await again.receive(wait_s=12))
    deleted = [frame for frame in frames if frame["type"] == "tool_call" and frame["action"] == "delete"]
    updates = [frame for frame in frames if frame["type"] == "job_update"]
    assert len(deleted) == 1
    assert {(update["request_id"], update["job_id"]) for update in updates} == {(request_id, updates[0]["job_id"])}
    assert updates[-1]["response"] == "Gone, as you wished."
    assert {frame["type"] for frame in frames} <= {"tool_call", "job_update", "ping"}


async def _question(laptop: RawSocket, row: Frame) -> Frame:
    """The question that the socket receives; calls are answered on the way."""
    while (frame := await laptop.receive())["type"] != "approval_request":
        if frame["type"] == "tool_call":
            await laptop.send({"type": "tool_result", "id": frame["id"], "row": row})
    return frame


async def _until_done(laptop: RawSocket, row: Frame) -> list[Frame]:
    """The frames until the job is done, which is acknowledged; the row is deleted when the server asks for it."""
    frames: list[Frame] = []
    there: Frame | None = row
    while not frames or frames[-1].get("state") != "done":
        frames.append(frame := await laptop.receive(wait_s=30))
        if frame["type"] == "tool_call" and frame["action"] == "delete":
            await laptop.send({"type": "tool_result", "id": frame["id"], "deleted": there is not None})
            there = None
        elif frame["type"] == "tool_call":
            await laptop.send({"type": "tool_result", "id": frame["id"], "row": there})
    await laptop.send({"type": "job_ack", "job_id": frames[-1]["job_id"]})
    return frames


async def test_process_starts_without_its_redis_and_says_so(database_server: None, tmp_path: Path) -> None:
    with ModelServer() as model, server(tmp_path, REDIS_URL="redis://127.0.0.1:1") as url:
        answer = await asyncio.to_thread(readiness, url)
        assert answer.json()["parts"]["redis"] == {"ok": False, "detail": "cannot be reached"}
        assert answer.status_code == 503
        alice = register(url)
        async with device(Running(url=url, model=model), alice.access) as laptop:
            await laptop.send({"type": "cancel_request", "request_id": str(uuid.uuid4())})
            assert (await laptop.receive())["retryable"] is True


def test_malformed_address_of_redis_stops_the_start_with_a_sentence(tmp_path: Path) -> None:
    env = environment("postgresql://nowhere/adiuva", tmp_path, REDIS_URL="localhost:6379")
    with serving("--port", "0", env=env) as process:
        said, _ = process.communicate(timeout=60)
    assert process.returncode == 2
    assert said == "REDIS_URL is not an address of Redis: start it with redis:// or rediss://.\n"


async def test_mcp_on_one_process_reaches_the_device_on_the_other(pair: Pair) -> None:
    alice = register(pair.urls[0])
    async with (
        device(pair.running(0), alice.access) as laptop,
        mcp_client(pair.urls[1], personal_token(pair.urls[1], alice).text) as client,
    ):
        calling = asyncio.create_task(client.call_tool("list_tasks", {}))
        wanted = await laptop.receive()
        row: Frame = {"id": "t1", "title": "Water the roses"}
        await laptop.send({"type": "tool_result", "id": wanted["id"], "rows": [row]})
        result = await calling
    assert (result.is_error, "Water the roses" in mcp_text(result)) == (False, True)
