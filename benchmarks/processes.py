"""The processes of a benchmark: the server under test, the model, the workers that load them, each on its own."""

import atexit
import json
import multiprocessing
import os
import secrets
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Final

import httpx
from cryptography.fernet import Fernet
from pydantic import JsonValue

from tests.adiuva.servers import lines_until_ready
from tests.forks import FORKS, ROOT, Fork, forked
from tests.proxied import devices_behind_proxy

WORKER_S: Final = 180.0
"""No worker runs longer."""
INSIDE_S: Final = 1800.0
"""Nor one that fills the database first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Server:
    """A server process that accepts connections."""

    url: str
    pid: int

    @property
    def socket_url(self) -> str:
        return f"{self.url.replace('http', 'ws', 1)}/api/v1/ws/device"

    def register(self, account: Mapping[str, str] | None = None) -> str:
        """The access token of a new account, by default of any."""
        account = account or {"email": f"{uuid.uuid4().hex}@example.com", "password": "correct horse battery staple"}
        # In production a proxy on this machine takes the secure connections, and says so.
        proxied = {"X-Forwarded-Proto": "https"}
        answer = httpx.post(
            f"{self.url}/api/v1/auth/register", json=account, headers=proxied, timeout=30, trust_env=False
        )
        answer.raise_for_status()
        return str(answer.json()["access"])

    def personal_token(self, access: str) -> str:
        """A personal token of the account with this access token."""
        return str(self._ask("POST", "/api/v1/auth/tokens", access, {"name": "benchmarks"}).json()["token"])

    def stop_remembering(self, access: str) -> None:
        """Turn the memory off for the account with this access token."""
        self._ask("PATCH", "/api/v1/auth/me", access, {"memory_enabled": False})

    def metric(self, name: str, token: str) -> float:
        """The value of a metric without labels. The server must run with ``token`` as ``ADIUVA_METRICS_TOKEN``."""
        page = self._ask("GET", "/metrics", token).text
        return next(float(line.split()[1]) for line in page.splitlines() if line.split(" ")[0] == name)

    def _ask(self, method: str, path: str, token: str, body: Mapping[str, object] | None = None) -> httpx.Response:
        headers = {"X-Forwarded-Proto": "https", "Authorization": f"Bearer {token}"}
        answer = httpx.request(method, f"{self.url}{path}", json=body, headers=headers, timeout=30, trust_env=False)
        answer.raise_for_status()
        return answer


@contextmanager
def model() -> Iterator[str]:
    """A model's process; gives its base URL."""
    with _process("-m", "benchmarks.model") as process:
        yield _first_line(process)


@contextmanager
def traces(path: str, credentials: str = "") -> Iterator[str]:
    """A process that takes traces at ``path``, as ``benchmarks.traces`` says; gives its URL."""
    with _process("-m", "benchmarks.traces", path, credentials) as process:
        yield _first_line(process)


@contextmanager
def echo() -> Iterator[tuple[str, int]]:
    """A process that echoes what comes on its socket; gives its URL and its process id."""
    with _process("-m", "benchmarks.echo") as process:
        yield _first_line(process), process.pid


@contextmanager
def sdk_server() -> Iterator[str]:
    """A process of the MCP SDK's own server; gives its URL."""
    with _process("-m", "benchmarks.sdk_server") as process:
        yield _first_line(process)


@contextmanager
def server(
    data_dir: Path,
    model_url: str,
    *,
    module: str = "adiuva.serve",
    arguments: Sequence[str] = (),
    debug: bool = False,
    memory: bool = False,
    settings: Mapping[str, str] | None = None,
) -> Iterator[Server]:
    """The server under test, with a database of its own in ``data_dir``; ``module`` may be one that wraps it.

    It runs as in production, where the tables must be there: a start with ``debug`` makes them. What it is compared
    with remembers nothing, so it does so only with ``memory``. ``settings`` come on top of those of all benchmarks;
    servers of the same users need the same keys.
    """
    given = {
        **_asking(data_dir, model_url),
        "ADIUVA_MEMORY": "1" if memory else "0",
        **({"ADIUVA_DEBUG": "1"} if debug else {}),
        **(settings or {}),
    }
    with _process("-m", module, *(arguments or ("--port", "0")), env=given) as process:
        _, url = lines_until_ready(process)
        with devices_behind_proxy():
            yield Server(url=url, pid=process.pid)
        process.terminate()
        process.wait(_LEAVING_S)


@contextmanager
def tool_worker(data_dir: Path, model_url: str, *, slots: int, settings: Mapping[str, str]) -> Iterator[Fork]:
    """A process, once it listens, that runs ``slots`` jobs at a time of the servers with the same ``settings``."""
    given = {**_asking(data_dir, model_url), "ADIUVA_MEMORY": "0", **settings}
    with _process("manage.py", "tool_worker", "--concurrency", str(slots), env=given) as process:
        _first_line(process)
        yield process


def _asking(data_dir: Path, model_url: str) -> dict[str, str]:
    return {**environment(data_dir), "OPENAI_BASE_URL": model_url}


