"""The real server while its database refuses connections, then while the network swallows packets."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from django.conf import settings

from tests.adiuva.servers import lines_until_ready, serving
from tests.end_to_end.conftest import Account, Running, environment, register
from tests.end_to_end.mcp_clients import personal_token
from tests.end_to_end.raw import RawSocket, device, socket
from tests.faults.proxy import FaultProxy, fault_proxy
from tests.model_server.scripts import calls, says, wants
from tests.model_server.server import ModelServer

pytestmark = [
    pytest.mark.end_to_end,
    pytest.mark.skipif(bool(settings.DATABASE_URL), reason="relays the socket of the embedded server"),
]

LOOK_UP = "Which tasks are due?"
GREETING = "Hello."


@asynccontextmanager
async def server_behind(proxy: FaultProxy, database: str, data_dir: Path) -> AsyncIterator[Running]:
    """A server that reaches its database through ``proxy``."""
    place = urlsplit(database)
    relayed = f"postgresql://{place.username}@127.0.0.1:{proxy.port}{place.path}"
    with ModelServer() as model:
        env = environment(relayed, data_dir, OPENAI_BASE_URL=model.base_url)
        with serving("--port", "0", env=env) as process:
            _, url = await asyncio.to_thread(lines_until_ready, process)
            yield Running(url=url, model=model)
            process.terminate()
            assert await asyncio.to_thread(process.wait, 30) == 0


async def all_refused(url: str, account: Account, token: str, laptop: RawSocket) -> None:
    """Each interface says that it cannot serve now, and when to come back."""
    user, program = {"Authorization": f"Bearer {account.access}"}, {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=url, timeout=30) as client:
        request_id, *answers = await asyncio.gather(
            laptop.ask(LOOK_UP),
            client.get("/api/v1/jobs", headers=user),
            client.post("/api/v1/chat", json={"message": LOOK_UP, "device_id": "laptop"}, headers=user),
            client.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, headers=program),
            client.get("/admin/", headers={"Cookie": f"sessionid={'s' * 32}"}),
        )
        assert [(answer.status_code, answer.headers.get("Retry-After")) for answer in answers] == [(503, "2")] * 4
        assert [answer.json()["code"] for answer in answers[:2]] == ["not_available"] * 2
        assert "The server cannot reach its database." in answers[-1].text
        end = (await laptop.until("stream_end"))[-1]
        assert (end["request_id"], end["finish_reason"]) == (request_id, "error")
        assert end["error"] == {
            "code": "not_available",
            "message": "The server cannot reach its database. Try again in a moment.",
            "retryable": True,
        }
        assert (await client.get("/readyz")).status_code == 503
    async with socket(Running(url=url, model=None), account.access) as another:  # type: ignore[arg-type] # not asked
        assert (await another.receive())["code"] == "not_available"
        assert await another.close_code() == 1013


async def all_well(url: str, laptop: RawSocket, account: Account) -> None:
    async with httpx.AsyncClient(base_url=url, timeout=30) as client:
        async with asyncio.timeout(30):
            while (await client.get("/readyz")).status_code != 200:
                pass
        answer = await client.get("/api/v1/jobs", headers={"Authorization": f"Bearer {account.access}"})
        assert answer.status_code == 200
        await laptop.ask(GREETING)
        assert (await laptop.until("stream_end"))[-1]["finish_reason"] == "done"


async def test_each_interface_refuses_without_database_and_recovers(fresh_database_url: str, tmp_path: Path) -> None:
    folder = settings.DATABASES["default"]["HOST"]
    async with (
        fault_proxy(f"{folder}/.s.PGSQL.5432") as proxy,
        server_behind(proxy, fresh_database_url, tmp_path) as running,
    ):
        running.model.when(lambda request: request.asked == LOOK_UP, calls(wants("list_tasks")))
        running.model.when(lambda request: request.asked == GREETING, says("Hello."))
        alice, bob = await asyncio.gather(*(asyncio.to_thread(register, running.url) for _ in range(2)))
        token = (await asyncio.to_thread(personal_token, running.url, alice)).text
        async with device(running, alice.access) as laptop:
            proxy.refusing = True
            proxy.cut()
            await all_refused(running.url, alice, token, laptop)
            proxy.refusing = False
            await all_well(running.url, laptop, alice)
        token = (await asyncio.to_thread(personal_token, running.url, bob)).text
        async with device(running, bob.access) as laptop:
            proxy.stall()
            await all_refused(running.url, bob, token, laptop)
            proxy.flow()
            await all_well(running.url, laptop, bob)
