"""The sentences of ``manage.py doctor``, over true services, closed ports, and a Redis that answers as it is told."""

import io
import socket
import socketserver
import ssl
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest.mock import Mock

import pytest
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from pytest_django import Settings

from accounts.models import User
from adiuva.database.pool import DatabaseWrapper
from adiuva.doctor import examination as doctor
from adiuva.doctor.findings import Finding, Verdict, clock, disk, exposed, first_line, ok, problem, warning
from adiuva.doctor.models import embedder_findings, model_findings
from adiuva.mail_setting import MailServer
from adiuva.models_setting import configured_models
from agents.jobs.queue import QueueName
from memory.embedders.hashing import hashed
from memory.facts import store_fact
from memory.index import Embedding
from tests.accounts.mail_servers import mail_server
from tests.adiuva.servers import reserved_port
from tests.agents.jobs.queue_backends import RABBITMQ_PORT, RabbitQueueBackend, in_rabbitmq, url_at
from tests.chat.cluster.backends import REDIS_URL
from tests.databases import _django_connected_to, empty_database
from tests.model_server.fixtures import model_server
from tests.model_server.scripts import Json, Status, says
from tests.model_server.server import ModelServer

__all__ = ["model_server"]

NO_MODEL = "No model is configured: the offline assistant answers."
SECRET = "s3cret-in-the-address"


@pytest.fixture(autouse=True)
def alone(settings: Settings) -> None:
    """A complete production configuration with a database and nothing else."""
    settings.DEBUG, settings.REDIS_URL, settings.AMQP_URL, settings.MAIL_SERVER = False, "", "", None
    settings.DATABASE_URL = f"postgresql://adiuva:{SECRET}@127.0.0.1/adiuva"
    settings.ALLOWED_HOSTS, settings.PUBLIC_URL = ["adiuva.example"], "https://adiuva.example"
    settings.OPENAI_API_KEY = settings.OPENAI_BASE_URL = ""


def sentences(findings: Iterator[Finding], verdict: Verdict) -> list[str]:
    return [finding.sentence for finding in findings if finding.verdict is verdict]


def problems(findings: Iterator[Finding]) -> list[str]:
    return sentences(findings, Verdict.PROBLEM)


# Settings


def test_settings_that_do_not_fit_are_named(settings: Settings, tmp_path: Any) -> None:
    settings.STATIC_ROOT = tmp_path
    settings.AMQP_URL = "amqp://localhost"
    settings.TRUSTED_PROXIES = ["0.0.0.0/0"]
    settings.PUBLIC_URL = "https://elsewhere.example"
    found = list(doctor._settings())
    assert problem("AMQP_URL is set and REDIS_URL is not: workers need both.") in found
    assert "ADIUVA_TRUSTED_PROXIES names every address" in " ".join(problems(iter(found)))
    assert warning("Links in e-mail lead to elsewhere.example, which is not among ADIUVA_ALLOWED_HOSTS.") in found
    settings.ALLOWED_HOSTS = [".example"]
    assert "elsewhere" not in str(list(doctor._settings()))


def test_system_checks_are_part_of_it(settings: Settings, tmp_path: Any) -> None:
    settings.STATIC_ROOT = tmp_path / "absent"
    settings.MASTER_KEYS = ""
    found = problems(doctor._settings())
    assert any(sentence.endswith("(adiuva.E003)") for sentence in found)
    assert "There are no static files: run manage.py collectstatic." in found


def test_development_and_one_machine_are_reported(settings: Settings) -> None:
    settings.DEBUG, settings.DATABASE_URL, settings.REDIS_URL = True, "", "redis://localhost"
    found = list(doctor._settings())
    assert warning("ADIUVA_DEBUG is on: this is a server for development.") in found
    assert any("servers on other machines cannot use this database" in finding.sentence for finding in found)


# PostgreSQL and the keys


@pytest.mark.django_db(transaction=True)
def test_database_that_fits_has_no_problem(alice: User) -> None:
    found = list(doctor._database())
    assert problems(iter(found)) == []
    said = " ".join(finding.sentence for finding in found)
    for part in (
        "PostgreSQL 18.",
        "pgvector is 0.",
        "All migrations are applied.",
        "so there is room for ",
        "clocks of Po",
    ):
        assert part in said
    assert any("is a superuser" in sentence for sentence in sentences(iter(found), Verdict.WARNING))


