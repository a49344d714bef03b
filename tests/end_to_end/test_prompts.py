"""Which prompt a model receives: the real server, Langfuse over HTTP with its SDK, staff in the admin."""

import asyncio
from collections.abc import Iterator

import pytest

from agents.prompts.names import PromptName, builtin_text
from tests.adiuva.servers import lines_until_ready, serving
from tests.conftest import PASSWORD
from tests.end_to_end.conftest import Account, Running
from tests.end_to_end.guarded import Guarded, guarded
from tests.end_to_end.raw import RawSocket, device
from tests.end_to_end.staff import Staff, at_the_admin
from tests.end_to_end.turns import told
from tests.langfuse_server.server import Fault, LangfuseServer
from tests.model_server.scripts import says

pytestmark = pytest.mark.end_to_end
HOME = PromptName.HOME_SYSTEM
PATIENCE_S = 60.0
PAGE = f"/admin/agents/promptsetting/{HOME}/"


@pytest.fixture(scope="module")
def langfuse() -> Iterator[LangfuseServer]:
    with LangfuseServer() as server:
        yield server


@pytest.fixture(scope="module")
def server(langfuse: LangfuseServer) -> Iterator[Guarded]:
    quick = {"ADIUVA_PROMPT_REFRESH_S": "0.05", "ADIUVA_REQUESTS_PER_MINUTE": "10000", "ADIUVA_MEMORY": "0"}
    with guarded(**quick, **langfuse.settings) as running:
        running.model.otherwise(says("Noted."))
        yield running


@pytest.fixture(scope="module")
def account(server: Guarded) -> Account:
    with server.caller() as caller:
        answer = caller.post("/api/v1/auth/register", json={"email": "alice@example.com", "password": PASSWORD})
    assert answer.status_code == 201, answer.text
    return Account(email="alice@example.com", password=PASSWORD, access=answer.json()["access"])


@pytest.fixture
def staff(server: Guarded) -> Iterator[Staff]:
    server.manage("createsuperuser", "--no-input", "--email", "sam@example.com", DJANGO_SUPERUSER_PASSWORD=PASSWORD)
    with at_the_admin(server) as staff:
        staff.sign_in("sam@example.com", PASSWORD)
        yield staff


@pytest.fixture
def other(server: Guarded) -> Iterator[Running]:
    """Another process on the same database."""
    with serving("--port", "0", env=server.environment) as process:
        _, address = lines_until_ready(process)
        yield Running(url=address, model=server.model)
        process.terminate()
        process.communicate(timeout=60)


async def told_at_last(mark: str, server: Running, socket: RawSocket) -> None:
    """Ask until a turn uses a prompt with ``mark``. Raises ``TimeoutError``."""
    async with asyncio.timeout(PATIENCE_S):
        while mark not in await told(server, socket):
            pass


def marked(mark: str) -> str:
    return f"{builtin_text(HOME)}\n\n{mark}"


async def test_the_next_turn_goes_by_what_is_in_force(
    server: Guarded, other: Running, langfuse: LangfuseServer, staff: Staff, account: Account
) -> None:
    async with device(server, account.access) as socket, device(other, account.access, device_id="phone") as elsewhere:
        assert "You are Adiuva" in await told(server, socket)

        langfuse.prompts.put(HOME, marked("By Langfuse."))
        await told_at_last("By Langfuse.", server, socket)

        staff.post(f"{PAGE}change/", text=marked("By Sam."), note="", seen="0")
        assert "By Sam." in await told(server, socket)
        await told_at_last("By Sam.", other, elsewhere)

        langfuse.fault = Fault.SLOW
        langfuse.wait_for_requests(len(langfuse.requests) + 1)
        assert "By Sam." in await told(server, socket)
        seen = staff.get(f"{PAGE}stop/").text.partition('name="seen" value="')[2].partition('"')[0]
        staff.post(f"{PAGE}stop/", seen=seen)
        assert "By Langfuse." in await told(server, socket)
        langfuse.fault = None
