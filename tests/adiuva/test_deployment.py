"""The files for installations, checked against the code. No container is started."""

import importlib.util
import json
import re
import runpy
import shlex
import shutil
import socket
import stat
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import pytest
import yaml
from django.core.management import get_commands
from pytest_django import Settings

from accounts.cipher import MasterKeys
from adiuva.database.loop_statements import MAX_CONNECTIONS
from adiuva.database.pool import connection_options, database_from_url
from adiuva.env import Environment, checked_amqp_url, checked_redis_url
from adiuva.metrics import Metrics
from adiuva.server import serve
from tests.adiuva.production import environment, manage
from tests.forks import ROOT

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OURS = [name for name, service in SERVICES.items() if "build" in service]
ELSEWHERE = {"database", "redis", "rabbitmq"}
"""Services that may be other ones than those started here."""
DOCKERFILE = (ROOT / "Dockerfile").read_text()
IGNORED = (ROOT / ".dockerignore").read_text()
CADDYFILE = (ROOT / "deploy" / "Caddyfile").read_text()


def instructions(word: str) -> list[str]:
    """The arguments of every ``word`` instruction in the Dockerfile, with continued lines joined."""
    return re.findall(rf"^{word} (.*)$", re.sub(r"\\\n", "", DOCKERFILE), re.MULTILINE)


def last_stage() -> str:
    return DOCKERFILE.rpartition("\nFROM ")[2]


def is_one_shot(name: str) -> bool:
    awaited = [other["depends_on"].get(name) for other in SERVICES.values() if "depends_on" in other]
    return SERVICES[name].get("restart") == "no" and {"condition": "service_completed_successfully"} in awaited


def seconds(duration: str) -> int:
    number, unit = re.fullmatch(r"(\d+)([sm])", duration, re.ASCII).groups()  # type: ignore[union-attr] # else it fails
    return int(number) * {"s": 1, "m": 60}[unit]


def documented() -> set[str]:
    """The variables that may be set; secrets in both forms."""
    rows = re.findall(r"^\| (`[A-Z].*?) \|", (ROOT / "docs" / "settings.md").read_text(), re.MULTILINE)
    found = set()
    for row in rows:
        for name in re.findall(r"`([A-Z][A-Z_]+)`", row):
            found |= {name, f"{name}_FILE"} if "*secret*" in row else {name}
    return found


def secret_settings() -> set[str]:
    return {name.removesuffix("_FILE") for name in documented() if name.endswith("_FILE")}


def secret_names(service: Mapping[str, Any]) -> set[str]:
    return {given if isinstance(given, str) else given["source"] for given in service.get("secrets", [])}