def test_database_without_tables_says_what_to_run(database_server: None, django_db_blocker: Any) -> None:
    with django_db_blocker.unblock(), empty_database() as url, _django_connected_to(url.rpartition("/")[2]):
        with connection.cursor() as cursor:
            cursor.execute("DROP EXTENSION IF EXISTS vector")
        found = problems(doctor._database())
        keys = sentences(doctor._keys(), Verdict.WARNING)
        vectors = list(embedder_findings(ask=False))
    assert len(found) == 2
    assert found[0].startswith("The database lacks pgvector 0.")
    assert found[0].endswith(": run CREATE EXTENSION vector in it as a superuser.")
    assert found[1].startswith("Migrations are missing (")
    assert keys == ["Whether the master keys fit is unknown: the database cannot be reached, or has no tables."]
    assert vectors == [ok("Vectors are made by hashing, without a model.")]


@pytest.mark.django_db(transaction=True)
def test_database_of_a_newer_release_is_reported() -> None:
    MigrationRecorder(connection).record_applied("agents", "9999_of_a_newer_release")
    try:
        found = list(doctor._database())
    finally:
        MigrationRecorder(connection).record_unapplied("agents", "9999_of_a_newer_release")
    assert warning("The database has migrations that this release does not know (1): it is older.") in found
    assert Finding(Verdict.OK, "All migrations are applied.") not in found


@pytest.mark.parametrize(
    ("free", "verdict"), [(99, Verdict.PROBLEM), (100, Verdict.WARNING), (1023, Verdict.WARNING), (1024, Verdict.OK)]
)
def test_a_disk_that_is_nearly_full_is_reported(free: int, verdict: Verdict) -> None:
    found = disk("The database", free * 2**20)
    assert found == Finding(verdict, f"The database has {free:,} MiB of free disk space.")


@pytest.mark.django_db
def test_the_disk_of_the_embedded_database_alone_is_examined(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "disk_usage", lambda _folder: Mock(free=5 * 2**30))
    said = "The database has 5,120 MiB of free disk space."
    assert said not in sentences(doctor._database(), Verdict.OK)
    settings.DATABASE_URL = ""
    assert said in sentences(doctor._database(), Verdict.OK)


@pytest.mark.parametrize(
    ("row", "verdict", "said"),
    [
        (None, Verdict.PROBLEM, "PostgreSQL lacks pgvector: install its package on the machine of the database."),
        (("0.8.5", "0.6.2"), Verdict.PROBLEM, "pgvector 0.6.2 is too old: 0.7 or later is needed, and 0.8.5 is there."),
        (("0.8.5", "0.7.4"), Verdict.WARNING, "pgvector is 0.7.4: run ALTER EXTENSION vector UPDATE for 0.8.5."),
        (("0.8.5", "0.8.5"), Verdict.OK, "pgvector is 0.8.5."),
    ],
    ids=["none", "old", "older", "newest"],
)
def test_pgvector_must_be_there_and_new_enough(row: tuple[str, str] | None, verdict: Verdict, said: str) -> None:
    session = Mock()
    # What there is of pgvector, and whether there is a table of migrations.
    session.execute.return_value.fetchone.side_effect = [row, (False,)]
    assert next(doctor._tables(session)) == Finding(verdict, said)


def test_database_that_is_away_is_a_problem_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    with reserved_port() as port:
        away = {"HOST": "127.0.0.1", "PORT": str(port), "USER": "adiuva", "PASSWORD": SECRET}
        for name, value in away.items():
            monkeypatch.setitem(connection.settings_dict, name, value)
        (found,) = doctor._database()
        (keys,) = doctor._keys()
        # The pool waits as long as a part may take.
        monkeypatch.setattr(DatabaseWrapper, "get_new_connection", pytest.fail)
        (vectors,) = embedder_findings(ask=False)
    assert vectors == ok("Vectors are made by hashing, without a model.")
    assert found.verdict is Verdict.PROBLEM
    assert found.sentence.startswith("PostgreSQL cannot be used: ")
    assert "\n" not in found.sentence
    assert keys.verdict is Verdict.WARNING


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("query", "value", "said"),
    [
        ("SELECT pg_is_in_recovery()", True, "This PostgreSQL is a standby"),
        ("SHOW server_encoding", "SQL_ASCII", "The database's encoding is SQL_ASCII and not UTF8"),
        ("SHOW max_connections", "30", "allows 27 connections. Each process needs 2"),
        ("SHOW log_statement", "all", "may write what users say into its log: change log_statement"),
        ("SELECT rolsuper FROM pg_roles WHERE rolname = current_user", False, ""),
    ],
)
def test_unsuitable_settings_of_the_database_are_reported(
    monkeypatch: pytest.MonkeyPatch, query: str, value: object, said: str
) -> None:
    real = doctor._value
    monkeypatch.setattr(doctor, "_value", lambda session, asked: value if asked == query else real(session, asked))
    found = [finding.sentence for finding in doctor._database() if finding.verdict is not Verdict.OK]
    assert said in " ".join(found)
    assert ("is a superuser" in " ".join(found)) == bool(said)


