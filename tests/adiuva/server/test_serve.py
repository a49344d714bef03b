import asyncio
import io
import signal
import socket
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import django
import httpx
import pytest
from pytest_django import Settings

from adiuva.database.embedded.cluster import living_server
from adiuva.errors import PortTaken
from adiuva.server import asgi, serve, starting
from adiuva.server.asgi import Application
from adiuva.server.serve import Server, listening, server_config, stopping
from adiuva.server.slow_clients import SocketProtocol
from adiuva.wiring.composition import Parts
from tests.adiuva.production import environment, manage, production
from tests.adiuva.servers import READY, cluster_data, line, lines_until_ready, readiness, serving, serving_by_command
from tests.chat.sockets import Server as Sockets

Drain = Callable[[], Awaitable[None]]


async def application(scope: dict[str, object], receive: object, send: Callable[[object], Awaitable[None]]) -> None:
    if scope["type"] != "http":
        raise ValueError(f"no {scope['type']} here")
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


class Running:
    """A server on a free port on the test's own loop."""

    def __init__(self, drain: Drain | None) -> None:
        self.ready = asyncio.Event()
        self.port = 0
        self.server = Server(server_config(application), drain=drain, on_ready=self.ready.set)

    async def run(self) -> None:
        with listening("127.0.0.1", 0) as listener:
            self.port = listener.getsockname()[1]
            await self.server.serve(sockets=[listener])

    def signal(self, number: int) -> None:
        self.server.handle_exit(number, None)


async def test_server_drains_without_taking_new_connections_and_returns_after_a_signal() -> None:
    refused: list[bool] = []

    async def drain() -> None:
        try:
            await asyncio.open_connection("127.0.0.1", running.port)
        except ConnectionRefusedError:
            refused.append(True)

    running = Running(drain)
    async with asyncio.timeout(20), asyncio.TaskGroup() as tasks:
        tasks.create_task(running.run())
        await running.ready.wait()
        async with httpx.AsyncClient(timeout=15) as client:
            assert (await client.get(f"http://127.0.0.1:{running.port}/")).status_code == 204
        running.signal(signal.SIGTERM)
    assert refused == [True]


async def test_drain_that_fails_is_logged_and_does_not_stop_the_leaving(caplog: pytest.LogCaptureFixture) -> None:
    async def drain() -> None:
        raise RuntimeError("broken")

    running = Running(drain)
    async with asyncio.timeout(20), asyncio.TaskGroup() as tasks:
        tasks.create_task(running.run())
        await running.ready.wait()
        running.signal(signal.SIGTERM)
    assert "The application did not drain" in caplog.text


async def test_second_interrupt_cuts_the_drain_short() -> None:
    draining, cut = asyncio.Event(), asyncio.Event()

    async def drain() -> None:
        draining.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cut.set()
            raise

    running = Running(drain)
    async with asyncio.timeout(20), asyncio.TaskGroup() as tasks:
        tasks.create_task(running.run())
        await running.ready.wait()
        running.signal(signal.SIGINT)
        await draining.wait()
        running.signal(signal.SIGINT)
    assert cut.is_set()


async def test_drain_ends_with_the_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "_GRACE_S", 0.2)
    running = Running(asyncio.Event().wait)  # type: ignore[arg-type] # what it returns is not looked at
    async with asyncio.timeout(20), asyncio.TaskGroup() as tasks:
        tasks.create_task(running.run())
        await running.ready.wait()
        running.signal(signal.SIGTERM)
    assert running.server.config.timeout_graceful_shutdown == 1


def test_configuration_follows_the_protocol() -> None:
    config = server_config(application)
    assert isinstance(config.ws, type)
    assert issubclass(config.ws, SocketProtocol)
    assert (config.ws_max_size, config.ws_per_message_deflate) == (4 * 1024 * 1024, False)
    assert (config.ws_ping_interval, config.ws_ping_timeout, config.server_header) == (20.0, 20.0, False)


def test_localhost_is_the_older_loopback() -> None:
    with listening("localhost", 0) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"


