"""The real server process, a scripted model over HTTP, and accounts created through REST."""

import os
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Browser

from tests.adiuva.servers import lines_until_ready, serving
from tests.conftest import PASSWORD
from tests.databases import fresh_database
from tests.end_to_end.browsers import launched
from tests.model_server.server import ModelServer

SECRET_KEY = "an end-to-end secret that nobody else knows, long enough for anyone"


@dataclass(frozen=True)
class Running:
    """A server process and its model."""

    url: str
    model: ModelServer

    @property
    def socket_url(self) -> str:
        return f"{self.url.replace('http', 'ws', 1)}/api/v1/ws/device"


@dataclass(frozen=True)
class Account:
    """A newly registered user."""

    email: str
    password: str
    access: str


def environment(database_url: str, data_dir: Path, **more: str) -> dict[str, str]:
    """The environment of a test's server process, without the developer's own configuration."""
    return {
        **{
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("OPENAI_", "LANGFUSE_", "REDIS_", "AMQP_"))
        },
        "DJANGO_SETTINGS_MODULE": "tests.server_settings",
        "ADIUVA_DEBUG": "1",
        "ADIUVA_DATA_DIR": str(data_dir),
        "ADIUVA_SECRET_KEY": SECRET_KEY,
        "ADIUVA_LOGIN_RATE": "1000/s",
        "ADIUVA_LOGIN_ADDRESS_RATE": "1000/s",
        "ADIUVA_REGISTER_RATE": "1000/s",
        "ADIUVA_REQUESTS_PER_MINUTE": "10000",
        # Summaries and vectors use the same model server, and would consume the answers that a test has scripted.
        "ADIUVA_MEMORY": "0",
        "DATABASE_URL": database_url,
        **more,
    }


@contextmanager
def server(data_dir: Path, **more: str) -> Iterator[str]:
    """A server process on its own database; yields its address, and must exit cleanly."""
    with fresh_database() as url, serving("--port", "0", env=environment(url, data_dir, **more)) as process:
        _, address = lines_until_ready(process)
        yield address
        process.terminate()
        assert process.wait(30) == 0


@pytest.fixture(scope="session")
def offline(database_server: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server without a model, shared by all workspace tests that need no other."""
    with server(tmp_path_factory.mktemp("server")) as url:
        yield url


@pytest.fixture(scope="session")
def running(database_server: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One server for all end-to-end tests; each creates its own accounts and words."""
    data_dir = tmp_path_factory.mktemp("server")
    with ModelServer() as model, server(data_dir, OPENAI_BASE_URL=model.base_url) as address:
        yield Running(url=address, model=model)


def register(url: str) -> Account:
    """A new account with a random address."""
    email, password = f"{uuid.uuid4().hex}@example.com", PASSWORD
    answer = httpx.post(f"{url}/api/v1/auth/register", json={"email": email, "password": password}, timeout=30)
    assert answer.status_code == 201, answer.text
    return Account(email=email, password=password, access=answer.json()["access"])


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    """An account shared by all tests that need no other."""
    async with launched() as browser:
        yield browser


@pytest.fixture
def alice(running: Running) -> Account:
    return register(running.url)


@pytest.fixture
def bob(running: Running) -> Account:
    return register(running.url)