@pytest.mark.django_db(transaction=True)
def test_role_that_may_not_make_tables_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    real = doctor._value
    denied = ("SELECT rolsuper", "SELECT has_schema_privilege")
    monkeypatch.setattr(doctor, "_value", lambda session, asked: not asked.startswith(denied) and real(session, asked))
    (found,) = problems(doctor._database())
    assert found == "The role in DATABASE_URL may not make tables, so migrate fails: make it the database's owner."


@pytest.mark.django_db(transaction=True)
def test_keys_are_tried_with_those_of_a_user(alice: User, settings: Settings) -> None:
    assert list(doctor._keys()) == [Finding(Verdict.OK, "The master keys open the keys in the database.")]
    settings.MASTER_KEYS = Fernet.generate_key().decode()
    (found,) = problems(doctor._keys())
    assert found.startswith("Keys in the database are wrapped with master keys that ADIUVA_MASTER_KEYS does not")


@pytest.mark.django_db(transaction=True)
def test_damaged_key_is_a_problem(alice: User) -> None:
    User.objects.filter(id=alice.id).update(encryption_key="damaged")
    (found,) = problems(doctor._keys())
    assert found.endswith("it is damaged.")


# Redis


@contextmanager
def telling(info: Mapping[str, str], *, clock_s: float = 0.0) -> Iterator[str]:
    """The address of a Redis that has this ``INFO``; its clock is ``clock_s`` ahead."""

    class Session(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            while line := self.rfile.readline():
                words = []
                for _ in range(int(line[1:])):
                    size = int(self.rfile.readline()[1:])
                    words.append(self.rfile.read(size + 2)[:-2].upper())
                self.wfile.write(self._answer(words[0]))

        def _answer(self, command: bytes) -> bytes:
            match command:
                case b"PING":
                    return b"+PONG\r\n"
                case b"INFO":
                    text = "\r\n".join(f"{name}:{value}" for name, value in info.items()).encode()
                    return b"$%d\r\n%s\r\n" % (len(text), text)
                case b"TIME":
                    seconds = str(int(time.time() + clock_s)).encode()
                    return b"*2\r\n$%d\r\n%s\r\n$1\r\n0\r\n" % (len(seconds), seconds)
                case _:
                    return b"+OK\r\n"

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Session) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"redis://:{SECRET}@127.0.0.1:{server.server_address[1]}/0"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.redis
def test_redis_that_fits_has_no_problem(settings: Settings) -> None:
    settings.REDIS_URL = REDIS_URL
    found = list(doctor._redis())
    assert problems(iter(found)) == []
    assert found[0].sentence.startswith("Redis 7.")
    assert " at 127.0.0.1 port 6379, without TLS, after " in found[0].sentence


@pytest.mark.parametrize(
    ("info", "clock_s", "verdict", "said"),
    [
        ({"redis_version": "6.2.1"}, 0, Verdict.WARNING, "the oldest version tried is 7."),
        ({"maxmemory_policy": "allkeys-lru"}, 0, Verdict.WARNING, "(maxmemory-policy allkeys-lru): set noeviction."),
        ({"cluster_enabled": "1"}, 0, Verdict.PROBLEM, "Redis is a cluster: a single one is needed."),
        ({"role": "slave"}, 0, Verdict.PROBLEM, "This Redis is a replica, which cannot be written to."),
        ({}, 3600, Verdict.PROBLEM, "differ by 3600 s: let both be set by NTP."),
    ],
    ids=["old", "evicting", "cluster", "replica", "clock"],
)
def test_unsuitable_redis_is_reported(
    settings: Settings, info: Mapping[str, str], clock_s: float, verdict: Verdict, said: str
) -> None:
    with telling({"redis_version": "7.4.0", **info}, clock_s=clock_s) as settings.REDIS_URL:
        (found,) = [finding for finding in doctor._redis() if finding.verdict is not Verdict.OK]
    assert found.verdict is verdict
    assert said.replace("3600", "") in found.sentence.replace("3599", "").replace("3600", "")


