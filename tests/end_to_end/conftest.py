"""The real server process, a scripted model over HTTP, and accounts made through REST."""

import os
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.adiuva.servers import lines_until_ready, serving
from tests.databases import fresh_database
from tests.model_server.server import ModelServer

CALL_TIMEOUT_S = 1.0
SECRET_KEY = "an end-to-end secret that nobody else knows, long enough for anyone"


@dataclass(frozen=True)
class Running:
    """A server process and the model it asks."""

    url: str
    model: ModelServer

    @property
    def socket_url(self) -> str:
        return f"{self.url.replace('http', 'ws', 1)}/api/v1/ws/device"


@dataclass(frozen=True)
class Account:
    """Somebody who has just registered."""

    email: str
    password: str
    access: str


def environment(database_url: str, data_dir: Path, model: ModelServer) -> dict[str, str]:
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "REDIS_", "AMQP_"))},
        "DJANGO_SETTINGS_MODULE": "adiuva.settings",
        "ADIUVA_DEBUG": "1",
        "ADIUVA_DATA_DIR": str(data_dir),
        "ADIUVA_SECRET_KEY": SECRET_KEY,
        "ADIUVA_REGISTER_RATE": "1000/s",
        "ADIUVA_CLIENT_CALL_TIMEOUT_S": str(CALL_TIMEOUT_S),
        "ADIUVA_REQUESTS_PER_MINUTE": "10000",
        "DATABASE_URL": database_url,
        "OPENAI_BASE_URL": model.base_url,
    }


@pytest.fixture(scope="session")
def running(database_server: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One server for all end-to-end tests; each makes its own accounts and words."""
    with ModelServer() as model, fresh_database() as url:
        env = environment(url, tmp_path_factory.mktemp("server"), model)
        with serving("--port", "0", env=env) as process:
            _, address = lines_until_ready(process)
            yield Running(url=address, model=model)
            process.terminate()
            assert process.wait(30) == 0


def register(url: str) -> Account:
    """A new account with a drawn address."""
    email, password = f"{uuid.uuid4().hex}@example.com", uuid.uuid4().hex
    answer = httpx.post(f"{url}/api/v1/auth/register", json={"email": email, "password": password}, timeout=30)
    assert answer.status_code == 201, answer.text
    return Account(email=email, password=password, access=answer.json()["access"])


@pytest.fixture
def alice(running: Running) -> Account:
    return register(running.url)


@pytest.fixture
def bob(running: Running) -> Account:
    return register(running.url)