USER_LIMITS: Final = (
    "ADIUVA_REQUESTS_PER_MINUTE",
    "ADIUVA_MAX_JOBS",
    "ADIUVA_MAX_SOCKETS",
    "ADIUVA_MAX_DEVICES",
    "ADIUVA_CONNECTIONS_PER_MINUTE",
    "ADIUVA_SOCKET_FRAMES_PER_SECOND",
    "ADIUVA_USER_FRAMES_PER_SECOND",
    "ADIUVA_CONNECTIONS_PER_ADDRESS",
)
"""Settings that a single client of a benchmark would reach."""


def environment(data_dir: Path) -> dict[str, str]:
    """As in production, with keys of its own and cheap passwords, without limits of a user and second factors."""
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(_OURS)},
        "DJANGO_SETTINGS_MODULE": "benchmarks.server_settings",
        "ADIUVA_DATA_DIR": str(data_dir),
        **_keys_of(data_dir),
        "ADIUVA_ALLOWED_HOSTS": "127.0.0.1",
        "ADIUVA_LOG_LEVEL": "ERROR",
        "ADIUVA_STAFF_SECOND_FACTOR": "optional",
        "ADIUVA_REGISTER_RATE": "1000/s",
        **dict.fromkeys(USER_LIMITS, "1000000"),
        "ADIUVA_REST_RATE": "1000000/m",
    }


def run_inside(module: str, name: str, data_dir: Path, **arguments: JsonValue) -> JsonValue:
    """As ``run_worker``, of a ``module`` that sets Django up, on the database in ``data_dir``."""
    return _result(["-m", module, name, json.dumps(arguments)], name, environment(data_dir), timeout_s=INSIDE_S)


@cache
def _keys_of(_data_dir: Path) -> dict[str, str]:
    """The same for all servers of one database."""
    return {
        "ADIUVA_SECRET_KEY": secrets.token_urlsafe(50),
        "ADIUVA_MASTER_KEYS": Fernet.generate_key().decode(),
    }


_OURS: Final = ("ADIUVA_", "OPENAI_", "LANGFUSE_", "DATABASE_URL", "REDIS_", "AMQP_", "DJANGO_")
_LEAVING_S: Final = 40.0


def run_worker(name: str, **arguments: JsonValue) -> JsonValue:
    """What the work ``name`` of ``benchmarks.workers`` gives, run in a process of its own. Raises ``WorkerFailed``.

    One worker runs at a time.
    """
    parent, connection = _parent_of_workers()
    connection.send((name, arguments))
    try:
        done, result = _received(connection, name)
    except BaseException:
        # What this worker may still send would be taken for the next one's.
        _parent_of_workers.cache_clear()
        with suppress(ProcessLookupError):
            os.killpg(parent.pid or 0, signal.SIGKILL)
        raise
    if not done:
        raise WorkerFailed(f"{name} failed: standard error says why")
    return result


def _received(connection: Connection, name: str) -> tuple[bool, JsonValue]:
    if not connection.poll(WORKER_S):
        raise WorkerFailed(f"{name} took more than {WORKER_S} s")
    try:
        received: tuple[bool, JsonValue] = connection.recv()
    except (EOFError, ConnectionError):
        raise WorkerFailed(f"{name} failed: standard error says why") from None
    return received


@cache
def _parent_of_workers() -> tuple[BaseProcess, Connection]:
    """A process that forks a worker for each message, and ends when this one does."""
    ours, theirs = FORKS.Pipe()
    parent = FORKS.Process(target=_fork_workers, args=(theirs,))
    parent.start()
    theirs.close()
    atexit.register(ours.close)  # before ``multiprocessing`` waits for it to end
    return parent, ours


def _fork_workers(connection: Connection) -> None:
    os.setsid()
    # Not at the top: the module sets Django up, which only workers need. This imports it once for all of them.
    from benchmarks.workers import work

    fork = multiprocessing.get_context("fork")
    with suppress(EOFError):
        while True:
            name, arguments = connection.recv()
            worker = fork.Process(target=_send_result, args=(connection, work, name, arguments))
            worker.start()
            worker.join()
            if worker.exitcode:
                connection.send((False, None))


def _send_result(
    connection: Connection,
    work: Callable[[str, Mapping[str, JsonValue]], JsonValue],
    name: str,
    arguments: Mapping[str, JsonValue],
) -> None:
    connection.send((True, work(name, arguments)))


def _result(command: Sequence[str], name: str, environment: Mapping[str, str], *, timeout_s: float) -> JsonValue:
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    if done.returncode != 0:
        raise WorkerFailed(f"{name} failed:\n{done.stderr}")
    result: JsonValue = json.loads(done.stdout)
    return result


class WorkerFailed(Exception):
    """A worker did not end well: what it said is the message."""


def cpu_seconds(pid: int) -> float:
    """The CPU time that a process has used, all its threads together, to the nanosecond (Linux)."""
    return time.clock_gettime((~pid << 3) | 2)


def resident_bytes(pid: int) -> int:
    """The memory of a process that is not shared with a file: what it has made itself (Linux)."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon:"))


def _process(*arguments: str, env: Mapping[str, str] | None = None) -> AbstractContextManager[Fork]:
    return forked(*arguments, env=env, errors_apart=True)


def _first_line(process: Fork) -> str:
    line = process.stdout.readline().strip()
    if not line:
        raise WorkerFailed("A process ended before it was ready: standard error says why")
    return line
