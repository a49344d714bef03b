"""``manage.py doctor``: whether everything that this server needs is there and fits, in one sentence each.

The parts are examined at once, each in a thread with connections of its own and for a bounded time. Nothing is changed
and no user is named. Sentences hold addresses and names, but no secret: what settings keep secret is taken out of them.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from shutil import disk_usage
from smtplib import SMTPException
from typing import Any, Final, TypeAlias
from urllib.parse import urlsplit

import psycopg
from aio_pika import connect
from aio_pika.exceptions import CONNECTION_EXCEPTIONS, ChannelClosed
from django.conf import settings
from django.core import checks, mail
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from accounts.errors import AccountError
from accounts.keys.masters import key_problem, missing_master_keys_of_deployment
from accounts.keys.vault import open_vault
from accounts.models import User
from adiuva.database.loop_statements import MAX_CONNECTIONS
from adiuva.doctor.findings import (
    CONNECT_S,
    Finding,
    answering,
    clock,
    disk,
    exposed,
    first_line,
    ok,
    problem,
    warning,
    without_secrets,
)
from adiuva.doctor.models import MODEL_S, embedder_findings, model_findings
from agents.jobs.queue import QueueName

logger = logging.getLogger(__name__)

TIMEOUT_S: Final = 10.0
"""For each part, by default."""
_SLOW_MS: Final = 50
_PINGS: Final = 5
"""The fastest counts: this machine may be busy."""
_VECTORS: Final = (0, 7)
"""pgvector has half-precision vectors from this version on."""
_OF_OTHERS: Final = {"adiuva.E007", "adiuva.I001"}
"""System checks that repeat what the examination of the keys says."""
_QUIET_LOG: Final = {
    "log_statement": {"none"},
    "log_min_duration_statement": {"-1"},
    "log_min_error_statement": {"panic", "fatal"},
}
"""With other values PostgreSQL may write what users said into its log."""
_Part: TypeAlias = Callable[[], Iterator[Finding]]


def examine(*, ask_model: bool = False, timeout_s: float = TIMEOUT_S) -> Iterator[Finding]:
    """The findings, part by part, each as soon as those before it are known.

    A part that needs longer than ``timeout_s`` is a problem. Only with ``ask_model`` requests are sent to the models,
    which may take a minute and cost something.
    """
    models_s = max(timeout_s, MODEL_S) if ask_model else timeout_s
    parts: list[tuple[str, _Part, float]] = [
        ("the settings", _settings, timeout_s),
        ("PostgreSQL", _database, timeout_s),
        ("the master keys", _keys, timeout_s),
        ("Redis", _redis, timeout_s),
        ("RabbitMQ", _broker, timeout_s),
        ("the mail server", _mail, timeout_s),
        ("the models", partial(model_findings, ask=ask_model), models_s),
        ("vectors", partial(embedder_findings, ask=ask_model), models_s),
    ]
    began = time.monotonic()
    examinations = [(_Examination(name, part), limit_s) for name, part, limit_s in parts]
    for examination, limit_s in examinations:
        for finding in examination.findings(began + limit_s):
            yield Finding(finding.verdict, without_secrets(finding.sentence))


@dataclass(slots=True, eq=False)
class _Examination:
    """A part, examined in a thread that does not keep the process from ending."""

    name: str
    part: _Part
    _found: list[Finding] = field(default_factory=list, init=False)
    _thread: threading.Thread = field(init=False)

    def __post_init__(self) -> None:
        self._thread = threading.Thread(target=self._examine, name=f"examining {self.name}", daemon=True)
        self._thread.start()

    def findings(self, deadline: float) -> list[Finding]:
        """Those made until ``deadline``, by the monotonic clock."""
        self._thread.join(max(0.0, deadline - time.monotonic()))
        unfinished = self._thread.is_alive()
        late = [problem(f"The examination of {self.name} did not end in time.")] if unfinished else []
        return [*self._found, *late]

    def _examine(self) -> None:
        try:
            for finding in self.part():
                self._found.append(finding)
        except Exception as error:  # the boundary of a part: the others are examined all the same
            logger.exception("the examination of %s failed", self.name)
            self._found.append(problem(f"The examination of {self.name} failed ({type(error).__name__})."))
        finally:
            connection.close()


def _settings() -> Iterator[Finding]:
    messages = checks.run_checks(include_deployment_checks=not settings.DEBUG)
    serious = [message for message in messages if not message.is_silenced() and message.id not in _OF_OTHERS]
    for message in serious:
        found = problem if message.is_serious() else warning
        yield found(" ".join(filter(None, (message.msg, message.hint, f"({message.id})"))))
    if not serious:
        yield ok("The settings pass all system checks.")
    if settings.DEBUG:
        yield warning("ADIUVA_DEBUG is on: this is a server for development.")
    elif not settings.STATIC_ROOT.is_dir():
        yield problem("There are no static files: run manage.py collectstatic.")
    if settings.AMQP_URL and not settings.REDIS_URL:
        yield problem("AMQP_URL is set and REDIS_URL is not: workers need both.")
    if {"*", "0.0.0.0/0", "::/0"} & set(settings.TRUSTED_PROXIES):
        yield problem("ADIUVA_TRUSTED_PROXIES names every address: any client can then say that it is another.")
    public = urlsplit(settings.PUBLIC_URL).hostname or ""
    if not settings.DEBUG and not any(_fits(public, host) for host in settings.ALLOWED_HOSTS):
        yield warning(f"Links in e-mail lead to {public}, which is not among ADIUVA_ALLOWED_HOSTS.")
    if not settings.DATABASE_URL and settings.REDIS_URL:
        yield warning("REDIS_URL is set and DATABASE_URL is not: servers on other machines cannot use this database.")


def _fits(host: str, pattern: str) -> bool:
    return host == pattern or (pattern.startswith(".") and f".{host}".endswith(pattern))


def _database() -> Iterator[Finding]:
    parameters = {**connection.get_connection_params(), "connect_timeout": CONNECT_S, "autocommit": True}
    parameters.pop("cursor_factory", None)
    try:
        began = time.perf_counter()
        with psycopg.connect(**parameters) as session:
            info = session.info
            where = f"at {info.host} port {info.port}" if not info.host.startswith("/") else "by a Unix socket"
            version = f"{info.server_version // 10000}.{info.server_version % 10000}"
            encrypted = bool(session.pgconn.ssl_in_use)
            yield answering("PostgreSQL", version, where, began, encrypted=encrypted)
            checked = parameters.get("sslmode") in {"verify-ca", "verify-full"}
            yield from exposed("PostgreSQL", info.hostaddr, encrypted=encrypted, checked=checked)
            yield from _tables(session)
            yield from _cluster(session)
            if not settings.DATABASE_URL:  # the disk of another machine cannot be seen
                yield disk("The database", disk_usage(_value(session, "SHOW data_directory")).free)
    except psycopg.Error as error:
        yield problem(f"PostgreSQL cannot be used: {first_line(error)}")


def _tables(session: psycopg.Connection[Any]) -> Iterator[Finding]:
    row = session.execute(
        "SELECT default_version, installed_version FROM pg_available_extensions WHERE name = 'vector'"
    ).fetchone()
    match row:
        case None:
            yield problem("PostgreSQL lacks pgvector: install its package on the machine of the database.")
        case (offered, None):
            yield problem(f"The database lacks pgvector {offered}: run CREATE EXTENSION vector in it as a superuser.")
        case (offered, installed) if tuple(map(int, installed.split(".")[:2])) < _VECTORS:
            yield problem(f"pgvector {installed} is too old: 0.7 or later is needed, and {offered} is there.")
        case (offered, installed) if offered != installed:
            yield warning(f"pgvector is {installed}: run ALTER EXTENSION vector UPDATE for {offered}.")
        case (_, installed):
            yield ok(f"pgvector is {installed}.")
    known = set(MigrationLoader(None).disk_migrations)
    applied = set[tuple[str, str]]()
    if _value(session, "SELECT to_regclass('django_migrations') IS NOT NULL"):
        applied = set(session.execute("SELECT app, name FROM django_migrations").fetchall())
    if known - applied:
        yield problem(f"Migrations are missing ({len(known - applied)}): run manage.py migrate.")
    if newer := {name for name in applied - known if name[0] in {app for app, _ in known}}:
        yield warning(f"The database has migrations that this release does not know ({len(newer)}): it is older.")
    elif known <= applied:
        yield ok("All migrations are applied.")


def _cluster(session: psycopg.Connection[Any]) -> Iterator[Finding]:
    if _value(session, "SELECT pg_is_in_recovery()"):
        yield problem("This PostgreSQL is a standby, which cannot be written to.")
    if _value(session, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user") and settings.DATABASE_URL:
        yield warning("The role in DATABASE_URL is a superuser: one that owns its database is enough.")
    elif not _value(session, "SELECT has_schema_privilege(current_schema(), 'CREATE')"):
        yield problem("The role in DATABASE_URL may not make tables, so migrate fails: make it the database's owner.")
    if (encoding := _value(session, "SHOW server_encoding")) != "UTF8":
        yield problem(f"The database's encoding is {encoding} and not UTF8, so it cannot hold every text.")
    options: Any = settings.DATABASES["default"]
    pool: dict[str, int] = options["OPTIONS"]["pool"]
    each = pool["max_size"] + MAX_CONNECTIONS + 2  # which hear notices, and ask whether the database answers
    free = int(_value(session, "SHOW max_connections")) - int(_value(session, "SHOW superuser_reserved_connections"))
    room = warning if free < 2 * each else ok
    yield room(f"PostgreSQL allows {free} connections. Each process needs {each}, so there is room for {free // each}.")
    loud = [name for name, quiet in _QUIET_LOG.items() if _value(session, f"SHOW {name}") not in quiet]
    if loud:
        yield warning(f"PostgreSQL may write what users say into its log: change {', '.join(loud)}.")
    began = time.time()
    there: datetime = _value(session, "SELECT clock_timestamp()")
    yield clock("PostgreSQL", there.timestamp(), began)


def _value(session: psycopg.Connection[Any], query: str) -> Any:
    row = session.execute(query.encode()).fetchone()
    return None if row is None else row[0]


def _keys() -> Iterator[Finding]:
    try:
        if wrong := key_problem(missing_master_keys_of_deployment):
            yield problem(wrong)
            return
        user_id = User.objects.exclude(encryption_key="").values_list("id", flat=True).first()
        if user_id is None:
            yield ok("The master keys are well-formed; no user has a key yet.")
            return
        open_vault(user_id)
        yield ok("The master keys open the keys in the database.")
    except AccountError:
        yield problem("A user's key cannot be opened with the master key that wrapped it: it is damaged.")
    except psycopg.Error:
        yield warning("Whether the master keys fit is unknown: the database cannot be reached, or has no tables.")


def _redis() -> Iterator[Finding]:
    if not settings.REDIS_URL:
        yield ok("Redis is not used: there is one server process.")
        return
    waits = {"socket_timeout": CONNECT_S, "socket_connect_timeout": CONNECT_S, "retry": Retry(NoBackoff(), 0)}
    client = Redis.from_url(settings.REDIS_URL, decode_responses=True, protocol=2, **waits)
    began = time.perf_counter()
    try:
        took_ms = min(_pinged_ms(client) for _ in range(_PINGS))
        info: dict[str, Any] = client.info()
        url = urlsplit(settings.REDIS_URL)
        encrypted = url.scheme == "rediss"
        where = f"at {url.hostname} port {url.port or 6379}" if url.hostname else "by a Unix socket"
        yield answering("Redis", info["redis_version"], where, began, encrypted=encrypted)
        yield from exposed("Redis", url.hostname or "", encrypted=encrypted)
        if took_ms > _SLOW_MS:
            yield warning(f"Redis answers only after {took_ms} ms, which every frame to another process waits for.")
        if info.get("cluster_enabled"):
            yield problem("Redis is a cluster: a single one is needed.")
        if info.get("role", "master") != "master":
            yield problem("This Redis is a replica, which cannot be written to.")
        if (policy := info.get("maxmemory_policy", "noeviction")) != "noeviction":
            yield warning(f"Redis may evict what processes share (maxmemory-policy {policy}): set noeviction.")
        began = time.time()
        seconds, microseconds = client.time()
        yield clock("Redis", seconds + microseconds / 1e6, began)
    except (RedisError, OSError) as error:
        yield problem(f"Redis cannot be used: {first_line(error)}")
    finally:
        client.close()


def _pinged_ms(client: Redis) -> int:
    began = time.perf_counter()
    client.ping()
    return round((time.perf_counter() - began) * 1000)


def _broker() -> Iterator[Finding]:
    if not settings.AMQP_URL:
        yield ok("RabbitMQ is not used: slow tools run in the server's own process.")
        return
    yield from asyncio.run(_broker_findings())


async def _broker_findings() -> list[Finding]:
    url = urlsplit(settings.AMQP_URL)
    encrypted = url.scheme == "amqps"
    found: list[Finding] = []
    began = time.perf_counter()
    try:
        async with asyncio.timeout(2 * CONNECT_S), await connect(settings.AMQP_URL) as session:
            transport = session.transport
            told: Any = {} if transport is None else transport.connection.server_properties
            version = str(told.get("version", "of an unknown version"))
            where = f"at {url.hostname} port {url.port or (5671 if encrypted else 5672)}"
            found.append(answering("RabbitMQ", version, where, began, encrypted=encrypted))
            checked = "no_verify_ssl" not in url.query
            found.extend(exposed("RabbitMQ", url.hostname or "", encrypted=encrypted, checked=checked))
            dead = [await _waiting(session, f"{settings.AMQP_PREFIX}{name.dead}") for name in QueueName]
            if sum(dead):
                found.append(
                    warning(f"There are dead letters ({sum(dead)}), messages that could not be used: look at them.")
                )
    except (TimeoutError, OSError, *CONNECTION_EXCEPTIONS) as error:
        found.append(problem(f"RabbitMQ cannot be used: {first_line(error)}"))
    return found


async def _waiting(session: Any, queue: str) -> int:
    """The messages in ``queue``; 0 if it is not there yet."""
    channel = await session.channel()
    try:
        declared = await channel.declare_queue(queue, passive=True)
    except ChannelClosed:
        return 0
    return int(declared.declaration_result.message_count)


def _mail() -> Iterator[Finding]:
    server = settings.MAIL_SERVER
    if server is None:
        yield ok("There is no mail server: manage.py reset_password makes links for those who forgot their password.")
        return
    try:
        with mail.get_connection(timeout=CONNECT_S):
            yield ok(f"The mail server at {server.host} port {server.port} takes e-mail.")
    except (SMTPException, OSError) as error:
        yield problem(f"The mail server at {server.host} port {server.port} cannot be used: {first_line(error)}")