@pytest.mark.parametrize("host", ["not a host", "127.0.0..1", "a" * 64])
def test_invalid_address_is_refused(host: str) -> None:
    with pytest.raises(PortTaken, match=f"^There is no address {host}"), listening(host, 8000):
        pass


@pytest.mark.parametrize("port", ["65536", "-1", "http"])
def test_invalid_port_is_refused(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        serve.main(["--port", port])
    assert ended.value.code == 2
    assert "argument --port: " in capsys.readouterr().err


@pytest.fixture
def hang_up() -> Iterator[None]:
    """SIGHUP does what it does in a terminal; under ``nohup`` the tests inherit that it is ignored."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("hang_up")
def test_stop_signals_reach_the_handler_until_the_end_of_the_block() -> None:
    numbers = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
    before, seen = [signal.getsignal(number) for number in numbers], []
    with stopping(lambda number, _frame: seen.append(number)):
        for number in numbers:
            signal.raise_signal(number)
    assert seen == numbers
    assert [signal.getsignal(number) for number in numbers] == before


@pytest.mark.usefixtures("hang_up")
def test_signal_that_is_ignored_stays_ignored() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with stopping(serve._interrupt):
        signal.raise_signal(signal.SIGHUP)


@dataclass
class Start:
    """Records the steps of a start instead of taking them."""

    steps: list[str] = field(default_factory=list)
    on_prepare: Callable[[], None] = lambda: None

    @contextmanager
    def database(self) -> Iterator[None]:
        self.steps.append("database")
        try:
            yield
        finally:
            self.steps.append("database stopped")

    def prepare(self) -> None:
        self.steps.append("prepared")
        self.on_prepare()


@pytest.fixture
def start(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Start:
    """A development server's start without the steps already done for this process: Django, logging, a database."""
    start = Start()
    settings.DEBUG = settings.LOG_EVERYTHING = True
    monkeypatch.setattr(django, "setup", lambda: None)
    monkeypatch.setattr(starting, "database", start.database)
    monkeypatch.setattr(starting, "prepare", start.prepare)
    return start


def test_server_serves_at_its_address_until_a_signal(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[int] = []

    class Drained(Application):
        async def drain(self) -> None:
            start.steps.append("drained")
            await super().drain()

    class AnswerOutcome(io.StringIO):
        def write(self, text: str) -> int:
            if text.startswith(READY):
                beside.submit(ask_and_stop, text.removeprefix(READY).strip())
            return super().write(text)

    def ask_and_stop(address: str) -> None:
        try:
            answers.append(httpx.get(f"{address}/healthz", timeout=15).status_code)
        finally:
            signal.pthread_kill(main, signal.SIGTERM)

    main, stdout = threading.get_ident(), AnswerOutcome()
    monkeypatch.setattr(sys, "stdout", stdout)
    monkeypatch.setattr(asgi, "application", Drained(Parts(services=Sockets().services, memory=None)))
    # A signal that came after the server's end would end the tests.
    with stopping(lambda _number, _frame: None), ThreadPoolExecutor(1) as beside:
        assert serve.main(["--port", "0"]) == 0
    assert answers == [200]
    assert start.steps == ["database", "prepared", "drained", "database stopped"]
    # What to try is told once the server answers.
    said = stdout.getvalue().splitlines()
    assert said[-1].startswith(READY)
    assert said[1] == f"The workspace, in a browser: {said[-1].removeprefix(READY)}/app/"


def test_taken_port_is_one_sentence_and_nothing_is_started(start: Start, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert serve.main(["--port", str(port)]) == 2
    assert capsys.readouterr().err == (
        f"Cannot listen on 127.0.0.1 port {port} (Address already in use): choose another with --port.\n"
    )
    assert start.steps == []


def test_bad_configuration_is_one_sentence_and_nothing_is_started(
    start: Start, settings: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.MASTER_KEYS = ""
    assert serve.main(["--port", "0"]) == 2
    assert capsys.readouterr().err == (
        "There are no master keys, so users' keys cannot be opened. "
        "Set ADIUVA_MASTER_KEYS to Fernet keys, newest first, separated by commas.\n"
    )
    assert start.steps == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_during_the_preparation_ends_it_in_order(start: Start, number: signal.Signals) -> None:
    start.on_prepare = lambda: signal.raise_signal(number)
    # Under nohup the tests inherit that SIGHUP is ignored, and a server leaves an ignored signal ignored.
    inherited = signal.signal(number, signal.SIG_DFL)
    try:
        assert serve.main(["--port", "0"]) == 0
    finally:
        signal.signal(number, inherited)
    assert start.steps == ["database", "prepared", "database stopped"]


@pytest.mark.end_to_end
def test_development_server_prepares_itself_serves_and_stops_cleanly(data_dir: Path) -> None:
    env = environment(data_dir, ADIUVA_DEBUG="1")
    with serving_by_command("--port", "0", env=env) as server:
        said, address = lines_until_ready(server)
        assert said == [
            "Preparing the database (first start)…",
            "Preparing the tables…",
            "Demo account: demo@adiuva.local, password adiuva-demo-2026",
            f"The workspace, in a browser: {address}/app/",
            f'In a second terminal: ./dev chat --server {address} "Which tasks are due today?"',
        ]
        assert httpx.get(f"{address}/healthz", timeout=30).json() == {"status": "alive"}
        assert readiness(address).status_code == 200
        login = {"email": "demo@adiuva.local", "password": "adiuva-demo-2026"}
        tokens = httpx.post(f"{address}/api/v1/auth/token", json=login, timeout=30).json()
        assert set(tokens) == {"access", "refresh"}
        server.send_signal(signal.SIGTERM)
        assert (server.wait(timeout=30), line(server)) == (0, "")
    assert living_server(cluster_data(data_dir)) is None
    with serving("--port", "0", env=env) as server:
        said, _address = lines_until_ready(server)
        assert len(said) == 3
        server.send_signal(signal.SIGINT)
        assert (server.wait(timeout=30), line(server)) == (0, "")
    assert living_server(cluster_data(data_dir)) is None


@pytest.mark.end_to_end
@pytest.mark.usefixtures("cluster")
def test_production_server_says_what_is_missing_until_it_is_there(data_dir: Path) -> None:
    env = production(data_dir, DATABASE_URL="")
    with serving("--port", "0", env=env) as server:
        _said, address = lines_until_ready(server)
        parts = readiness(address).json()["parts"]
        assert parts["database"] == {"ok": True}
        assert parts["migrations"]["ok"] is False
        assert manage("migrate", env=env).returncode == 0  # beside the running server, on the same database
        assert readiness(address).status_code == 200
        named = {"host": "adiuva.example"}
        assert httpx.get(f"{address}/admin/login/", headers=named, timeout=30).status_code == 301
        by_proxy = {**named, "x-forwarded-proto": "https"}
        assert httpx.get(f"{address}/admin/login/", headers=by_proxy, timeout=30).status_code == 200
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=30) == 0


@pytest.mark.end_to_end
def test_signal_during_the_start_leaves_nothing_running(data_dir: Path) -> None:
    with serving("--port", "0", env=environment(data_dir, ADIUVA_DEBUG="1")) as server:
        assert line(server) == "Preparing the database (first start)…"
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=60) == 0
    assert living_server(cluster_data(data_dir)) is None


@pytest.mark.end_to_end
def test_taken_port_is_reported_before_anything_is_started(data_dir: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with serving("--port", port, env=environment(data_dir, ADIUVA_DEBUG="1")) as server:
            said = f"Cannot listen on 127.0.0.1 port {port} (Address already in use): choose another with --port."
            assert (line(server), line(server)) == (said, "")
            assert server.wait(timeout=30) == 2
    assert not cluster_data(data_dir).exists()


@pytest.mark.end_to_end
def test_incomplete_production_configuration_stops_the_start_with_one_sentence(data_dir: Path) -> None:
    with serving("--port", "0", env=production(data_dir, ADIUVA_MASTER_KEYS="")) as server:
        assert line(server) == (
            "There are no master keys, so users' keys cannot be opened. "
            "Set ADIUVA_MASTER_KEYS to Fernet keys, newest first, separated by commas."
        )
        assert server.wait(timeout=30) == 2