def test_redis_that_is_far_away_is_reported(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_pinged_ms", lambda _client: 80)
    with telling({"redis_version": "7.4.0"}) as settings.REDIS_URL:
        (found,) = sentences(doctor._redis(), Verdict.WARNING)
    assert found == "Redis answers only after 80 ms, which every frame to another process waits for."


def test_redis_that_is_away_or_silent_is_a_problem_within_its_time(settings: Settings) -> None:
    with reserved_port() as port:
        settings.REDIS_URL = f"redis://:{SECRET}@127.0.0.1:{port}"
        (found,) = problems(doctor._redis())
    assert found.startswith("Redis cannot be used: ")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings.REDIS_URL = f"redis://127.0.0.1:{silent.getsockname()[1]}"
        late = problem("The examination of Redis did not end in time.")
        assert late in list(doctor.examine(timeout_s=0.3))


# RabbitMQ


@pytest.mark.rabbitmq
async def test_broker_that_fits_has_no_problem_and_dead_letters_are_counted(settings: Settings) -> None:
    settings.AMQP_URL, settings.AMQP_PREFIX = url_at(RABBITMQ_PORT), f"{uuid.uuid4()}-"
    (found,) = await doctor._broker_findings()
    assert found.verdict is Verdict.OK
    assert f" answers at 127.0.0.1 port {RABBITMQ_PORT}, without TLS, after " in found.sentence
    async with in_rabbitmq() as backend:
        assert isinstance(backend, RabbitQueueBackend)
        await dead_letter(backend, settings)
        found = (await doctor._broker_findings())[-1]
    assert found == warning("There are dead letters (1), messages that could not be used: look at them.")


async def dead_letter(backend: RabbitQueueBackend, settings: Settings) -> None:
    settings.AMQP_PREFIX = backend.prefix
    await backend.client().dead_letters()  # declares the queues
    await backend.put(QueueName.TOOL_EXECUTION.dead, b"nothing")  # type: ignore[arg-type]


async def test_broker_that_is_away_is_a_problem(settings: Settings) -> None:
    with reserved_port() as port:
        settings.AMQP_URL = f"amqps://adiuva:{SECRET}@127.0.0.1:{port}/"
        (found,) = await doctor._broker_findings()
    assert found.verdict is Verdict.PROBLEM
    assert found.sentence.startswith("RabbitMQ cannot be used: ")


# E-mail and the model


def test_mail_server_is_spoken_with(settings: Settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_USE_TLS, settings.EMAIL_USE_SSL = "127.0.0.1", False, False
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
    with mail_server() as box:
        settings.MAIL_SERVER, settings.EMAIL_PORT = plain(box.port), box.port
        assert list(doctor._mail()) == [
            Finding(Verdict.OK, f"The mail server at 127.0.0.1 port {box.port} takes e-mail.")
        ]
    with reserved_port() as port:
        settings.MAIL_SERVER, settings.EMAIL_PORT = plain(port), port
        (found,) = problems(doctor._mail())
    assert found.startswith(f"The mail server at 127.0.0.1 port {port} cannot be used: ")


def plain(port: int) -> MailServer:
    return MailServer(host="127.0.0.1", port=port, starttls=False)


def test_models_are_asked_only_on_request(settings: Settings, model_server: ModelServer) -> None:
    settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL = "key", model_server.base_url
    settings.OPENAI_MODEL = settings.OPENAI_SMALL_MODEL = "large"
    settings.MODELS = configured_models('[{"name": "other", "model": "other-1", "offered": true}]', have_server=True)
    assert list(model_findings(ask=False)) == [
        Finding(Verdict.OK, "The model large is configured; --ask-model sends it a request."),
        Finding(Verdict.OK, "The model other-1 is configured; --ask-model sends it a request."),
    ]
    model_server.otherwise(says("yes"))
    model_server.when(lambda request: request.body["model"] == "other-1", [Status(401)])

    large, other, small = model_findings(ask=True)

    assert large.verdict is small.verdict is Verdict.OK
    assert large.sentence.startswith("The model large answers within ")
    assert other.verdict is Verdict.PROBLEM
    assert other.sentence.startswith("The model other-1 does not answer: ")


@pytest.mark.django_db(transaction=True)
def test_vectors_by_hashing_need_no_server() -> None:
    assert list(embedder_findings(ask=True)) == [Finding(Verdict.OK, "Vectors are made by hashing, without a model.")]


@pytest.mark.django_db(transaction=True)
def test_what_makes_vectors_is_asked_only_on_request(settings: Settings, model_server: ModelServer) -> None:
    settings.OPENAI_BASE_URL, settings.OPENAI_EMBEDDING_MODEL = model_server.base_url, "vectors-1"
    assert list(embedder_findings(ask=False)) == [
        Finding(Verdict.OK, "Vectors are made by vectors-1; --ask-model sends it a word.")
    ]
    model_server.reply_to_embedding(
        [Json({"data": [{"index": 0, "embedding": [1.0] * 1536}]})],
        [Json({"data": [{"index": 0, "embedding": [1.0] * 768}]})],
        [Status(401)],
    )

    [whole], [short], [refused] = (list(embedder_findings(ask=True)) for _ in range(3))

    assert whole.verdict is Verdict.OK
    assert whole.sentence.endswith("s, of 1536 numbers.")
    assert short.verdict is Verdict.WARNING
    assert "set OPENAI_EMBEDDING_DIMENSIONS to 768" in short.sentence
    assert refused == Finding(Verdict.PROBLEM, "No vectors can be made: The embedding server answered 401.")


@pytest.mark.django_db(transaction=True)
def test_a_server_without_a_model_for_vectors_is_no_problem(settings: Settings, model_server: ModelServer) -> None:
    settings.OPENAI_BASE_URL = model_server.base_url
    model_server.reply_to_embedding([Status(404)])

    [found] = embedder_findings(ask=True)

    assert found == Finding(Verdict.OK, "Vectors are made by hashing: the server has no model for them.")


@pytest.mark.django_db(transaction=True)
def test_vectors_that_another_model_made_are_counted(alice: User) -> None:
    store_fact(alice.id, "The shop closes at six.", Embedding(vector=hashed("shop"), model="older"))
    store_fact(alice.id, "The shop opens at nine.", Embedding(vector=hashed("nine"), model="hashing-v1"))

    [_, stale] = embedder_findings(ask=False)

    assert stale.verdict is Verdict.WARNING
    assert stale.sentence.startswith("Remembered texts have vectors of another model (1)")


# The whole


@pytest.mark.parametrize(
    ("host", "encrypted", "checked", "warned"),
    [
        ("10.1.2.3", False, False, False),
        ("9.9.9.9", True, True, False),
        ("9.9.9.9", False, True, True),
        ("9.9.9.9", True, False, True),
        ("localhost", False, False, False),
    ],
)
def test_connection_over_networks_of_others_must_be_private(
    host: str, *, encrypted: bool, checked: bool, warned: bool
) -> None:
    assert bool(list(exposed("Redis", host, encrypted=encrypted, checked=checked))) is warned


def test_refused_certificate_is_reported() -> None:
    refused = ssl.SSLCertVerificationError()
    refused.verify_message = "self-signed certificate"
    assert first_line(refused) == "its certificate is refused (self-signed certificate)."


@pytest.mark.parametrize(
    ("ahead_s", "verdict"), [(0, Verdict.OK), (-5, Verdict.WARNING), (5, Verdict.WARNING), (-100, Verdict.PROBLEM)]
)
def test_clocks_that_differ_are_reported(ahead_s: float, verdict: Verdict) -> None:
    now = time.time()
    assert clock("PostgreSQL", now + ahead_s, now).verdict is verdict


def test_no_sentence_holds_a_secret_and_a_failure_is_one_of_its_part(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def leaks() -> Iterator[Finding]:
        yield problem(f"It says {SECRET} and {settings.MASTER_KEYS}.")
        raise ValueError(SECRET)

    monkeypatch.setattr(doctor, "_database", leaks)
    found = [finding.sentence for finding in doctor.examine() if finding.verdict is Verdict.PROBLEM]
    assert "It says … and …." in found
    assert "The examination of PostgreSQL failed (ValueError)." in found


@pytest.mark.django_db(transaction=True)
def test_command_says_all_and_ends_with_1_if_there_is_a_problem(settings: Settings, tmp_path: Any) -> None:
    settings.STATIC_ROOT = tmp_path
    with io.StringIO() as said:
        call_command("doctor", stdout=said)
        lines = said.getvalue().splitlines()
    assert f"ok       {NO_MODEL}" in lines
    assert lines[-1].startswith("0 problems, ")
    settings.STATIC_ROOT = tmp_path / "absent"
    with io.StringIO() as said, pytest.raises(SystemExit) as ended:
        call_command("doctor", stdout=said)
    assert ended.value.code == 1


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "1e12"])
def test_command_refuses_a_time_that_no_part_can_have(seconds: str) -> None:
    with pytest.raises(CommandError, match=r"^--timeout must be more than 0 and at most 3,600 seconds\.$"):
        call_command("doctor", "--timeout", seconds)
