"""A server as in production with its own data folder, whose files can all be searched."""

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from adiuva.database.embedded.paths import DATABASE, ROLE, database_folder, socket_folder
from adiuva.database.embedded.programs import programs_for, server_user
from tests.adiuva.production import manage, production
from tests.adiuva.servers import lines_until_ready, open_data_dir, serving
from tests.end_to_end.conftest import Running
from tests.model_server.server import ModelServer
from tests.proxied import devices_behind_proxy

HOST = "127.0.0.1"


@dataclass(frozen=True)
class Guarded(Running):
    """As ``Running``, with everything an attacker could look into. ``said`` is all output of the process."""

    data_dir: Path
    environment: dict[str, str]
    said: list[str] = field(default_factory=list)

    def caller(self, access: str | None = None) -> httpx.Client:
        """A client behind the reverse proxy, over TLS."""
        headers = {"X-Forwarded-Proto": "https"} | ({"Authorization": f"Bearer {access}"} if access else {})
        return httpx.Client(base_url=self.url, headers=headers, timeout=30)

    def manage(self, *arguments: str, **variables: str) -> str:
        """The output of a management command, which must succeed."""
        done = manage(*arguments, env={**self.environment, **variables})
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    def dump(self) -> bytes:
        """The whole database, as dumped by ``pg_dump``."""
        program = programs_for(server_user()) / "pg_dump"
        where = ["--host", str(socket_folder(self.data_dir)), "--username", ROLE, DATABASE]
        return subprocess.run([program, *where], capture_output=True, check=True, timeout=60).stdout

    @property
    def database_log(self) -> Path:
        return database_folder(self.data_dir) / "cluster" / "server.log"


@contextmanager
def guarded(**variables: str) -> Iterator[Guarded]:
    """A server that runs until the end of the block and must exit cleanly."""
    with open_data_dir() as data_dir, ModelServer() as model:
        environment = production(
            data_dir,
            ADIUVA_ALLOWED_HOSTS=HOST,
            ADIUVA_LOG_LEVEL="DEBUG",
            DATABASE_URL="",
            OPENAI_BASE_URL=model.base_url,
            **variables,
        )
        migrated = manage("migrate", "--verbosity", "0", env=environment)
        assert migrated.returncode == 0, migrated.stderr
        with serving("--port", "0", env=environment) as process:
            said, address = lines_until_ready(process)
            server = Guarded(url=address, model=model, data_dir=data_dir, environment=environment, said=said)
            assert process.stdout is not None
            # Read the output as it comes: a full pipe would block the server.
            reading = threading.Thread(target=server.said.extend, args=[process.stdout])
            reading.start()
            with devices_behind_proxy():
                yield server
            process.terminate()
            assert process.wait(60) == 0
            reading.join(10)