def made_secrets(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "deploy" / "make_secrets.py", "--folder", folder, *options],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "var" / "secrets"
    assert made_secrets(made).returncode == 0
    return made


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files in the image, according to ``.dockerignore``."""
    target = tmp_path_factory.mktemp("image")
    for line in IGNORED.splitlines():
        if line.startswith("!"):
            source, copy = ROOT / line[1:], target / line[1:]
            copy.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, copy)
    return target


# The services


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_has_a_health_check_or_runs_once(name: str) -> None:
    check = SERVICES[name].get("healthcheck")
    if is_one_shot(name):
        assert check == {"disable": True}
    elif check is None:
        assert name in OURS
        assert instructions("HEALTHCHECK")
        # The image's health check is the server's: a service without a port needs another.
        assert "adiuva.serve" in SERVICES[name]["command"]
    else:
        assert check["test"][0] in {"CMD", "CMD-SHELL"}
        assert seconds(check["timeout"]) < seconds(check["interval"])


@pytest.mark.parametrize("name", SERVICES)
def test_services_wait_until_others_are_healthy_or_done(name: str) -> None:
    for other, how in SERVICES[name].get("depends_on", {}).items():
        expected = "service_completed_successfully" if is_one_shot(other) else "service_healthy"
        required = {"required": False} if other in ELSEWHERE else {}
        assert (other, how) == (other, {"condition": expected, **required})


@pytest.mark.parametrize("name", ["web", "worker"])
def test_tables_are_there_before_the_server_starts(name: str) -> None:
    assert "migrate" in SERVICES[name]["depends_on"]
    assert SERVICES["migrate"]["command"][:3] == ["python", "manage.py", "migrate"]


def test_several_processes_serve_and_work() -> None:
    assert [SERVICES[name]["deploy"]["replicas"] for name in ("web", "worker")] == [2, 2]


@pytest.mark.parametrize("name", SERVICES)
def test_services_have_no_right_that_they_do_not_need(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in service
    assert service.get("cap_add", []) == (["NET_BIND_SERVICE"] if name == "proxy" else [])


def test_only_the_proxy_can_be_reached_from_outside() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["proxy"]
    assert [name for name, service in SERVICES.items() if "network_mode" in service] == []
    assert COMPOSE["networks"]["back"] == {"internal": True}
    inside = {name for name, service in SERVICES.items() if service["networks"] == ["back"]}
    assert inside == ELSEWHERE


@pytest.mark.parametrize("name", OURS)
def test_services_of_ours_reach_services_elsewhere(name: str) -> None:
    outward = {network for network, options in COMPOSE["networks"].items() if not options.get("internal")}
    assert outward & set(SERVICES[name]["networks"])
    assert SERVICES[name]["volumes"] == ["./var/tls:/run/tls:ro"]


def test_each_service_that_may_be_elsewhere_can_be_left_out() -> None:
    for name in ELSEWHERE:
        added = yaml.safe_load((ROOT / "deploy" / f"external-{name}.yml").read_text())
        assert added == {"services": {name: {"profiles": ["local"]}}}
    assert not any("profiles" in service for service in SERVICES.values())
    assert {name for name, service in SERVICES.items() if "front" in service["networks"]} == {"proxy", "web"}


def test_server_trusts_only_the_proxy() -> None:
    (front,) = COMPOSE["networks"]["front"]["ipam"]["config"]
    assert SERVICES["web"]["environment"]["ADIUVA_TRUSTED_PROXIES"] == front["subnet"]


def test_images_have_no_registry_and_a_version() -> None:
    named = [service["image"] for service in SERVICES.values() if "image" in service]
    named += [base.split()[0] for base in instructions("FROM")]
    for name in named:
        repository, _, version = name.partition(":")
        assert re.fullmatch(r"[\w.-]*\d[\w.-]*", version), name
        # The first part of a longer name is a host if it has a dot or a port.
        assert "." not in repository.partition("/")[0], name


def test_images_of_ours_are_made_here_and_never_fetched() -> None:
    assert OURS == ["web", "worker", "migrate"]
    assert [name for name in OURS if "image" in SERVICES[name]] == []


@pytest.mark.parametrize("name", OURS)
def test_command_of_each_service_exists(name: str, image: Path) -> None:
    for command in (SERVICES[name]["command"], SERVICES[name].get("healthcheck", {}).get("test", [])[1:]):
        match command:
            case ["python", "-m", module, *_]:
                assert importlib.util.find_spec(module) is not None
            case ["python", "manage.py", subcommand, *_]:
                assert subcommand in get_commands()
            case ["python", script, *_]:
                assert (image / script).is_file()
            case _:
                assert command == []


def test_processes_get_the_time_that_they_need_to_leave() -> None:
    assert seconds(SERVICES["web"]["stop_grace_period"]) >= serve._GRACE_S + 5
    assert seconds(SERVICES["worker"]["stop_grace_period"]) >= serve._GRACE_S + 5


def test_database_has_room_for_every_process() -> None:
    options = cast("dict[str, dict[str, Any]]", connection_options())["OPTIONS"]
    each = options["pool"]["max_size"] + MAX_CONNECTIONS + 2  # which hear notices, and ask whether the database answers
    processes = sum(SERVICES[name]["deploy"]["replicas"] for name in ("web", "worker"))
    (allowed,) = re.findall(r"-cmax_connections=(\d+)", shlex.join(SERVICES["database"]["command"]))
    assert int(allowed) >= 2 * processes * each  # the old and the new ones during an update


@pytest.mark.contracts
def test_database_logs_as_little_as_the_page_asks_for() -> None:
    page = (ROOT / "docs" / "running.md").read_text()
    asked = re.findall(r"^(log_\w+) = (\S+)$", page, re.MULTILINE)
    assert len(asked) == 5
    for name, value in asked:
        assert f"-c{name}={value}" in SERVICES["database"]["command"]


# Settings and secrets


@pytest.mark.contracts
@pytest.mark.parametrize("name", OURS)
def test_every_variable_that_is_set_is_documented(name: str) -> None:
    assert set(SERVICES[name]["environment"]) - documented() == set()


@pytest.mark.parametrize("name", OURS)
def test_secrets_come_from_files_that_the_service_has(name: str) -> None:
    service = SERVICES[name]
    variables: dict[str, str] = service["environment"]
    assert secret_settings() & set(variables) == set()
    files = {Path(value) for variable, value in variables.items() if variable.endswith("_FILE")}
    assert {path.parent for path in files} == {Path("/run/secrets")}
    assert {path.name for path in files} == secret_names(service)


@pytest.mark.contracts
def test_every_documented_secret_can_be_given() -> None:
    given = {name.removesuffix("_FILE") for name in SERVICES["web"]["environment"] if name.endswith("_FILE")}
    assert given == secret_settings()


def test_services_have_only_secrets_that_are_made(folder: Path) -> None:
    declared = COMPOSE["secrets"]
    used = set[str]().union(*map(secret_names, SERVICES.values()))
    assert used == set(declared) == {path.name for path in folder.iterdir()}
    assert {name: {"file": f"var/secrets/{name}"} for name in declared} == declared


def scalars(value: object) -> Iterator[str]:
    match value:
        case dict():
            for key, inner in value.items():
                yield from (str(key), *scalars(inner))
        case list():
            for inner in value:
                yield from scalars(inner)
        case _:
            yield str(value)


def test_no_file_contains_a_secret() -> None:
    assert "$" not in (ROOT / "docker-compose.yml").read_text().replace("$$", "")  # nor what .env or the shell hold
    for text in (*scalars(COMPOSE), *DOCKERFILE.split()):
        assert not re.search(r"://[^/\s]*@", text), text  # an address with a password
        assert not re.fullmatch(r"[A-Za-z0-9_=-]{32,}", text), text  # looks random
    for name, service in SERVICES.items():
        for variable, value in service.get("environment", {}).items():
            if re.search("PASS|KEY|SECRET|URL", variable):
                assert value.startswith("/run/secrets/"), (name, variable)


def test_made_secrets_start_a_server(folder: Path, tmp_path: Path) -> None:
    variables = {
        name: str(folder / Path(value).name) if name.endswith("_FILE") else value
        for name, value in SERVICES["web"]["environment"].items()
    }
    env = environment(tmp_path / "data", **variables, ADIUVA_ALLOWED_HOSTS="a.example, b.example")
    checked = manage("check", "--deploy", "--fail-level", "WARNING", env=env)
    assert checked.returncode == 0, checked.stderr


def test_made_secrets_fit_together_and_the_services(folder: Path) -> None:
    env = Environment({f"{path.name.upper()}_FILE": str(path) for path in folder.iterdir()})
    database = database_from_url(env.secret("DATABASE_URL"))
    assert database["PASSWORD"] == env.secret("DATABASE_PASSWORD")
    redis = urlsplit(checked_redis_url(env.secret("REDIS_URL")))
    assert env.secret("REDIS_CONFIG") == f"requirepass {redis.password}"
    broker = urlsplit(checked_amqp_url(env.secret("AMQP_URL")))
    assert env.secret("RABBITMQ_CONFIG") == f"default_user = {broker.username}\ndefault_pass = {broker.password}"
    assert {database["HOST"], redis.hostname, broker.hostname} <= set(SERVICES)
    assert SERVICES["worker"]["healthcheck"]["test"] == ["CMD", "python", "deploy/connected.py"]
    made = (ROOT / "deploy" / "postgres.sql").read_text()
    assert f"CREATE ROLE {database['USER']} LOGIN" in made
    assert f"CREATE DATABASE {database['NAME']} OWNER {database['USER']};" in made


def test_secrets_are_new_each_time_and_for_their_owner_alone(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    assert made_secrets(other).returncode == 0
    same = sorted(path.name for path in folder.iterdir() if path.read_text() == (other / path.name).read_text())
    models = ["anthropic_api_key", "openai_api_key", "openai_embedding_api_key", "openai_small_api_key", "models"]
    assert same == sorted([*models, "langfuse_secret_key", "metrics_token", "otlp_headers", "smtp_url"])
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o644}


def test_secrets_that_are_there_are_left_alone(folder: Path) -> None:
    before = {path.name: path.read_text() for path in folder.iterdir()}
    again = made_secrets(folder)
    assert (again.returncode, again.stderr) == (1, f"{folder} is there already: nothing was changed.\n")
    assert {path.name: path.read_text() for path in folder.iterdir()} == before


def test_new_master_key_comes_before_the_others(folder: Path) -> None:
    path = folder / "master_keys"
    before = path.read_text()
    assert made_secrets(folder, "--new-master-key").returncode == 0
    first, _, rest = path.read_text().partition(",")
    assert rest == before
    assert first != before
    MasterKeys.parse(path.read_text())
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_new_master_key_is_made_after_a_run_that_was_killed(folder: Path) -> None:
    before = (folder / "master_keys").read_text()
    (folder / ".master_keys").write_text(before[:10])
    assert made_secrets(folder, "--new-master-key").returncode == 0
    assert (folder / "master_keys").read_text().endswith(f",{before}")
    assert not (folder / ".master_keys").exists()


def test_new_master_key_needs_the_old_ones(tmp_path: Path) -> None:
    refused = made_secrets(tmp_path, "--new-master-key")
    assert (refused.returncode, refused.stderr) == (
        1,
        f"{tmp_path} holds no master keys: make the secrets first.\n",
    )
    assert list(tmp_path.iterdir()) == []


# Prometheus


@pytest.mark.skipif(not shutil.which("promtool"), reason="needs promtool, of Debian's package prometheus")
@pytest.mark.parametrize(
    "arguments",
    [("check", "rules", "alerts.yml"), ("test", "rules", "alerts.test.yml"), ("check", "config", "prometheus.yml")],
)
def test_alerts_fire_when_they_should(arguments: tuple[str, ...]) -> None:
    extra = ["--syntax-only"] if "config" in arguments else []
    *command, file = arguments
    path = ROOT / "deploy" / "prometheus" / file
    done = subprocess.run(["promtool", *command, *extra, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def queried(value: object) -> set[str]:
    """The names of our metrics in all texts of ``value``."""
    return {name for text in scalars(value) for name in re.findall(r"\badiuva_\w+", text)}


@pytest.mark.contracts
@pytest.mark.parametrize("path", ["prometheus/alerts.yml", "grafana.json"])
def test_alerts_and_the_dashboard_ask_for_metrics_that_there_are(path: str) -> None:
    # JSON is YAML.
    asked = queried(yaml.safe_load((ROOT / "deploy" / path).read_text()))
    families = {family.name for family in Metrics().registry.collect()}
    known = {f"{name}{ending}" for name in families for ending in ("", "_total", "_bucket", "_count", "_sum")}
    assert len(asked) >= 6
    assert asked - known == set()


@pytest.mark.contracts
def test_every_metric_is_documented() -> None:
    page = (ROOT / "docs" / "observing.md").read_text()
    ours = {family.name for family in Metrics().registry.collect() if family.name.startswith("adiuva_")}
    assert {name for name in ours if name not in page} == set()


# The image


def test_image_runs_as_a_user_who_is_not_root() -> None:
    users = re.findall(r"^USER (\S+)$", last_stage(), re.MULTILINE)
    assert len(users) == 1
    assert int(users[0].partition(":")[0]) > 0
    assert not {"root", "0", "0:0"} & {service.get("user") for service in SERVICES.values()}
    # All copying and running precedes USER, so that the image is read-only for it.
    assert re.search(r"^(COPY|ADD|RUN)\b", last_stage().partition("\nUSER ")[2], re.MULTILINE) is None


def test_signals_reach_the_server_through_tini() -> None:
    assert [json.loads(entry) for entry in instructions("ENTRYPOINT")] == [["tini", "--"]]
    assert re.search(r"apt-get install\b.*\btini\b", " ".join(instructions("RUN")))
    assert [json.loads(command) for command in instructions("CMD")] == [SERVICES["web"]["command"]]
    assert [name for name in OURS if "entrypoint" in SERVICES[name]] == []


def test_image_names_the_authorities_that_it_trusts() -> None:
    assert re.search(r"apt-get install\b.*\bca-certificates\b", " ".join(instructions("RUN")))
    # psycopg does not find them by itself (adiuva.E009).
    assert "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt" in " ".join(instructions("ENV")).split()


def test_image_holds_no_secret() -> None:
    assert instructions("ARG") == []
    for variable in instructions("ENV"):
        assert not re.search("ADIUVA_|OPENAI_|_URL|KEY|PASS|SECRET", variable), variable


def test_image_installs_the_lock_before_the_sources_come() -> None:
    lines = re.sub(r"\\\n", "", DOCKERFILE).splitlines()
    lock = lines.index("COPY requirements.lock .")
    (installation,) = (number for number, line in enumerate(lines) if "pip install" in line)
    sources = lines.index("COPY . .")
    assert lock < installation < sources
    for option in ("--require-hashes", "--no-deps", "--requirement requirements.lock"):
        assert option in lines[installation]


def test_image_has_a_python_that_the_project_supports() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["requires-python"] == ">=3.11"
    assert {base.split()[0] for base in instructions("FROM")} <= {f"python:3.{minor}-slim" for minor in (11, 12, 13)}


def test_image_gets_the_server_and_nothing_else() -> None:
    first, *rest = [line for line in IGNORED.splitlines() if not line.startswith("#")]
    assert first == "*"
    floors = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]["layers"]
    scripts = {"deploy/connected.py", "manage.py", "requirements.lock"}
    assert {line[1:] for line in rest if line.startswith("!")} == {*floors, "locale", "templates", *scripts}


def test_image_is_made_and_its_commands_start_without_a_secret(image: Path, tmp_path: Path) -> None:
    (built,) = (command for command in instructions("RUN") if "manage.py" in command)
    collect, _, _ = built.partition(" && ")
    env = {
        name: value for name, value in environment(tmp_path).items() if name not in {"PYTHONPATH", "ADIUVA_DATA_DIR"}
    }
    for command in (collect, "python manage.py tool_worker --help", "python -m adiuva.serve --help"):
        program, *arguments = shlex.split(command)
        assert program == "python"
        done = subprocess.run(
            [sys.executable, *arguments], cwd=image, env=env, capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode == 0, done.stderr
    assert (image / "staticfiles" / "admin").is_dir()
    assert not (image / "var").exists()


def test_image_asks_whether_the_server_lives() -> None:
    (check,) = instructions("HEALTHCHECK")
    program = json.loads(check.partition("CMD ")[2])
    assert program[:2] == ["python", "-c"]
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert "8000" in program[2]
        asked = subprocess.Popen(
            [sys.executable, "-c", program[2].replace("8000", str(port))], stdout=subprocess.DEVNULL
        )
        connection, _ = server.accept()
        with connection:
            assert connection.recv(4096).startswith(b"GET /healthz HTTP/1.1\r\n")
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        assert asked.wait(30) == 0


# The worker's health check, and the proxy


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="it reads the kernel's table, which only Linux has")
@pytest.mark.parametrize("scheme", ["amqp", "amqps"])
def test_worker_is_well_while_it_holds_its_connection(scheme: str, tmp_path: Path) -> None:
    address = tmp_path / "amqp_url"

    def exit_code() -> int:
        env = {"AMQP_URL_FILE": str(address)}
        return subprocess.run([sys.executable, ROOT / "deploy" / "connected.py"], env=env, check=False).returncode

    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        address.write_text(f"{scheme}://adiuva:secret@broker.example:{port}/vhost?cafile=/ca.pem\n")
        assert exit_code() == 1
        with socket.create_connection(("127.0.0.1", port)) as client:
            accepted, _ = server.accept()
            with accepted:
                assert exit_code() == 0
            # The other side has hung up.
            assert client.recv(1) == b""
            assert exit_code() == 1


@pytest.mark.parametrize(
    ("url", "port"),
    [("amqp://broker.example", 5672), ("amqps://a:b@broker.example/v", 5671), ("amqps://b:6000/", 6000)],
)
def test_port_of_the_broker_is_that_of_its_address(url: str, port: int) -> None:
    connected = runpy.run_path(str(ROOT / "deploy" / "connected.py"))
    assert connected["broker_port"]({"AMQP_URL": url}) == port


def test_proxy_passes_on_to_the_server_and_never_cuts_a_quiet_socket() -> None:
    assert re.search(r"dynamic a \{\s+name web\s+port 8000\s", CADDYFILE)
    assert "8000" in instructions("EXPOSE")
    (site,) = re.findall(r"^(\{\$\w+\}) \{$", CADDYFILE, re.MULTILINE)
    assert site == "{$ADIUVA_ALLOWED_HOSTS}"
    assert SERVICES["proxy"]["env_file"] == SERVICES["web"]["env_file"]
    assert re.search(r"stream_timeout|read_timeout|write_timeout|\bidle\b", CADDYFILE) is None


def test_proxy_limits_heads_and_closes_idle_connections_before_the_server_does(settings: Settings) -> None:
    assert re.search(r"timeouts \{\s+read_header 10s\s+\}", CADDYFILE)
    (keep_alive_s,) = re.findall(r"^\s+keepalive (\d+)s$", CADDYFILE, re.MULTILINE)
    assert int(keep_alive_s) < settings.KEEP_ALIVE_S


def test_proxy_logs_neither_addresses_nor_headers() -> None:
    (fields,) = re.findall(r"fields \{([^}]*)\}", CADDYFILE)
    assert re.findall(r"(\S+) delete", fields) == ["request>uri", "request>headers"]
